import type { Answers } from '../../lake/live/demand.ts'
import type { LiveChange, LivePart, LiveRow } from '../../lake/live/types.ts'
import type { Sql } from '../../lake/query/sql.ts'
import type { Columns } from '../../lake/schema/columns.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { Source } from '../../lake/schema/sources.ts'
import type { StateRow } from './fields.ts'
import type { Omission } from './omission.ts'
import type { Slice } from './slice.ts'

/** The current state of a dataset, as `read` sees it; the same object as long as the state is the same. */
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
  /** Records that fit the request and have no place, or were left out for want of one. Shown as `meta.unlocated`. */
  readonly unlocated?: number
  /** Years that no source of the list has. Shown as `meta.missing_years`. */
  readonly missingYears?: readonly number[]
}

/** The records of a list, and its `counts`. */
export interface Counted<R> extends About {
  readonly records: readonly R[]
  readonly counts: Readonly<Record<string, number>>
}

/** A list whose records are made after its page is chosen. */
export interface Drafted<R, W = unknown> extends About {
  /** What records are made from. They have the fields that the list is sorted and filtered by, under the same names. */
  readonly drafts: readonly (W & object)[]
  readonly finish: (draft: never) => R
  readonly counts: Readonly<Record<string, number>>
}

/** What an answer from memory is made of. */
export interface MemoryAsk<D extends readonly Dataset[] = readonly []> {
  /** The current states of the read's `from`. */
  readonly states: StatesOf<D>
  /** What a cached query of the lake has for a key. */
  readonly slice: <T>(slice: Slice<T>, key: string) => Promise<T>
  /** The same for an optional part of an answer: null if it cannot be read now, and the answer is partial. */
  readonly extra: <T>(slice: Slice<T>, key: string) => Promise<T | null>
  /** What is known of the documents that the request wants (`demands`), by key; empty where their feed is turned off. */
  readonly answers: Answers
}

/** Documents that a request wants of a feed that fetches on demand. */
export interface Demanded {
  readonly keys: readonly string[]
  /** Those of them that it waits for a moment, as nothing of them is there, or nothing new enough. */
  readonly awaited: readonly string[]
}

/** How an endpoint asks for documents on demand. */
export interface Demands<P, D extends readonly Dataset[]> {
  readonly feed: string
  readonly wanted: (ask: Pick<MemoryAsk<D>, 'states' | 'slice'>, values: P, now: number) => Demanded | Promise<Demanded>
}

/** What a read of memory reads. */
interface MemoryParts<P, D extends readonly Dataset[]> {
  readonly kind: 'memory'
  /** Datasets whose current state is read; the first is the one that the reply's age and cadence are of. One that was never published has no rows. */
  readonly from: D
  /** Datasets that its cached queries are read from; where `from` is empty, the reply's age is the first one's. */
  readonly lake?: readonly Dataset[]
  /**
   * Those of `lake` without which there is no answer, all unless given: until every feed that is turned on and fills them has landed in
   * each, the reply is `no-data-yet`. With none, cached queries only add to the current state: there is an answer as soon as the first
   * dataset of `from` was published.
   */
  readonly needs?: readonly Dataset[]
  /** The one of `lake` that a request needs and has the age of, if that depends on the request; `from` is then empty. */
  readonly primary?: (values: P) => Dataset
  /** Set where any dataset of `from` is enough for an answer, published before the first or not. */
  readonly isOfAny?: true
  /** Set where an answer does without any of its datasets: `meta.missing` then names those that have nothing, and why. */
  readonly reportsMissing?: true
  /** Set where `meta` is about those datasets of `from` alone that were published: other sources are turned off. */
  readonly omitsUnpublished?: true
  /** Set where answers state `unlocated`. */
  readonly reportsUnlocated?: true
  /** What its tables are derived from, without being read here: an answer names what it is based on. */
  readonly madeFrom?: readonly RestsOn[]
  /** The feeds that a request needs; null, the default, means all. An unknown id may belong to a feed that has not arrived. */
  readonly parts?: (values: P) => readonly string[] | null
  readonly omit?: Omission<P>
  /** Set where every answer depends on the time of day, see `Param.clock_s`. */
  readonly clock_s?: number
  /** Set where a request may need documents that are fetched on demand. */
  readonly demands?: Demands<P, D>
}

/** A list of records that are made once per version of the datasets. */
interface RecordsOf<P, D extends readonly Dataset[], T> {
  /** Everything there is to list; the endpoint's filters select of it. */
  readonly records: (states: StatesOf<D>) => readonly T[]
  /** Throws `Refused` for a value that only the records show to be wrong. */
  readonly check?: (records: readonly T[], values: P) => void
  readonly pick?: never
  readonly answer?: never
  readonly near?: never
  readonly past?: never
}

/** The same where the reply's records are made of those that the filters select. */
interface PickedOf<P, D extends readonly Dataset[], R, M, W> extends Omit<RecordsOf<P, D, M & W>, 'pick'> {
  /** The reply's records in any order. `now` (ms) moves in the steps that the parameters' `clock_s` state. */
  readonly pick: (records: readonly M[], values: P, now: number) => readonly R[]
}

/** What a request asks for, made for it: a list, or one thing. */
interface AnswerOf<P, D extends readonly Dataset[], A> {
  /**
   * The records of the list in any order, of which the filters select, with what the list counts where it counts anything; or the one
   * thing, null where there is none under the path. `now` (ms) moves in steps, as in `PickedOf`.
   */
  readonly answer: (ask: MemoryAsk<D>, values: P, now: number) => A | null | Promise<A | null>
  /** What was probably meant by a path under which there is nothing; null where nothing is near. */
  readonly near?: (ask: MemoryAsk<D>, values: P) => Promise<string | null>
  readonly records?: never
  readonly pick?: never
}

/** What `answer` gives of a list. */
export type Listed<R, W = unknown> = readonly (R & W)[] | Counted<R & W> | Drafted<R, W>

/** Where one thing is found that is no longer in the current state. */
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

/** A list of the current state, with cached queries of the lake beside it. */
export type MemoryList<P, D extends readonly Dataset[], R, M, W> = MemoryParts<P, D> &
  (RecordsOf<P, D, NoInfer<R> & W> | PickedOf<P, D, R, M, W> | (AnswerOf<P, D, Listed<R, W>> & { readonly past?: never }))

/** One thing of the current state, or of the lake where it is no longer current. */
export type MemoryOne<P, D extends readonly Dataset[], R> = MemoryParts<P, D> & AnswerOf<P, D, R> & { readonly past?: PastOf<P, D, R> }
