import type { TableSchema } from '../../lake/iceberg/metadata.ts'
import type { TableState } from '../../lake/iceberg/table.ts'
import type { FeedListing, FeedState } from '../../lake/live/freshness.ts'
import type { TableNotice } from '../../lake/live/table-notices.ts'
import type { QualityDay } from '../../lake/quality/days.ts'
import type { TableQuality } from '../../lake/quality/tables.ts'
import type { Column, Json } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset, Plan } from '../../lake/schema/dataset.ts'
import type { JsonSchema } from '../../lake/schema/json.ts'
import type { Source } from '../../lake/schema/sources.ts'
import type { SourceMode } from '../../lake/system.ts'
import type { Deprecation } from './deprecation.ts'
import type { Example } from './example.ts'
import { type Fields, idFieldsOf, type Nested, type RecordShape, type ValueOf } from './fields.ts'
import { isLocated } from './formats.ts'
import type { MethodPage } from './method-page.ts'
import type { Page, PageAsk } from './page.ts'
import { type Around, aroundOf, withDistance } from './params/around.ts'
import type { Params, ValuesOf } from './params/params.ts'
import { type AnyFilter, type FilteredRecord, type FilterValues, filterParams } from './reads/filter.ts'
import type { LakeRead } from './reads/lake-read.ts'
import type { ChangeOf, MemoryList, MemoryOne, StatesOf } from './reads/memory-read.ts'
import type { SearchView } from './reads/search-view.ts'

export type { LakeKnown } from './reads/lake-read.ts'
export type { ChangeOf, MemoryAsk, RestsOn, State, StatesOf } from './reads/memory-read.ts'

/** State of the service from announcements and declarations. */
export interface SystemState {
  readonly mode: SourceMode
  readonly feeds: readonly FeedListing[]
  readonly states: ReadonlyMap<string, FeedState>
  /** What workers found about tables, by dataset id. */
  readonly notices: ReadonlyMap<string, TableNotice>
  /** The published datasets. */
  readonly datasets: readonly Dataset[]
}

/** Metadata of a dataset's table, as last polled. */
export interface TableAbout {
  /** Rows of the current snapshot: 0 without one. */
  readonly rows: number
  readonly bytes: number
  readonly files: number
  readonly partitions: number
  /** Stored states, including the current one. */
  readonly snapshots: number
  /** When it last changed, ms since the epoch. */
  readonly updated_at: number
  /** Earliest time of its rows, ms; null without rows. */
  readonly covered_from: number | null
  /** Latest time of its rows, ms; null without rows. */
  readonly latest_row_at: number | null
  /** Newest data time that has landed, ms, by feed. */
  readonly covered_until: Readonly<Record<string, number>>
  /** Its schemas, oldest first, and the current one. */
  readonly schemas: readonly TableSchema[]
  readonly schema_version: number
  /** The table state of all these values. */
  readonly state: TableState
}

/** Quality figures by day. */
export interface QualityView {
  /** Figures of the feeds, oldest day first. */
  readonly days: readonly QualityDay[]
  /** Figures of the datasets' tables, by dataset id. */
  readonly tables: ReadonlyMap<string, Omit<TableQuality, 'files'>>
}

/** Data about the service itself. */
export interface SystemView extends SystemState {
  readonly endpoints: readonly Endpoint[]
  /** Quality figures by day, if `read.quality` requests them. */
  readonly quality: QualityView
  /**
   * Tables of the published datasets by dataset id, if `read.tables` asks for them. Tables that are not created yet are
   * missing.
   */
  readonly tables: ReadonlyMap<string, TableAbout>
  /** A signed URL of a data file, and its expiry (ms); `now` is the begin of a step of the clock. */
  readonly link: (dataset: Dataset, file: string, now: number) => Promise<{ readonly url: string; readonly expires_at: number }>
  /** The search index, if `read.search` requests it. */
  readonly search: SearchView
}

