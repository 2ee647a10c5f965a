import { timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { firstReached, openRedis } from '../../lake/live/connect.ts'
import { defineScript, runScript } from '../../lake/live/script.ts'
import { StoreError } from '../../lake/store/errors.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { isWellFormed } from './key-format.ts'
import { type KeyRecord, readRecord } from './key-records.ts'
import type { Peppers } from './pepper.ts'
import { keyId, type Plan, slotName, statusAt } from './slots.ts'

/** What a key that works stands for. */
export interface LiveKey {
  /** Its public name. */
  readonly id: string
  readonly plan: Plan
  /** What its calls are counted by: stays the same when the key is rotated, and when a new one takes its place. */
  readonly slot: string
  readonly status: 'ACTIVE' | 'ROTATING'
  readonly account: string
  /** When it stops to work by itself, ms since the epoch; null: never. */
  readonly ends_at: number | null
}

/** Why a text is no key that works. */
export type KeyRefusal = 'malformed' | 'unknown' | 'revoked' | 'expired'

/** What became of looking up a key. */
export type KeyLookup = { readonly key: LiveKey; readonly refusal: null } | { readonly key: null; readonly refusal: KeyRefusal }

/** The way from the text of a key to what it stands for. */
export interface KeyIndex {
  /**
   * Looks up a key: at once where it is known in this process, else over Redis and the object store. Rejects where the store cannot be
   * read. `malformed` and `unknown` are for the caller's address to pay for.
   */
  lookUp(text: string): KeyLookup | Promise<KeyLookup>
  /** What this process knows of a key without asking anybody; null where it would have to. */
  atHand(text: string): KeyLookup | null
  /** Tells every process what became of keys; where Redis is away they find it out by themselves within a minute. */
  tell(records: readonly KeyRecord[]): Promise<void>
  /** Fills Redis with what the store says now, and tells nobody. */
  fill(records: readonly KeyRecord[]): Promise<void>
  /** True while Redis answers and its messages arrive. */
  readonly connected: boolean
  /** Settles when Redis has answered for the first time, or has not within a second. */
  readonly ready: Promise<void>
  close(): void
}

/** Where keys are looked up, and for how long what was found there counts; times in ms. */
export interface KeyIndexOptions {
  readonly store: ObjectStore
  readonly redisUrl: string
  readonly peppers: Peppers
  readonly clock: () => number
  /** Longest time for which a record is cached: below a minute, so that a revocation takes effect everywhere within one. */
  readonly confirm_ms?: number
  /** The same while Redis is away, which else tells of revocations at once. */
  readonly away_ms?: number
  /** How long a key that there is not is not looked for again. */
  readonly unknown_ms?: number
  /** How long a key counts as it was last found while the store cannot be read. */
  readonly stale_ms?: number
  /** How long a lookup waits for the store if a last record is known, and if none is. */
  readonly patience_ms?: number
  readonly longest_ms?: number
}

/** What this process knows of a hash. */
interface Known {
  readonly record: KeyRecord | null
  readonly lookup: KeyLookup
  /** When the store said so, by `performance.now()`. */
  readonly confirmed: number
  /** Until when it counts although it is no longer fresh, as the store could not be read, by `performance.now()`. */
  readonly stale_until?: number
}

interface Finding {
  /** True where the key changed while it was being looked up. */
  isStale: boolean
  readonly done: Promise<Known>
}

const CONFIRM_MS = 55_000
const AWAY_MS = 30_000
const UNKNOWN_MS = 60_000
const STALE_MS = 3_600_000
const PATIENCE_MS = 1000
const LONGEST_MS = 10_000
/** How often a store that is away is asked again for the same key. */
const AGAIN_MS = 5000
const COMMAND_TIMEOUT_MS = 1000
/** Most hashes that one process remembers; the ones that were found first go first. */
const KNOWN_MOST = 50_000
/** Most keys whose hashes one process remembers, none in clear anywhere but in its memory. */
const HASHED_MOST = 10_000
const CHANNEL = 'access:keys-changed'

/** Puts a record (`<version> <JSON>`) unless a newer one is there; the time it may stay is that of the store's word. */
const PUT = defineScript(`
local there = redis.call('GET', KEYS[1])
if there and tonumber(string.match(there, '^%d+')) > tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[3])
return 1
`)

const MALFORMED: KeyLookup = Object.freeze({ key: null, refusal: 'malformed' } as const)
const UNKNOWN: KeyLookup = Object.freeze({ key: null, refusal: 'unknown' } as const)
const REVOKED: KeyLookup = Object.freeze({ key: null, refusal: 'revoked' } as const)
const EXPIRED: KeyLookup = Object.freeze({ key: null, refusal: 'expired' } as const)

/**
 * Opens the index of keys. The store is the record; Redis and this process cache it for less than a minute, and messages over Redis make
 * a change take effect at once. While the store cannot be read, the last record counts for up to an hour.
 */
export function openKeyIndex(options: KeyIndexOptions): KeyIndex {
  const { store, redisUrl, peppers, clock, confirm_ms = CONFIRM_MS, away_ms = AWAY_MS, unknown_ms = UNKNOWN_MS } = options
  const { stale_ms = STALE_MS, patience_ms = PATIENCE_MS, longest_ms = LONGEST_MS } = options
  const known = new Map<string, Known>()
  const finding = new Map<string, Finding>()
  let isTold = false
  // When records in Redis count again after it was away, by `performance.now()`: it may have come back with old ones.
  let trustFrom = 0
  const redis = openRedis(redisUrl, { queueWhileAway: false, commandTimeout_ms: COMMAND_TIMEOUT_MS })
  const messages = openRedis(redisUrl)

  const reached = firstReached(redis, COMMAND_TIMEOUT_MS)

  const forget = (hash: string): void => {
    known.delete(hash)
    const under = finding.get(hash)
    if (under) under.isStale = true
    finding.delete(hash)
  }
  const forgetAll = (): void => {
    for (const hash of [...finding.keys(), ...known.keys()]) if (!isFinal(known.get(hash)?.record)) forget(hash)
  }
  messages.on('message', (_channel: string, hash: string) => forget(hash))
  messages.on('close', () => {
    isTold = false
    trustFrom = Number.POSITIVE_INFINITY
  })
  messages.on('ready', () => {
    messages.subscribe(CHANNEL).then(
      () => {
        // What was said while nobody listened is not known.
        forgetAll()
        isTold = true
        if (trustFrom > 0) trustFrom = performance.now() + confirm_ms
      },
      () => undefined,
    )
  })

  const isFresh = ({ record, confirmed, stale_until = 0 }: Known): boolean =>
    isFinal(record) ||
    performance.now() < stale_until ||
    performance.now() - confirmed < (record === null ? unknown_ms : isTold ? confirm_ms : away_ms)

  const judge = ({ record, lookup }: Known, hash: string): KeyLookup => {
    if (!record || !timingSafeEqual(Buffer.from(record.hash), Buffer.from(hash))) return UNKNOWN
    return record.ends_at !== null && clock() >= record.ends_at ? EXPIRED : lookup
  }

  const look = async (hash: string): Promise<Known> => {
    const told = redis.status === 'ready' ? await fromRedis(redis, hash, stale_ms).catch(() => null) : null
    const ofRedis = told && knownOf(told.record, performance.now() - told.age_ms, clock())
    if (told && ofRedis && told.age_ms < confirm_ms && performance.now() >= trustFrom) return ofRedis
    const last = lastOf(known.get(hash) ?? null, ofRedis)
    const reading = readStore(hash)
    try {
      return await within(reading, last ? patience_ms : longest_ms)
    } catch (error) {
      if (!last || !(error instanceof StoreError) || performance.now() - last.confirmed > stale_ms) throw error
      // What a slow store says in the end counts.
      reading.then((found) => remember(hash, found)).catch(() => undefined)
      return { ...last, stale_until: Math.min(performance.now() + AGAIN_MS, last.confirmed + stale_ms) }
    }
  }

  const readStore = async (hash: string): Promise<Known> => {
    const began = performance.now()
    const record = await readRecord(store, hash)
    if (record) await toRedis(redis, [record], stale_ms - (performance.now() - began)).catch(() => undefined)
    return knownOf(record, began, clock())
  }

  const find = (hash: string): Promise<Known> => {
    const under = finding.get(hash)
    if (under) return under.done
    const begun: Finding = {
      isStale: false,
      done: look(hash)
        .then((found) => {
          if (!begun.isStale) remember(hash, found)
          return found
        })
        .finally(() => {
          if (finding.get(hash) === begun) finding.delete(hash)
        }),
    }
    finding.set(hash, begun)
    return begun.done
  }

  const remember = (hash: string, found: Known): void => {
    known.delete(hash)
    if (known.size >= KNOWN_MOST) known.delete(known.keys().next().value as string)
    known.set(hash, found)
  }

  const findAny = async (hashes: readonly string[]): Promise<KeyLookup> => {
    for (const hash of hashes) {
      const there = known.get(hash)
      const found = there && isFresh(there) ? there : await find(hash)
      if (found.record) return judge(found, hash)
    }
    return UNKNOWN
  }

  const tellAll = async (records: readonly KeyRecord[]): Promise<void> => {
    await toRedis(redis, records, stale_ms)
    await Promise.all(records.map(({ hash }) => redis.publish(CHANNEL, hash)))
  }

  // Busy keys are hashed once: that takes longer than everything else that is asked of them here.
  const hashed = new Map<string, readonly string[]>()
  const hashesOf = (text: string): readonly string[] | null => {
    const before = hashed.get(text)
    if (before) return before
    if (!isWellFormed(text)) return null
    const hashes = peppers.all.map((pepper) => pepper.hash(text))
    if (hashed.size >= HASHED_MOST) hashed.clear()
    hashed.set(text, hashes)
    return hashes
  }
  const among = (hashes: readonly string[]): KeyLookup | null => {
    for (const hash of hashes) {
      const there = known.get(hash)
      if (!there || !isFresh(there)) return null
      if (there.record) return judge(there, hash)
    }
    return UNKNOWN
  }

  return {
    lookUp: (text) => {
      const hashes = hashesOf(text)
      return hashes ? (among(hashes) ?? findAny(hashes)) : MALFORMED
    },
    atHand: (text) => {
      const hashes = hashesOf(text)
      return hashes ? among(hashes) : MALFORMED
    },
    tell: async (records) => {
      for (const record of records) {
        forget(record.hash)
        if (isFinal(record)) remember(record.hash, knownOf(record, performance.now(), clock()))
      }
      await tellAll(records).catch(() => undefined)
    },
    fill: (records) => toRedis(redis, records, stale_ms).catch(() => undefined),
    ready: reached,
    get connected() {
      return isTold && redis.status === 'ready'
    },
    close: () => {
      redis.disconnect()
      messages.disconnect()
    },
  }
}

/** The newer of what this process and Redis know of a key that there is. */
function lastOf(one: Known | null, other: Known | null): Known | null {
  const known = [one, other].filter((found) => found !== null && found.record !== null)
  return known.toSorted((a, b) => (b as Known).confirmed - (a as Known).confirmed)[0] ?? null
}

/** What work gives; rejects with a `StoreError` if it takes longer. */
async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const over = new AbortController()
  const late = sleep(ms, undefined, { signal: over.signal }).then(() => {
    throw new StoreError(`the store did not answer within ${ms} ms`, { code: 'timeout' })
  })
  try {
    return await Promise.race([work, late])
  } finally {
    over.abort()
    late.catch(() => undefined)
    work.catch(() => undefined)
  }
}

