import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { defineScript, runScript } from './script.ts'

/**
 * Documents fetched on demand: which are wanted, and how each fetch ended. Losing this loses no data, since documents are fetched
 * again.
 */

/** Channel for the ids of feeds with newly wanted documents. */
export const DEMAND_CHANNEL = 'demand:wanted'
/** Maximum number of wanted documents of a feed. */
const MAX_WANTED = 500

const wantedKey = (feed: string): string => `demand:wanted:${feed}`
const answersKey = (feed: string): string => `demand:answers:${feed}`
const spentKey = (limit: string): string => `demand:spent:${limit}`

/** Result of the last attempt to fetch a document, and until when (ms) it is not repeated. */
export interface DocumentAnswer {
  readonly outcome: 'FETCHED' | 'ABSENT' | 'FAILED'
  readonly until: number
  /** Hash of the last accepted bytes. */
  readonly sha256?: string
}

/** Results for the documents of a request; null while one is pending. */
export type Answers = ReadonlyMap<string, DocumentAnswer | null>

/** Requests documents of a feed, unless they were fetched recently, and returns the known result of each. */
export async function wantDocuments(
  redis: Redis,
  feed: string,
  of: { readonly keys: readonly string[]; readonly now: number },
): Promise<Answers> {
  const { keys, now } = of
  if (keys.length === 0) return new Map()
  const known = await readAnswers(redis, feed, keys)
  const current = new Map(keys.map((key) => [key, isOver(known.get(key), now) ? null : (known.get(key) as DocumentAnswer)]))
  const due = keys.filter((key) => current.get(key) === null)
  const room = due.length === 0 ? 0 : MAX_WANTED - (await redis.zcard(wantedKey(feed)))
  if (room <= 0) return current
  const added = await redis.zadd(wantedKey(feed), 'NX', ...due.slice(0, room).flatMap((key) => [now, key]))
  if (Number(added) > 0) await redis.publish(DEMAND_CHANNEL, feed)
  return current
}

/** A document that is due. */
export interface DueDocument {
  /** True if someone requested it, false if it is only always fetched. */
  readonly isWanted: boolean
  readonly last: DocumentAnswer | undefined
}

/** The due documents of a feed: wanted ones, the longest waiting first, then some of `always`. */
export async function dueDocuments(
  redis: Redis,
  feed: string,
  of: { readonly always: readonly string[]; readonly alwaysAtOnce: number; readonly now: number; readonly most: number },
): Promise<ReadonlyMap<string, DueDocument>> {
  const { always, alwaysAtOnce, now, most } = of
  const wanted = await redis.zrange(wantedKey(feed), 0, String(most - 1))
  const known = await readAnswers(redis, feed, [...wanted, ...always])
  const missing = always.filter((key) => !wanted.includes(key) && isOver(known.get(key), now)).slice(0, alwaysAtOnce)
  const due = [...wanted, ...missing].slice(0, most)
  return new Map(due.map((key, at) => [key, { isWanted: at < wanted.length, last: known.get(key) }]))
}

/** Records the results of fetches, and removes these documents from the wanted ones. */
export async function recordAnswers(redis: Redis, feed: string, answers: ReadonlyMap<string, DocumentAnswer>): Promise<void> {
  if (answers.size === 0) return
  await redis
    .multi()
    .hset(answersKey(feed), Object.fromEntries([...answers].map(([key, answer]) => [key, JSON.stringify(answer)])))
    .zrem(wantedKey(feed), ...answers.keys())
    .exec()
}

// One script, since the feeds of a publisher run at the same time and share its rate limit.
const SPEND = defineScript(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', tonumber(ARGV[1]) - 60000)
local granted = math.max(0, math.min(#ARGV - 2, tonumber(ARGV[2]) - redis.call('ZCARD', KEYS[1])))
for nth = 3, granted + 2 do redis.call('ZADD', KEYS[1], ARGV[1], ARGV[nth]) end
if granted > 0 then redis.call('PEXPIRE', KEYS[1], 60000) end
return granted
`)

/** Takes requests from a publisher's limit per minute, except for `reserved` ones; returns how many are allowed now. */
export async function spendRequests(
  redis: Redis,
  limit: { readonly name: string; readonly perMinute: number },
  of: { readonly count: number; readonly now: number; readonly reserved?: number },
): Promise<number> {
  const { count, now, reserved = 0 } = of
  const members = Array.from({ length: count }, () => randomUUID())
  return Number(await runScript(redis, SPEND, { keys: [spentKey(limit.name)], args: [now, limit.perMinute - reserved, ...members] }))
}

async function readAnswers(redis: Redis, feed: string, keys: readonly string[]): Promise<Map<string, DocumentAnswer | undefined>> {
  if (keys.length === 0) return new Map()
  const texts = await redis.hmget(answersKey(feed), ...keys)
  return new Map(keys.map((key, at) => [key, texts[at] == null ? undefined : (JSON.parse(texts[at] as string) as DocumentAnswer)]))
}

const isOver = (answer: DocumentAnswer | undefined, now: number): boolean => answer === undefined || answer.until <= now
