import type { TableSchema } from '../../lake/iceberg/metadata.ts'
import type { TableState } from '../../lake/iceberg/table.ts'
import type { FeedListing, FeedState } from '../../lake/live/freshness.ts'
import type { QualityDay } from '../../lake/quality/days.ts'
import type { TableQuality } from '../../lake/quality/tables.ts'
import type { Column } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset, Plan } from '../../lake/schema/dataset.ts'
import type { SourceMode } from '../../lake/system.ts'
import { type Around, aroundOf, withDistance } from './around.ts'
import { checkDeprecation, type Deprecation } from './deprecation.ts'
import type { Example } from './example.ts'
import { type Fields, idFieldsOf, type Nested, type RecordShape, type ValueOf } from './fields.ts'
import { type AnyFilter, type FilteredRecord, type FilterValues, filterParams } from './filter.ts'
import { isLocated } from './formats.ts'
import type { LakeRead } from './lake-read.ts'
import type { ChangeOf, MemoryList, MemoryOne, StatesOf } from './memory-read.ts'
import type { MethodPage } from './method-page.ts'
import type { Params, ValuesOf } from './params.ts'
import type { SearchView } from './search-view.ts'

export type { LakeKnown } from './lake-read.ts'
export type { ChangeOf, MemoryAsk, RestsOn, State, StatesOf } from './memory-read.ts'

/** What the service knows of itself from what is announced and declared. */
export interface SystemState {
  readonly mode: SourceMode
  readonly feeds: readonly FeedListing[]
  readonly states: ReadonlyMap<string, FeedState>
  /** The datasets that are published. */
  readonly datasets: readonly Dataset[]
}

/** What the metadata of a dataset's table say of it, as it was last looked at. */
export interface TableAbout {
  /** Of the current snapshot: 0 in a table without one. */
  readonly rows: number
  readonly bytes: number
  readonly files: number
  readonly partitions: number
  /** States that are kept, the current one included. */
  readonly snapshots: number
  /** When it last changed, ms since the epoch. */
  readonly updated_at: number
  /** Earliest time of its rows, ms; null without rows. */
  readonly covered_from: number | null
  /** Latest time of its rows, ms; null without rows. */
  readonly latest_row_at: number | null
  /** Newest data time that has landed, ms, by feed. */
  readonly covered_until: Readonly<Record<string, number>>
  /** Its schemas, oldest first, and which of them is the current one. */
  readonly schemas: readonly TableSchema[]
  readonly schema_version: number
  /** The state that all of this is of. */
  readonly state: TableState
}

/** What is known of the data of days. */
export interface QualityView {
  /** What came of the feeds, the oldest day first. */
  readonly days: readonly QualityDay[]
  /** What the tables of datasets have of days, by dataset id. */
  readonly tables: ReadonlyMap<string, Omit<TableQuality, 'files'>>
}

/** What the service knows of itself. */
export interface SystemView extends SystemState {
  readonly endpoints: readonly Endpoint[]
  /** What is known of the data of days, where `read.quality` asks for it. */
  readonly quality: QualityView
  /** The tables of the published datasets, by dataset id, where `read.tables` asks for them; one that is not created yet is not among them. */
  readonly tables: ReadonlyMap<string, TableAbout>
  /** A signed URL of a data file, and when it expires (ms); `now` is the begin of a step of the clock. */
  readonly link: (dataset: Dataset, file: string, now: number) => Promise<{ readonly url: string; readonly expires_at: number }>
  /** The search index, where `read.search` asks for it. */
  readonly search: SearchView
}

/** What a system list has besides its records. */
export interface WithAsides<R> {
  readonly records: readonly R[]
  /** The additional lists of the reply, by the names of `ListReturn.asides`. */
  readonly asides: Readonly<Record<string, readonly object[]>>
}

/** A list of what the service knows of itself, or one thing of it. */
export interface SystemRead<P, R> {
  readonly kind: 'system'
  /** The records of the list, or the one thing; null where there is nothing under the path. */
  readonly records: (system: SystemView, values: P, now: number) => SystemFound<R> | Promise<SystemFound<R>>
  /** Set where the answer tells of tables: the ids of their datasets, or null for all that are published. */
  readonly tables?: (values: P) => readonly string[] | null
  /** Set if the answer is about the data of `tables`: `meta` has their sources. */
  readonly showsSources?: true
  /** Set where the answer tells of figures of days. */
  readonly quality?: true
  /** Set where the answer comes from the search index. */
  readonly search?: true
  /** What was probably meant by a path under which there is nothing; null where nothing is near. */
  readonly near?: (system: SystemView, values: P) => string | null
  /** Set where the answer depends on the time of day, see `Param.clock_s`. */
  readonly clock_s?: number
}

/** The records of a system read, with additional lists or without; null where there is nothing under the path. */
type SystemFound<R> = readonly R[] | WithAsides<R> | null