/** A page that the read itself has made, in the requested order. */
interface ReadyPage<R> extends Page<R> {
  /** The additional lists of the reply, by the names of `ListReturn.sideLists`. */
  readonly sideLists?: Readonly<Record<string, readonly object[]>>
}

/** A list or a single record about the service itself. */
export interface SystemRead<P, R> {
  readonly kind: 'system'
  /** All records of the list, or its requested page, or the single record; null if the path does not exist. */
  readonly records: (system: SystemView, values: P, now: number, page: PageAsk) => SystemFound<R> | Promise<SystemFound<R>>
  /** Set if the reply describes tables: returns the ids of their datasets, or null for all published ones. */
  readonly tables?: (values: P) => readonly string[] | null
  /** For lists whose pages must all show the same state: returns its name. A cursor made for another state is invalid. */
  readonly pagedState?: (system: SystemView, values: P) => string | null
  /** Set if the reply is about the data of `tables`: `meta` then lists their sources. */
  readonly showsSources?: true
  /** Set if the reply contains daily quality figures. */
  readonly quality?: true
  /** Set if the reply comes from the search index. */
  readonly search?: true
  /** A suggestion for a path under which nothing exists; null without a close match. */
  readonly suggestion?: (system: SystemView, values: P) => string | null
  /** Set if the reply depends on the time of day, see `Param.clockGranularity_s`. */
  readonly clockGranularity_s?: number
}

type SystemFound<R> = readonly R[] | ReadyPage<R> | null

/** Changes of a dataset, from the log of changes. */
export interface ChangesRead<D extends readonly Dataset[], R, M, W> {
  readonly kind: 'changes'
  /** The dataset with the log, and others whose state may be looked up. */
  readonly from: D
  /** The change as filters see it. */
  readonly thing: (change: ChangeOf<D[0]>, states: StatesOf<D>) => M & W
  /** The record of a change. */
  readonly entry: (thing: M, change: ChangeOf<D[0]>) => R
}

/** A reply with a list of records. */
export interface ListReturn<F extends Fields = Fields> {
  readonly kind: 'list'
  /** Name of the list in the reply. */
  readonly name: string
  readonly record: RecordShape<F>
  /** Fields that together identify a record, and its feature in GeoJSON; the last criterion of every order. */
  readonly key: readonly (keyof F & string)[]
  /** Fields that order records before the key does, where the requested order is equal. */
  readonly ties?: readonly (keyof F & string)[]
  /** Field that `ids` selects by; unset if records have no id of their own. */
  readonly id?: keyof F & string
  /** Fields that `sort` accepts, and the default order: a field, or `-` and a field for descending. */
  readonly sorts: readonly (keyof F & string)[]
  readonly order: string
  /** Order of a search around a point; by default distance. */
  readonly orderAround?: string
  /** Default order of a request with a parameter, by the name of the parameter. */
  readonly orderWith?: Readonly<Record<string, string>>
  /** Parameters required for a field's value, by field: without them a sort by it is rejected. */
  readonly needs?: { readonly [field in keyof F & string]?: readonly string[] }
  /** Additional numbers and instants of the reply, by member name. Only for lists made by `answer`. */
  readonly counts?: Readonly<Record<string, Column<number> | Column<number | null>>>
  /**
   * Additional lists of objects in the reply, by member name, such as counts over all matches. Only for `lake` and `system`
   * lists.
   */
  readonly sideLists?: Readonly<Record<string, Nested<readonly object[]>>>
  /** Default number of records per reply (null: all), and maximum. */
  readonly limit: { readonly default: number | null; readonly max: number }
  /** The default representation; JSON if unset. */
  readonly prefers?: 'geojson'
}

/** A list of records with an `id`, ordered by it; as `keyedList` otherwise. */
export function listReturn<F extends Fields & { readonly id: unknown }>(
  name: string,
  record: RecordShape<F>,
  options: Pick<ListReturn<F>, 'sorts'> & Partial<ListReturn<F>>,
): ListReturn<F> {
  return keyedList<F>(name, record, ['id'], options)
}

