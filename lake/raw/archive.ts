import { createHash, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import { firstWhere, nextNumber, type Sequence, sequenceEnds } from '../store/sequence.ts'
import type { ObjectStore } from '../store/store.ts'
import { beginListing, firstNumber, noteAdded, noteChanged, noteTaken, numbersAfter, readOnceQuiet } from './log-position.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** One body of a fetch: the request, the reply, and where its bytes are. */
export interface RawBody {
  readonly name: string
  readonly url: string
  readonly status: number
  /** Reply headers, lower-case. */
  readonly headers: Readonly<Record<string, string>>
  /** Hash of the bytes as received (before any content-encoding is undone). */
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
  /** The publication's own time, else the time of the fetch: fetches land in this order. */
  readonly data_time: string
  /** The period of the file, if the feed is an archive. */
  readonly period?: string
  readonly bodies: readonly RawBody[]
  /** Number of valid rows by dataset. */
  readonly rows: Readonly<Record<string, number>>
  /** Rows by dataset and block, for datasets with blocks. */
  readonly blocks: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Completeness groups, by dataset, that this publication lacks according to the parser. */
  readonly said_missing: Readonly<Record<string, readonly string[]>>
  /**
   * Expected number of things per block, by dataset, from the lake at the time of the decision. Other blocks depend on the
   * publication before, as do all blocks in older records without this member.
   */
  readonly expected?: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly quarantined: number
  readonly unknown_codes: number
  /** Why it was rejected; null for an accepted fetch. It stays for one that an operator accepted. */
  readonly rejected: string | null
}

/** An accepted fetch: its position in the feed's log is its sequence number. */
export interface AcceptedFetch extends RawFetch {
  readonly seq: number
  readonly accepted_by: 'guard' | 'operator'
}

/** An assigned number of a feed's log. */
export interface LogEntry {
  readonly seq: number
  /** Null if the record is damaged: that fetch can no longer be read. */
  readonly fetch: AcceptedFetch | null
  /** True if the fetch was withdrawn: it no longer counts. */
  readonly withdrawn: boolean
}

/** Bytes to be archived. */
export interface ReceivedBody extends Omit<RawBody, 'sha256' | 'bytes' | 'object'> {
  readonly received: Buffer
}

/** Larger bodies are only packed and sent if the store lacks them; most smaller ones are new, and one request is enough. */
const MAX_UNASKED = 4_000_000

/** Log records read at once when many are scanned. */
const AT_ONCE = 32

const pad = (seq: number): string => String(seq).padStart(10, '0')
const logKey = (feed: string, seq: number): string => `raw/${feed}/log/${pad(seq)}.json`
const logOf = (feed: string): Sequence => ({ prefix: `raw/${feed}/log/`, keyOf: (seq) => logKey(feed, seq), numberOf: seqOf })
const rejectedKey = (feed: string, fetchId: string): string => `raw/${feed}/rejected/${fetchId}.json`
const withdrawnOf = (feed: string): string => `raw/${feed}/withdrawn/`
const withdrawnKey = (feed: string, seq: number): string => `${withdrawnOf(feed)}${pad(seq)}.json`
const seqOf = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1, -'.json'.length))

/** The id of a fetch: the feed and the time of the fetch, so ids sort by time. */
export function fetchId(feed: string, fetchedAt: number): string {
  return `${feed}.${new Date(fetchedAt).toISOString().replace(/[-:.]/g, '')}`
}

/** The feed of a fetch id. */
export function feedOf(id: string): string {
  return id.slice(0, id.indexOf('.'))
}

/**
 * Stores the bytes of a fetch and returns their log entries. Each distinct content is stored once a month, so that a month's
 * folder can be deleted as a whole and no later fetch refers to it.
 */
export async function keepBodies(store: ObjectStore, feed: string, fetchedAt: number, bodies: readonly ReceivedBody[]): Promise<RawBody[]> {
  const folder = `raw/${feed}/bytes/${new Date(fetchedAt).toISOString().slice(0, 7)}`
  const kept: RawBody[] = []
  for (const { received, ...body } of bodies) {
    const sha256 = createHash('sha256').update(received).digest('hex')
    const object = `${folder}/${sha256}.zst`
    if (received.length <= MAX_UNASKED) await store.putIfAbsent(object, await compress(received))
    else if ((await store.head(object)) === null) await store.put(object, await compress(received))
    kept.push({ ...body, sha256, bytes: received.length, object })
  }
  return kept
}

