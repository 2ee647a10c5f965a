import { hasSeq, type Landed, type LandingFetch } from '../../lake/landed.ts'
import type { LiveChange } from '../../lake/live/types.ts'
import { type AcceptedFetch, acceptedAfter, acceptedFrom, byDataTime } from '../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from './context.ts'
import { advancePart, parseIfKept } from './derive.ts'
import type { DatasetState } from './fold.ts'
import { lastBeforeGap } from './late.ts'
import type { Publication } from './parse.ts'
import { restoreState } from './restore.ts'
import { isBehind, landedIn } from './tables.ts'

/** Rows that a fetch gives a table and that have not landed yet. */
export interface Pending extends LandingFetch {
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
  /** The newest accepted fetch by data time, and the highest sequence. */
  last: AcceptedFetch | null
  seq: number
  /** What the folded fetches changed, as long as live state may lack it; by sequence and dataset, in order of data time. */
  unshown: { readonly seq: number; readonly changes: ReadonlyMap<string, readonly LiveChange[]> }[]
  /** True once live state was compared with this memory. */
  isShown: boolean
  /** The newest rejected fetch, by its bytes. */
  rejected: { readonly digest: string; readonly fetch_id: string } | null
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
  const memory: FeedMemory = { feed, parts, filling, last: null, seq: 0, unshown: [], isShown: false, rejected: null }
  const newest = Math.max(...all.map(({ until }) => until ?? 0))
  // A few steps back, so that the newest landed fetch by data time is read too: the guard compares with it. After many late ones it lies further back.
  const recent = await acceptedAfter(context.store, feed.id, Math.max(0, from - STEPS_BACK))
  const isKnown = newest === 0 || recent.some(({ data_time }) => Date.parse(data_time) >= newest)
  const further = isKnown ? [] : await acceptedFrom(context.store, feed.id, newest)
  const known = new Map([...further, ...recent].map((accepted) => [accepted.seq, accepted]))
  for (const accepted of [...known.values()].sort(byDataTime)) await foldAccepted(context, memory, accepted)
  return memory
}

const STEPS_BACK = 9

/**
 * Brings a memory up to the fetches that others accepted meanwhile. It is made anew where a late one is among them, where rows that it rests
 * on were derived anew, and where a table that was being filled is full.
 */
export async function syncMemory(context: IngestContext, memory: FeedMemory): Promise<FeedMemory> {
  if (await isOutdated(context, memory)) return openMemory(context, memory.feed)
  const news = await acceptedAfter(context.store, memory.feed.id, memory.seq)
  if (news.length === 0) return memory
  const newest = memory.last ? Date.parse(memory.last.data_time) : Number.NEGATIVE_INFINITY
  if (news.some((accepted) => Date.parse(accepted.data_time) <= newest)) return openMemory(context, memory.feed)
  for (const accepted of news.sort(byDataTime)) await foldAccepted(context, memory, accepted)
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
  }
  if (!memory.last || byDataTime(memory.last, accepted) < 0) memory.last = accepted
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
  part.pending.push({ seq: accepted.seq, data_time: Date.parse(accepted.data_time), lost: publication === null, rows: change.rows })
  return change.changes
}

/** How many fetches of a feed were accepted and gave some table no rows, since they cannot be read or parsed. */
export function countLost(memory: FeedMemory): number {
  const lost = new Set<number>()
  for (const { landed, pending } of memory.parts.values()) {
    for (const [first, last] of landed.lost) for (let seq = first; seq <= last; seq++) lost.add(seq)
    for (const fetch of pending) if (fetch.lost) lost.add(fetch.seq)
  }
  return lost.size
}