/** A list in the order of the first field of its key, 100 records a page and at most 20,000; `options` can change this. */
export function keyedList<F extends Fields>(
  name: string,
  record: RecordShape<F>,
  key: readonly [keyof F & string, ...(keyof F & string)[]],
  options: Pick<ListReturn<F>, 'sorts'> & Partial<ListReturn<F>>,
): ListReturn<F> {
  const [order] = key
  return {
    kind: 'list',
    name,
    record,
    key,
    ...(order === 'id' ? { id: order } : {}),
    order,
    limit: { default: 100, max: 20_000 },
    ...options,
  }
}

/** A reply that is one record. */
export interface OneReturn<F extends Fields = Fields> {
  readonly kind: 'one'
  readonly record: RecordShape<F>
  /** The default representation; JSON if unset. */
  readonly prefers?: 'geojson'
}

/** A parameter whose value may be the body of a POST. */
export interface BodyParam {
  readonly param: string
  readonly about: string
  readonly mediaTypes: readonly string[]
  readonly maxBytes: number
  readonly schema: JsonSchema
  readonly example: Json
}

/** Declaration of an endpoint; all other properties are derived from it. */
interface Declared<P extends Params, Fs extends readonly AnyFilter[]> {
  /** `/api/…`; `{name}` is a parameter declared under that name. */
  readonly path: string
  /** Id of its domain; by default that of the domain that lists it (`defineDomain`). */
  readonly domain?: string
  readonly plan: Plan
  /**
   * For history under a lower plan than its data: hours before now that this plan may read, and the plan that may read more.
   * `period` is the parameter that is checked; without it nobody may read more.
   */
  readonly recent?: { readonly hours: number; readonly wider: Plan; readonly period?: keyof P & string }
  /** For endpoints that show part of a dataset of a higher plan: the columns shown. Other columns are only read for joins. */
  readonly excerpts?: readonly { readonly of: Dataset; readonly columns: readonly string[] }[]
  /** Set for a path beyond the specification's catalogue: it is tagged `extra`. */
  readonly isExtra?: true
  /** What it returns, in English and Spanish, in at most 80 characters. */
  readonly summary: string
  readonly summary_es: string
  readonly about?: string
  /** The page with what its description has no room for, such as the method. */
  readonly explained?: MethodPage
  /** Sources of what its replies have besides their datasets. */
  readonly sources?: readonly Source[]
  /** None by default. */
  readonly params?: P
  /** Set if the path also takes a POST, whose body is the value of a parameter that may be too long for a URL. */
  readonly takesBody?: BodyParam
  /**
   * Filters, in the order in which their parameters are documented, after `params`. The engine applies them; the query of a list
   * of the lake has to contain their condition (`LakeView.where`).
   */
  readonly filters?: Fs
  /**
   * For endpoints that return statistics, computed or as published: what each stands for, and its method. Replies repeat them
   * in `meta`, with the period for data of the lake unless each record states its own time.
   */
  readonly statistic?: { readonly grain: string; readonly method: string; readonly hasYears?: true }
  /** Set if the endpoint is deprecated: replies announce it, and later answer 410. */
  readonly deprecated?: Deprecation
  /** Parameter texts for which the example rows of the datasets give a reply, and the texts that documents show instead. */
  readonly example: Example
}

/** The read of a list, for values `V` and records `R`; `M` is what filters see if the reply shows something else. */
type ListRead<V, D extends readonly Dataset[], R, M, W> =
  | MemoryList<V, D, R, M, W>
  | LakeRead<V, D, R>
  | ChangesRead<D, R, M, W>
  | SystemRead<V, R>

/** Declaration of an endpoint: a list or a single record, and its read. */
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

