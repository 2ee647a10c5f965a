import { hasSeq, type Landed, type LandingFetch, landedWith, toWithdraw } from '../../lake/landed.ts'
import { withLock } from '../../lake/live/lock.ts'
import {
  type AcceptedFetch,
  acceptedFrom,
  byDataTime,
  counting,
  logAfter,
  newestAccepted,
  readWithdrawn,
  withdrawnSeqs,
} from '../../lake/raw/archive.ts'
import { ABSENCES, type AnyRow, type Dataset, REVIVAL_MS } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import { isBulk } from './bulk.ts'
import type { IngestContext } from './context.ts'
import { advancePart, parseIfKept, rowsFromArchive, type VersionSource } from './derive.ts'
import { firstOfEachKey } from './first-of-key.ts'
import { type DatasetState, emptyState } from './fold.ts'
import { releaseOf } from './release.ts'
import { loadStates } from './replay.ts'
import { heldIn, type LandingRows, landedIn, landRows, type Replaced, replaceRows, versionsOf } from './tables.ts'

/** Fetches rebuilt in one commit. */
const FETCHES_AT_ONCE = 500
const ROWS_AT_ONCE = 1_500_000
/** First fetches of an archive that lost earlier ones: they only serve to restore what was absent. */
const KEPT_TO_BEGIN = 16
/** Late fetches among the first ones are at most this far behind their position. */
const BEGINNING = 64
/** One rebuild per feed at a time, across processes; another waits longer than the lock of a dead holder lasts. */
const LOCK = { ttl_ms: 20_000, wait_ms: 30_000 }

/** Which rows to rebuild. Instants of data time in ms since the epoch, both inclusive; `to` null means the end. */
export interface RebuildOptions {
  readonly feed: Feed
  readonly dataset: Dataset
  readonly from: number
  readonly to: number | null
  /** Called after each fetch, for a progress bar. */
  readonly onProgress?: (done: number, all: number) => void
}

/** The result of a rebuild: fetches read, rows removed and added; no commit if the rows are equal. */
export interface RebuildResult {
  readonly fetches: number
  readonly removed: number
  readonly added: number
}

/**
 * Rebuilds the rows of a range of fetches from the raw archive and replaces exactly those; equal rows commit nothing. Throws
 * if another process is rebuilding the feed. An interrupted rebuild is marked in the table, and the next one starts there.
 * Rules: "Rebuilds" in jobs/README.md.
 */
export async function rebuild(context: IngestContext, options: RebuildOptions): Promise<RebuildResult> {
  const { feed, dataset } = options
  const done = await withLock({ redis: context.redis, name: `rebuild:${feed.id}`, ...LOCK }, async (signal) => {
    const landed = await landedIn(context, dataset, feed.id)
    const due = await dueWithdrawals(context, feed.id, landed)
    const open = landed.rebuildFrom
    // A version that a withdrawn fetch repeated may have come with any fetch before it.
    const from = due.length > 0 && dataset.writeMode === 'replace' ? 0 : Math.min(options.from, open ?? options.from)
    const to = open === null && dataset.writeMode !== 'replace' ? options.to : null
    const withdrawn = due.filter(({ data_time }) => Date.parse(data_time) >= from)
    const range = [...(await derivable(context, feed, { landed, from })), ...withdrawn].sort(byDataTime)
    const gaps = lostBefore(range, landed)
    const total = { fetches: 0, removed: 0, added: 0 }
    const until = withdrawn.length > 0 ? await newestLanded(context, feed.id, landed) : landed.until
    const work: Work = {
      ...options,
      context,
      signal,
      landed,
      until,
      range,
      gaps,
      unread: new Set(),
      withdrawn: new Set(withdrawn),
      from: startOf(range),
      to,
      total,
    }
    if (range.length > 0) await (dataset.writeMode === 'replace' ? rebuildVersions(work) : rebuildInOrder(work))
    return work.total
  })
  if (!done.ran) throw new Error(`rows of ${feed.id} are being rebuilt by another process; try again when it has finished`)
  return done.value
}

