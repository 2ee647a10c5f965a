import type { AnyRow } from '../schema/dataset.ts'

/** A row of live state: the dataset's row plus the engine's members. */
export type LiveRow = AnyRow & {
  readonly status: 'ACTIVE' | 'MISSING' | 'ENDED'
  /** Data time of the publication that last changed it, or an observation's own time; ms since the epoch. */
  readonly updated_at: number
  /** True if the newest publication did not confirm it (absent so far, or its block is missing). */
  readonly is_stale: boolean
  /** True for an observation that is stale because its block is missing: the last publication with the block had it. */
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

/** The current state of one feed's part of a dataset. */
export interface LiveUpdate {
  readonly dataset: string
  readonly feed: string
  /** Sequence number of the accepted fetch; an update with a lower or equal one never replaces this. */
  readonly seq: number
  readonly fetch_id: string
  /** Publication time of the data and time of its fetch, ms since the epoch. */
  readonly data_time: number
  readonly fetched_at: number
  /** The blocks of the dataset that this publication lacks; none by default. */
  readonly missing?: readonly string[]
  /** The complete state of this feed's part of the dataset, by entity key; iterated once. */
  readonly rows: Iterable<readonly [key: string, row: LiveRow]>
  /** Changes from the part's previous state; empty if the state is rebuilt without events. */
  readonly changes: readonly LiveChange[]
  /**
   * Sequence number of the state before `changes`; `seq - 1` by default (null and 0: an empty state). If Redis has another one,
   * the change log restarts, since it would lack entries.
   */
  readonly since_seq?: number | null
  /**
   * True if the state was derived again (an emptied Redis, a corrected parser) without `changes`. It also replaces a state with
   * the same sequence number, and the change log restarts if any row differs.
   */
  readonly rebuild?: boolean
  /**
   * How often the landed rows of this state were rebuilt (`Landed`); 0 by default. A number other than the one in Redis requires
   * a rebuild.
   */
  readonly rebuilds?: number
}

/** Redis' record of one feed's part of a dataset. Instants in ms since the epoch. */
export interface LivePart {
  readonly feed: string
  /** Version of the dataset at this part's publication. */
  readonly version: number
  readonly seq: number
  readonly fetch_id: string
  readonly data_time: number
  readonly fetched_at: number
  readonly rows: number
  readonly rebuilds: number
  /** The blocks that its publication lacks; absent if an older version of this program wrote it. */
  readonly missing?: readonly string[]
}
