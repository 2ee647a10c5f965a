import type { AnnouncedVersions } from '../iceberg/table.ts'
import { nextNumber, type Sequence } from '../store/sequence.ts'
import type { ObjectStore } from '../store/store.ts'

/** What a process knows of a log. */
interface Known {
  /** Number of its oldest entry when it was last looked for. Only the oldest is ever deleted. */
  first: number | null
  /** The highest number that it may have, as far as this process knows, and the one from which it has seen all up to that. */
  last: number
  seen_from: number
  /** When its numbers were last listed, by `performance.now()`. */
  listed_at: number
  /** The epoch of announcements in which its end was last looked for; null without announcements. */
  looked_in: number | null
  /** How often one of its numbers was found taken: what was read before that did not see it. */
  taken: number
}

/** How long the next number is looked for by name, ms: after that, a listing finds entries after lost ones (a copied log). */
const LISTED_MS = 600_000

/** Most numbers that are looked for one by one. */
const MAX_NAMED = 64

const known = new WeakMap<ObjectStore, Map<string, Known>>()
const announced = new WeakMap<ObjectStore, AnnouncedVersions>()

function knownOf(store: ObjectStore, { prefix }: Sequence): Known {
  const logs = known.get(store) ?? new Map<string, Known>()
  known.set(store, logs)
  const log = logs.get(prefix) ?? { first: null, last: 0, seen_from: 0, listed_at: Number.NEGATIVE_INFINITY, looked_in: null, taken: 0 }
  logs.set(prefix, log)
  return log
}

/**
 * Announces the new numbers of a store's logs to other processes, and follows theirs: while nothing is announced, no request
 * looks for new numbers.
 */
export function announceLogs(store: ObjectStore, versions: AnnouncedVersions): void {
  announced.set(store, versions)
}

/** Notes and announces a number that this process has added to a log. */
export function noteAdded(store: ObjectStore, log: Sequence, number: number): void {
  const state = knownOf(store, log)
  if (number > state.last + 1) state.seen_from = number
  state.last = Math.max(state.last, number)
  announced.get(store)?.announce(log.prefix, number)
}

/** Notes that another process has taken a number without announcing it here: the log's end is looked for again. */
export function noteTaken(store: ObjectStore, log: Sequence): void {
  const state = knownOf(store, log)
  Object.assign(state, { looked_in: null, taken: state.taken + 1 })
}

/** Begins a listing of a log's numbers after one to its end; the result notes what it found. */
export function beginListing(store: ObjectStore, log: Sequence, after: number): (numbers: readonly number[]) => void {
  const state = knownOf(store, log)
  const epoch = announced.get(store)?.epoch ?? null
  const { taken } = state
  return (numbers) => {
    const last = numbers.at(-1) ?? after
    const isWhole = last >= state.last && last - after === numbers.length
    Object.assign(state, {
      last: Math.max(state.last, last),
      listed_at: performance.now(),
      ...(state.taken === taken ? { looked_in: epoch } : {}),
    })
    state.seen_from = isWhole ? after : state.last
  }
}

/** Returns the number of a log's oldest entry; null if it is empty. A store of files lists the whole log only to find it once. */
export async function firstNumber(store: ObjectStore, log: Sequence): Promise<number | null> {
  const state = knownOf(store, log)
  if (state.first === null || (await store.head(log.keyOf(state.first))) === null) state.first = await nextNumber(store, log, 0)
  return state.first
}

/**
 * Returns the numbers of a log after an existing entry, without a request if later ones would have been announced, else looked
 * for by name; null if it has to be listed: it was not lately, the entry does not exist, or there are many. A name costs the same
 * however long the log is; a listing of files costs its length.
 */
export async function numbersAfter(store: ObjectStore, log: Sequence, number: number, listed_ms = LISTED_MS): Promise<number[] | null> {
  const state = knownOf(store, log)
  const versions = announced.get(store)
  const epoch = versions?.epoch ?? null
  if (performance.now() - state.listed_at >= listed_ms) return null
  const found: number[] = []
  const { taken } = state
  if (versions && epoch !== null && state.looked_in === epoch && number >= state.seen_from) {
    for (let seen = number + 1; seen <= state.last; seen++) found.push(seen)
    if (versions.newest(log.prefix) <= (found.at(-1) ?? number)) return found
  } else if (number < 1 || (await store.head(log.keyOf(number))) === null) return null
  for (let named = 0; named < MAX_NAMED; named++) {
    const next = number + found.length + 1
    if ((await store.head(log.keyOf(next))) === null) {
      if (next <= state.last) return found
      const seen_from = number > state.last + 1 ? number : Math.min(state.seen_from, number)
      // Not if a number was taken meanwhile, which has to be looked for again.
      Object.assign(state, { last: next - 1, seen_from, ...(state.taken === taken ? { looked_in: epoch } : {}) })
      return found
    }
    found.push(next)
  }
  return null
}

/** A read that is repeated only if it may have changed. */
interface Read {
  readonly value: unknown
  readonly at: number
  readonly epoch: number
  readonly newest: number
}

const reads = new WeakMap<ObjectStore, Map<string, Read>>()

/** Returns what was last read under a key, for at most ten minutes, unless a change may have come (`noteChanged`). */
export async function readOnceQuiet<T>(store: ObjectStore, key: string, read: () => Promise<T>): Promise<T> {
  const versions = announced.get(store)
  const epoch = versions?.epoch ?? null
  if (!versions || epoch === null) return read()
  const newest = versions.newest(key)
  const before = reads.get(store)?.get(key)
  const isFresh = before && performance.now() - before.at < LISTED_MS && before.epoch === epoch && before.newest === newest
  if (isFresh) return before.value as T
  const [at, value] = [performance.now(), await read()]
  reads.set(store, (reads.get(store) ?? new Map()).set(key, { value, at, epoch, newest }))
  return value
}

/** Announces a change of what is read under a key. */
export function noteChanged(store: ObjectStore, key: string): void {
  reads.get(store)?.delete(key)
  const versions = announced.get(store)
  versions?.announce(key, Math.max(Date.now(), versions.newest(key) + 1))
}
