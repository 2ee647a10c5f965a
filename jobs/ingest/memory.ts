import { createHmac } from 'node:crypto'
import type { LoggedEvent } from '../../lake/events/log.ts'
import { CHANGE_EVENTS, type ChangeEvents } from '../../lake/events/types.ts'
import { addSeqs, countSeqs, formatSeqs, hasSeq, isSameLanded, type Landed, type LandingFetch, toWithdraw } from '../../lake/landed.ts'
import type { LiveChange } from '../../lake/live/types.ts'
import {
  type AcceptedFetch,
  acceptedAfter,
  acceptedFrom,
  byDataTime,
  counting,
  type LogEntry,
  logAfter,
  newestAccepted,
  newsAfter,
  type RawBody,
  withdrawnSeqs,
} from '../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import { type Checkpoint, writeCheckpoint } from './checkpoint.ts'
import type { IngestContext } from './context.ts'
import { advancePart, parseIfKept } from './derive.ts'
import type { DatasetState } from './fold.ts'
import { lastBeforeGap } from './late-data.ts'
import type { Publication } from './parse.ts'
import { loadStates } from './replay.ts'
import { type Held, heldIn, isBehind } from './tables.ts'

/** Rows of a fetch for a table that have not landed yet. */
export interface Pending extends LandingFetch {
  /** Null for a number whose fetch was lost from the log or withdrawn. */
  readonly accepted: AcceptedFetch | null
  /** The number of rows. */
  readonly count: number
  /**
   * The rows; none for whole versions (`replace`): they are in spool files (`parseSpooled`) or are read again on landing. Null
   * beyond `MAX_WAITING_ROWS`: the landing reads them again, in portions (`fillTable`).
   */
  readonly rows: readonly AnyRow[] | null
}

/** Rows of a table that wait in memory for a landing; a backlog with more is not kept. */
const MAX_WAITING_ROWS = 500_000

/** One dataset of a feed: its state at the newest accepted fetch, and the rows its table lacks. */
export interface Part {
  readonly dataset: Dataset
  readonly state: DatasetState
  /** What the table contained when `pending` was empty. */
  landed: Landed
  pending: Pending[]
}

/** A worker's state of a feed; it can be rebuilt from the archive and the tables. */
export interface FeedMemory {
  readonly feed: Feed
  readonly parts: ReadonlyMap<string, Part>
  /** Datasets whose tables are still being filled (`isBehind`): they have no state yet. */
  readonly filling: readonly Dataset[]
  /**
   * The newest accepted fetch by data time, and the highest sequence assigned: from the log or, if it lost entries, the
   * tables.
   */
  last: AcceptedFetch | null
  seq: number
  /**
   * Newest landed data time when this memory was made; later than `last` if the log lost that fetch. Null during a withdrawal.
   */
  readonly landedUntil: number | null
  /** Changes of the folded fetches that Redis may lack; by sequence and dataset, in order of data time. */
  unshown: { readonly seq: number; readonly changes: ReadonlyMap<string, readonly LiveChange[]> }[]
  /** True once live state was compared with this memory. */
  isShown: boolean
  /** For an archive: the newest accepted fetch of each period. */
  readonly periods: Map<string, AcceptedFetch>
  /** The newest rejected fetch by its bytes; one per period for an archive. */
  readonly rejected: Map<string | undefined, { readonly digest: string; readonly fetch_id: string }>
  /** What the newest checkpoint has of the log; null if none is valid for all parts. */
  checkpoint: Reach | null
  /** The newest reply with the same content as the fetch of that id; its validators may differ. */
  same: { readonly fetch_id: string; readonly bodies: readonly Pick<RawBody, 'name' | 'headers'>[] } | null
}

/** How far states have come: the newest data time (ms), the number of fetches, and how often rows were replaced. */
interface Reach {
  readonly until: number
  readonly fetches: number
  readonly rebuilds: number
}