/** What happened to a dataset, from the log of changes. */
export interface ChangesRead<D extends readonly Dataset[], R, M, W> {
  readonly kind: 'changes'
  /** The first dataset's log; the others' states may be looked up. */
  readonly from: D
  /** What has changed, as the filters see it. */
  readonly thing: (change: ChangeOf<D[0]>, states: StatesOf<D>) => M & W
  /** The record of a change. */
  readonly entry: (thing: M, change: ChangeOf<D[0]>) => R
}

/** A reply that lists records. */
export interface ListReturn<F extends Fields = Fields> {
  readonly kind: 'list'
  /** Name of the list in the reply. */
  readonly name: string
  readonly record: RecordShape<F>
  /** Fields that together tell records apart; the last criterion of every order. */
  readonly key: readonly (keyof F & string)[]
  /** Field that `ids` chooses by; none where records have no id of their own. */
  readonly id?: keyof F & string
  /** Fields that `sort` takes, and the order where it is not given: a field, or `-` and a field for falling. */
  readonly sorts: readonly (keyof F & string)[]
  readonly order: string
  /** The order of a search around a point; by distance unless given. */
  readonly orderAround?: string
  /** Parameters without which a field has no value, by field: a sort by it is then refused. */
  readonly needs?: { readonly [field in keyof F & string]?: readonly string[] }
  /** Additional numbers and instants of the reply, by member name. Only for lists that `answer` makes. */
  readonly counts?: Readonly<Record<string, Column<number>>>
  /**
   * Additional lists of objects in the reply, by member name, such as counts over all matches. Only for `lake` and `system`
   * lists.
   */
  readonly asides?: Readonly<Record<string, Nested<readonly object[]>>>
  /** Records per reply where the request does not say (null: all), and at most. */
  readonly limit: { readonly default: number | null; readonly max: number }
  /** The representation of a request that names none; JSON by default. */
  readonly prefers?: 'geojson'
}

/** A list of records with an `id`: by their ids, 100 a page and at most 20,000, unless `options` say otherwise. */
export function listReturn<F extends Fields & { readonly id: unknown }>(
  name: string,
  record: RecordShape<F>,
  options: Pick<ListReturn<F>, 'sorts'> & Partial<ListReturn<F>>,
): ListReturn<F> {
  return { kind: 'list', name, record, key: ['id'], id: 'id', order: 'id', limit: { default: 100, max: 20_000 }, ...options }
}

/** A reply that is one record. */
export interface OneReturn<F extends Fields = Fields> {
  readonly kind: 'one'
  readonly record: RecordShape<F>
  /** The representation of a request that names none; JSON by default. */
  readonly prefers?: 'geojson'
}

/** What an endpoint declares; everything else about it is derived. */
interface Declared<P extends Params, Fs extends readonly AnyFilter[]> {
  /** `/api/…`; `{name}` stands for a parameter that is declared under that name. */
  readonly path: string
  readonly domain: string
  readonly plan: Plan
  /**
   * Of an endpoint that reads history under a lower plan than the data's: how much of its end that plan may ask for, in hours, and the plan
   * that may ask for more, by the parameter that is a period; without one nobody can.
   */
  readonly recent?: { readonly hours: number; readonly wider: Plan; readonly period?: keyof P & string }
  /**
   * Of an endpoint that shows a little of a dataset of a higher plan: which of its columns. The others are only read to find out what belongs
   * to what.
   */
  readonly excerpts?: readonly { readonly of: Dataset; readonly columns: readonly string[] }[]
  readonly summary: string
  readonly about?: string
  /** The page that explains how its figures are made. */
  readonly explained?: MethodPage
  readonly params: P
  /**
   * Filters, in the order in which their parameters are documented, after `params`. The engine applies them; the query of a list
   * of the lake has to contain their condition (`LakeView.where`).
   */
  readonly filters?: Fs
  /**
   * Of an endpoint that answers figures, made of many records or as they were published: what each stands for, and how it is made. Replies say so in
   * `meta`, and of the lake the period too, unless each record tells its own time.
   */
  readonly figure?: { readonly grain: string; readonly method: string; readonly tellsYears?: true }
  /** Set where the endpoint goes: it says so, and one day answers no more. */
  readonly deprecated?: Deprecation
  /** Texts of parameters with which the endpoint answers from rows made of the datasets' examples, and what documents show in their place. */
  readonly example: Example
}

/** What a list is read by, of values `V` and records `R`; `M` is what filters see where the reply shows something else. */
type ListRead<V, D extends readonly Dataset[], R, M, W> =
  | MemoryList<V, D, R, M, W>
  | LakeRead<V, D, R>
  | ChangesRead<D, R, M, W>
  | SystemRead<V, R>

/** What an endpoint declares: a list, or one thing, and what it is read by. */
export type EndpointSpec<
  P extends Params,
  D extends readonly Dataset[],
  F extends Fields,
  M,
  Fs extends readonly AnyFilter[],
  V = ValuesOf<P> & FilterValues<Fs>,
