import type { TableSchema } from '../../lake/iceberg/metadata.ts'
import type { FeedListing, FeedState } from '../../lake/live/freshness.ts'
import type { LiveChange, LivePart, LiveRow } from '../../lake/live/types.ts'
import type { QualityDay } from '../../lake/quality/days.ts'
import type { TableQuality } from '../../lake/quality/tables.ts'
import type { Sql } from '../../lake/query/sql.ts'
import type { Column, Columns } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset, Plan } from '../../lake/schema/dataset.ts'
import type { Source } from '../../lake/schema/sources.ts'
import type { SourceMode } from '../../lake/system.ts'
import { checkDeprecation, type Deprecation } from './deprecation.ts'
import type { Example } from './example.ts'
import type { Fields, Nested, RecordShape, StateRow, ValueOf } from './fields.ts'
import { isLocated } from './formats.ts'
import type { LakeView, RowsOf } from './lake-view.ts'
import type { MethodPage } from './method-page.ts'
import type { Params, ValuesOf } from './params.ts'
import type { Slice } from './slice.ts'

/** The current state of a dataset, as `read` sees it; the same object as long as the state is the same. */
export interface State<D extends Dataset = Dataset> {
  readonly rows: readonly (StateRow<D> & Pick<LiveRow, 'is_stale' | 'is_held'>)[]
  /** The newest publication of each feed that it is made of, and the blocks that it lacks; none of a dataset that was never published. */
  readonly parts: readonly Pick<LivePart, 'feed' | 'data_time' | 'missing'>[]
}

/** The states of several datasets, in their order. */
export type StatesOf<D extends readonly Dataset[]> = { readonly [K in keyof D]: State<D[K]> }

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
}

/** The values that a parameter can have in an answer from the lake, where only the rows tell them. */
export interface LakeKnown<P> {
  /** A query of them, each once, in order, in a column `value`, at most 1000; what else is asked for may narrow them. */
  readonly values: (values: P, lake: LakeView, found: readonly AnyRow[]) => Sql
  /** What is expected, as the refusal of another value says it before it lists them. */
  readonly expected: string
  /** What is compared in place of a value; the value itself unless told. */
  readonly fold?: (value: string) => string
}

/** A list of the current state: kept in memory, one version after the other. */
export interface LiveRead<P, D extends readonly Dataset[], R, M> {
  readonly kind: 'live'
  /** Datasets read; the first is the one the list is of: its age and cadence are the reply's. */
  readonly from: D
  /** Everything there is to list; done once per version of the datasets. */
  readonly records: (states: StatesOf<D>) => readonly M[]
  /** What a request asks for of it, in any order. `now` (ms) moves in the steps that the parameters' `clock_s` state. */
  readonly pick: (records: readonly M[], values: P, now: number) => readonly R[]
}

/** One thing of the current state, or of the lake where it is no longer current. */
export interface FindRead<P, D extends readonly Dataset[], R> {
  readonly kind: 'find'
  readonly from: D
  /** Datasets that the slices which `find` asks for are read from; those whose tables do not exist have no rows. */
  readonly lake?: readonly Dataset[]
  readonly find: (states: StatesOf<D>, values: P, extra: KeptAsk<D>['extra']) => R | null | Promise<R | null>
  /** Where the thing is looked for once `find` gives null. */
  readonly past?: {
    /** The record of a change, if the change is the end of the thing: ends that have not landed yet are only in the log. */
    readonly ended: (change: LiveChange & { readonly at: number }, values: P) => R | null
    /** The thing as the lake last had it: a query of at most one row, the columns of its rows, and what makes the record of a row. */
    readonly query: (values: P) => Sql
    readonly columns: Columns
    readonly finish: (row: never) => R
  }
}