function reachOf(parts: ReadonlyMap<string, { readonly landed: Landed }>): Reach {
  const all = [...parts.values()].map(({ landed }) => landed)
  const most = (of: (landed: Landed) => number): number => Math.max(0, ...all.map(of))
  return {
    until: most(({ until }) => until ?? 0),
    fetches: most(({ seqs }) => countSeqs(seqs)),
    rebuilds: all.reduce((sum, { rebuilds }) => sum + rebuilds, 0),
  }
}

/** A feed's state is stored once it has moved by this much: see "Checkpoints" in jobs/README.md. */
const CHECKPOINT_EVERY = { ms: 3_600_000, fetches: 30 }

/** Stores a checkpoint of a memory if everything has landed and enough came since the last one. A failure is logged. */
export async function keepCheckpoint(context: IngestContext, memory: FeedMemory): Promise<void> {
  const { feed, parts, checkpoint } = memory
  if (parts.size === 0 || [...parts.values()].some(({ pending }) => pending.length > 0)) return
  const reach = reachOf(parts)
  const isDue =
    checkpoint === null ||
    reach.rebuilds !== checkpoint.rebuilds ||
    reach.until - checkpoint.until >= CHECKPOINT_EVERY.ms ||
    reach.fetches - checkpoint.fetches >= CHECKPOINT_EVERY.fetches
  if (!isDue) return
  try {
    if (await writeCheckpoint(context, memory)) memory.checkpoint = reach
  } catch (error) {
    context.log.warn({ feed: feed.id, reason: error instanceof Error ? error.message : String(error) }, 'no checkpoint stored')
  }
}

/** Makes a feed's memory from tables and archive. Nothing lands: late fetches and new datasets wait for the next landing. */
export async function openMemory(context: IngestContext, feed: Feed): Promise<FeedMemory> {
  const held = await heldByAll(context, feed)
  const all = held.map(({ landed }) => landed)
  const filling = held.filter(({ landed }) => isBehind(landed, all)).map(({ dataset }) => dataset)
  const parts = new Map<string, Part>()
  const whole = held.filter(({ dataset }) => !filling.includes(dataset))
  const { states, checkpoint, areReplayed } = await loadStates(context, feed, { held: whole })
  let from = Number.POSITIVE_INFINITY
  for (const { dataset, landed } of whole) {
    parts.set(dataset.id, { dataset, landed, pending: [], state: states.get(dataset.id) as DatasetState })
    from = Math.min(from, await lastBeforeGap(context, feed.id, landed))
  }
  // Start a few steps back to include the newest landed fetch by data time, which the guard compares with. After many late
  // fetches it is further back.
  const after = Math.max(0, from - STEPS_BACK)
  const recent = await logAfter(context.store, feed.id, after)
  const withdrawn = await withdrawnSeqs(context.store, feed.id)
  const newest = Math.max(...all.map(({ until }) => until ?? 0))
  const memory: FeedMemory = {
    ...{ feed, parts, filling, last: null, unshown: [], isShown: false, rejected: new Map(), same: null },
    periods: feed.archive ? await periodsOf(context, feed, { checkpoint, withdrawn }) : new Map(),
    checkpoint: checkpoint && areReplayed ? reachOf(checkpoint.parts) : null,
    seq: Math.max(recent.at(-1)?.seq ?? 0, ...all.map(({ seqs }) => seqs.at(-1)?.[1] ?? 0)),
    landedUntil: newest === 0 || all.some((landed) => toWithdraw(landed, withdrawn).length > 0) ? null : newest,
  }
  const known = new Map(counting(recent).map((accepted) => [accepted.seq, accepted]))
  if (newest > 0 && ![...known.values()].some(({ data_time }) => Date.parse(data_time) >= newest)) {
    const further = await acceptedFrom(context.store, feed.id, newest)
    const last = further.length > 0 ? null : await newestAccepted(context.store, feed.id)
    for (const accepted of last ? [last] : further) known.set(accepted.seq, accepted)
  }
  // If nothing landed, the first is the oldest available; otherwise earlier ones have landed.
  const begin = recent[0] ? Math.max(after + 1, recent[0].seq) : Math.max(0, ...known.keys()) + 1
  logMissing(context, feed, missingNumbers(recent, { from: begin, to: memory.seq }))
  for (const part of parts.values()) passEmpty(part, recent, { after, to: memory.seq })
  for (const accepted of [...known.values()].sort(byDataTime)) await foldAccepted(context, memory, accepted)
  return memory
}

