import type { FeedState } from '../../lake/live/freshness.ts'
import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import type { SourceMode } from '../../lake/system.ts'
import type { Feed } from '../feeds/define.ts'
import { nextAttemptAt, nextTickAt } from '../schedule.ts'
import { groupNames } from './completeness-groups.ts'
import type { FetchOutcome } from './pipeline.ts'

/** Inputs of a feed's freshness. */
export interface FreshnessFacts {
  readonly before: FeedState | null
  readonly outcome: FetchOutcome
  readonly attempted_at: number
  /** The newest accepted fetch after this run, and the blocks missing after it. */
  readonly last: AcceptedFetch | null
  readonly missing: Readonly<Record<string, readonly string[]>>
  readonly mode: SourceMode
  /** Accepted fetches that gave a table no rows; unchanged by default. */
  readonly lost?: number
}

/** The freshness state of a feed after a run. */
export function feedStateAfter(feed: Feed, facts: FreshnessFacts): FeedState {
  const { before, outcome, attempted_at, last, missing, mode } = facts
  const good = outcome.outcome === 'accepted' || outcome.outcome === 'unchanged'
  const failures = good ? 0 : (before?.failures ?? 0) + 1
  return {
    ...countsOf(feed, last, missing),
    last_attempt_at: attempted_at,
    last_success_at: good ? attempted_at : (before?.last_success_at ?? null),
    fresh_at: good ? freshAt(feed, last, { attempted_at, mode }) : (before?.fresh_at ?? null),
    last_error: good ? null : outcome.reason,
    failing_since: good ? null : (before?.failing_since ?? attempted_at),
    failures,
    next_attempt_at: nextAttemptAt(feed, failures, Math.max(attempted_at, outcome.fetched_at)),
    lost_fetches: facts.lost ?? before?.lost_fetches ?? 0,
    backfill: before?.backfill ?? null,
  }
}

/** A feed's freshness from its newest accepted fetch alone, after Redis lost its state; null before the first fetch. */
export function feedStateOf(feed: Feed, known: Pick<FreshnessFacts, 'last' | 'missing' | 'mode' | 'lost'>): FeedState | null {
  const { last, missing, mode, lost = 0 } = known
  if (!last) return null
  const fetchedAt = Date.parse(last.fetched_at)
  return {
    ...countsOf(feed, last, missing),
    last_attempt_at: fetchedAt,
    last_success_at: fetchedAt,
    fresh_at: freshAt(feed, last, { attempted_at: fetchedAt, mode }),
    last_error: null,
    failing_since: null,
    failures: 0,
    next_attempt_at: nextTickAt(feed, fetchedAt),
    lost_fetches: lost,
  }
}

/** A feed's freshness after an operator accepted a fetch; if it is now the newest, it clears the last problem. */
export function feedStateAccepted(before: FeedState | null, now: FeedState, accepted: AcceptedFetch): FeedState {
  if (!before) return now
  const {
    last_error,
    failing_since,
    failures = 0,
    next_attempt_at = null,
    fresh_at,
  } = now.last_fetch_id === accepted.fetch_id ? now : before
  return {
    ...now,
    last_attempt_at: Math.max(before.last_attempt_at ?? 0, now.last_attempt_at ?? 0),
    last_success_at: Math.max(before.last_success_at ?? 0, now.last_success_at ?? 0),
    fresh_at,
    last_error,
    failing_since,
    failures,
    next_attempt_at,
    backfill: before.backfill ?? null,
  }
}

function countsOf(
  feed: Feed,
  last: AcceptedFetch | null,
  missing: FreshnessFacts['missing'],
): Pick<FeedState, 'feed' | 'data_time' | 'last_fetch_id' | 'rows' | 'quarantined' | 'unknown_codes' | 'missing_blocks'> {
  return {
    feed: feed.id,
    data_time: last ? Date.parse(last.data_time) : null,
    last_fetch_id: last?.fetch_id ?? null,
    rows: last?.rows ?? {},
    quarantined: last?.quarantined ?? 0,
    unknown_codes: last?.unknown_codes ?? 0,
    missing_blocks: groupNames(missing),
  }
}

/**
 * The freshness instant of a publisher: its publication time. For a feed that publishes only changes it is the fetch time, for
 * replayed captures the replay time.
 */
function freshAt(feed: Feed, last: AcceptedFetch | null, run: { readonly attempted_at: number; readonly mode: SourceMode }): number {
  const states = last !== null && feed.freshBy !== 'fetch' && last.data_time !== last.fetched_at
  return states && run.mode !== 'replay' ? Math.min(Date.parse(last.data_time), run.attempted_at) : run.attempted_at
}