interface Work extends RebuildOptions {
  readonly context: IngestContext
  readonly signal: AbortSignal
  /** The fetches to rebuild, in order of data time; withdrawn ones among them give no rows. */
  readonly range: readonly AcceptedFetch[]
  readonly withdrawn: ReadonlySet<AcceptedFetch>
  /** Fetches preceded by landed fetches that the archive lost: the state before them comes from the table. */
  readonly gaps: ReadonlySet<number>
  /** Ids of landed fetches that cannot be read again: their rows stay. */
  readonly unread: Set<string>
  landed: Landed
  /** Newest data time that has landed and was not withdrawn. */
  until: number | null
  readonly total: { fetches: number; removed: number; added: number }
}

async function rebuildInOrder(work: Work): Promise<void> {
  const { context, dataset, range, to } = work
  const place: Place = { at: 0, state: dataset.writeMode === 'changes' ? null : emptyState() }
  while (place.at < range.length) {
    const left = range.slice(place.at)
    const first = timeOf(left[0] as AcceptedFetch)
    const chunk = await deriveChunk(work, place)
    const reached = timeOf(range[place.at - 1] as AcceptedFetch)
    const after = place.at < range.length ? timeOf(range[place.at] as AcceptedFetch) : null
    // Observations never depend on earlier ones; states do, and are compared until they agree again.
    const isAsked = to !== null && reached <= to && after !== null && after > to && dataset.writeMode !== 'changes'
    const complete = after === null || isAsked
    // Rows that have not landed can wait; landed rows must not stay half rebuilt.
    const isOpen = !complete && range.slice(place.at).some(({ seq }) => hasSeq(work.landed.seqs, seq))
    const isWhole = work.unread.size === 0 && work.gaps.size === 0
    const inPlace = {
      fetchIds: (isWhole ? chunk.fetches : left).map(({ fetch_id }) => fetch_id).filter((id) => !work.unread.has(id)),
      from: isWhole ? first : null,
    }
    const rows = dataset.writeMode === 'append' ? await firstOfEachKey(context, dataset, chunk.rows, inPlace) : chunk.rows
    const done = await replaceChunk(work, { ...chunk, rows, rebuildFrom: isOpen ? work.from : null })
    if (complete) break
    if (to !== null && first > to && chunk.isStretch && done.removed + done.added === 0) {
      await replaceChunk(work, { fetches: [], rows: [], rebuildFrom: null })
      break
    }
  }
}

/** The position of a rebuild: the next fetch, and the state before it; null if the table must restore it. */
interface Place {
  at: number
  state: DatasetState | null
}

interface Chunk {
  readonly fetches: readonly (LandingFetch & { readonly fetch_id: string })[]
  readonly rows: LandingRows['rows']
}

interface DerivedChunk extends Chunk {
  readonly rows: readonly AnyRow[]
  /** True if it is long enough that a difference would have shown. */
  readonly isStretch: boolean
}

