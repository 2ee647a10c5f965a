import type { Redis } from 'ioredis'
import type { DeclaredPart } from './forget.ts'
import { LIVE_KEYS } from './keys.ts'
import { defineScript, runScript } from './script.ts'

/**
 * How much of a worker's data has arrived: LOADING while feeds are landed and derived for the first time since its start, then
 * BACKFILLING while archives from before the service began are fetched.
 */
export type WorkerPhase = (typeof WORKER_PHASES)[number]
export const WORKER_PHASES = ['LOADING', 'BACKFILLING', 'STEADY'] as const

/** A worker as announced to the others and to the API. */
export interface WorkerEntry {
  readonly id: string
  /** Start of the worker, ms since the epoch. */
  readonly started_at: number
  /** What it can run: ids of its feeds, whose publishers' keys it has, and names of its tasks. Unset by earlier versions. */
  readonly runs?: readonly string[]
  /** Empty; earlier versions read their schedules here. */
  readonly schedules?: readonly unknown[]
  /** Live state parts in its catalogue, including disabled feeds; null if not stated. */
  readonly declared: readonly DeclaredPart[] | null
  /** Unset by workers of earlier versions. */
  readonly phase?: WorkerPhase
  /** True if its last write to the store found no room. */
  readonly store_full?: boolean
}

/** Interval between a worker's announcements, ms. */
export const WORKER_BEAT_MS = 5000
/** A worker without an announcement for this long is reported as away, ms. */
const AWAY_MS = 40_000
/** A worker without an announcement for this long owns no feeds, ms: as long as its locks outlive it. */
export const OWNER_AWAY_MS = 20_000
const FORGET_MS = 86_400_000

// Uses the clock of Redis, since machines' clocks differ. Of a worker that is away only the time stays: API processes read all
// entries every two seconds, and a crashing worker leaves a thousand a day.
const BEAT = defineScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
for _, id in ipairs(redis.call('HKEYS', KEYS[1])) do
  local beat, entry = string.match(redis.call('HGET', KEYS[1], id), '^(%d+) (.*)')
  local age = now - (tonumber(beat) or 0)
  if age > tonumber(ARGV[4]) then redis.call('HDEL', KEYS[1], id)
  elseif age > tonumber(ARGV[3]) and entry ~= '' then redis.call('HSET', KEYS[1], id, beat .. ' ') end
end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f ', now) .. ARGV[2])
return 1
`)

/** Announces that a worker is alive, or with `isStopping` that it has stopped. */
export async function announceWorker(redis: Redis, entry: WorkerEntry, { isStopping = false } = {}): Promise<void> {
  await runScript(redis, BEAT, { keys: [LIVE_KEYS.workers], args: [entry.id, isStopping ? '' : JSON.stringify(entry), AWAY_MS, FORGET_MS] })
}

/** The workers that announced themselves within some time, ms. */
export async function livingWorkers(redis: Redis, within_ms = AWAY_MS): Promise<WorkerEntry[]> {
  const [entries, now] = await Promise.all([redis.hgetall(LIVE_KEYS.workers), redisNow(redis)])
  return Object.values(entries).flatMap((text) => {
    const { at, json } = read(text)
    return json !== '' && now - at <= within_ms ? [JSON.parse(json) as WorkerEntry] : []
  })
}

/** Number of workers alive, and the last announcement, ms since the epoch by the clock of Redis. */
export interface SeenWorkers {
  readonly living: number
  /** Their ids, sorted: a new worker announces itself after it has stored what it announces in `system/`. */
  readonly ids: string
  readonly seen_at: number
  /** The earliest phase of those alive; STEADY without one. */
  readonly phase: WorkerPhase
  /** True if one of those alive found no room in the store. */
  readonly store_full: boolean
}

/** The announced workers; null if there were never any. */
export async function readWorkers(redis: Redis): Promise<SeenWorkers | null> {
  const [entries, now] = await Promise.all([redis.hgetall(LIVE_KEYS.workers), redisNow(redis)])
  const found = Object.entries(entries).map(([id, text]) => ({ id, ...read(text) }))
  if (found.length === 0) return null
  const living = found.filter(({ at, json }) => json !== '' && now - at <= AWAY_MS)
  const alive = living.map(({ json }) => JSON.parse(json) as WorkerEntry)
  return {
    living: living.length,
    ids: living
      .map(({ id }) => id)
      .sort()
      .join(' '),
    seen_at: Math.max(...found.map(({ at }) => at)),
    phase: WORKER_PHASES.find((phase) => alive.some((one) => one.phase === phase)) ?? 'STEADY',
    store_full: alive.some((one) => one.store_full === true),
  }
}

function read(text: string): { readonly at: number; readonly json: string } {
  const space = text.indexOf(' ')
  return { at: Number(text.slice(0, space)), json: text.slice(space + 1) }
}

async function redisNow(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time()
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
}