/** The newest accepted fetch of each period of an archive: those of a checkpoint, unless one was withdrawn, and later ones. */
async function periodsOf(
  { store }: IngestContext,
  { id }: Feed,
  known: { readonly checkpoint: Checkpoint | null; readonly withdrawn: ReadonlySet<number> },
): Promise<Map<string, AcceptedFetch>> {
  const { periods = [], seq = 0 } = known.checkpoint ?? {}
  const isKnown = periods.every((fetch) => !known.withdrawn.has(fetch.seq))
  const [oldest] = isKnown && seq > 0 ? await acceptedAfter(store, id, 0, 1) : []
  const kept = oldest ? periods.filter((fetch) => fetch.seq >= oldest.seq) : []
  return new Map([...kept, ...(await acceptedAfter(store, id, oldest ? seq : 0))].flatMap(ofPeriod))
}

const ofPeriod = (fetch: AcceptedFetch): [string, AcceptedFetch][] => (fetch.period === undefined ? [] : [[fetch.period, fetch]])

/** Assigned sequence numbers that the log lacks: their records are lost or damaged. */
function missingNumbers(entries: readonly LogEntry[], range: { readonly from: number; readonly to: number }): number[] {
  const recorded = new Set(entries.filter(({ fetch, withdrawn }) => fetch !== null || withdrawn).map(({ seq }) => seq))
  return Array.from({ length: Math.max(0, range.to - range.from + 1) }, (_, at) => range.from + at).filter((seq) => !recorded.has(seq))
}

/**
 * Marks log numbers that give a table no rows: numbers the log lost as lost, withdrawn ones as landed. Numbers before
 * everything the table could have are past its retention and are skipped.
 */
export function passEmpty(part: Part, entries: readonly LogEntry[], range: { readonly after: number; readonly to: number }): void {
  const { landed, pending } = part
  const waits = (seq: number): boolean => !hasSeq(landed.seqs, seq)
  const begin = landed.seqs[0] ? landed.seqs[0][1] + 1 : (entries[0]?.seq ?? range.to + 1)
  for (const seq of missingNumbers(entries, { from: Math.max(begin, range.after + 1), to: range.to }).filter(waits))
    pending.push({ seq, data_time: null, gives: 'lost', accepted: null, count: 0, rows: [] })
  for (const { seq, withdrawn } of entries)
    if (withdrawn && waits(seq)) pending.push({ seq, data_time: null, gives: 'withdrawn', accepted: null, count: 0, rows: [] })
}

const reportedMissing = new WeakMap<IngestContext, Set<string>>()

/** Logs once which numbers a feed's log lost. */
function logMissing(context: IngestContext, feed: Feed, seqs: readonly number[]): void {
  if (seqs.length === 0) return
  const reported = reportedMissing.get(context) ?? new Set<string>()
  reportedMissing.set(context, reported)
  const missing = formatSeqs(addSeqs([], seqs))
  const text = `${feed.id} ${missing}`
  if (reported.has(text)) return
  reported.add(text)
  context.log.warn(
    { feed: feed.id, missing },
    'accepted fetches are missing from the raw log, or damaged in it; their numbers are not reused',
  )
}

const STEPS_BACK = 9

/**
 * Updates a memory with fetches that other processes accepted, and drops rows that they landed. Rebuilds it after a late fetch,
 * after a rebuild of rows that it depends on, and once a table that was being filled is complete.
 */