> = Declared<P, Fs> &
  (
    | { readonly returns: ListReturn<F>; readonly read: ListRead<V, D, ValueOf<F>, M, FilteredRecord<Fs>> }
    | { readonly returns: OneReturn<F>; readonly read: MemoryOne<V, D, ValueOf<F>> | SystemRead<V, ValueOf<F>> }
  )

/** Values of a request by the names of parameters and filters. */
type Values = Readonly<Record<string, unknown>>
type Many = readonly Dataset[]

/** A declared endpoint without the types of its own records and parameters: what engines work with. */
export interface Endpoint extends Declared<Params, readonly AnyFilter[]> {
  readonly filters: readonly AnyFilter<AnyRow>[]
  /** How its list is searched around a point, derived from its filters; null where it is not. */
  readonly around: Around | null
  readonly returns: ListReturn | OneReturn
  readonly read: ListRead<Values, Many, AnyRow, AnyRow, unknown> | MemoryOne<Values, Many, AnyRow>
}

/** What an engine knows of the way in which endpoints of a kind read. */
export type ReadOf<K extends Endpoint['read']['kind']> = Extract<Endpoint['read'], { readonly kind: K }>

/**
 * Declares an endpoint. Throws where the path's parameters are not declared, the kind of reply or its order does not fit the way it is read,
 * or it goes without notice.
 */
export function defineEndpoint<
  const P extends Params,
  const D extends readonly Dataset[],
  F extends Fields,
  M,
  const Fs extends readonly AnyFilter[] = readonly [],
>(spec: EndpointSpec<P, D, F, M, Fs>): Endpoint {
  for (const name of pathParams(spec.path))
    if (spec.params[name]?.kind !== 'param') throw new Error(`${spec.path}: {${name}} is not declared`)
  const isMade = spec.read.kind === 'memory' && spec.read.answer !== undefined
  if (spec.returns.kind === 'list' && spec.returns.counts && !isMade)
    throw new Error(`${spec.path}: only lists that \`answer\` makes have counts`)
  const asides = (one: { readonly asides?: object }): string => Object.keys(one.asides ?? {}).join()
  if (spec.read.kind !== 'system' && asides(spec.returns as object) !== (spec.read.kind === 'lake' ? asides(spec.read) : ''))
    throw new Error(`${spec.path}: the lists beside the list and their queries are not the same`)
  const { returns, read, deprecated } = spec
  if (returns.prefers && !isLocated(returns.record.fields))
    throw new Error(`${spec.path}: records without a place have no ${returns.prefers}`)
  if (returns.kind === 'one' && isLocated(returns.record.fields) && idFieldsOf(returns.record).length === 0)
    throw new Error(`${spec.path}: a record with a place needs an id, for its GeoJSON feature`)
  if (deprecated) checkDeprecation(spec.path, deprecated)
  for (const name of Object.keys((read.kind === 'lake' && read.known) || {}))
    if (spec.params[name]?.kind !== 'param') throw new Error(`${spec.path}: known has values of ${name}, which is not a parameter`)
  if (read.kind === 'lake' && returns.kind === 'list')
    for (const name of returns.sorts)
      if (returns.record.fields[name]?.kind === 'code')
        throw new Error(`${spec.path}: lists of the lake cannot be sorted by codes (${name})`)
  const filters = spec.filters ?? []
  for (const { name, where } of filters) {
    if (name in spec.params) throw new Error(`${spec.path}: ${name} is a parameter and a filter`)
    if (read.kind === 'lake' && !where) throw new Error(`${spec.path}: the filter ${name} has no SQL`)
  }
  const around = returns.kind === 'list' ? aroundOf(returns as ListReturn, filters) : null
  return Object.freeze({
    ...spec,
    ...{ params: { ...spec.params, ...filterParams(filters) }, filters, around },
    ...(around ? { returns: withDistance(returns as ListReturn) } : {}),
  }) as unknown as Endpoint
}

/** Names of the parameters in a path, in order. */
export function pathParams(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
}

/** A path as a name: `/api/incidents/{id}/history` gives `incidents_by_id_history`. */
export function endpointId(path: string): string {
  return path
    .split('/')
    .slice(2)
    .map((part) => part.replace(/^\{(\w+)\}$/, 'by_$1').replaceAll('-', '_'))
    .join('_')
}

/** Datasets that an endpoint reads, of their current state or from the lake: the one that the reply is of first. */
export function datasetsOf({ read }: Pick<Endpoint, 'read'>): readonly Dataset[] {
  if (read.kind === 'system') return []
  return [...(read.from as readonly Dataset[]), ...lakeOf({ read })]
}

/** Datasets whose tables an endpoint's cached queries are read from. */
export function lakeOf({ read }: Pick<Endpoint, 'read'>): readonly Dataset[] {
  return read.kind === 'memory' ? (read.lake ?? []) : []
}

/** True where the `total` of an endpoint's list is known with every answer. */
export function isCounted({ read }: Pick<Endpoint, 'read'>): boolean {
  return read.kind === 'memory' || read.kind === 'system'
}
