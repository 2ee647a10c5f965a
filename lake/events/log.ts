import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import type { LiveRow } from '../live/types.ts'
import { StoreError } from '../store/errors.ts'
import { firstWhere, nextNumber, type Sequence, sequenceEnds } from '../store/sequence.ts'
import type { ObjectStore } from '../store/store.ts'
import type { EventType } from './types.ts'

/** A logged event: a change of a dataset's row, or complete event data. Instants in ms since the epoch. */
export interface LoggedEvent {
  /** Stable id: the same event always gets the same id. */
  readonly id: string
  readonly type: EventType
  /** Subject of the event; events of one subject keep their order everywhere. */
  readonly thing: string
  /** Publication that brought the change, or when the event happened. */
  readonly at: number
  /** The only account that may see it; absent for public events. */
  readonly account?: string
  readonly change?: {
    readonly dataset: string
    readonly kind: 'CREATED' | 'UPDATED' | 'ENDED'
    readonly row: LiveRow
    readonly changed: readonly string[]
  }
  readonly data?: Readonly<Record<string, unknown>>
}

/** Events recorded together. */
export interface EventBatch {
  /** Position in the log: 1, 2, 3 … */
  readonly offset: number
  /** Origin of the events, such as one accepted fetch; a second batch of the same origin is never recorded. */
  readonly origin: string
  readonly recorded_at: number
  readonly events: readonly LoggedEvent[]
}

/** A read of the log; `reset` if batches after the offset are already deleted. `first` is the oldest available one. */
export type EventsRead =
  | { readonly reset: true; readonly first: number }
  | { readonly reset: false; readonly batches: readonly EventBatch[] }

/** Retention of events, days; webhooks with undelivered events are disabled before that. */
export const EVENT_DAYS = 7
const DAY_MS = 86_400_000
const PREFIX = 'events/log/'
const SEQUENCE: Sequence = {
  prefix: PREFIX,
  keyOf: (offset) => {
    const name = String(offset).padStart(12, '0')
    // A folder has at most a thousand files.
    return `${PREFIX}${name.slice(0, 9)}/${name}.json`
  },
  numberOf: (key) => Number(key.slice(key.lastIndexOf('/') + 1, -'.json'.length)),
}
/** Channel of `<offset>` after every recorded batch. */
export const EVENTS_CHANNEL = 'events:recorded'
const CACHED_S = 86_400
/** Larger batches are read from the store. */
const CACHED_BYTES = 1_000_000
const READ_AT_ONCE = 50
const TRIES = 200
/** Maximum number of cached origins; beyond that they are read again. */
const MAX_ORIGINS = 50_000
/** Greatest difference between the clocks of two machines. */
const CLOCK_MARGIN_MS = 600_000

const cacheKey = (offset: number): string => `events:batch:${offset}`

/** The durable event log: numbered objects in the store, cached in Redis. Redis may be emptied at any time. */
export class EventLog {
  readonly #store: ObjectStore
  readonly #redis: Redis
  readonly #clock: () => number
  /** Offsets of recorded origins, complete from `#since` (ms) up to `#head`. */
  readonly #origins = new Map<string, number>()
  #head = 0
  #first = 1
  #since: number | null = null
  #recording: Promise<unknown> = Promise.resolve()

  constructor({ store, redis, clock = Date.now }: { readonly store: ObjectStore; readonly redis: Redis; readonly clock?: () => number }) {
    this.#store = store
    this.#redis = redis
    this.#clock = clock
  }

  /**
   * Records events unless their origin is already recorded. Returns the offset either way, null if there are no events. The
   * origin cannot have been recorded before `since` (ms).
   */
  async record(origin: string, events: readonly LoggedEvent[], { since }: { readonly since: number }): Promise<number | null> {
    if (events.length === 0) return null
    const done = this.#recording.then(() => this.#record(origin, events, since))
    this.#recording = done.catch(() => undefined)
    return done
  }

