import type { ObjectStore } from './store/store.ts'

/** How long a reply is repeated to the same Idempotency-Key, in ms. */
export const KEEP_REPLIES_MS = 86_400_000
const ROOT = 'idempotency/'

/** The keys of the objects of an Idempotency-Key: the claim and the stored reply. */
export function replyKeys(name: string): { readonly claim: string; readonly reply: string } {
  return { claim: `${ROOT}${name}/claim.json`, reply: `${ROOT}${name}/reply.json` }
}

/** Deletes objects older than a day; returns how many. */
export async function forgetReplies(store: ObjectStore, now: number, signal: AbortSignal): Promise<number> {
  const over: string[] = []
  for await (const { key, modified_at } of store.list(ROOT)) if (now - modified_at >= KEEP_REPLIES_MS) over.push(key)
  for (const key of over) {
    signal.throwIfAborted()
    await store.delete(key)
  }
  return over.length
}
