import type { Redis } from 'ioredis'
import { LIVE_KEYS } from './keys.ts'
import { defineScript, runScript } from './script.ts'

/** What the service knows of a feed's last fetches; kept in Redis, rebuilt from the raw archive. Instants in ms since the epoch. */
export interface FeedState {
  readonly feed: string
  readonly last_attempt_at: number | null
  readonly last_success_at: number | null
  /** What the age of the data is counted from: its publication time where the publisher states one and makes a new one each time, else the last success. */
  readonly fresh_at: number | null
  /** Publication time of the newest accepted data. */
  readonly data_time: number | null
  readonly last_fetch_id: string | null
  readonly rows: Readonly<Record<string, number>>
  readonly quarantined: number
  readonly unknown_codes: number
  /** Blocks missing from the newest publication, as `dataset/block`. */
  readonly missing_blocks: readonly string[]
  /** Why the last attempt failed or was rejected, and since when attempts fail; null after a success. */
  readonly last_error: string | null
  readonly failing_since: number | null
  /** Accepted fetches that gave a table no rows, since their bytes can no longer be read or parsed. */
  readonly lost_fetches: number
  /** How far the background backfill of an archive is; not set unless one was begun. */
  readonly backfill?: BackfillProgress | null
}

/** Files of an archive that a service wants of the time before it began, and how many of them are there. */
export interface BackfillProgress {
  readonly files: number
  readonly present: number
}

/** Health of a feed. */
export type FeedHealth = 'OK' | 'LATE' | 'STALE' | 'DOWN'

/** One feed as the worker announces it to the API (object `system/feeds.json`). */
export interface FeedListing {
  readonly id: string
  readonly domain: string
  readonly source: string
  readonly datasets: readonly string[]
  readonly every_s: number
  readonly urls: readonly string[]
  /** False where the operator has not turned the feed on in this mode. */
  readonly enabled: boolean
  /** Why it is not enabled, for people; null where it is. */
  readonly disabled_reason?: string | null
}

/** Times may be this far ahead of our clock, ms: clocks differ. */
export const CLOCK_TOLERANCE_MS = 10 * 60_000

/** Age of data in whole seconds: 0 where it lies ahead of our clock by no more than clocks differ, below 0 where by more. */
export function dataAge_s(dataTime: number, now: number): number {
  const age_s = Math.floor((now - dataTime) / 1000)
  return dataTime - now > CLOCK_TOLERANCE_MS ? age_s : Math.max(0, age_s)
}

/**
 * Health by the age of the data against the feed's cadence: late at 2×, stale at 3×; DOWN where it never succeeded or attempts fail since 10×.
 * Data from the future says nothing of today: it is stale.
 */
export function feedHealth(state: FeedState | null, every_s: number, now: number): FeedHealth {
  if (!state?.last_success_at) return 'DOWN'
  if (state.failing_since !== null && now - state.last_success_at > 10_000 * every_s) return 'DOWN'
  if (state.data_time !== null && dataAge_s(state.data_time, now) < 0) return 'STALE'
  const age_s = (now - (state.fresh_at ?? state.last_success_at)) / 1000
  if (age_s > 3 * every_s) return 'STALE'
  return age_s > 2 * every_s ? 'LATE' : 'OK'
}

// A worker that stood still and goes on must not set back what another found out meanwhile. An attempt of a time to come was of a wrong clock.
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

/** Keeps what is known of a feed's fetches, in place of what was; the state of an earlier attempt never replaces that of a later one, unless that is yet to come. */
export async function writeFeedState(redis: Redis, state: FeedState): Promise<void> {
  await runScript(redis, WRITE, {
    keys: [LIVE_KEYS.feeds],
    args: [state.feed, state.last_attempt_at ?? 0, JSON.stringify(state), CLOCK_TOLERANCE_MS / 1000],
  })
}

/** What is known of each feed's fetches, by feed id; empty after Redis was emptied. */
export async function readFeedStates(redis: Redis): Promise<ReadonlyMap<string, FeedState>> {
  return feedStatesOf(await redis.hgetall(LIVE_KEYS.feeds))
}

/** Reads the values of `live:feeds`. */
export function feedStatesOf(values: Readonly<Record<string, string>>): ReadonlyMap<string, FeedState> {
  return new Map(Object.entries(values).map(([feed, text]) => [feed, JSON.parse(text) as FeedState]))
}
