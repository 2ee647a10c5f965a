import { createHash } from 'node:crypto'
import type { FeedState } from '../lake/live/freshness.ts'
import type { Feed } from './feeds/define.ts'

const MINUTE_MS = 60_000
/** Waits after the first failed fetches in a row, ms; after these the cadence alone counts. */
const RETRY_AFTER_MS = [1, 2, 5, 15, 60].map((minutes) => minutes * MINUTE_MS)
/** How long a feed may be without any state before its first fetch is taken for lost, ms. */
const FIRST_FETCH_MS = 2 * MINUTE_MS

/** Returns how far after the even multiples of its cadence a schedule is due, ms: feeds of one cadence are spread out. */
export function offsetOf(id: string, every_ms: number): number {
  return 1 + (createHash('sha256').update(id).digest().readUInt32BE() % Math.max(every_ms - 1, 1))
}

/** Returns the first tick after an instant, ms since the epoch. */
export function tickAfter(at: number, { every_ms, offset_ms }: { readonly every_ms: number; readonly offset_ms: number }): number {
  return Math.floor((at - offset_ms) / every_ms + 1) * every_ms + offset_ms
}

/** Returns when a feed is next fetched by its cadence, ms since the epoch; null for a stream, which is always followed. */
export function nextTickAt({ id, every_s, stream }: Pick<Feed, 'id' | 'every_s' | 'stream'>, now: number): number | null {
  if (stream) return null
  const every_ms = Math.round(every_s * 1000)
  return tickAfter(now, { every_ms, offset_ms: offsetOf(`fetch:${id}`, every_ms) })
}

/** Returns when a feed is next fetched after so many failures in a row (0: none): after a wait that grows, or by its cadence. */
export function nextAttemptAt(feed: Pick<Feed, 'id' | 'every_s' | 'stream'>, failures: number, now: number): number | null {
  const tick = nextTickAt(feed, now)
  const wait_ms = RETRY_AFTER_MS[failures - 1]
  return tick === null || wait_ms === undefined ? tick : Math.min(tick, now + wait_ms)
}

/**
 * Returns the id of the retry that is due for a feed: after a failure, or if nothing came of its first fetch, such as in a
 * process that ended. Null if none is due. `since` is when its worker began. Equal ids in all workers are one job.
 */
export function dueRetry(
  feed: Pick<Feed, 'id' | 'stream'>,
  { state, since, now }: { readonly state: FeedState | null; readonly since: number; readonly now: number },
): string | null {
  if (feed.stream) return null
  if (state === null) return now - since < FIRST_FETCH_MS ? null : `retry-${feed.id}-first-${Math.floor((now - since) / FIRST_FETCH_MS)}`
  const at = state.next_attempt_at ?? state.last_attempt_at ?? 0
  return state.failing_since !== null && at <= now ? `retry-${feed.id}-${at}` : null
}