/** What an answer from kept slices is made of. */
export interface KeptAsk<D extends readonly Dataset[]> {
  /** The current states of the read's `from`. */
  readonly states: StatesOf<D>
  /** What a slice holds for a key. */
  readonly slice: <T>(slice: Slice<T>, key: string) => Promise<T>
  /** The same of what only adds to an answer: null where it cannot be read now, and the answer is then in part. */
  readonly extra: <T>(slice: Slice<T>, key: string) => Promise<T | null>
}

/** What answers rest on: a dataset, and of its sources only one, where they do not on all. */
export interface RestsOn {
  readonly dataset: Dataset
  readonly source?: Source
}

/** What is said of an answer as a whole. */
interface About {
  /** True where a publication lacks a block that the list may be of, or all that it tells is past: `meta.stale` says so. */
  readonly isLacking?: boolean
  /** What the answer rests on, of what it reads and `madeFrom`: `meta.stale` is of this alone. All that it reads unless told. */
  readonly restsOn?: readonly RestsOn[]
}

/** Records of a list, and what its `counts` tell. */
export interface Counted<R> extends About {
  readonly records: readonly R[]
  readonly counts: Readonly<Record<string, number>>
}

/** The same of a list whose records are made once it is known which of them are shown. */
export interface Drafted<R> extends About {
  /** What records are made of: with the fields that the list is ordered by and chosen from, by the names that they have in records. */
  readonly drafts: readonly object[]
  readonly finish: (draft: never) => R
  readonly counts: Readonly<Record<string, number>>
}

/** An answer from slices of the lake that are kept in memory, with current states beside them. */
export interface KeptRead<P, D extends readonly Dataset[], R> {
  readonly kind: 'kept'
  /** Datasets whose current state is read too, the first being what the reply's age is of; one that was never published has no rows. */
  readonly from: D
  /** Datasets that its slices are read from; where `from` is empty, the reply's age is the first one's. */
  readonly lake: readonly Dataset[]
  /**
   * Those of `lake` without which there is no answer, all unless told: until every feed that is turned on and fills them has landed in
   * each, the list would be short without saying so, and is `feed-unavailable`. With none, slices only add to the current state: the answer
   * is there as soon as a dataset of `from` was published.
   */
  readonly needs?: readonly Dataset[]
  /** What its tables are made from, which is not read: an answer says which of it it rests on. */
  readonly madeFrom?: readonly RestsOn[]
  /** The feeds that are enough for what a request asks for; null, and unless told, all. What is not found may be in another's part. */
  readonly parts?: (values: P) => readonly string[] | null
  /**
   * What a request asks for: records in any order, with what the list counts where it counts anything, or the one; null where there is
   * nothing under its path. `now` (ms) moves in steps, as in `LiveRead`.
   */
  readonly answer: (ask: KeptAsk<D>, values: P, now: number) => Promise<readonly R[] | Counted<R> | Drafted<R> | R | null>
  /** What was probably meant by a path under which there is nothing; null where nothing is near. */
  readonly near?: (ask: KeptAsk<D>, values: P) => Promise<string | null>
  /** Set where every answer depends on the time of day, see `Param.clock_s`. */
  readonly clock_s?: number
}

