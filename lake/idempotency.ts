import type { ObjectStore } from './store/store.ts'

/** How long a reply is repeated to the same Idempotency-Key, in ms. */
export const KEEP_REPLIES_MS = 86_400_000
/** After its day, a state stays for another hour: a request that has just read it finds its next version taken. */
const GRACE_MS = 3_600_000
const ROOT = 'idempotency/'

/** Prefix of the versions of an Idempotency-Key's state. */
export function repliesPrefix(name: string): string {
  return `${ROOT}${name}/`
}

/** Deletes objects older than a day and an hour; returns how many. */
export async function forgetReplies(store: ObjectStore, now: number, signal: AbortSignal): Promise<number> {
  const over: string[] = []
  for await (const { key, modified_at } of store.list(ROOT)) if (now - modified_at >= KEEP_REPLIES_MS + GRACE_MS) over.push(key)
  for (const key of over) {
    signal.throwIfAborted()
    await store.delete(key)
  }
  return over.length
}