async function deriveChunk(work: Work, place: Place): Promise<DerivedChunk> {
  const { context, feed, dataset, range, to } = work
  const fetches: Chunk['fetches'][number][] = []
  const rows: AnyRow[] = []
  /** Data times of complete publications: a missing block can hide a difference while it is missing. */
  const completeAt: number[] = []
  const start = place.at
  while (place.at < range.length && place.at - start < FETCHES_AT_ONCE && rows.length < ROWS_AT_ONCE) {
    work.signal.throwIfAborted()
    const accepted = range[place.at] as AcceptedFetch
    // A chunk never crosses the end of the requested range. Beyond it, a chunk is only long enough to see that nothing
    // differs any more.
    const isBeyond = to !== null && timeOf(accepted) > to
    if (isBeyond && place.at > start && (timeOf(range[place.at - 1] as AcceptedFetch) <= to || isStretch(completeAt))) break
    if (work.gaps.has(accepted.seq) && dataset.writeMode === 'changes') {
      if (place.at > start) {
        place.state = null
        break
      }
      place.state = null
    }
    if (work.withdrawn.has(accepted)) {
      // Before its rows are replaced: afterwards the table state includes their changes.
      place.state ??= await stateBefore(work, timeOf(accepted))
      fetches.push({ ...accepted, data_time: null, gives: 'withdrawn' })
      pass(work, place)
      continue
    }
    const publication = await parseIfKept(context, feed, accepted, 'its rows stay as they are')
    if (publication === null && gaveRows(work.landed, accepted.seq)) {
      work.unread.add(accepted.fetch_id)
      pass(work, place)
      if (dataset.writeMode !== 'changes') continue
      // Its effect on the state comes from the table once everything before it has landed.
      place.state = null
      break
    }
    place.state ??= await stateBefore(work, timeOf(accepted))
    for (const row of advancePart(feed, { dataset, state: place.state }, { accepted, publication, idKey: context.idKey }).rows)
      rows.push(row)
    if (publication && place.state.blocks.missing.length === 0) completeAt.push(timeOf(accepted))
    fetches.push({ ...accepted, data_time: timeOf(accepted), gives: publication ? 'rows' : 'lost' })
    pass(work, place)
  }
  return { fetches, rows, isStretch: isStretch(completeAt) }
}

/** The state just before a data time (ms). */
async function stateBefore({ context, feed, dataset, landed }: Work, before: number): Promise<DatasetState> {
  const { table } = await heldIn(context, dataset, feed.id)
  const { states } = await loadStates(context, feed, { held: [{ dataset, landed, table }], before })
  return states.get(dataset.id) as DatasetState
}

function pass(work: Work, place: Place): void {
  place.at++
  work.onProgress?.(place.at, work.range.length)
}

/** From the newest fetch to the oldest: each version takes the rows of the newest fetch that has it. */
async function rebuildVersions(work: Work): Promise<void> {
  const { context, feed, dataset } = work
  const range = [...work.range].reverse()
  const taken = new Set<unknown>()
  const atOnce = isBulk(feed) ? 1 : FETCHES_AT_ONCE
  for (let at = 0; at < range.length; ) {
    const fetches: Chunk['fetches'][number][] = []
    const newestFirst: VersionSource[] = []
    let waiting = 0
    for (; at < range.length && fetches.length + newestFirst.length < atOnce && waiting < ROWS_AT_ONCE; at++) {
      work.signal.throwIfAborted()
      const accepted = range[at] as AcceptedFetch
      if (work.withdrawn.has(accepted)) {
        fetches.push({ ...accepted, data_time: null, gives: 'withdrawn' })
        continue
      }
      const publication = await parseIfKept(context, feed, accepted, 'its rows stay as they are')
      work.onProgress?.(at + 1, range.length)
      if (publication === null && gaveRows(work.landed, accepted.seq)) {
        newestFirst.push({ keeps: isBulk(feed) ? [accepted.period] : await versionsOf(context, dataset, accepted.fetch_id) })
        continue
      }
      if (publication) newestFirst.push({ accepted })
      waiting += publication?.counts.get(dataset.id) ?? 0
      fetches.push({ ...accepted, data_time: timeOf(accepted), gives: publication ? 'rows' : 'lost' })
    }
    const rows = await rowsFromArchive(context, feed, { dataset, newestFirst, taken })
    await replaceChunk(work, { fetches, rows, rebuildFrom: at < range.length ? work.from : null })
  }
}

async function replaceChunk(work: Work, chunk: Chunk & { readonly rebuildFrom: number | null }): Promise<Replaced> {
  const { context, feed, dataset, landed: base, total } = work
  const { fetches, rows } = chunk
  work.signal.throwIfAborted()
  const release = await releaseOf(context)
  const next = { ...landedWith({ ...base, until: work.until }, fetches, release), rebuildFrom: chunk.rebuildFrom }
  const landing = { feed: feed.id, rows, base, next }
  const done: Replaced | null =
    fetches.length > 0
      ? await replaceRows(context, dataset, { ...landing, fetchIds: fetches.map(({ fetch_id }) => fetch_id), from: work.from })
      : (await landRows(context, dataset, landing))
        ? { removed: 0, added: 0, landed: next }
        : null
  if (!done) throw new Error(`${dataset.id}: somebody else landed fetches of ${feed.id} during the rebuild; run it again`)
  work.landed = done.landed
  work.until = done.landed.until
  total.fetches += fetches.length
  total.removed += done.removed
  total.added += done.added
  return done
}