export async function syncMemory(context: IngestContext, memory: FeedMemory): Promise<FeedMemory> {
  const held = await heldByAll(context, memory.feed)
  if (isOutdated(memory, held)) return openMemory(context, memory.feed)
  const entries = await newsAfter(context.store, memory.feed.id, memory.seq)
  const news = counting(entries)
  // Numbers without rows are only handled when a memory is made.
  if (news.length < entries.length) return openMemory(context, memory.feed)
  const newest = memory.last ? Date.parse(memory.last.data_time) : Number.NEGATIVE_INFINITY
  if (news.some((accepted) => Date.parse(accepted.data_time) <= newest)) return openMemory(context, memory.feed)
  for (const accepted of [...news].sort(byDataTime)) await foldAccepted(context, memory, accepted)
  // Only now: a fetch that the table holds is not folded.
  for (const { dataset, landed } of held) dropLanded(memory.parts.get(dataset.id), landed)
  return memory
}

/**
 * Drops the pending rows that the table has by now. If it has fetches that this memory did not fold, such as a late one that
 * awaits a rebuild, the part stays as it is: its next landing finds the table changed, and makes a new memory.
 */
function dropLanded(part: Part | undefined, landed: Landed): void {
  if (!part || isSameLanded(part.landed, landed) || landed.rebuilds !== part.landed.rebuilds) return
  const folded = part.pending.filter(({ seq }) => hasSeq(landed.seqs, seq)).length
  if (countSeqs(landed.seqs) !== countSeqs(part.landed.seqs) + folded) return
  part.landed = landed
  part.pending = part.pending.filter(({ seq }) => !hasSeq(landed.seqs, seq))
}

function isOutdated(memory: FeedMemory, held: readonly Held[]): boolean {
  const all = held.map(({ landed }) => landed)
  return held.some(({ dataset, landed }) => {
    const part = memory.parts.get(dataset.id)
    if (!part) return !isBehind(landed, all)
    // A rollback by the operator takes landed fetches back.
    const isLess = countSeqs(landed.seqs) < countSeqs(part.landed.seqs)
    return landed.rebuildFrom === null && (isLess || landed.rebuilds !== part.landed.rebuilds)
  })
}

async function heldByAll(context: IngestContext, feed: Feed): Promise<Held[]> {
  return Promise.all(feed.into.map((dataset) => heldIn(context, dataset, feed.id)))
}

/**
 * Folds a fetch into every part that lacks it; a part for which it is late leaves it to the next landing. `publication` avoids
 * parsing again. A fetch that can no longer be read counts as landed without rows, so it does not block later ones.
 */
export async function foldAccepted(
  context: IngestContext,
  memory: FeedMemory,
  accepted: AcceptedFetch,
  publication?: Publication,
): Promise<void> {
  const { feed, parts } = memory
  const data_time = Date.parse(accepted.data_time)
  const lacking = [...parts.values()].filter(({ landed }) => !hasSeq(landed.seqs, accepted.seq))
  const next = lacking.filter(({ landed }) => landed.until === null || data_time > landed.until)
  const changes = new Map<string, readonly LiveChange[]>(lacking.map(({ dataset }) => [dataset.id, []]))
  if (next.length > 0) {
    const parsed = publication ?? (await parseIfKept(context, feed, accepted, 'it lands without rows'))
    const first = new Set(next.filter(({ state }) => state.data_time === null).map(({ dataset }) => dataset.id))
    for (const part of next) changes.set(part.dataset.id, foldInto(context, feed, part, { accepted, publication: parsed }))
    // Whoever follows the changes starts anew: those of a backlog may be as many as its rows.
    if (next.filter((part) => limitWaiting(context, part)).length > 0) memory.unshown = []
    // Before the fetch can land: a landed fetch is not folded again, and its events would be lost.
    await recordEvents(context, accepted, { changes, first })
  }
  if (!memory.last || byDataTime(memory.last, accepted) < 0) memory.last = accepted
  for (const [period, fetch] of ofPeriod(accepted)) memory.periods.set(period, fetch)
  memory.seq = Math.max(memory.seq, accepted.seq)
  if (lacking.length > 0) memory.unshown.push({ seq: accepted.seq, changes })
}

