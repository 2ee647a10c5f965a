import { createHash, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import { firstWhere, nextNumber, type Sequence, sequenceEnds } from '../store/sequence.ts'
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
  /** The period that it is the file of, where the feed is an archive. */
  readonly period?: string
  readonly bodies: readonly RawBody[]
  /** Checked rows by dataset. */
  readonly rows: Readonly<Record<string, number>>
  /** Rows by dataset and block, for datasets with blocks. */
  readonly blocks: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Blocks, by dataset, that this publication lacks by what the parser said. */
  readonly said_missing: Readonly<Record<string, readonly string[]>>
  /**
   * Things that were expected of each block, by dataset, as the lake told when the fetch was judged. Whether another block is missing depends
   * on the publication before; so it does in records from before this was asked, which have none of it.
   */
  readonly expected?: Readonly<Record<string, Readonly<Record<string, number>>>>
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

/** A number of a feed's log that was given out. */
export interface LogEntry {
  readonly seq: number
  /** Null where the record is damaged: that fetch can no longer be told. */
  readonly fetch: AcceptedFetch | null
  /** True where the fetch was withdrawn: it counts no more. */
  readonly withdrawn: boolean
}

/** Bytes on their way into the archive. */
export interface ReceivedBody extends Omit<RawBody, 'sha256' | 'bytes' | 'object'> {
  readonly received: Buffer
}

/** Records of the log that are read at once, where many are looked through. */
const AT_ONCE = 32

const pad = (seq: number): string => String(seq).padStart(10, '0')
const logKey = (feed: string, seq: number): string => `raw/${feed}/log/${pad(seq)}.json`
const logOf = (feed: string): Sequence => ({ prefix: `raw/${feed}/log/`, keyOf: (seq) => logKey(feed, seq), numberOf: seqOf })
const rejectedKey = (feed: string, fetchId: string): string => `raw/${feed}/rejected/${fetchId}.json`
const withdrawnKey = (feed: string, seq: number): string => `raw/${feed}/withdrawn/${pad(seq)}.json`
const seqOf = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1, -'.json'.length))

/** The id of a fetch: the feed and the instant of the fetch, which orders it in time. */
export function fetchId(feed: string, fetchedAt: number): string {
  return `${feed}.${new Date(fetchedAt).toISOString().replace(/[-:.]/g, '')}`
}

/** The feed of a fetch id. */
export function feedOf(id: string): string {
  return id.slice(0, id.indexOf('.'))
}

/**
 * Stores the bytes of a fetch and returns what the log says of them. Each distinct content is stored once in a month, not once for ever: so a
 * month's folder can go as a whole when its retention is over, and no later fetch names bytes in it.
 */
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

