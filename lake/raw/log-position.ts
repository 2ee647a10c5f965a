import type { AnnouncedVersions } from '../iceberg/table.ts'
import { nextNumber, type Sequence } from '../store/sequence.ts'
import type { ObjectStore } from '../store/store.ts'

/** What a process knows of a log. */
interface Known {
  /** Number of its oldest entry when it was last looked for. Only the oldest is ever deleted. */
  first: number | null
  /** The highest number that it may have, as far as this process knows. */
  last: number
  /** When its numbers were last listed, by `performance.now()`. */
  listed_at: number
  /** The epoch of announcements in which its end was last looked for; null without announcements. */
  looked_in: number | null
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
  const log = logs.get(prefix) ?? { first: null, last: 0, listed_at: Number.NEGATIVE_INFINITY, looked_in: null }
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
  state.last = Math.max(state.last, number)
  announced.get(store)?.announce(log.prefix, number)
}

/** Begins a listing of a log's numbers from one on to its end; the result notes the last number that it found, or began after. */
export function beginListing(store: ObjectStore, log: Sequence): (last: number) => void {
  const state = knownOf(store, log)
  const epoch = announced.get(store)?.epoch ?? null
  return (last) => {
    Object.assign(state, { last: Math.max(state.last, last), listed_at: performance.now(), looked_in: epoch })
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
  const isQuiet = versions && epoch !== null && state.looked_in === epoch
  if (isQuiet && Math.max(state.last, versions.newest(log.prefix)) <= number) return []
  if (number < 1 || (await store.head(log.keyOf(number))) === null) return null
  for (const found: number[] = []; found.length < MAX_NAMED; ) {
    const next = number + found.length + 1
    if ((await store.head(log.keyOf(next))) === null) {
      Object.assign(state, { last: Math.max(state.last, next - 1), looked_in: epoch })
      return found
    }
    found.push(next)
  }
  return null
}
