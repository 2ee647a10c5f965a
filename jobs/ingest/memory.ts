import { addSeqs, formatSeqs, hasSeq, type Landed, type LandingFetch, toWithdraw } from '../../lake/landed.ts'
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
  type RawBody,
  withdrawnSeqs,
} from '../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from './context.ts'
import { advancePart, parseIfKept } from './derive.ts'
import { recordEvents } from './events.ts'
import type { DatasetState } from './fold.ts'
import { lastBeforeGap } from './late.ts'
import type { Publication } from './parse.ts'
import { restoreState } from './restore.ts'
import { isBehind, landedIn } from './tables.ts'

/** Rows that a fetch gives a table and that have not landed yet. */
export interface Pending extends LandingFetch {
  /** Null for a number whose fetch the log lost or that was withdrawn. */
  readonly accepted: AcceptedFetch | null
  /** How many it gives. */
  readonly count: number
  /** The rows; of whole versions (`replace`) none: they lie in files (`parseSpooled`), or are read again when they land. */
  readonly rows: readonly AnyRow[]
}

/** One dataset of a feed: its state at the newest accepted fetch, and what its table lacks of it. */
export interface Part {
  readonly dataset: Dataset
  readonly state: DatasetState
  /** What the table held when `pending` began. */
  landed: Landed
  pending: Pending[]
}

/** What a worker remembers of a feed; all of it can be made again from the archive and the tables. */
export interface FeedMemory {
  readonly feed: Feed
  readonly parts: ReadonlyMap<string, Part>
  /** Datasets whose tables are still being filled (`isBehind`): they have no state yet. */
  readonly filling: readonly Dataset[]
  /** The newest accepted fetch by data time, and the highest sequence that was given out: of the log or, where that lost some, of the tables. */
  last: AcceptedFetch | null
  seq: number
  /** Newest data time that had landed when this was made; later than `last` where the log lost that fetch. Null while a withdrawal is due. */
  readonly landedUntil: number | null
  /** What the folded fetches changed, as long as live state may lack it; by sequence and dataset, in order of data time. */
  unshown: { readonly seq: number; readonly changes: ReadonlyMap<string, readonly LiveChange[]> }[]
  /** True once live state was compared with this memory. */
  isShown: boolean
  /** Of an archive: the newest accepted fetch of each period. */
  readonly periods: Map<string, AcceptedFetch>
  /** The newest rejected fetch, by its bytes; of an archive, of each period. */
  readonly rejected: Map<string | undefined, { readonly digest: string; readonly fetch_id: string }>
  /** The newest reply that had what the fetch of that id has: other validators may stand in it. */
  same: { readonly fetch_id: string; readonly bodies: readonly Pick<RawBody, 'name' | 'headers'>[] } | null
}

/** Makes the memory of a feed from tables and archive. Nothing lands: what came late, or to a dataset that is new to the feed, waits for the next landing. */
export async function openMemory(context: IngestContext, feed: Feed): Promise<FeedMemory> {
  const held = await landedOfAll(context, feed)
  const all = held.map(({ landed }) => landed)
  const filling = held.filter(({ landed }) => isBehind(landed, all)).map(({ dataset }) => dataset)
  const parts = new Map<string, Part>()
  let from = Number.POSITIVE_INFINITY
  for (const { dataset, landed } of held) {
    if (filling.includes(dataset)) continue
    parts.set(dataset.id, { dataset, landed, pending: [], state: await restoreState(context, { feed, dataset, landed }) })
    from = Math.min(from, await lastBeforeGap(context, feed.id, landed))
  }
  // A few steps back, so that the newest landed fetch by data time is read too: the guard compares with it. After many late ones it lies further back.
  const after = Math.max(0, from - STEPS_BACK)
  const recent = await logAfter(context.store, feed.id, after)
  const withdrawn = await withdrawnSeqs(context.store, feed.id)
  const newest = Math.max(...all.map(({ until }) => until ?? 0))
  const memory: FeedMemory = {
    ...{ feed, parts, filling, last: null, unshown: [], isShown: false, rejected: new Map(), same: null },
    periods: new Map(feed.archive ? (await acceptedAfter(context.store, feed.id, 0)).flatMap(ofPeriod) : []),
    seq: Math.max(recent.at(-1)?.seq ?? 0, ...all.map(({ seqs }) => seqs.at(-1)?.[1] ?? 0)),
    landedUntil: newest === 0 || all.some((landed) => toWithdraw(landed, withdrawn).length > 0) ? null : newest,
  }
  const known = new Map(counting(recent).map((accepted) => [accepted.seq, accepted]))
  if (newest > 0 && ![...known.values()].some(({ data_time }) => Date.parse(data_time) >= newest)) {
    const further = await acceptedFrom(context.store, feed.id, newest)
    const last = further.length > 0 ? null : await newestAccepted(context.store, feed.id)
    for (const accepted of last ? [last] : further) known.set(accepted.seq, accepted)
  }
  // The first is the oldest there is where nothing landed; else what comes before it has.
  const begin = recent[0] ? Math.max(after + 1, recent[0].seq) : Math.max(0, ...known.keys()) + 1
  tellMissing(context, feed, missingNumbers(recent, { from: begin, to: memory.seq }))
  for (const part of parts.values()) passEmpty(part, recent, { after, to: memory.seq })
  for (const accepted of [...known.values()].sort(byDataTime)) await foldAccepted(context, memory, accepted)
  return memory
}

