import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { firstReached, listen, openRedis } from '../../../lake/live/connect.ts'
import { defineScript, runScript } from '../../../lake/live/script.ts'
import { StoreError } from '../../../lake/store/errors.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { isWellFormed } from './key-format.ts'
import { type KeyRecord, readRecord } from './key-records.ts'
import type { Peppers } from './pepper.ts'
import { keyId, type Plan, slotName, statusAt } from './slots.ts'

/** The data of a valid key. */
export interface LiveKey {
  /** Its public name. */
  readonly id: string
  readonly plan: Plan
  /** The slot that counts its requests. It stays the same when the key is rotated or replaced. */
  readonly slot: string
  readonly status: 'ACTIVE' | 'ROTATING'
  readonly account: string
  /** When the key expires, ms since the epoch; null: never. */
  readonly ends_at: number | null
  /** Set for a key of the operator that writes tables of the lake. */
  readonly isLakeWriter?: true
}

/** Why a text is not a valid key. */
export type KeyRejection = 'malformed' | 'unknown' | 'revoked' | 'expired'

/** The result of looking up a key. */
export type KeyLookup = { readonly key: LiveKey; readonly refusal: null } | { readonly key: null; readonly refusal: KeyRejection }

/** Finds the data of a key by its text. */
export interface KeyIndex {
  /**
   * Looks up a key: at once if this process knows it, otherwise in Redis and the object store. Rejects if the store cannot be
   * read. `malformed` and `unknown` are charged to the caller's address.
   */
  lookUp(text: string): KeyLookup | Promise<KeyLookup>
  /** Returns what this process knows of a key without a lookup; null if it would need one. */
  atHand(text: string): KeyLookup | null
  /** Notifies every process of changed keys. If Redis is away, they notice the change within a minute. */
  announce(records: readonly KeyRecord[]): Promise<void>
  /** Fills Redis with the records of the store, without notifications. */
  fill(records: readonly KeyRecord[]): Promise<void>
  /** True while Redis answers and its messages arrive. */
  readonly connected: boolean
  /** Settles after Redis' first answer, or after a second without one. */
  readonly ready: Promise<void>
  close(): void
}

/** Where keys are looked up, and how long the results are valid; times in ms. */
export interface KeyIndexOptions {
  readonly store: ObjectStore
  readonly redisUrl: string
  readonly peppers: Peppers
  readonly clock: () => number
  /** Longest caching of a record: below a minute, so that a revocation takes effect everywhere within one. */
  readonly confirm_ms?: number
  /** The same while Redis is away and cannot report revocations at once. */
  readonly away_ms?: number
  /** How long an unknown key is not looked up again. */
  readonly unknown_ms?: number
  /** How long the last result of a key is used while the store cannot be read. */
  readonly stale_ms?: number
  /** Timeout of a lookup in the store if a last record is known, and if none is. */
  readonly patience_ms?: number
  readonly longest_ms?: number
}

/** What this process knows of a hash. */
interface Known {
  readonly record: KeyRecord | null
  readonly lookup: KeyLookup
  /** When the store confirmed it, by `performance.now()`. */
  readonly confirmed: number
  /** How long a stale record is used because the store could not be read, by `performance.now()`. */
  readonly stale_until?: number
}

interface Finding {
  /** True if the key changed during the lookup. */
  isStale: boolean
  readonly done: Promise<Known>
}

const CONFIRM_MS = 55_000
const AWAY_MS = 30_000
const UNKNOWN_MS = 60_000
const STALE_MS = 3_600_000
const PATIENCE_MS = 1000
const LONGEST_MS = 10_000
/** Retry interval for a key while the store is away, in ms. */
const AGAIN_MS = 5000
const COMMAND_TIMEOUT_MS = 1000
/** Most hashes that one process remembers; the oldest go first. */
const MAX_KNOWN = 50_000
/** Most keys whose hashes one process remembers. Keys exist in clear only in memory. */
const MAX_HASHED = 10_000
const CHANNEL = 'access:keys-changed'

/** Stores a record (`<version> <JSON>`) unless a newer one exists. Its time to live counts from the read of the store. */
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
 * Opens the index of keys. The store is the source; Redis and this process cache it for less than a minute. Messages over Redis
 * make a change take effect at once. While the store cannot be read, the last record is used for up to an hour.
 */