/** A declared endpoint without the types of its own records and parameters, as the engine uses it. */
export interface Endpoint extends Declared<Params, readonly AnyFilter[]> {
  /** Empty for an endpoint that no domain lists. */
  readonly domain: string
  readonly params: Params
  readonly filters: readonly AnyFilter<AnyRow>[]
  /** How its list is searched around a point, derived from its filters; null if it is not. */
  readonly around: Around | null
  readonly returns: ListReturn | OneReturn
  readonly read: ListRead<Values, Many, AnyRow, AnyRow, unknown> | MemoryOne<Values, Many, AnyRow>
}

/** The read of a kind of endpoint, as the engine uses it. */
export type ReadOf<K extends Endpoint['read']['kind']> = Extract<Endpoint['read'], { readonly kind: K }>

/**
 * Declares an endpoint. Throws if a path parameter is not declared, the reply or its order does not fit the kind of read, or a
 * deprecation is invalid.
 */
export function defineEndpoint<
  const D extends readonly Dataset[],
  F extends Fields,
  M,
  const P extends Params = Record<never, never>,
  const Fs extends readonly AnyFilter[] = readonly [],
>(spec: EndpointSpec<P, D, F, M, Fs>): Endpoint {
  const params: Params = spec.params ?? {}
  for (const name of pathParams(spec.path)) if (params[name]?.kind !== 'param') throw new Error(`${spec.path}: {${name}} is not declared`)
  const isMade = spec.read.kind === 'memory' && spec.read.answer !== undefined
  if (spec.returns.kind === 'list' && spec.returns.counts && !isMade)
    throw new Error(`${spec.path}: only lists that \`answer\` makes have counts`)
  const namesOf = (lists: object | undefined): string => Object.keys(lists ?? {}).join()
  if (
    spec.read.kind !== 'system' &&
    namesOf((spec.returns as { readonly sideLists?: object }).sideLists) !==
      (spec.read.kind === 'lake' ? namesOf(spec.read.sideQueries) : '')
  )
    throw new Error(`${spec.path}: the additional lists and their queries do not match`)
  const { returns, read } = spec
  if (returns.prefers && !isLocated(returns.record.fields))
    throw new Error(`${spec.path}: records without a place have no ${returns.prefers}`)
  if (returns.kind === 'one' && isLocated(returns.record.fields) && idFieldsOf(returns.record).length === 0)
    throw new Error(`${spec.path}: a record with a place needs an id, for its GeoJSON feature`)
  for (const name of Object.keys((read.kind === 'lake' && read.existingValues) || {}))
    if (params[name]?.kind !== 'param') throw new Error(`${spec.path}: existingValues has values of ${name}, which is not a parameter`)
  if (read.kind === 'lake' && returns.kind === 'list')
    for (const name of returns.sorts)
      if (returns.record.fields[name]?.kind === 'code')
        throw new Error(`${spec.path}: lists of the lake cannot be sorted by codes (${name})`)
  const filters = spec.filters ?? []
  for (const { name, where } of filters) {
    if (name in params) throw new Error(`${spec.path}: ${name} is a parameter and a filter`)
    if (read.kind === 'lake' && !where) throw new Error(`${spec.path}: the filter ${name} has no SQL`)
  }
  const around = returns.kind === 'list' ? aroundOf(returns as ListReturn, filters) : null
  return Object.freeze({
    ...{ domain: '', ...spec },
    ...{ params: { ...params, ...filterParams(filters) }, filters, around },
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

/** Datasets that an endpoint reads in their current state or from the lake; the main dataset of the reply first. */
export function datasetsOf({ read }: Pick<Endpoint, 'read'>): readonly Dataset[] {
  if (read.kind === 'system') return []
  return [...(read.from as readonly Dataset[]), ...lakeOf({ read })]
}

/** Datasets whose tables an endpoint's cached queries are read from. */
export function lakeOf({ read }: Pick<Endpoint, 'read'>): readonly Dataset[] {
  return read.kind === 'memory' ? (read.lake ?? []) : []
}

/** True if every reply of the list knows its `total`. */
export function isCounted({ read }: Pick<Endpoint, 'read'>): boolean {
  return read.kind === 'memory' || read.kind === 'system'
}
