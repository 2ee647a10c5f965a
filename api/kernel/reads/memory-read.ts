import type { Answers } from '../../../lake/live/demand.ts'
import type { LiveChange, LivePart, LiveRow } from '../../../lake/live/types.ts'
import type { Sql } from '../../../lake/query/sql.ts'
import type { Columns } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { Source } from '../../../lake/schema/sources.ts'
import type { StateRow } from '../fields.ts'
import type { CachedQuery } from './cached-query.ts'
import type { Omission } from './omission.ts'

/** The current state of a dataset for `read`; the same object as long as the state is unchanged. */
export interface State<D extends Dataset = Dataset> {
  readonly rows: readonly (StateRow<D> & Pick<LiveRow, 'is_stale' | 'is_held'>)[]
  /** The newest publication of each feed, and the blocks it lacks; empty if the dataset was never published. */
  readonly parts: readonly Pick<LivePart, 'feed' | 'data_time' | 'missing'>[]
}

/** The states of several datasets, in their order. */
export type StatesOf<D extends readonly Dataset[]> = { readonly [K in keyof D]: State<D[K]> }

/** A change of a dataset, with the time (ms) of the publication that brought it. */
export type ChangeOf<D extends Dataset = Dataset> = Omit<LiveChange, 'row'> & { readonly row: StateRow<D>; readonly at: number }

/** A dataset that an answer is based on, or one source of it. */
export interface RestsOn {
  readonly dataset: Dataset
  readonly source?: Source
}

/** Statements about an answer as a whole. */
interface About {
  /** True if a publication lacks a block of the list, or if everything in the list is over. Sets `meta.stale`. */
  readonly isLacking?: boolean
  /** What the answer is based on, among what it reads and `madeFrom`. Decides `meta.stale`; by default everything it reads. */
  readonly restsOn?: readonly RestsOn[]
  /** Matching records without a place, or left out for lack of one. Shown as `meta.unlocated`. */
  readonly unlocated?: number
  /** What no source of the list has. Shown as `meta.note`. */
  readonly note?: string
  /** Years missing in every source of the list. Shown as `meta.missing_years`. */
  readonly missingYears?: readonly number[]
}

/** The records of a list, and its `counts`. */
export interface Counted<R> extends About {
  readonly records: readonly R[]
  readonly counts: Readonly<Record<string, number | null>>
}

/** A list whose records are built after its page is chosen. */
export interface Drafted<R, W = unknown> extends About {
  /** Inputs of the records, with the fields that the list is sorted and filtered by, under the same names. */
  readonly drafts: readonly (W & object)[]
  readonly finish: (draft: never) => R
  readonly counts: Readonly<Record<string, number | null>>
}

/** Inputs of an answer from memory. */
export interface MemoryAsk<D extends readonly Dataset[] = readonly []> {
  /** The current states of the read's `from`. */
  readonly states: StatesOf<D>
  /** The result of a cached query of the lake for a key. */
  readonly cached: <T>(query: CachedQuery<T>, key: string) => Promise<T>
  /** The same for an optional part of an answer: null if it cannot be read now, and the answer is then partial. */
  readonly optional: <T>(query: CachedQuery<T>, key: string) => Promise<T | null>
  /** The state of the requested documents (`demands`), by key; empty if their feed is disabled. */
  readonly answers: Answers
}

/** Documents that a request needs from a feed that fetches on demand. */
export interface Demanded {
  readonly keys: readonly string[]
  /** Those that it waits for, because they are missing or too old. */
  readonly awaited: readonly string[]
}

/** How an endpoint requests documents on demand. */
export interface Demands<P, D extends readonly Dataset[]> {
  readonly feed: string
  readonly wanted: (ask: Pick<MemoryAsk<D>, 'states' | 'cached'>, values: P, now: number) => Demanded | Promise<Demanded>
}