/** Raw bytes that are permanently unavailable: gone or damaged. */
export class RawBytesError extends Error {
  override readonly name = 'RawBytesError'
}

/** The bytes of a body as received; throws a `RawBytesError` if they are gone or do not match the log. */
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
 * Accepts a fetch as number `seq` of its feed's log. Returns false if that number is taken: another process accepted a fetch, and
 * the caller must read again. This stops a worker that was suspended beyond its lock.
 */
export async function acceptFetch(store: ObjectStore, accepted: AcceptedFetch): Promise<boolean> {
  const isAdded = await store.putIfAbsent(logKey(accepted.feed, accepted.seq), Buffer.from(JSON.stringify(accepted)))
  if (isAdded) noteAdded(store, logOf(accepted.feed), accepted.seq)
  else noteTaken(store, logOf(accepted.feed))
  return isAdded
}

/** Stores a fetch that the guard rejected, for an operator to inspect and accept. */
export async function keepRejected(store: ObjectStore, fetch: RawFetch): Promise<void> {
  await store.put(rejectedKey(fetch.feed, fetch.fetch_id), Buffer.from(JSON.stringify(fetch)))
}

/** A rejected fetch; null if there is none with that id. Throws a `RawBytesError` if its record is damaged. */
export async function readRejected(store: ObjectStore, id: string): Promise<RawFetch | null> {
  const key = rejectedKey(feedOf(id), id)
  const bytes = await store.get(key)
  if (!bytes) return null
  const fetch = parseRecord<RawFetch>(bytes)
  if (fetch?.fetch_id !== id) throw new RawBytesError(`the record ${key} is damaged: it does not describe fetch ${id}`)
  return fetch
}

/** Deletes the record of a rejected fetch, once it is accepted. */
export async function dropRejected(store: ObjectStore, id: string): Promise<void> {
  await store.delete(rejectedKey(feedOf(id), id))
}

/** Ids of a feed's rejected fetches, oldest first. */
export async function rejectedIds(store: ObjectStore, feed: string): Promise<string[]> {
  const ids: string[] = []
  for await (const { key } of store.list(`raw/${feed}/rejected/`)) ids.push(key.slice(key.lastIndexOf('/') + 1, -'.json'.length))
  return ids
}

/**
 * The fetch with a number, withdrawn or not; null if the log does not have it (not yet, or no longer) or its record is damaged.
 */
export async function readAccepted(store: ObjectStore, feed: string, seq: number): Promise<AcceptedFetch | null> {
  return recordOf(await store.get(logKey(feed, seq)), seq)
}

/** Decodes a record of the log; null if it is damaged. */
function recordOf(bytes: Buffer | null, seq: number): AcceptedFetch | null {
  const fetch = bytes && parseRecord<AcceptedFetch>(bytes)
  return fetch?.seq === seq ? fetch : null
}

/** A damaged record is null, not an error: the store returned all it has, so retrying would not help. */
function parseRecord<T>(bytes: Buffer): T | null {
  try {
    return JSON.parse(bytes.toString()) as T | null
  } catch {
    return null
  }
}

/** Deletes a fetch from the log; only ever the oldest. */
export async function dropAccepted(store: ObjectStore, feed: string, seq: number): Promise<void> {
  await store.delete(logKey(feed, seq))
  await store.delete(withdrawnKey(feed, seq))
}

/**
 * Withdraws an accepted fetch: it no longer counts and is listed as rejected, where it can be accepted again. Its number stays
 * taken and its bytes stay. Idempotent. The caller removes its rows from tables and live state.
 */
export async function withdrawAccepted(store: ObjectStore, accepted: AcceptedFetch, why: string): Promise<void> {
  const { seq, accepted_by: _, ...fetch } = accepted
  // First, so that an interruption leaves a fetch that still counts, not one that is lost.
  await keepRejected(store, { ...fetch, rejected: why })
  await store.putIfAbsent(withdrawnKey(accepted.feed, seq), Buffer.from(JSON.stringify({ ...accepted, withdrawn: randomUUID() })))
  noteChanged(store, withdrawnOf(accepted.feed))
}

/** The numbers of a feed's withdrawn fetches. */
export async function withdrawnSeqs(store: ObjectStore, feed: string): Promise<ReadonlySet<number>> {
  return readOnceQuiet(store, withdrawnOf(feed), async () => {
    const seqs = new Set<number>()
    for await (const { key } of store.list(withdrawnOf(feed))) seqs.add(seqOf(key))
    return seqs
  })
}