const ofPeriod = (fetch: AcceptedFetch): [string, AcceptedFetch][] => (fetch.period === undefined ? [] : [[fetch.period, fetch]])

/** Numbers that were given out of which the log tells nothing: their records are gone or damaged. */
function missingNumbers(entries: readonly LogEntry[], range: { readonly from: number; readonly to: number }): number[] {
  const told = new Set(entries.filter(({ fetch, withdrawn }) => fetch !== null || withdrawn).map(({ seq }) => seq))
  return Array.from({ length: Math.max(0, range.to - range.from + 1) }, (_, at) => range.from + at).filter((seq) => !told.has(seq))
}

/**
 * Passes over the numbers of a range of the log that give a table no rows: those that the log lost count as lost fetches, those that were
 * withdrawn as landed. What came before all that a table has, or could have had, is past its retention and none of these.
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

const toldMissing = new WeakMap<IngestContext, Set<string>>()

/** Says once which numbers a feed's log lost. */
function tellMissing(context: IngestContext, feed: Feed, seqs: readonly number[]): void {
  if (seqs.length === 0) return
  const told = toldMissing.get(context) ?? new Set<string>()
  toldMissing.set(context, told)
  const missing = formatSeqs(addSeqs([], seqs))
  const text = `${feed.id} ${missing}`
  if (told.has(text)) return
  told.add(text)
  context.log.warn(
    { feed: feed.id, missing },
    'accepted fetches are missing from the raw log, or damaged in it; their numbers are not given out again',
  )
}

const STEPS_BACK = 9

/**
 * Brings a memory up to the fetches that others accepted meanwhile. It is made anew where a late one is among them, where rows that it rests
 * on were derived anew, and where a table that was being filled is full.
 */
export async function syncMemory(context: IngestContext, memory: FeedMemory): Promise<FeedMemory> {
  if (await isOutdated(context, memory)) return openMemory(context, memory.feed)
  const entries = await logAfter(context.store, memory.feed.id, memory.seq)
  if (entries.length === 0) return memory
  const news = counting(entries)
  // Numbers that give no rows are passed over where a memory begins.
  if (news.length < entries.length) return openMemory(context, memory.feed)
  const newest = memory.last ? Date.parse(memory.last.data_time) : Number.NEGATIVE_INFINITY
  if (news.some((accepted) => Date.parse(accepted.data_time) <= newest)) return openMemory(context, memory.feed)
  for (const accepted of [...news].sort(byDataTime)) await foldAccepted(context, memory, accepted)
  return memory
}

async function isOutdated(context: IngestContext, memory: FeedMemory): Promise<boolean> {
  const held = await landedOfAll(context, memory.feed)
  const all = held.map(({ landed }) => landed)
  return held.some(({ dataset, landed }) => {
    const part = memory.parts.get(dataset.id)
    return part ? landed.rebuildFrom === null && landed.rebuilds !== part.landed.rebuilds : !isBehind(landed, all)
  })
}

async function landedOfAll(context: IngestContext, feed: Feed): Promise<{ readonly dataset: Dataset; readonly landed: Landed }[]> {
  return Promise.all(feed.into.map(async (dataset) => ({ dataset, landed: await landedIn(context, dataset, feed.id) })))
}

/**
 * Folds a fetch into every part that lacks it; one that came too late for a part is left for the next landing to place. `publication` saves
 * parsing it again. One that cannot be read or parsed any more counts as landed without rows: it must not hold up what comes after it.
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
    for (const part of next) changes.set(part.dataset.id, foldInto(context, feed, part, { accepted, publication: parsed }))
    // Before anything of the fetch can land: what has landed is not folded again, and its events would be lost.
    await recordEvents(context, accepted, changes)
  }
  if (!memory.last || byDataTime(memory.last, accepted) < 0) memory.last = accepted
  for (const [period, fetch] of ofPeriod(accepted)) memory.periods.set(period, fetch)
  memory.seq = Math.max(memory.seq, accepted.seq)
  if (lacking.length > 0) memory.unshown.push({ seq: accepted.seq, changes })
}

/** Folds a fetch into one part, whose table then waits for its rows. */
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
    count: part.dataset.land === 'replace' ? (publication?.counts.get(part.dataset.id) ?? 0) : change.rows.length,
    rows: change.rows,
  })
  return change.changes
}

/** The blocks that are missing after the newest folded fetch, by dataset. */
export function missingOf(memory: FeedMemory): Record<string, readonly string[]> {
  const found = [...memory.parts.values()].map(({ dataset, state }) => [dataset.id, state.blocks.missing] as const)
  return Object.fromEntries(found.filter(([, missing]) => missing.length > 0))
}

/** How many fetches of a feed were accepted and gave some table no rows, since they cannot be read or parsed. */
export function countLost(memory: FeedMemory): number {
  const lost = new Set<number>()
  for (const { landed, pending } of memory.parts.values()) {
    for (const [first, last] of landed.lost) for (let seq = first; seq <= last; seq++) lost.add(seq)
    for (const fetch of pending) if (fetch.gives === 'lost') lost.add(fetch.seq)
  }
  return lost.size
}
