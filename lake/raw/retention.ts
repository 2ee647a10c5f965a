import type { ObjectStore } from '../store/store.ts'
import { type AcceptedFetch, acceptedAfter } from './archive.ts'

/** The newest accepted fetches are kept whatever their age: the state of a feed is restored from them. */
const ALWAYS_KEPT = 64

/** What a clean-up removed. */
export interface Retired {
  readonly fetches: number
  readonly objects: number
}

/**
 * Removes raw fetches older than `before` (ms since the epoch) that every table of the feed has landed, oldest first, then the byte folders
 * of months before it that no remaining fetch names. `landed(seq)` says whether all tables hold a fetch.
 */
export async function retireRaw(
  store: ObjectStore,
  options: { readonly feed: string; readonly before: number; readonly landed: (seq: number) => boolean },
): Promise<Retired> {
  const { feed, before, landed } = options
  const keys: string[] = []
  for await (const { key } of store.list(`raw/${feed}/log/`)) keys.push(key)
  let fetches = 0
  for (const key of keys.slice(0, Math.max(0, keys.length - ALWAYS_KEPT))) {
    const bytes = await store.get(key)
    if (bytes) {
      const fetch = JSON.parse(bytes.toString()) as AcceptedFetch
      if (Date.parse(fetch.fetched_at) >= before || !landed(fetch.seq)) break
      await store.delete(key)
    }
    fetches++
  }
  return { fetches, objects: await removeMonths(store, feed, new Date(before).toISOString().slice(0, 7)) }
}

/** Removes what lies in the folders of earlier months (bytes lie by the month of their fetch), and the rejected fetches of those months. */
async function removeMonths(store: ObjectStore, feed: string, before: string): Promise<number> {
  const old: { key: string; month: string }[] = []
  for await (const { key } of store.list(`raw/${feed}/bytes/`)) {
    const month = key.split('/')[3] as string
    if (month >= before) break
    old.push({ key, month })
  }
  if (old.length === 0) return 0
  // Any place of the log may name an old month: what the guard rejected is accepted by hand when somebody has looked.
  const named = new Set((await acceptedAfter(store, feed, 0)).flatMap(({ bodies }) => bodies.map(({ object }) => object.split('/')[3])))
  for await (const { key } of store.list(`raw/${feed}/rejected/`)) {
    const stamp = key.slice(key.lastIndexOf('.', key.length - 6) + 1)
    const month = `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}`
    if (month < before) old.push({ key, month })
  }
  const unnamed = old.filter(({ month }) => !named.has(month))
  for (const { key } of unnamed) await store.delete(key)
  return unnamed.length
}