  /** The newest offset; 0 if nothing was ever recorded. */
  async head(): Promise<number> {
    return (await sequenceEnds(this.#store, SEQUENCE))?.last ?? 0
  }

  /**
   * Batches after an offset in order, at most `limit`. An offset beyond the end reads nothing. With `looksAhead` false a missing
   * next batch is taken as the end, without a list.
   */
  async read(after: number, limit = READ_AT_ONCE, { looksAhead = true } = {}): Promise<EventsRead> {
    const offsets = Array.from({ length: Math.min(limit, READ_AT_ONCE) }, (_, at) => after + 1 + at)
    const texts = await this.#redisOr(() => this.#redis.mget(offsets.map(cacheKey)), [])
    const cached = offsets.map((_, at) => (texts[at] ? (JSON.parse(texts[at]) as EventBatch) : null))
    // At the end of the log one request is enough.
    const missing = cached.indexOf(null)
    if (missing !== -1) cached[missing] = await this.#load(offsets[missing] as number, { fills: true })
    if (missing !== -1 && cached[missing]) {
      const load = async (at: number): Promise<void> => {
        cached[at] ??= await this.#load(offsets[at] as number, { fills: true })
      }
      await Promise.all(offsets.map((_, at) => load(at)))
    }
    const end = cached.indexOf(null)
    const batches = (end === -1 ? cached : cached.slice(0, end)) as EventBatch[]
    if (batches.length > 0 || !looksAhead) return { reset: false, batches }
    // Either the end of the log, or its beginning has since been deleted, or an object is lost.
    const next = await nextNumber(this.#store, SEQUENCE, after)
    return next === null || next === after + 1 ? { reset: false, batches } : { reset: true, first: next }
  }

  /** The last offset recorded before an instant (ms), by binary search; 0 if there is none. */
  async before(instant: number): Promise<number> {
    const ends = await sequenceEnds(this.#store, SEQUENCE)
    if (!ends) return 0
    const isLater = async (at: number): Promise<boolean> => ((await this.#load(at))?.recorded_at ?? Number.NEGATIVE_INFINITY) >= instant
    return (await firstWhere(ends.first, ends.last + 1, isLater)) - 1
  }

  /** Deletes batches older than `EVENT_DAYS`; returns how many. */
  async retire(signal?: AbortSignal): Promise<number> {
    const ends = await sequenceEnds(this.#store, SEQUENCE)
    if (!ends) return 0
    const limit = this.#clock() - EVENT_DAYS * DAY_MS
    let deleted = 0
    // The newest stays, since the next number follows from it.
    for (let offset = ends.first; offset < ends.last && !signal?.aborted; offset++) {
      const batch = await this.#load(offset)
      if (batch !== null && batch.recorded_at >= limit) break
      await this.#store.delete(SEQUENCE.keyOf(offset))
      deleted++
    }
    return deleted
  }

  async #record(origin: string, events: readonly LoggedEvent[], since: number): Promise<number> {
    await this.#knowSince(since - CLOCK_MARGIN_MS)
    for (let tries = 0; tries < TRIES; tries++) {
      await this.#follow()
      const there = this.#origins.get(origin)
      if (there !== undefined) return there
      const batch: EventBatch = { offset: this.#head + 1, origin, recorded_at: this.#clock(), events }
      const text = JSON.stringify(batch)
      try {
        if (!(await this.#store.putIfAbsent(SEQUENCE.keyOf(batch.offset), Buffer.from(text)))) continue
      } catch (error) {
        // If it was written, the next read finds it.
        if (!(error instanceof StoreError) || error.code !== 'unknown-outcome') throw error
        await sleep(100)
        continue
      }
      this.#note(batch)
      void this.#announce(batch.offset, text)
      return batch.offset
    }
    throw new Error(`events of ${origin}: others recorded events during each of ${TRIES} attempts`)
  }

  /** Reads the batches that others recorded since the last read. */
  async #follow(): Promise<void> {
    for (;;) {
      const batch = await this.#load(this.#head + 1)
      if (batch === null) return
      this.#note(batch)
    }
  }

  /** Completes the known origins from an instant (ms) on. */
  async #knowSince(instant: number): Promise<void> {
    if (this.#since === null || this.#origins.size > MAX_ORIGINS) {
      this.#origins.clear()
      const ends = await sequenceEnds(this.#store, SEQUENCE)
      this.#head = ends?.last ?? 0
      this.#first = this.#head + 1
      this.#since = this.#clock()
    }
    while (this.#since > instant) {
      const batch: EventBatch | null = this.#first > 1 ? await this.#load(this.#first - 1) : null
      if (batch === null) {
        this.#since = Number.NEGATIVE_INFINITY
        return
      }
      this.#first--
      this.#origins.set(batch.origin, batch.offset)
      this.#since = Math.min(this.#since, batch.recorded_at)
    }
  }

  #note({ origin, offset }: EventBatch): void {
    this.#head = offset
    this.#origins.set(origin, offset)
  }

  async #load(offset: number, { fills = false }: { readonly fills?: boolean } = {}): Promise<EventBatch | null> {
    const bytes = await this.#store.get(SEQUENCE.keyOf(offset))
    if (!bytes) return null
    const text = bytes.toString()
    if (fills) void this.#cache(offset, text)
    return JSON.parse(text) as EventBatch
  }

  async #cache(offset: number, text: string): Promise<void> {
    if (text.length <= CACHED_BYTES) await this.#redisOr(() => this.#redis.set(cacheKey(offset), text, 'EX', CACHED_S), null)
  }

  async #announce(offset: number, text: string): Promise<void> {
    await this.#cache(offset, text)
    await this.#redisOr(() => this.#redis.publish(EVENTS_CHANNEL, String(offset)), 0)
  }

  /** The reply of Redis, or `otherwise` while it is away: the store is complete. */
  async #redisOr<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
    if (this.#redis.status !== 'ready') return otherwise
    return ask().catch(() => otherwise)
  }
}
