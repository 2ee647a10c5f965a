import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import type { ObjectStore } from '../store/store.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** One body of a fetch: what was asked, what came, and where its bytes lie. */
export interface RawBody {
  readonly name: string
  readonly url: string
  readonly status: number
  /** Reply headers, lower-case. */
  readonly headers: Readonly<Record<string, string>>
  /** Of the bytes as received (before any content-encoding is undone). */
  readonly sha256: string
  readonly bytes: number
  /** Key of the object with the bytes, zstd-compressed. */
  readonly object: string
}

/** A fetch as the archive records it; instants are ISO 8601. */
export interface RawFetch {
  readonly fetch_id: string
  readonly feed: string
  readonly fetched_at: string
  /** The publication's own time, else the time of the fetch: the order of landing. */
  readonly data_time: string
  readonly bodies: readonly RawBody[]
  /** Checked rows by dataset. */
  readonly rows: Readonly<Record<string, number>>
  /** Rows by dataset and block, for datasets with blocks. */
  readonly blocks: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Blocks, by dataset, that this publication lacks: absence in them counts for nothing. */
  readonly missing_blocks: Readonly<Record<string, readonly string[]>>
  readonly quarantined: number
  readonly unknown_codes: number
  /** Why it was not accepted; null for an accepted fetch, kept for one that an operator accepted. */
  readonly rejected: string | null
}

/** An accepted fetch: its place in the feed's log is its sequence. */
export interface AcceptedFetch extends RawFetch {
  readonly seq: number
  readonly accepted_by: 'guard' | 'operator'
}

/** Bytes on their way into the archive. */
export interface ReceivedBody extends Omit<RawBody, 'sha256' | 'bytes' | 'object'> {
  readonly received: Buffer
}

const pad = (seq: number): string => String(seq).padStart(10, '0')
const logKey = (feed: string, seq: number): string => `raw/${feed}/log/${pad(seq)}.json`
const rejectedKey = (feed: string, fetchId: string): string => `raw/${feed}/rejected/${fetchId}.json`

/** The id of a fetch: the feed and the instant of the fetch, which orders it in time. */
export function fetchId(feed: string, fetchedAt: number): string {
  return `${feed}.${new Date(fetchedAt).toISOString().replace(/[-:.]/g, '')}`
}

/** The feed of a fetch id. */
export function feedOf(id: string): string {
  return id.slice(0, id.indexOf('.'))
}

/** Stores the bytes of a fetch, each distinct content of a month once, and returns what the log says of them. */
export async function keepBodies(store: ObjectStore, feed: string, fetchedAt: number, bodies: readonly ReceivedBody[]): Promise<RawBody[]> {
  const folder = `raw/${feed}/bytes/${new Date(fetchedAt).toISOString().slice(0, 7)}`
  const kept: RawBody[] = []
  for (const { received, ...body } of bodies) {
    const sha256 = createHash('sha256').update(received).digest('hex')
    const object = `${folder}/${sha256}.zst`
    if ((await store.head(object)) === null) await store.put(object, await compress(received))
    kept.push({ ...body, sha256, bytes: received.length, object })
  }
  return kept
}

/** Raw bytes that are not to be had any more, however often one asks: gone or damaged. */
export class RawBytesError extends Error {
  override readonly name = 'RawBytesError'
}

/** The bytes of a body as they were received; throws a `RawBytesError` where they are gone or not what the log says. */
export async function readBody(store: ObjectStore, body: RawBody): Promise<Buffer> {
  const packed = await store.get(body.object)
  if (!packed) throw new RawBytesError(`the raw bytes ${body.object} are gone: past their retention, or deleted`)
  const bytes = await decompress(packed).catch((cause: Error) => {
    throw new RawBytesError(`the raw bytes ${body.object} are damaged: ${cause.message}`, { cause })
  })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (sha256 !== body.sha256) throw new RawBytesError(`the raw bytes ${body.object} have sha256 ${sha256}, the log says ${body.sha256}`)
  return bytes
}

/**
 * Accepts a fetch as number `seq` of its feed's log: from then on it counts. False where that number is taken: somebody else accepted a
 * fetch meanwhile and the caller has to look again; this is what stops a worker that slept past its lock.
 */
export async function acceptFetch(store: ObjectStore, accepted: AcceptedFetch): Promise<boolean> {
  return store.putIfAbsent(logKey(accepted.feed, accepted.seq), Buffer.from(JSON.stringify(accepted)))
}

/** Keeps a fetch that the guard rejected, so that an operator can look at it and accept it. */
export async function keepRejected(store: ObjectStore, fetch: RawFetch): Promise<void> {
  await store.put(rejectedKey(fetch.feed, fetch.fetch_id), Buffer.from(JSON.stringify(fetch)))
}