/** True for a number whose rows are in the table. */
function gaveRows({ seqs, lost, withdrawn }: Landed, seq: number): boolean {
  return hasSeq(seqs, seq) && !hasSeq(lost, seq) && !hasSeq(withdrawn, seq)
}

/** Long enough to reveal an absence counted differently, or a continued life. */
function isStretch(times: readonly number[]): boolean {
  return times.length > ABSENCES && (times.at(-1) as number) - (times[0] as number) > REVIVAL_MS
}

/** Withdrawn fetches whose rows are still in a table. */
async function dueWithdrawals(context: IngestContext, feed: string, landed: Landed): Promise<AcceptedFetch[]> {
  const seqs = toWithdraw(landed, await withdrawnSeqs(context.store, feed))
  const read = await Promise.all(seqs.map((seq) => readWithdrawn(context.store, feed, seq)))
  return read.filter((fetch) => fetch !== null)
}

/** Newest data time in a table that was not withdrawn; null if there is none. */
async function newestLanded(context: IngestContext, feed: string, { seqs }: Landed): Promise<number | null> {
  const newest = await newestAccepted(context.store, feed, (seq) => hasSeq(seqs, seq))
  return newest && timeOf(newest)
}

/**
 * The positions in a range that directly follow landed fetches which the archive lost; only fetches that the guard accepted
 * count.
 */
function lostBefore(range: readonly AcceptedFetch[], landed: Landed): Set<number> {
  const kept = range.map(({ seq }) => seq).sort((one, other) => one - other)
  const guarded = new Set(range.filter(({ accepted_by }) => accepted_by === 'guard').map(({ seq }) => seq))
  const gaps = new Set<number>()
  let isLost = false
  for (const [at, seq] of kept.entries()) {
    for (let gone = (kept[at - 1] ?? seq) + 1; gone < seq; gone++) isLost ||= gaveRows(landed, gone)
    if (!isLost || !guarded.has(seq)) continue
    gaps.add(seq)
    isLost = false
  }
  return gaps
}

/**
 * The fetches from a data time on that can be rebuilt, in order: all in the archive or, if it lost its first ones, all except
 * those that it needs to start from.
 */
async function derivable(
  context: IngestContext,
  feed: Feed,
  wanted: { readonly landed: Landed; readonly from: number },
): Promise<AcceptedFetch[]> {
  const range = (await acceptedFrom(context.store, feed.id, wanted.from)).sort(byDataTime)
  const { begin, kept } = await beginningOf(context, feed)
  return hasSeq(wanted.landed.seqs, begin - 1) ? range.filter(({ seq }) => !kept.has(seq)) : range
}

/**
 * The first number of an archive and, if it lost earlier ones, the numbers that it starts from and that stay as they landed.
 */
export async function beginningOf(context: IngestContext, feed: Feed): Promise<{ begin: number; kept: ReadonlySet<number> }> {
  const first = await logAfter(context.store, feed.id, 0, KEPT_TO_BEGIN + BEGINNING)
  const begin = first.find(({ fetch, withdrawn }) => fetch !== null || withdrawn)?.seq ?? 1
  const kept = begin === 1 ? [] : counting(first).sort(byDataTime).slice(0, KEPT_TO_BEGIN)
  return { begin, kept: new Set(kept.map(({ seq }) => seq)) }
}

const timeOf = ({ data_time }: AcceptedFetch): number => Date.parse(data_time)
const startOf = (range: readonly AcceptedFetch[]): number => (range[0] ? timeOf(range[0]) : 0)
