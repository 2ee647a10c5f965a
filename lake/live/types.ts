import type { AnyRow } from '../schema/dataset.ts'

/** A row of live state: the dataset's row plus what the engine knows of it. */
export type LiveRow = AnyRow & {
  readonly status: 'ACTIVE' | 'MISSING' | 'ENDED'
  /** Data time of the publication that last changed it, of an observation its own time; ms since the epoch. */
  readonly updated_at: number
  /** True where the newest publication did not confirm it (absent so far, or its block is missing). */
  readonly is_stale: boolean
  /** True for an observation that is stale since its block is missing: the last publication that was not without the block had it. */
  readonly is_held?: true
}

/** One entry of the change log. */
export interface LiveChange {
  readonly kind: 'CREATED' | 'UPDATED' | 'ENDED'
  /** Entity key of the row, see `entityKey`. */
  readonly key: string
  readonly row: LiveRow
  /** Names of the columns whose value changed; empty for CREATED and ENDED. */
  readonly changed: readonly string[]
}

/** What one feed says the current state of one dataset is. */
export interface LiveUpdate {
  readonly dataset: string
  readonly feed: string
  /** Sequence of the accepted fetch, growing; an update with a lower or equal one never replaces this. */
  readonly seq: number
  readonly fetch_id: string
  /** Publication time of the data and time of its fetch, ms since the epoch. */
  readonly data_time: number
  readonly fetched_at: number
  /** The blocks of the dataset that this publication lacks; none unless told. */
  readonly missing?: readonly string[]
  /** The whole state of this feed's part of the dataset, by entity key; read once. */
  readonly rows: Iterable<readonly [key: string, row: LiveRow]>
  /** What differs from the part's state before; empty where the state is rebuilt and nothing happened. */
  readonly changes: readonly LiveChange[]
  /**
   * Sequence of the state that `changes` begin from, `seq - 1` unless told (null and 0: from nothing). Where Redis holds another one the
   * change log begins anew, since it would lack entries otherwise.
   */
  readonly since_seq?: number | null
  /**
   * True where the state was derived anew (an emptied Redis, a corrected parser) and `changes` tell nothing of it: it replaces a state of
   * the same sequence too, and the change log begins anew if any row differs.
   */
  readonly rebuild?: boolean
  /** How often landed rows that the state rests on were derived anew (`Landed`); 0 unless told. Another number than Redis holds asks for a rebuild. */
  readonly rebuilds?: number
}

/** What Redis says of one feed's part of a dataset. Instants in ms since the epoch. */
export interface LivePart {
  readonly feed: string
  /** Version of the dataset that this part came with. */
  readonly version: number
  readonly seq: number
  readonly fetch_id: string
  readonly data_time: number
  readonly fetched_at: number
  readonly rows: number
  readonly rebuilds: number
  /** The blocks that its publication lacks; not there where an older version of this program wrote it. */
  readonly missing?: readonly string[]
}
