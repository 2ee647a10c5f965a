import { randomUUID } from 'node:crypto'
import { firstReached, openRedis } from '../../lake/live/connect.ts'
import { defineScript, runScript } from '../../lake/live/script.ts'
import type { Peppers } from './pepper.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How often one may do what costs us or others something: at most so many times in any window. */
const LIMITS = {
  /** New keys asked for from one address. */
  'create-from-address': [
    { most: 5, window_ms: HOUR_MS },
    { most: 20, window_ms: DAY_MS },
  ],
  /** New keys asked for one e-mail address. */
  'create-for-email': [{ most: 6, window_ms: DAY_MS }],
  /** Mails to one e-mail address. */
  'mail-to-email': [{ most: 3, window_ms: DAY_MS }],
  /** Mails asked for from one address. */
  'mail-from-address': [
    { most: 5, window_ms: HOUR_MS },
    { most: 20, window_ms: DAY_MS },
  ],
} as const

/** What is limited. */
export type Attempt = keyof typeof LIMITS

/** Counts attempts in sliding windows. */
export interface Attempts {
  /** Counts an attempt of a subject (an address, an e-mail); gives 0, or in how many seconds the next one is allowed, and counts nothing then. */
  take(attempt: Attempt, subject: string): Promise<number>
  close(): void
}

interface Window {
  readonly most: number
  readonly window_ms: number
}

/** ARGV: a name for the attempt, then most and ms of each window, the longest last. Gives the wait in ms. */
const TAKE = defineScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local longest = tonumber(ARGV[#ARGV])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - longest)
local wait = 0
for at = 2, #ARGV, 2 do
  local most, window = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  local inside = redis.call('ZCOUNT', KEYS[1], '(' .. (now - window), '+inf')
  if inside >= most then
    local first = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. (now - window), '+inf', 'WITHSCORES', 'LIMIT', inside - most, 1)
    wait = math.max(wait, tonumber(first[2]) + window - now)
  end
end
if wait > 0 then return wait end
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], longest)
return 0
`)
const COMMAND_TIMEOUT_MS = 1000
/** Most subjects that are counted in this process while Redis is away. */
const SUBJECTS_MOST = 20_000

/** Counts in Redis, by the hash of the subject; in this process while Redis is away. `clock` gives ms. */
export function openAttempts(options: { readonly redisUrl: string; readonly peppers: Peppers; readonly clock: () => number }): Attempts {
  const { redisUrl, peppers, clock } = options
  const redis = openRedis(redisUrl, { queueWhileAway: false, commandTimeout_ms: COMMAND_TIMEOUT_MS })
  const here = new Map<string, number[]>()
  // What is taken before Redis is reached waits for it: counted here alone it would soon be forgotten.
  const reached = firstReached(redis, COMMAND_TIMEOUT_MS)

  const takeHere = (key: string, windows: readonly Window[]): number => {
    const now = clock()
    const { window_ms: longest } = windows.at(-1) as Window
    const times = (here.get(key) ?? []).filter((time) => time > now - longest)
    const waits = windows.map(({ most, window_ms }) => {
      const inside = times.filter((time) => time > now - window_ms)
      return inside.length < most ? 0 : (inside[inside.length - most] as number) + window_ms - now
    })
    const wait = Math.max(...waits)
    here.delete(key)
    if (here.size >= SUBJECTS_MOST) here.delete(here.keys().next().value as string)
    here.set(key, wait > 0 ? times : [...times, now])
    return wait
  }

  return {
    take: async (attempt, subject) => {
      const windows: readonly Window[] = LIMITS[attempt]
      const key = `access:attempts:${attempt}:${peppers.current.hash(subject).slice(0, 32)}`
      await reached
      const args = [randomUUID(), ...windows.flatMap(({ most, window_ms }) => [most, window_ms])]
      const wait_ms = await runScript(redis, TAKE, { keys: [key], args }).catch(() => takeHere(key, windows))
      return Math.ceil(Number(wait_ms) / 1000)
    },
    close: () => redis.disconnect(),
  }
}
