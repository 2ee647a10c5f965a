import { nextNumber, type Sequence } from '../store/sequence.ts'
import type { ObjectStore } from '../store/store.ts'

/** What a process knows of a log. */
interface Known {
  /** Number of its oldest entry when it was last looked for. Only the oldest is ever deleted. */
  first: number | null
  /** When its numbers were last listed, by `performance.now()`. */
  listed_at: number
}

/** How long the next number is looked for by name, ms: after that, a listing finds entries after lost ones (a copied log). */
const LISTED_MS = 600_000

/** Most numbers that are looked for one by one. */
const MAX_NAMED = 64

const known = new WeakMap<ObjectStore, Map<string, Known>>()

function knownOf(store: ObjectStore, { prefix }: Sequence): Known {
  const logs = known.get(store) ?? new Map<string, Known>()
  known.set(store, logs)
  const log = logs.get(prefix) ?? { first: null, listed_at: Number.NEGATIVE_INFINITY }
  logs.set(prefix, log)
  return log
}

/** Notes that the numbers of a log were listed from one on. */
export function noteListed(store: ObjectStore, log: Sequence): void {
  knownOf(store, log).listed_at = performance.now()
}

/** Returns the number of a log's oldest entry; null if it is empty. A store of files lists the whole log only to find it once. */
export async function firstNumber(store: ObjectStore, log: Sequence): Promise<number | null> {
  const state = knownOf(store, log)
  if (state.first === null || (await store.head(log.keyOf(state.first))) === null) state.first = await nextNumber(store, log, 0)
  return state.first
}

/**
 * Returns the numbers of a log after an existing entry, looked for by name; null if it has to be listed: it was not lately, the
 * entry does not exist, or there are many. A name costs the same however long the log is; a listing of files costs its length.
 */
export async function numbersAfter(store: ObjectStore, log: Sequence, number: number, listed_ms = LISTED_MS): Promise<number[] | null> {
  if (number < 1 || performance.now() - knownOf(store, log).listed_at >= listed_ms) return null
  if ((await store.head(log.keyOf(number))) === null) return null
  for (const found: number[] = []; found.length < MAX_NAMED; ) {
    const next = number + found.length + 1
    if ((await store.head(log.keyOf(next))) === null) return found
    found.push(next)
  }
  return null
}
