import type { Redis } from 'ioredis'
import { LIVE_KEYS } from './keys.ts'
import { defineScript, runScript } from './script.ts'

/** Result of a feed's last fetches; stored in Redis, rebuilt from the raw archive. Instants in ms since the epoch. */
export interface FeedState {
  readonly feed: string
  readonly last_attempt_at: number | null
  readonly last_success_at: number | null
  /** Start of the data's age: the publication time, if the publisher states a new one each time, else the last success. */
  readonly fresh_at: number | null
  /** Publication time of the newest accepted data. */
  readonly data_time: number | null
  readonly last_fetch_id: string | null
  readonly rows: Readonly<Record<string, number>>
  readonly quarantined: number
  readonly unknown_codes: number
  /** Completeness groups missing from the newest publication, as `dataset/block`. */
  readonly missing_blocks: readonly string[]
  /** Why the last attempt failed or was rejected, and since when attempts fail; null after a success. */
  readonly last_error: string | null
  readonly failing_since: number | null
  /** Failed or rejected attempts in a row. Unset in states of earlier versions, as the next one. */
  readonly failures?: number
  /** When it is fetched next: soon after a failure, else by its cadence; null for a stream. */
  readonly next_attempt_at?: number | null
  /** Accepted fetches without rows in a table, since their bytes can no longer be read or parsed. */
  readonly lost_fetches: number
  /** Progress of an archive's background backfill; absent if none was started. */
  readonly backfill?: BackfillProgress | null
}

/** Archive files wanted from before the service began, and how many of them exist. */
export interface BackfillProgress {
  readonly files: number
  readonly present: number
}

/** Health of a feed. */
export type FeedHealth = 'OK' | 'LATE' | 'STALE' | 'DOWN'

/** A feed as announced by the worker to the API (object `system/feeds.json`). */
export interface FeedListing {
  readonly id: string
  readonly domain: string
  readonly source: string
  readonly datasets: readonly string[]
  readonly every_s: number
  readonly urls: readonly string[]
  /** False if the operator has not enabled the feed in this mode. */
  readonly enabled: boolean
  /** True if it fetches only documents that callers request. Unset in listings of earlier versions. */
  readonly on_demand?: boolean
  /** Human-readable reason why it is disabled; null if it is enabled. */
  readonly disabled_reason?: string | null
  /** When the key that the feed needs expires, ms; null if it needs none or the key does not state it. */
  readonly key_expires_at?: number | null
}

/** Clock difference between machines that is tolerated, ms. */
export const CLOCK_TOLERANCE_MS = 10 * 60_000

/** Age of data in whole seconds: 0 for data ahead of our clock within the tolerance, negative beyond it. */
export function dataAge_s(dataTime: number, now: number): number {
  const age_s = Math.floor((now - dataTime) / 1000)
  return dataTime - now > CLOCK_TOLERANCE_MS ? age_s : Math.max(0, age_s)
}

/**
 * Health by the data's age and the feed's cadence: late at 2×, stale at 3×. DOWN if it never succeeded, or attempts have failed
 * for 10×. Data from the future is stale.
 */
export function feedHealth(state: FeedState | null, every_s: number, now: number): FeedHealth {
  if (!state?.last_success_at) return 'DOWN'
  if (state.failing_since !== null && now - state.last_success_at > 10_000 * every_s) return 'DOWN'
  if (state.data_time !== null && dataAge_s(state.data_time, now) < 0) return 'STALE'
  const age_s = (now - (state.fresh_at ?? state.last_success_at)) / 1000
  if (age_s > 3 * every_s) return 'STALE'
  return age_s > 2 * every_s ? 'LATE' : 'OK'
}

// A suspended worker that resumes must not overwrite newer results of another. An attempt in the future came from a wrong clock.
const WRITE = defineScript(`
local held = redis.call('HGET', KEYS[1], ARGV[1])
if held then
  local at = cjson.decode(held).last_attempt_at
  local soon = (tonumber(redis.call('TIME')[1]) + tonumber(ARGV[4])) * 1000
  if type(at) == 'number' and at > tonumber(ARGV[2]) and at < soon then return 0 end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
`)

/**
 * Stores a feed's state. The state of an earlier attempt never replaces that of a later one, unless the later one is in the
 * future.
 */
export async function writeFeedState(redis: Redis, state: FeedState): Promise<void> {
  await runScript(redis, WRITE, {
    keys: [LIVE_KEYS.feeds],
    args: [state.feed, state.last_attempt_at ?? 0, JSON.stringify(state), CLOCK_TOLERANCE_MS / 1000],
  })
}

/** The state of each feed, by feed id; empty after Redis was emptied. */
export async function readFeedStates(redis: Redis): Promise<ReadonlyMap<string, FeedState>> {
  return feedStatesOf(await redis.hgetall(LIVE_KEYS.feeds))
}

/** Reads the values of `live:feeds`. */
export function feedStatesOf(values: Readonly<Record<string, string>>): ReadonlyMap<string, FeedState> {
  return new Map(Object.entries(values).map(([feed, text]) => [feed, JSON.parse(text) as FeedState]))
}