/** A rejected fetch; null where there is none of that id. Throws a `RawBytesError` where its record is damaged. */
export async function readRejected(store: ObjectStore, id: string): Promise<RawFetch | null> {
  const key = rejectedKey(feedOf(id), id)
  const bytes = await store.get(key)
  if (!bytes) return null
  const fetch = parseRecord<RawFetch>(bytes)
  if (fetch?.fetch_id !== id) throw new RawBytesError(`the record ${key} is damaged: it tells of no fetch ${id}`)
  return fetch
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

/** The fetch of a number, withdrawn or not; null where the log does not hold it (not yet, or no longer) or its record is damaged. */
export async function readAccepted(store: ObjectStore, feed: string, seq: number): Promise<AcceptedFetch | null> {
  return recordOf(await store.get(logKey(feed, seq)), seq)
}

/** A record of the log as its bytes tell it; null where they do not. */
function recordOf(bytes: Buffer | null, seq: number): AcceptedFetch | null {
  const fetch = bytes && parseRecord<AcceptedFetch>(bytes)
  return fetch?.seq === seq ? fetch : null
}

/** What a damaged record says is nothing, not an error: only the store can know that it is damaged for good, and it gave all it has. */
function parseRecord<T>(bytes: Buffer): T | null {
  try {
    return JSON.parse(bytes.toString()) as T | null
  } catch {
    return null
  }
}

/** Takes a fetch out of the log; only ever its oldest. */
export async function dropAccepted(store: ObjectStore, feed: string, seq: number): Promise<void> {
  await store.delete(logKey(feed, seq))
  await store.delete(withdrawnKey(feed, seq))
}

/**
 * Withdraws an accepted fetch: from then on it does not count, and waits among the rejected ones, where it can be accepted again. Its number
 * stays taken and its bytes stay. Doing it again changes nothing; what tables and live state hold of it is for the caller to take out.
 */
export async function withdrawAccepted(store: ObjectStore, accepted: AcceptedFetch, why: string): Promise<void> {
  const { seq, accepted_by: _, ...fetch } = accepted
  // First, so that whoever is stopped in between leaves a fetch that counts still, not one that is nowhere.
  await keepRejected(store, { ...fetch, rejected: why })
  await store.putIfAbsent(withdrawnKey(accepted.feed, seq), Buffer.from(JSON.stringify({ ...accepted, withdrawn: randomUUID() })))
}

/** The numbers of a feed whose fetches were withdrawn. */
export async function withdrawnSeqs(store: ObjectStore, feed: string): Promise<ReadonlySet<number>> {
  const seqs = new Set<number>()
  for await (const { key } of store.list(`raw/${feed}/withdrawn/`)) seqs.add(seqOf(key))
  return seqs
}

/** A fetch that was withdrawn, as it was when it counted; null where that cannot be read any more. */
export async function readWithdrawn(store: ObjectStore, feed: string, seq: number): Promise<AcceptedFetch | null> {
  return recordOf(await store.get(withdrawnKey(feed, seq)), seq)
}

/** The numbers of a feed's log after a sequence, in order; the first so many where told. Numbers that were lost are not among them. */
export async function logAfter(store: ObjectStore, feed: string, seq: number, most = Number.POSITIVE_INFINITY): Promise<LogEntry[]> {
  const keys: string[] = []
  for await (const { key } of store.list(`raw/${feed}/log/`, { startAfter: logKey(feed, seq) })) {
    keys.push(key)
    if (keys.length >= most) break
  }
  const withdrawn = keys.length > 0 ? await withdrawnSeqs(store, feed) : new Set()
  const entries: LogEntry[] = []
  for (let at = 0; at < keys.length; at += AT_ONCE) {
    const some = keys.slice(at, at + AT_ONCE)
    const read = await Promise.all(some.map((key) => store.get(key)))
    for (const [index, key] of some.entries()) {
      const number = seqOf(key)
      entries.push({ seq: number, fetch: recordOf(read[index] ?? null, number), withdrawn: withdrawn.has(number) })
    }
  }
  return entries
}

/** The fetches among some numbers of a log that count. */
export function counting(entries: readonly LogEntry[]): AcceptedFetch[] {
  return entries.flatMap(({ fetch, withdrawn }) => (fetch && !withdrawn ? [fetch] : []))
}

/** The accepted fetches of a feed after a sequence, in order of sequence; the first so many where told. */
export async function acceptedAfter(
  store: ObjectStore,
  feed: string,
  seq: number,
  most = Number.POSITIVE_INFINITY,
): Promise<AcceptedFetch[]> {
  const found: AcceptedFetch[] = []
  for (let after = seq; found.length < most; ) {
    const wanted = most - found.length
    const entries = await logAfter(store, feed, after, wanted)
    found.push(...counting(entries))
    if (entries.length < wanted) break
    after = (entries.at(-1) as LogEntry).seq
  }
  return found
}

/** The sequences that a feed's log begins and ends with; null where it is empty. The oldest go first; a copy of it may lack any. */
export function logEnds(store: ObjectStore, feed: string): Promise<{ first: number; last: number } | null> {
  return sequenceEnds(store, logOf(feed))
}

/** The first number of a log after another; null where there is none. */
function nextSeq(store: ObjectStore, feed: string, seq: number): Promise<number | null> {
  return nextNumber(store, logOf(feed), seq)
}

/**
 * The accepted fetches of a feed with data times from `from` on (ms), in order of sequence; only they and a few more are read. What the
 * guard accepted grows in data time with the sequence, and all before it is older; what an operator accepted may be of any time before.
 */
export async function acceptedFrom(store: ObjectStore, feed: string, from: number): Promise<AcceptedFetch[]> {
  const ends = await logEnds(store, feed)
  if (!ends) return []
  const withdrawn = await withdrawnSeqs(store, feed)
  const reaches = async (seq: number): Promise<boolean> => {
    for (let at: number | null = seq; at !== null && at <= ends.last; ) {
      const accepted: AcceptedFetch | null = await readAccepted(store, feed, at)
      if (accepted?.accepted_by === 'guard' && !withdrawn.has(at)) return Date.parse(accepted.data_time) >= from
      at = accepted ? at + 1 : await nextSeq(store, feed, at)
    }
    return true
  }
  const reached = await firstWhere(ends.first, ends.last + 1, reaches)
  const found = await acceptedAfter(store, feed, reached - 1)
  return found.filter(({ data_time }) => Date.parse(data_time) >= from)
}

/** The accepted fetch of the newest data time, of those numbers that are wanted; null where there is none. */
export async function newestAccepted(
  store: ObjectStore,
  feed: string,
  isWanted: (seq: number) => boolean = () => true,
): Promise<AcceptedFetch | null> {
  const ends = await logEnds(store, feed)
  if (!ends) return null
  const withdrawn = await withdrawnSeqs(store, feed)
  let newest: AcceptedFetch | null = null
  for (let seq = ends.last; seq >= ends.first; seq--) {
    const accepted = withdrawn.has(seq) || !isWanted(seq) ? null : await readAccepted(store, feed, seq)
    if (accepted && (newest === null || byDataTime(newest, accepted) < 0)) newest = accepted
    if (accepted?.accepted_by === 'guard') break
  }
  return newest
}

/** The fetch of an id that counts, looked for from the newest on, and whether one of that id was withdrawn. */
export async function findAccepted(
  store: ObjectStore,
  id: string,
): Promise<{ readonly accepted: AcceptedFetch | null; readonly withdrawn: boolean }> {
  const feed = feedOf(id)
  const ends = await logEnds(store, feed)
  const gone = await withdrawnSeqs(store, feed)
  let withdrawn = false
  for (let top = ends?.last ?? 0; ends && top >= ends.first; top -= AT_ONCE) {
    const seqs = Array.from({ length: Math.min(AT_ONCE, top) }, (_, at) => top - at)
    const read = await Promise.all(seqs.map((seq) => readAccepted(store, feed, seq)))
    const found = read.filter((fetch) => fetch?.fetch_id === id)
    withdrawn ||= found.some((fetch) => fetch && gone.has(fetch.seq))
    const accepted = found.find((fetch) => fetch && !gone.has(fetch.seq))
    if (accepted) return { accepted, withdrawn }
  }
  return { accepted: null, withdrawn }
}

/** The order in which fetches count: by data time, then by acceptance. */
export function byDataTime(one: AcceptedFetch, other: AcceptedFetch): number {
  return Date.parse(one.data_time) - Date.parse(other.data_time) || one.seq - other.seq
}
