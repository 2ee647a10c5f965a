import type { ProvinceGap } from '../places/gaps.ts'
import type { Columns, RowOf } from './columns.ts'
import type { Source } from './sources.ts'

/** The plans of the service, lowest first. */
export const PLANS = ['FREE', 'PRO', 'ENTERPRISE'] as const
export type Plan = (typeof PLANS)[number]

/** An age: days, calendar months or years. */
export type Retention = `${number}${'d' | 'mo' | 'y'}`

/** One field of a table's partition: a column and its Iceberg transform. */
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
 * How rows enter the table. `append`: each observation, once per key. `changes`: a row when values change, an ENDED or MISSING
 * row on disappearance, and a baseline per partition. `replace`: whole versions (`version` in the key); republishing one replaces
 * only its own rows.
 */
export type WriteMode = 'append' | 'changes' | 'replace'

/**
 * Effect of an entity's absence from `absencesToEnd` newer complete publications: it `ends` (status ENDED), is `missing`
 * (catalogues: status MISSING, never ended by absence alone), or nothing (`keeps`: the last row stays and becomes stale).
 */
export type Absence = 'ends' | 'missing' | 'keeps'

/** Engine-filled columns of things that begin and end. */
export interface Life {
  /** The string column of the public id: a keyed hash of the entity and its start. */
  readonly id: string
  /** Prefix of the public id, as in `inc_…`. */
  readonly prefix: string
  /** The instant column of the first publication that contained it. */
  readonly since: string
}

/** A thing that returns this soon after its end continues under the same id, ms. */
export const REVIVAL_MS = 30 * 60_000

/** Default of `absencesToEnd`: an entity is gone after being absent from this many newer complete publications in a row. */
export const ABSENCES = 3

const CURRENT_FOR_MS = 2 * 86_400_000

/** The declaration of a dataset; everything else about it is derived. */
export interface DatasetSpec<C extends Columns> {
  readonly id: string
  readonly domain: string
  readonly title: string
  readonly about: string
  readonly sources: readonly Source[]
  readonly columns: C
  /** The columns that identify the thing with a history; the key is entity + time. */
  readonly entity: readonly (keyof C & string)[]
  /** The instant of a row. In a `changes` dataset the engine sets it to the data time of the fetch. */
  readonly time: keyof C & string
  /** `replace` for a dataset with a version; otherwise stated. */
  readonly writeMode?: WriteMode
  readonly absence?: Absence
  /** 1 if each publication is the complete state, so that anything absent is over; 3 by default. */
  readonly absencesToEnd?: number
  readonly life?: Life & { readonly id: keyof C & string; readonly since: keyof C & string }
  /** By its version for `replace`, else by the month of its time, unless stated. */
  readonly partition?: readonly PartitionField[]
  /** Sort order of files: the entity, and in tables without versions the time, unless stated. */
  readonly order?: readonly (keyof C & string)[]
  readonly plan: { readonly live: Plan; readonly history: Plan; readonly bulk: Plan }
  /** The Iceberg namespace of its table, if not the domain: a licence may require a separate database. */
  readonly namespace?: string
  /**
   * Age at which rows are deleted, in days, months or years, by whole partitions; unlimited if not set. For a dataset
   * partitioned by the day or month of its time, or by its version.
   */
  readonly keep?: Retention
  /** `internal` datasets are never public. */
  readonly visibility?: 'public' | 'internal'
  /** False if it has no current state in Redis; `replace` datasets never have one. */
  readonly live?: boolean
  /** For an `append` dataset: how long an observation stays current without a newer one of its entity, ms; 2 days by default. */
  readonly currentFor_ms?: number
  /**
   * For an `append` dataset: greatest age of a current observation while its block is missing, ms; as for other observations by
   * default.
   */
  readonly heldFor_ms?: number
  /**
   * True if `time` is when something was observed or happened: a row later than its fetch is rejected. Always true for `append`;
   * optional for others, since forecasts, timetables and planned works are in the future.
   */
  readonly isObservation?: boolean
  /**
   * Sources whose `time` is the end of the interval that a row describes. Its length is the row's `period_s`, at most
   * `longest_s`. The time of other sources is an instant, or the begin. A row belongs to the hour and day in which its interval
   * begins.
   */
  readonly timeEnds?: { readonly sources: readonly Source[]; readonly longest_s: number }
  /** Provinces for which no source has data; lists of the dataset report them as `meta.coverage`. */
  readonly lacks?: ProvinceGap
  /** Provinces for which it has no data while a feed is disabled, because an operator has to turn it on. */
  readonly lacksWithout?: { readonly feed: string; readonly gap: ProvinceGap }
  /** For a `replace` dataset: the entity column of the publisher's version. */
  readonly version?: keyof C & string
}

