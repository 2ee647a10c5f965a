import type { ObjectStore } from '../store/store.ts'
import { acceptedAfter, dropAccepted, logEnds, readAccepted, withdrawnSeqs } from './archive.ts'

/** The newest accepted fetches are kept whatever their age: a feed's state is restored from them. */
const ALWAYS_KEPT = 64
/** Fetches read to find the oldest month still referenced: clocks may have been set back a little in between. */
const LOOKED_AT = 64

/** Result of a clean-up. */
export interface Retired {
  readonly fetches: number
  readonly objects: number
}

/**
 * Deletes raw fetches older than `before` (ms since the epoch) that every table of the feed has landed, oldest first, then byte
 * folders of earlier months that no fetch references. `landed(seq)` returns whether all tables have a fetch. Reads little more of
 * the log than it deletes.
 */
export async function retireRaw(
  store: ObjectStore,
  options: { readonly feed: string; readonly before: number; readonly landed: (seq: number) => boolean },
): Promise<Retired> {
  const { feed, before, landed } = options
  const ends = await logEnds(store, feed)
  const withdrawn = await withdrawnSeqs(store, feed)
  let fetches = 0
  for (let seq = ends?.first ?? 1; ends && seq <= ends.last - ALWAYS_KEPT; seq++) {
    const fetch = await readAccepted(store, feed, seq)
    // A withdrawn one may have had a clock ahead of time; the next fetch shows its age.
    const isOld = !fetch || withdrawn.has(seq) || Date.parse(fetch.fetched_at) < before
    if (!isOld || (fetch && !landed(seq))) break
    await dropAccepted(store, feed, seq)
    fetches++
  }
  return { fetches, objects: await removeMonths(store, feed, new Date(before).toISOString().slice(0, 7)) }
}

/**
 * Deletes the folders of earlier months and the rejected fetches of those months. Bytes are filed by the month of their fetch; if
 * an operator accepted it, by its position in the log. So the log's months begin with its oldest fetches'.
 */
async function removeMonths(store: ObjectStore, feed: string, before: string): Promise<number> {
  const oldest = await acceptedAfter(store, feed, 0, LOOKED_AT)
  const named = oldest.flatMap(({ bodies }) => bodies.map(({ object }) => monthOfObject(object)))
  const until = [before, ...named].sort()[0] as string
  let removed = 0
  const remove = async (key: string, month: string): Promise<boolean> => {
    if (month >= until) return false
    await store.delete(key)
    removed++
    return true
  }
  for await (const { key } of store.list(`raw/${feed}/bytes/`)) if (!(await remove(key, monthOfObject(key)))) break
  for await (const { key } of store.list(`raw/${feed}/rejected/`)) {
    const stamp = key.slice(key.lastIndexOf('.', key.length - 6) + 1)
    if (!(await remove(key, `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}`))) break
  }
  return removed
}

const monthOfObject = (key: string): string => key.split('/')[3] as string
