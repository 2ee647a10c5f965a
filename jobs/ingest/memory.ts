import { hasSeq, type Landed } from '../../lake/landed.ts'
import type { LiveChange } from '../../lake/live/types.ts'
import { type AcceptedFetch, acceptedAfter, byDataTime } from '../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from './context.ts'
import { advancePart, parseAccepted } from './derive.ts'
import type { DatasetState } from './fold.ts'
import type { Publication } from './parse.ts'
import { rebuild } from './rebuild.ts'
import { restoreState } from './restore.ts'
import { landedIn } from './tables.ts'

/** Rows that a fetch gives a table and that have not landed yet. */
export interface Pending {
  readonly seq: number
  readonly data_time: number
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
  /** The newest accepted fetch by data time, and the highest sequence. */
  last: AcceptedFetch | null
  seq: number
  /** What the folded fetches changed, as long as live state may lack it; by sequence and dataset. */
  unshown: { readonly seq: number; readonly changes: ReadonlyMap<string, readonly LiveChange[]> }[]
  /** The newest rejected fetch, by its bytes. */
  rejected: { readonly digest: string; readonly fetch_id: string } | null
}

/** Makes the memory of a feed from tables and archive; fetches that came late are first given their place in the tables. */
export async function openMemory(context: IngestContext, feed: Feed): Promise<FeedMemory> {
  await settle(context, feed)
  const parts = new Map<string, Part>()
  for (const dataset of feed.into) {
    const landed = await landedIn(context, dataset, feed.id)
    parts.set(dataset.id, { dataset, landed, pending: [], state: await restoreState(context, { feed, dataset, landed }) })
  }
  const memory: FeedMemory = { feed, parts, last: null, seq: 0, unshown: [], rejected: null }
  const newest = Math.max(...[...parts.values()].map(({ landed }) => landed.until ?? 0))
  const holdsNewest = (fetches: readonly AcceptedFetch[]): boolean =>
    newest === 0 || fetches.some(({ data_time }) => Date.parse(data_time) >= newest)
  const recent = await acceptedAfter(context.store, feed.id, firstUnknown(parts) - 1)
  // After many late fetches the newest one lies further back in the log.
  const known = holdsNewest(recent) ? recent : await acceptedAfter(context.store, feed.id, 0)
  for (const accepted of known.sort(byDataTime)) await foldAccepted(context, memory, accepted)
  return memory
}

/** Brings a memory up to the fetches that others accepted meanwhile; a late one among them makes a new memory. */
export async function syncMemory(context: IngestContext, memory: FeedMemory): Promise<FeedMemory> {
  const news = await acceptedAfter(context.store, memory.feed.id, memory.seq)
  if (news.length === 0) return memory
  const newest = memory.last ? Date.parse(memory.last.data_time) : Number.NEGATIVE_INFINITY
  if (news.some((accepted) => Date.parse(accepted.data_time) <= newest)) return openMemory(context, memory.feed)
  for (const accepted of news.sort(byDataTime)) await foldAccepted(context, memory, accepted)
  return memory
}

/** Folds a fetch into every part that lacks it. `publication` saves parsing it again. */
export async function foldAccepted(
  context: IngestContext,
  memory: FeedMemory,
  accepted: AcceptedFetch,
  publication?: Publication,
): Promise<void> {
  const changes = new Map<string, readonly LiveChange[]>()
  let parsed = publication
  for (const part of memory.parts.values()) {
    if (hasSeq(part.landed.seqs, accepted.seq) || part.pending.some(({ seq }) => seq === accepted.seq)) continue
    parsed ??= await parseAccepted(context, memory.feed, accepted)
    const change = advancePart(memory.feed, part, { accepted, publication: parsed, idKey: context.idKey })
    part.pending.push({ seq: accepted.seq, data_time: Date.parse(accepted.data_time), rows: change.rows })
    changes.set(part.dataset.id, change.changes)
  }
  if (!memory.last || byDataTime(memory.last, accepted) < 0) memory.last = accepted
  memory.seq = Math.max(memory.seq, accepted.seq)
  if (changes.size > 0) memory.unshown.push({ seq: accepted.seq, changes })
}

/** Gives late fetches and interrupted rebuilds their place in the tables, so that what is left lies after everything landed. */
async function settle(context: IngestContext, feed: Feed): Promise<void> {
  for (const dataset of feed.into) {
    const landed = await landedIn(context, dataset, feed.id)
    if (landed.until === null) continue
    const waiting = (await acceptedAfter(context.store, feed.id, landed.seqs[0]?.[1] ?? 0)).filter(({ seq }) => !hasSeq(landed.seqs, seq))
    const late = waiting.map((accepted) => Date.parse(accepted.data_time)).filter((instant) => instant <= (landed.until as number))
    const from = Math.min(...late, landed.rebuildFrom ?? Number.POSITIVE_INFINITY)
    if (Number.isFinite(from)) await rebuild(context, { feed, dataset, from, to: null })
  }
}

/** The first sequence that some table of the feed lacks, or 1: `memory.last` is read from there or, where all has landed, from the newest. */
function firstUnknown(parts: ReadonlyMap<string, Part>): number {
  const ends = [...parts.values()].map(({ landed }) => (landed.seqs[0]?.[0] === 1 ? landed.seqs[0][1] : 0))
  // A few steps back, so that the newest landed fetch by data time is read too: the guard compares with it.
  return Math.max(1, Math.min(...ends) - 8)
}