/** True for what never changes again. */
function isFinal(record: KeyRecord | null | undefined): boolean {
  return record?.status === 'REVOKED'
}

function knownOf(record: KeyRecord | null, confirmed: number, now: number): Known {
  return { record, confirmed, lookup: lookupOf(record, now) }
}

function lookupOf(record: KeyRecord | null, now: number): KeyLookup {
  if (!record) return UNKNOWN
  const { hash, plan, account, slot, ends_at } = record
  const status = statusAt(record, now)
  if (status === 'EXPIRED') return EXPIRED
  if (status === 'REVOKED' || account === null) return REVOKED
  return Object.freeze({
    key: Object.freeze({ id: keyId(hash), plan, slot: slotName(account, slot as number), status, account, ends_at }),
    refusal: null,
  })
}

function redisKey(hash: string): string {
  return `access:key:${hash}`
}

/** What Redis remembers of a key and how long ago the store said so, which its remaining time tells without comparing clocks. */
async function fromRedis(redis: Redis, hash: string, for_ms: number): Promise<{ record: KeyRecord; age_ms: number } | null> {
  const [text, left_ms] = await Promise.all([redis.get(redisKey(hash)), redis.pttl(redisKey(hash))])
  if (text === null || left_ms <= 0) return null
  return { record: JSON.parse(text.slice(text.indexOf(' ') + 1)) as KeyRecord, age_ms: Math.max(0, for_ms - left_ms) }
}

async function toRedis(redis: Redis, records: readonly KeyRecord[], for_ms: number): Promise<void> {
  const px = Math.floor(for_ms)
  if (px <= 0) return
  await Promise.all(
    records.map((record) => runScript(redis, PUT, { keys: [redisKey(record.hash)], args: [record.version, JSON.stringify(record), px] })),
  )
}