/** A list that DuckDB reads from the lake, page by page. */
export interface LakeRead<P, D extends readonly Dataset[], R> {
  readonly kind: 'lake'
  /** Datasets scanned; the first is the one whose landing the reply states. */
  readonly from: D
  /** Of a read that answers from one dataset or from another: those of `from` that a request is answered from, the first as above. All unless told. */
  readonly fromOf?: (values: P) => readonly D[number][]
  /** The datasets whose earliest row `meta.covered_from` tells, where it is not the first alone: one that goes further back. */
  readonly begins?: D
  /** The rows that `meta.covered_from` and `meta.latest_row_at` tell of, where a request is of one of several sources or studies; those of `begins` else. */
  readonly rowsOf?: (values: P) => readonly RowsOf[] | null
  /** A small query whose rows `query` is given (at most 1000): for what tells which files the answer is in. Null where a request needs none. */
  readonly first?: (values: P, lake: LakeView) => Sql | null
  /**
   * A SELECT without ORDER BY and LIMIT. Its columns are named after the fields of the record (of a point: `<name>_lat`, `<name>_lon`),
   * or, where `rows` is given, at least those that the list is ordered by are.
   */
  readonly query: (values: P, lake: LakeView, found: readonly AnyRow[]) => Sql
  /**
   * Columns of the query's rows and what makes a record of a row, where they are not its fields already. Where it does so in the row's own
   * place, `adds` names the members that it adds, so that rows have them from the start.
   */
  readonly rows?: { readonly columns: Columns; readonly adds?: readonly string[]; readonly finish: (row: never) => R }
  /**
   * Of parameters by name, what tells the values that rows have: where the list is empty, one that none has is refused. Nothing is refused
   * while there are none at all.
   */
  readonly known?: { readonly [name: string]: LakeKnown<P> }
  /**
   * Finds the thing whose history it is in the current state of a dataset, or where it is not there in rows that the lake has of it at any time
   * (`past`): an unknown thing is 404, one without rows an empty list.
   */
  readonly subject?: {
    readonly of: Dataset
    readonly find: (state: State, values: P) => boolean
    readonly past?: (values: P) => Sql
  }
  /** Queries of the lists that stand beside the list, by the names of `ListReturn.asides`: at most 1000 rows each, in order. */
  readonly asides?: { readonly [name: string]: (values: P, lake: LakeView, found: readonly AnyRow[]) => Sql }
  /** Fields left out of the reply because of what the request asks, and the parameter that asks for it. */
  readonly omit?: { readonly by: string; readonly fields: (values: P) => readonly string[] }
}

/** What happened to a dataset, from the log of changes. */
export interface ChangesRead<P, D extends readonly Dataset[], R> {
  readonly kind: 'changes'
  /** The first dataset's log; the others' states may be looked up. */
  readonly from: D
  /** The record of a change, or null where the request does not ask for it. */
  readonly entry: (change: LiveChange & { readonly at: number }, states: StatesOf<D>, values: P) => R | null
}

/** A list of what the service knows of itself, or one thing of it. */
export interface SystemRead<P, R> {
  readonly kind: 'system'
  /** The records of the list, or the one thing; null where there is nothing under the path. */
  readonly records: (system: SystemView, values: P, now: number) => readonly R[] | null
  /** Set where the answer tells of tables: the ids of their datasets, or null for all that are published. */
  readonly tables?: (values: P) => readonly string[] | null
  /** Set where the answer tells of figures of days. */
  readonly quality?: true
  /** What was probably meant by a path under which there is nothing; null where nothing is near. */
  readonly near?: (system: SystemView, values: P) => string | null
  /** Set where the answer depends on the time of day, see `Param.clock_s`. */
  readonly clock_s?: number
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
  /** Parameters without which a field has no value, by field: a sort by it is then refused. */
  readonly needs?: { readonly [field in keyof F & string]?: readonly string[] }
  /** Numbers and instants beside the list, by the names of the reply's members: what it tells of what is not in it. Of lists that are `kept`. */
  readonly counts?: Readonly<Record<string, Column<number>>>
  /** Lists of objects beside the list, by the names of the reply's members: what it tells of all that was asked for. Of lists of the lake. */
  readonly asides?: Readonly<Record<string, Nested<readonly object[]>>>
  /** Records per reply where the request does not say (null: all), and at most. */
  readonly limit: { readonly default: number | null; readonly max: number }
  /** The representation of a request that does not say; JSON unless told. */
  readonly prefers?: 'geojson'
}

/** A reply that is one record. */
export interface OneReturn<F extends Fields = Fields> {
  readonly kind: 'one'
  readonly record: RecordShape<F>
  /** The representation of a request that does not say; JSON unless told. */
  readonly prefers?: 'geojson'
}

