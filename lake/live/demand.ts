import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { defineScript, runScript } from './script.ts'

/**
 * Documents that are fetched on demand: which are wanted, and how each fetch ended. Losing this loses no data: documents are fetched once
 * more.
 */

/** Channel with the ids of feeds that have newly wanted documents. */
export const DEMAND_CHANNEL = 'demand:wanted'
/** Documents of a feed that may be wanted at once. */
const MAX_WANTED = 500

const wantedKey = (feed: string): string => `demand:wanted:${feed}`
const answersKey = (feed: string): string => `demand:answers:${feed}`
const spentKey = (limit: string): string => `demand:spent:${limit}`

/** How the last attempt to fetch a document ended, and until when (ms) it is not repeated. */
export interface DocumentAnswer {
  readonly outcome: 'FETCHED' | 'ABSENT' | 'FAILED'
  readonly until: number
  /** Of the bytes that were accepted last. */
  readonly sha256?: string
}

/** What is known of the documents of a request; null while one is pending. */
export type Answers = ReadonlyMap<string, DocumentAnswer | null>

/** Asks for documents of a feed, unless they were fetched a short while ago, and returns what is known of each. */
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
  /** True if somebody asked for it, false if it is only one of those that are always fetched. */
  readonly isWanted: boolean
  readonly last: DocumentAnswer | undefined
}

/** The documents of a feed that are due: those that are wanted, the longest waiting first, then some of `always`. */
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

/** Records how attempts to fetch documents ended, and takes these off the wanted ones. */
export async function recordAnswers(redis: Redis, feed: string, answers: ReadonlyMap<string, DocumentAnswer>): Promise<void> {
  if (answers.size === 0) return
  await redis
    .multi()
    .hset(answersKey(feed), Object.fromEntries([...answers].map(([key, answer]) => [key, JSON.stringify(answer)])))
    .zrem(wantedKey(feed), ...answers.keys())
    .exec()
}

// In one script: the feeds of a publisher ask at the same time, and together they may not exceed its limit.
const SPEND = defineScript(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', tonumber(ARGV[1]) - 60000)
local granted = math.max(0, math.min(#ARGV - 2, tonumber(ARGV[2]) - redis.call('ZCARD', KEYS[1])))
for nth = 3, granted + 2 do redis.call('ZADD', KEYS[1], ARGV[1], ARGV[nth]) end
if granted > 0 then redis.call('PEXPIRE', KEYS[1], 60000) end
return granted
`)

/** Takes requests out of what a publisher allows in a minute, but for `reserved` ones; returns how many may be made now. */
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