/** A withdrawn fetch as it was when accepted; null if it can no longer be read. */
export async function readWithdrawn(store: ObjectStore, feed: string, seq: number): Promise<AcceptedFetch | null> {
  return recordOf(await store.get(withdrawnKey(feed, seq)), seq)
}

/** The numbers of a feed's log after a sequence number, in order, without lost ones; at most `most`. */
export async function logAfter(store: ObjectStore, feed: string, seq: number, most = Number.POSITIVE_INFINITY): Promise<LogEntry[]> {
  return readEntries(store, feed, await keysAfter(store, feed, { seq, most }))
}

/** The same for a caller that looks often: behind a lost number, entries may be found ten minutes late, by the next listing. */
export async function newsAfter(store: ObjectStore, feed: string, seq: number, listed_ms?: number): Promise<LogEntry[]> {
  const named = await numbersAfter(store, logOf(feed), seq, listed_ms)
  return named
    ? readEntries(
        store,
        feed,
        named.map((number) => logKey(feed, number)),
      )
    : logAfter(store, feed, seq)
}

async function readEntries(store: ObjectStore, feed: string, keys: readonly string[]): Promise<LogEntry[]> {
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

/** The keys of a log's entries after a number. For the oldest alone, nothing is listed. */
async function keysAfter(
  store: ObjectStore,
  feed: string,
  { seq, most }: { readonly seq: number; readonly most: number },
): Promise<string[]> {
  const log = logOf(feed)
  const first = most === 1 ? await firstNumber(store, log) : null
  if (first !== null && first > seq) return [logKey(feed, first)]
  const keys: string[] = []
  const noteListed = beginListing(store, log, seq)
  for await (const { key } of store.list(log.prefix, { startAfter: logKey(feed, seq) })) {
    keys.push(key)
    if (keys.length >= most) return keys
  }
  noteListed(keys.map(seqOf))
  return keys
}

/** The fetches of log entries that count. */
export function counting(entries: readonly LogEntry[]): AcceptedFetch[] {
  return entries.flatMap(({ fetch, withdrawn }) => (fetch && !withdrawn ? [fetch] : []))
}

/** The accepted fetches of a feed after a sequence number, in order; at most `most`. */
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

/**
 * The first and last sequence numbers of a feed's log; null if it is empty. The oldest are deleted first; a copied log may have
 * gaps.
 */
export function logEnds(store: ObjectStore, feed: string): Promise<{ first: number; last: number } | null> {
  return sequenceEnds(store, logOf(feed))
}

/** The first number of a log after another; null if there is none. */
function nextSeq(store: ObjectStore, feed: string, seq: number): Promise<number | null> {
  return nextNumber(store, logOf(feed), seq)
}

/**
 * The accepted fetches of a feed with data times from `from` on (ms), in sequence order; little else is read. For fetches
 * accepted by the guard, data time grows with the sequence number; those accepted by an operator may have any earlier data time.
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

/** The accepted fetch with the newest data time among the wanted numbers; null if there is none. */
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

/** The counting fetch with an id, searched from the newest on, and whether one with that id was withdrawn. */
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

/**
 * The fetches of a feed with some ids, withdrawn ones included, searched from the newest number on. The search ends before all
 * fetches of the guard that are older than the oldest id: later numbers have later fetches.
 */
export async function findFetches(store: ObjectStore, feed: string, ids: ReadonlySet<string>): Promise<AcceptedFetch[]> {
  const ends = await logEnds(store, feed)
  const oldest = [...ids].reduce((least, id) => (id < least ? id : least), `${feed}/`)
  const found: AcceptedFetch[] = []
  for (let top = ends?.last ?? 0; ends && ids.size > 0 && top >= ends.first; top -= AT_ONCE) {
    const seqs = Array.from({ length: Math.min(AT_ONCE, top) }, (_, at) => top - at)
    const read = (await Promise.all(seqs.map((seq) => readAccepted(store, feed, seq)))).filter((fetch) => fetch !== null)
    found.push(...read.filter(({ fetch_id }) => ids.has(fetch_id)))
    if (read.some(({ accepted_by, fetch_id }) => accepted_by === 'guard' && fetch_id < oldest)) break
  }
  return found
}

/** The order in which fetches apply: by data time, then by acceptance. */
export function byDataTime(one: AcceptedFetch, other: AcceptedFetch): number {
  return Date.parse(one.data_time) - Date.parse(other.data_time) || one.seq - other.seq
}