export function openKeyIndex(options: KeyIndexOptions): KeyIndex {
  const { store, redisUrl, peppers, clock, confirm_ms = CONFIRM_MS, away_ms = AWAY_MS, unknown_ms = UNKNOWN_MS } = options
  const { stale_ms = STALE_MS, patience_ms = PATIENCE_MS, longest_ms = LONGEST_MS } = options
  const known = new Map<string, Known>()
  const finding = new Map<string, Finding>()
  // When records in Redis are trusted again after it was away, by `performance.now()`: it may have returned with old ones.
  let trustFrom = 0
  const redis = openRedis(redisUrl, { queueWhileAway: false, commandTimeout_ms: COMMAND_TIMEOUT_MS })
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
  const messages = listen(redisUrl, CHANNEL, {
    onMessage: forget,
    onListening: () => {
      forgetAll()
      if (trustFrom > 0) trustFrom = performance.now() + confirm_ms
    },
    onAway: () => {
      trustFrom = Number.POSITIVE_INFINITY
    },
  })

  const isFresh = ({ record, confirmed, stale_until = 0 }: Known): boolean =>
    isFinal(record) ||
    performance.now() < stale_until ||
    performance.now() - confirmed < (record === null ? unknown_ms : messages.isListening ? confirm_ms : away_ms)

  const judge = ({ record, lookup }: Known, hash: string): KeyLookup => {
    if (record?.hash !== hash) return UNKNOWN
    return record.ends_at !== null && clock() >= record.ends_at ? EXPIRED : lookup
  }

  const look = async (hash: string): Promise<Known> => {
    const cached = redis.status === 'ready' ? await fromRedis(redis, hash, stale_ms).catch(() => null) : null
    const ofRedis = cached && knownOf(cached.record, performance.now() - cached.age_ms, clock())
    if (cached && ofRedis && cached.age_ms < confirm_ms && performance.now() >= trustFrom) return ofRedis
    const last = lastOf(known.get(hash) ?? null, ofRedis)
    const reading = readStore(hash)
    try {
      return await within(reading, last ? patience_ms : longest_ms)
    } catch (error) {
      if (!last || !(error instanceof StoreError) || performance.now() - last.confirmed > stale_ms) throw error
      // The late answer of a slow store is still used.
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
    if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value as string)
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

  const notifyAll = async (records: readonly KeyRecord[]): Promise<void> => {
    await toRedis(redis, records, stale_ms)
    await Promise.all(records.map(({ hash }) => redis.publish(CHANNEL, hash)))
  }

  // The hashes of busy keys are cached: hashing takes longer than the rest of a lookup.
  const hashed = new Map<string, readonly string[]>()
  const hashesOf = (text: string): readonly string[] | null => {
    const before = hashed.get(text)
    if (before) return before
    if (!isWellFormed(text)) return null
    const hashes = peppers.all.map((pepper) => pepper.hash(text))
    if (hashed.size >= MAX_HASHED) hashed.clear()
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
    announce: async (records) => {
      for (const record of records) {
        forget(record.hash)
        if (isFinal(record)) remember(record.hash, knownOf(record, performance.now(), clock()))
      }
      await notifyAll(records).catch(() => undefined)
    },
    fill: (records) => toRedis(redis, records, stale_ms).catch(() => undefined),
    ready: reached,
    get connected() {
      return messages.isListening && redis.status === 'ready'
    },
    close: () => {
      redis.disconnect()
      messages.close()
    },
  }
}

/** Returns the newer record of an existing key, from this process or Redis. */
function lastOf(one: Known | null, other: Known | null): Known | null {
  const known = [one, other].filter((found) => found !== null && found.record !== null)
  return known.toSorted((a, b) => (b as Known).confirmed - (a as Known).confirmed)[0] ?? null
}

/** Returns the result of work. Rejects with a `StoreError` if it takes longer. */
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

/** True for a record that never changes again. */
function isFinal(record: KeyRecord | null | undefined): boolean {
  return record?.status === 'REVOKED'
}

function knownOf(record: KeyRecord | null, confirmed: number, now: number): Known {
  return { record, confirmed, lookup: lookupOf(record, now) }
}

function lookupOf(record: KeyRecord | null, now: number): KeyLookup {
  if (!record) return UNKNOWN
  const { hash, plan, account, slot, ends_at } = record
  const writer = record.is_lake_writer ? ({ isLakeWriter: true } as const) : {}
  const status = statusAt(record, now)
  if (status === 'EXPIRED') return EXPIRED
  if (status === 'REVOKED' || account === null) return REVOKED
  return Object.freeze({
    key: Object.freeze({ id: keyId(hash), plan, slot: slotName(account, slot as number), status, account, ends_at, ...writer }),
    refusal: null,
  })
}

function redisKey(hash: string): string {
  return `access:key:${hash}`
}

/** Returns Redis' record of a key and its age, computed from its remaining time to live, so that no clocks are compared. */
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