/** Drops the newest pending rows if too many wait for the landing; true if it did. Keeps the first, so that a landing gets on. */
function limitWaiting({ maxWaitingRows = MAX_WAITING_ROWS }: IngestContext, { pending }: Part): boolean {
  const [newest, before] = [pending.at(-1), pending.at(-2)]
  if (!newest?.rows || !before) return false
  const waiting = pending.reduce((sum, { rows }) => sum + (rows?.length ?? 0), 0)
  if (before.rows !== null && waiting <= maxWaitingRows) return false
  pending[pending.length - 1] = { ...newest, rows: null }
  return true
}

/** Folds a fetch into one part, whose rows are then pending. */
export function foldInto(
  context: IngestContext,
  feed: Feed,
  part: Part,
  fetch: { readonly accepted: AcceptedFetch; readonly publication: Publication | null },
): readonly LiveChange[] {
  const { accepted, publication } = fetch
  const change = advancePart(feed, part, { accepted, publication, idKey: context.idKey })
  part.pending.push({
    seq: accepted.seq,
    data_time: Date.parse(accepted.data_time),
    gives: publication ? 'rows' : 'lost',
    accepted,
    count: part.dataset.writeMode === 'replace' ? (publication?.counts.get(part.dataset.id) ?? 0) : change.rows.length,
    rows: change.rows,
  })
  return change.changes
}

/** The blocks missing after the newest folded fetch, by dataset. */
export function missingOf(memory: FeedMemory): Record<string, readonly string[]> {
  const found = [...memory.parts.values()].map(({ dataset, state }) => [dataset.id, state.blocks.missing] as const)
  return Object.fromEntries(found.filter(([, missing]) => missing.length > 0))
}

/** How many accepted fetches gave some table no rows because they cannot be read or parsed. */
export function countLost(memory: FeedMemory): number {
  const lost = new Set<number>()
  for (const { landed, pending } of memory.parts.values()) {
    for (const [first, last] of landed.lost) for (let seq = first; seq <= last; seq++) lost.add(seq)
    for (const fetch of pending) if (fetch.gives === 'lost') lost.add(fetch.seq)
  }
  return lost.size
}

/** Digits of an event id, as hexadecimal: 128 bits. */
const ID_DIGITS = 32

/**
 * Records the events of an accepted fetch from its changes by dataset; `first` are the datasets without an earlier one. An id
 * hashes dataset, thing and log position, so recording the same fetch again after a crash gives the same ids, which are ignored.
 */
export async function recordEvents(
  { events: log, idKey }: IngestContext,
  accepted: AcceptedFetch,
  { changes, first }: { readonly changes: ReadonlyMap<string, readonly LiveChange[]>; readonly first: ReadonlySet<string> },
): Promise<void> {
  if (!log) return
  const news = CHANGE_EVENTS.filter(({ dataset, isCatalogue }) => !(isCatalogue && first.has(dataset.id)))
  const found = news.flatMap((source) =>
    (changes.get(source.dataset.id) ?? []).flatMap((change) => eventOf(source, change, { accepted, idKey }) ?? []),
  )
  await log.record(`${accepted.feed} ${accepted.seq}`, found, { since: Date.parse(accepted.fetched_at) })
}

function eventOf(
  { dataset, typeOf }: ChangeEvents,
  logged: LiveChange,
  { accepted, idKey }: { readonly accepted: AcceptedFetch; readonly idKey: Buffer },
): LoggedEvent | null {
  const type = typeOf(logged)
  if (type === null) return null
  const { kind, key, changed, row } = logged
  // Keyed, so that a publisher's possibly secret id cannot be guessed from it.
  const hash = createHmac('sha256', idKey).update(`event\u001f${dataset.id}\u001f${key}\u001f${accepted.feed}\u001f${accepted.seq}`)
  const id = `evt_${hash.digest('hex').slice(0, ID_DIGITS)}`
  return {
    id,
    type,
    thing: `${dataset.id} ${key}`,
    at: Date.parse(accepted.data_time),
    change: { dataset: dataset.id, kind, row, changed },
  }
}