/** A declared dataset, frozen: its specification with defaults filled in. */
export type Dataset<S extends DatasetSpec<Columns> = DatasetSpec<Columns>> = S & {
  readonly writeMode: WriteMode
  readonly absence: Absence
  readonly absencesToEnd: number
  readonly partition: readonly PartitionField[]
  readonly order: readonly string[]
  readonly visibility: 'public' | 'internal'
  readonly live: boolean
  readonly currentFor_ms: number
  readonly heldFor_ms: number
  readonly isObservation: boolean
}

/** A row of a dataset. */
export type Row<D extends { readonly columns: Columns }> = RowOf<D['columns']>

type Filled<D> =
  | (D extends { readonly writeMode: 'changes'; readonly time: infer T extends string } ? T : never)
  | (D extends { readonly life: { readonly id: infer I extends string; readonly since: infer F extends string } } ? I | F : never)

/** A row from a feed: without engine-filled columns (the time of a `changes` dataset, the public id and start of a life). */
export type FeedRow<D extends { readonly columns: Columns }> = Omit<Row<D>, Filled<D>>

/** Any row, if its dataset's type does not matter. */
export type AnyRow = Record<string, unknown>

/** Without a version, the write mode has to be stated. */
type Mode<S> = S extends { readonly version: string } ? unknown : { readonly writeMode: WriteMode }

type Named<S extends { readonly columns: Columns }> = keyof S['columns'] & string

/** Ties names of columns in a specification to its columns. */
type Keyed<S extends { readonly columns: Columns }> = S &
  Mode<S> & { readonly entity: readonly Named<S>[]; readonly time: Named<S>; readonly order?: readonly Named<S>[] }

/** What the datasets of a domain have in common. */
type OfDomain = Pick<DatasetSpec<Columns>, 'domain' | 'plan'>

/** Returns `defineDataset` for the datasets of a domain. `plan` is that of datasets that state none. */
export function datasetsOf(domain: string, plan: OfDomain['plan']) {
  return <const S extends Omit<DatasetSpec<Columns>, keyof OfDomain> & Partial<Pick<OfDomain, 'plan'>>>(spec: Keyed<S>) =>
    defineDataset<S & OfDomain>({ domain, plan, ...spec } as Keyed<S & OfDomain>)
}

/** Declares a dataset. `lake/catalog.ts` checks what types cannot (ids, key, partition, order) when it is loaded. */
export function defineDataset<const S extends DatasetSpec<Columns>>(spec: Keyed<S>): Dataset<S> {
  const { entity, time, version, writeMode = 'replace' } = spec
  const defaults = {
    partition: [version === undefined ? month(time) : identity(version)],
    order: version === undefined ? [...entity.filter((name) => name !== time), time] : entity,
    visibility: 'public',
    writeMode,
    live: writeMode !== 'replace',
    absence: 'keeps',
    absencesToEnd: ABSENCES,
    currentFor_ms: CURRENT_FOR_MS,
    heldFor_ms: 0,
    isObservation: writeMode === 'append',
  } as const
  return Object.freeze({ ...defaults, ...spec } as const) as Dataset<S>
}