/** A rejected fetch; null where there is none of that id. */
export async function readRejected(store: ObjectStore, id: string): Promise<RawFetch | null> {
  const bytes = await store.get(rejectedKey(feedOf(id), id))
  return bytes ? (JSON.parse(bytes.toString()) as RawFetch) : null
}

/** Forgets that a fetch was rejected, once it is accepted. */
export async function dropRejected(store: ObjectStore, id: string): Promise<void> {
  await store.delete(rejectedKey(feedOf(id), id))
}

/** The fetch ids of a feed that were rejected, oldest first. */
export async function rejectedIds(store: ObjectStore, feed: string): Promise<string[]> {
  const ids: string[] = []
  for await (const { key } of store.list(`raw/${feed}/rejected/`)) ids.push(key.slice(key.lastIndexOf('/') + 1, -'.json'.length))
  return ids
}

/** The accepted fetch of a number; null where the log does not hold it (not yet, or no longer). */
export async function readAccepted(store: ObjectStore, feed: string, seq: number): Promise<AcceptedFetch | null> {
  const bytes = await store.get(logKey(feed, seq))
  return bytes ? (JSON.parse(bytes.toString()) as AcceptedFetch) : null
}

/** Takes a fetch out of the log; only ever its oldest, so that the log stays without gaps. */
export async function dropAccepted(store: ObjectStore, feed: string, seq: number): Promise<void> {
  await store.delete(logKey(feed, seq))
}

/** The accepted fetches of a feed after a sequence, in order of sequence; the first so many where told. */
export async function acceptedAfter(
  store: ObjectStore,
  feed: string,
  seq: number,
  most = Number.POSITIVE_INFINITY,
): Promise<AcceptedFetch[]> {
  const found: AcceptedFetch[] = []
  const keys: string[] = []
  for await (const { key } of store.list(`raw/${feed}/log/`, { startAfter: logKey(feed, seq) })) {
    keys.push(key)
    if (keys.length >= most) break
  }
  for (let at = 0; at < keys.length; at += 32) {
    const read = await Promise.all(keys.slice(at, at + 32).map((key) => store.get(key)))
    for (const bytes of read) if (bytes) found.push(JSON.parse(bytes.toString()) as AcceptedFetch)
  }
  return found
}

/** The sequences that a feed's log begins and ends with; null where it is empty. It has no gaps: the oldest go first. */
export async function logEnds(store: ObjectStore, feed: string): Promise<{ first: number; last: number } | null> {
  let first = 0
  for await (const { key } of store.list(`raw/${feed}/log/`)) {
    first = Number(key.slice(key.lastIndexOf('/') + 1, -'.json'.length))
    break
  }
  if (first === 0) return null
  let step = 1
  while ((await store.head(logKey(feed, first + step))) !== null) step *= 2
  const beyond = await firstWhere(first + step / 2, first + step, async (seq) => (await store.head(logKey(feed, seq))) === null)
  return { first, last: beyond - 1 }
}

/**
 * The accepted fetches of a feed with data times from `from` on (ms), in order of sequence; only they and a few more are read. What the
 * guard accepted grows in data time with the sequence, and all before it is older; what an operator accepted may be of any time before.
 */
export async function acceptedFrom(store: ObjectStore, feed: string, from: number): Promise<AcceptedFetch[]> {
  const ends = await logEnds(store, feed)
  if (!ends) return []
  const reaches = async (seq: number): Promise<boolean> => {
    for (let at = seq; at <= ends.last; at++) {
      const accepted = await readAccepted(store, feed, at)
      if (accepted?.accepted_by === 'guard') return Date.parse(accepted.data_time) >= from
    }
    return true
  }
  const reached = await firstWhere(ends.first, ends.last + 1, reaches)
  const found = await acceptedAfter(store, feed, reached - 1)
  return found.filter(({ data_time }) => Date.parse(data_time) >= from)
}

/** The accepted fetch of the newest data time; null where there is none. */
export async function newestAccepted(store: ObjectStore, feed: string): Promise<AcceptedFetch | null> {
  const ends = await logEnds(store, feed)
  let newest: AcceptedFetch | null = null
  for (let seq = ends?.last ?? 0; seq > 0; seq--) {
    const accepted = await readAccepted(store, feed, seq)
    if (accepted && (newest === null || byDataTime(newest, accepted) < 0)) newest = accepted
    if (!accepted || accepted.accepted_by === 'guard') break
  }
  return newest
}

/** The first whole number in [from, to) where a condition that stays true once it is holds; `to` where it nowhere does. */
async function firstWhere(from: number, to: number, holds: (at: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** The order in which fetches count: by data time, then by acceptance. */
export function byDataTime(one: AcceptedFetch, other: AcceptedFetch): number {
  return Date.parse(one.data_time) - Date.parse(other.data_time) || one.seq - other.seq
}
