import type { ProvinceGap } from '../places/gaps.ts'
import type { Columns, RowOf } from './columns.ts'
import type { Source } from './sources.ts'

/** The plans of the service, lowest first. */
export const PLANS = ['FREE', 'PRO', 'ENTERPRISE'] as const
export type Plan = (typeof PLANS)[number]

/** One part of a table's partition: a column and Iceberg's transform of it. */
export interface PartitionField {
  readonly column: string
  readonly transform: 'identity' | 'day' | 'month'
}

/** Partition by the value itself. @public */
export const identity = (column: string): PartitionField => Object.freeze({ column, transform: 'identity' })
/** Partition by UTC day of an instant, or by local date. @public */
export const day = (column: string): PartitionField => Object.freeze({ column, transform: 'day' })
/** Partition by UTC month of an instant or a local date. */
export const month = (column: string): PartitionField => Object.freeze({ column, transform: 'month' })

/**
 * How rows become table rows:
 * - `append`: every observation is a row, once per key;
 * - `changes`: a row when a value other than time and fetch_id differs from the entity's last row, an ENDED or MISSING row when it
 *   disappears, and a full baseline at the start of each partition;
 * - `replace`: whole versions, the publisher's version (`version`) in the key: of each the table has the rows of the newest publication
 *   that carries it. The same version published again takes the place of its rows, whatever it changed; other versions stay as they are.
 */
export type Land = 'append' | 'changes' | 'replace'

/**
 * What it means that an entity is absent from `absencesToEnd` newer complete publications: it `ends` (status ENDED), it is
 * `missing` (a catalogue: status MISSING, never ended by absence alone), or nothing (`keeps`: the last row stays and goes stale).
 */
export type Absence = 'ends' | 'missing' | 'keeps'

/** The columns the engine fills for things that begin and end. */
export interface Life {
  /** The string column of the public id: a keyed hash of the entity and the start of this life. */
  readonly id: string
  /** Prefix of the public id, as in `inc_…`. */
  readonly prefix: string
  /** The instant column of the first publication that had it in this life. */
  readonly since: string
}

/** A thing that comes back this soon after its end goes on living under the same id, ms. */
export const REVIVAL_MS = 30 * 60_000

/** Default of `absencesToEnd`: an entity is gone after this many newer complete publications in a row without it. */
export const ABSENCES = 3

const CURRENT_FOR_MS = 2 * 86_400_000

/** What a dataset declares; everything else about it is derived. */
export interface DatasetSpec<C extends Columns> {
  readonly id: string
  readonly domain: string
  readonly title: string
  readonly about: string
  readonly sources: readonly Source[]
  readonly columns: C
  /** The columns that name the thing that has a history; the key is entity + time. */
  readonly entity: readonly (keyof C & string)[]
  /** The instant of a row. In a `changes` dataset the engine fills it with the data time of the fetch. */
  readonly time: keyof C & string
  readonly land: Land
  readonly absence?: Absence
  /** 1 if each publication is the complete state, so that what it lacks is over; 3 by default. */
  readonly absencesToEnd?: number
  readonly life?: Life & { readonly id: keyof C & string; readonly since: keyof C & string }
  readonly partition: readonly PartitionField[]
  readonly order: readonly (keyof C & string)[]
  readonly plan: { readonly live: Plan; readonly history: Plan; readonly bulk: Plan }
  /** The Iceberg namespace of its table, where it is not the domain: a licence may ask for a database of its own. */
  readonly namespace?: string
  /** Of an `append` dataset that is partitioned by the day of its time: days after which rows are deleted; kept for good if not set. */
  readonly keepsDays?: number
  /** `internal` datasets never leave by a public door. */
  readonly visibility?: 'public' | 'internal'
  /** False where there is no current state worth keeping in Redis; `replace` datasets have none. */
  readonly live?: boolean
  /** Of an `append` dataset: how long an observation is current state while no newer one of its entity comes, ms; 2 days unless told. */
  readonly currentFor_ms?: number
  /** Of an `append` dataset: how old an observation may get in the current state while its block is missing, so that it can be told, ms; no older than others unless told. */
  readonly heldFor_ms?: number
  /**
   * True where `time` is when something was observed or happened: a row later than its fetch is rejected. `append` datasets are, others
   * only if set, since forecasts, timetables and planned works lie ahead.
   */
  readonly isObservation?: boolean
  /** Provinces that no source of it has data of; lists of the dataset report them as `meta.coverage`. */
  readonly lacks?: ProvinceGap
  /** Of a `replace` dataset: the column of the publisher's version, one of the entity's. */
  readonly version?: keyof C & string
}

/** A declared dataset, frozen: its specification with the defaults filled in. */
export type Dataset<S extends DatasetSpec<Columns> = DatasetSpec<Columns>> = S & {
  readonly absence: Absence
  readonly absencesToEnd: number
  readonly visibility: 'public' | 'internal'
  readonly live: boolean
  readonly currentFor_ms: number
  readonly heldFor_ms: number
  readonly isObservation: boolean
}

/** A row of a dataset. */
export type Row<D extends { readonly columns: Columns }> = RowOf<D['columns']>

type Filled<D> =
  | (D extends { readonly land: 'changes'; readonly time: infer T extends string } ? T : never)
  | (D extends { readonly life: { readonly id: infer I extends string; readonly since: infer F extends string } } ? I | F : never)

/** A row as a feed gives it: without what the engine fills (the time of a `changes` dataset, public id and start of a life). */
export type FeedRow<D extends { readonly columns: Columns }> = Omit<Row<D>, Filled<D>>

/** Any row, where its dataset's type does not matter. */
export type AnyRow = Record<string, unknown>

type Named<S extends { readonly columns: Columns }> = keyof S['columns'] & string

/** Declares a dataset. What the types cannot check (ids, key, partition, order), `lake/catalog.ts` checks when it is loaded. */
export function defineDataset<const S extends DatasetSpec<Columns>>(
  spec: S & { readonly entity: readonly Named<S>[]; readonly time: Named<S>; readonly order: readonly Named<S>[] },
): Dataset<S> {
  const defaults = {
    visibility: 'public',
    live: spec.land !== 'replace',
    absence: 'keeps',
    absencesToEnd: ABSENCES,
    currentFor_ms: CURRENT_FOR_MS,
    heldFor_ms: 0,
    isObservation: spec.land === 'append',
  } as const
  return Object.freeze({ ...defaults, ...spec } as const) as Dataset<S>
}