/** What an endpoint declares; everything else about it is derived. */
export interface EndpointSpec<P extends Params, D extends readonly Dataset[], F extends Fields, M> {
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
  readonly returns: ListReturn<F> | OneReturn<F>
  readonly read:
    | LiveRead<ValuesOf<P>, D, ValueOf<F>, M>
    | FindRead<ValuesOf<P>, D, ValueOf<F>>
    | KeptRead<ValuesOf<P>, D, ValueOf<F>>
    | LakeRead<ValuesOf<P>, D, ValueOf<F>>
    | ChangesRead<ValuesOf<P>, D, ValueOf<F>>
    | SystemRead<ValuesOf<P>, ValueOf<F>>
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

/** A declared endpoint, its types forgotten: what engines work with. */
export interface Endpoint extends Omit<EndpointSpec<Params, readonly Dataset[], Fields, never>, 'returns' | 'read'> {
  readonly returns: ListReturn | OneReturn
  readonly read:
    | LiveRead<never, never, unknown, never>
    | FindRead<never, never, unknown>
    | KeptRead<never, never, unknown>
    | LakeRead<never, never, unknown>
    | ChangesRead<never, never, unknown>
    | SystemRead<never, unknown>
}

/**
 * Declares an endpoint. Throws where the path's parameters are not declared, the kind of reply or its order does not fit the way it is read,
 * or it goes without notice.
 */
export function defineEndpoint<const P extends Params, const D extends readonly Dataset[], F extends Fields, M>(
  spec: EndpointSpec<P, D, F, M>,
): Endpoint {
  for (const name of pathParams(spec.path))
    if (spec.params[name]?.kind !== 'param') throw new Error(`${spec.path}: {${name}} is not declared`)
  if (!['kept', 'system'].includes(spec.read.kind) && (spec.returns.kind === 'one') !== (spec.read.kind === 'find'))
    throw new Error(`${spec.path}: a ${spec.returns.kind} cannot be read by ${spec.read.kind}`)
  if (spec.returns.kind === 'list' && spec.returns.counts && spec.read.kind !== 'kept')
    throw new Error(`${spec.path}: what is read by ${spec.read.kind} has no counts`)
  const asides = (one: { readonly asides?: object }): string => Object.keys(one.asides ?? {}).join()
  if (asides(spec.returns as object) !== (spec.read.kind === 'lake' ? asides(spec.read) : ''))
    throw new Error(`${spec.path}: the lists beside the list and their queries are not the same`)
  const { returns, read, deprecated } = spec
  if (returns.prefers && !isLocated(returns.record.fields))
    throw new Error(`${spec.path}: records without a place have no ${returns.prefers}`)
  if (deprecated) checkDeprecation(spec.path, deprecated)
  for (const name of Object.keys((read.kind === 'lake' && read.known) || {}))
    if (spec.params[name]?.kind !== 'param') throw new Error(`${spec.path}: the values of ${name}, which is not declared, are told`)
  if (read.kind === 'lake' && returns.kind === 'list')
    for (const name of returns.sorts)
      if (returns.record.fields[name]?.kind === 'code')
        throw new Error(`${spec.path}: lists of the lake cannot be sorted by codes (${name})`)
  return Object.freeze(spec) as unknown as Endpoint
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
  return [...(read.from as readonly Dataset[]), ...keptOf({ read })]
}

/** Datasets whose tables an endpoint's slices are read from. */
export function keptOf({ read }: Pick<Endpoint, 'read'>): readonly Dataset[] {
  return read.kind === 'kept' || read.kind === 'find' ? (read.lake ?? []) : []
}

/** True where the `total` of an endpoint's list is known with every answer. */
export function isCounted({ read }: Pick<Endpoint, 'read'>): boolean {
  return read.kind === 'live' || read.kind === 'kept' || read.kind === 'system'
}