/** Datasets of a memory read. */
interface MemoryParts<P, D extends readonly Dataset[]> {
  readonly kind: 'memory'
  /** Datasets read in their current state; the first gives the reply's age and cadence. A dataset never published has no rows. */
  readonly from: D
  /** Datasets of its cached queries; if `from` is empty, the first one gives the reply's age. */
  readonly lake?: readonly Dataset[]
  /**
   * Datasets of `lake` that are required, by default all: the reply is `no-data-yet` until every enabled feed of each has
   * landed. If empty, cached queries are optional: replies start when the first dataset of `from` is published.
   */
  readonly needs?: readonly Dataset[]
  /** The dataset of `lake` that a request needs and takes its age from, if that depends on the request; `from` is then empty. */
  readonly primary?: (values: P) => Dataset
  /** Set if any dataset of `from` is enough for a reply, even if the first was never published. */
  readonly isOfAny?: true
  /** Set if no single dataset is required: `meta.missing` then names those without data, and why. */
  readonly reportsMissing?: true
  /**
   * Datasets of `from` that are used only while an enabled feed delivers them; otherwise they have no rows and no parts, and
   * `meta.missing` names them.
   */
  readonly onlyFresh?: readonly Dataset[]
  /** Set if `meta` covers only published datasets of `from`, because other sources are disabled. */
  readonly omitsUnpublished?: true
  /** Set if replies state `unlocated`. */
  readonly reportsUnlocated?: true
  /** Sources of its tables, not read here: a reply names the ones it is based on. */
  readonly madeFrom?: readonly RestsOn[]
  /** The feeds that a request needs; null, the default, means all. An unknown id may belong to a feed that has not arrived. */
  readonly parts?: (values: P) => readonly string[] | null
  /** Sources of its datasets that a reply is not based on: `meta` neither names them nor counts their lateness. */
  readonly otherSources?: (values: P) => readonly Source[]
  /** The feeds of which one may have the thing of a path; by default all. */
  readonly feedsOfId?: (values: P) => readonly string[]
  readonly omit?: Omission<P>
  /** Set if every reply depends on the time of day, see `Param.clockGranularity_s`. */
  readonly clockGranularity_s?: number
  /** Set if a request may need documents that are fetched on demand. */
  readonly demands?: Demands<P, D>
}

/** A list of records built once per version of the datasets. */
interface RecordsOf<P, D extends readonly Dataset[], T> {
  /** All records; the endpoint's filters select from them. */
  readonly records: (states: StatesOf<D>) => readonly T[]
  /** Throws `InvalidParam` for a value that only the records show to be invalid. */
  readonly check?: (records: readonly T[], values: P) => void
  readonly pick?: never
  readonly answer?: never
  readonly suggestion?: never
  readonly past?: never
}

/** The same, with the reply's records built from those that the filters select. */
interface PickedOf<P, D extends readonly Dataset[], R, M, W> extends Omit<RecordsOf<P, D, M & W>, 'pick'> {
  /** The reply's records in any order. `now` (ms) moves in steps of the parameters' `clockGranularity_s`. */
  readonly pick: (records: readonly M[], values: P, now: number) => readonly R[]
}

/** A reply built per request: a list, or a single record. */
interface AnswerOf<P, D extends readonly Dataset[], A> {
  /**
   * Returns the records of the list in any order, before filters, with its counts if any; or the single record, null if it does
   * not exist. `now` (ms) moves in steps, as in `PickedOf`.
   */
  readonly answer: (ask: MemoryAsk<D>, values: P, now: number) => A | null | Promise<A | null>
  /** A suggestion for a path under which nothing exists; null without a close match. */
  readonly suggestion?: (ask: MemoryAsk<D>, values: P) => Promise<string | null>
  readonly records?: never
  readonly pick?: never
}

/** The result of `answer` for a list. */
export type Listed<R, W = unknown> = readonly (R & W)[] | Counted<R & W> | Drafted<R, W>

/** Finds a record that is no longer in the current state. */
export interface PastOf<P, D extends readonly Dataset[], R> {
  /** The record of a change that ended the thing. An end that has not landed yet is only in the change log. */
  readonly ended: (change: ChangeOf<D[0]>, values: P) => R | null
  /**
   * The last state of the thing in the lake: a query of at most one row. `columns` are its columns, `finish` makes the record.
   */
  readonly query: (values: P) => Sql
  readonly columns: Columns
  readonly finish: (row: never) => R
}

/** A list of the current state, optionally with cached queries of the lake. */
export type MemoryList<P, D extends readonly Dataset[], R, M, W> = MemoryParts<P, D> &
  (RecordsOf<P, D, NoInfer<R> & W> | PickedOf<P, D, R, M, W> | (AnswerOf<P, D, Listed<R, W>> & { readonly past?: never }))

/** A single record of the current state, or of the lake if it is no longer current. */
export type MemoryOne<P, D extends readonly Dataset[], R> = MemoryParts<P, D> & AnswerOf<P, D, R> & { readonly past?: PastOf<P, D, R> }
