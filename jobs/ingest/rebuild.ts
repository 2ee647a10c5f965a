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
import { advancePart, parseIfKept } from './derive.ts'
import { firstOfEachKey } from './first-of-key.ts'
import { type DatasetState, emptyState } from './fold.ts'
import { restoreState } from './restore.ts'
import { type LandingRows, landedIn, landRows, type Replaced, replaceRows, versionsOf } from './tables.ts'
import { rowsFromArchive, type VersionSource } from './versions.ts'

/** Fetches whose rows are derived anew in one commit. */
const FETCHES_AT_ONCE = 500
const ROWS_AT_ONCE = 1_500_000
/** Fetches at the beginning of an archive that lost earlier ones: from these it is told what was absent. */
const KEPT_TO_BEGIN = 16
/** Late fetches among the first ones lie no further than this behind their place. */
const BEGINNING = 64
/** One rebuild of a feed at a time, wherever it is begun; another waits so long for it, which is longer than a dead holder keeps the lock. */
const LOCK = { ttl_ms: 20_000, wait_ms: 30_000 }

/** Which rows to derive anew. Instants of data time in ms since the epoch, both inclusive; `to` null means to the end. */
export interface RebuildOptions {
  readonly feed: Feed
  readonly dataset: Dataset
  readonly from: number
  readonly to: number | null
  /** Told after each fetch, for a progress bar. */
  readonly onProgress?: (done: number, all: number) => void
}

/** What a rebuild did: fetches looked at, rows taken out and put in; nothing where the rows were the same. */
export interface RebuildResult {
  readonly fetches: number
  readonly removed: number
  readonly added: number
}

/**
 * Derives the rows of a range of fetches anew from the raw archive and replaces exactly theirs; unchanged rows commit nothing. A `changes`
 * table goes on past `to` until a stretch of later fetches gives the rows it has, so that it is again what the fetches in order would have
 * given; whole versions are derived up to the end. Fetches that the archive lost, that cannot be read or that the parser no longer takes
 * stay as they landed, and so do the first ones left, from which the state before is told. Rows of fetches that were withdrawn are taken out,
 * and what follows is derived as if they had not been. An interrupted rebuild is marked in the table;
 * the next one begins where that one began. Throws where another process is at it.
 */
export async function rebuild(context: IngestContext, options: RebuildOptions): Promise<RebuildResult> {
  const { feed, dataset } = options
  const done = await withLock({ redis: context.redis, name: `rebuild:${feed.id}`, ...LOCK }, async (signal) => {
    const landed = await landedIn(context, dataset, feed.id)
    const due = await dueWithdrawals(context, feed.id, landed)
    const open = landed.rebuildFrom
    // The version that a withdrawn fetch gave anew may have come with any fetch before it.
    const from = due.length > 0 && dataset.land === 'replace' ? 0 : Math.min(options.from, open ?? options.from)
    const to = open === null && dataset.land !== 'replace' ? options.to : null
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
      withdrawn: new Set(withdrawn),
      from: startOf(range),
      to,
      total,
    }
    if (range.length > 0) await (dataset.land === 'replace' ? rebuildVersions(work) : rebuildInOrder(work))
    return work.total
  })
  if (!done.ran) throw new Error(`rows of ${feed.id} are being derived anew by another process; try again when it is over`)
  return done.value
}

interface Work extends RebuildOptions {
  readonly context: IngestContext
  readonly signal: AbortSignal
  /** What is derived anew, in order of data time; those that were withdrawn among it give nothing. */
  readonly range: readonly AcceptedFetch[]
  readonly withdrawn: ReadonlySet<AcceptedFetch>
  /** Fetches of the range before which lie landed ones that the archive lost: the table has to tell the state before them. */
  readonly gaps: ReadonlySet<number>
  landed: Landed
  /** Newest data time that has landed and was not withdrawn. */
  until: number | null
  readonly total: { fetches: number; removed: number; added: number }
}

async function rebuildInOrder(work: Work): Promise<void> {
  const { context, dataset, range, to } = work
  const place: Place = { at: 0, state: dataset.land === 'changes' ? null : emptyState() }
  while (place.at < range.length) {
    const first = timeOf(range[place.at] as AcceptedFetch)
    const chunk = await deriveChunk(work, place)
    const reached = timeOf(range[place.at - 1] as AcceptedFetch)
    const after = place.at < range.length ? timeOf(range[place.at] as AcceptedFetch) : null
    // Observations never depend on what came before; states do, and are looked at until they have met again.
    const isAsked = to !== null && reached <= to && after !== null && after > to && dataset.land !== 'changes'
    const complete = after === null || isAsked
    // What has not landed yet can wait for its turn; rows that have must not be left half derived.
    const isOpen = !complete && range.slice(place.at).some(({ seq }) => hasSeq(work.landed.seqs, seq))
    const rows =
      dataset.land === 'append'
        ? await firstOfEachKey(context, dataset, chunk.rows, { fetchIds: chunk.fetches.map(({ fetch_id }) => fetch_id), from: first })
        : chunk.rows
    const done = await replaceChunk(work, { ...chunk, rows, rebuildFrom: isOpen ? work.from : null })
    if (complete) break
    if (to !== null && first > to && chunk.isStretch && done.removed + done.added === 0) {
      await replaceChunk(work, { fetches: [], rows: [], rebuildFrom: null })
      break
    }
  }
}

/** Where a rebuild stands: the next fetch, and the state before it; null where the table has to tell it. */
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
  /** True where it would have shown a difference before it. */
  readonly isStretch: boolean
}

async function deriveChunk(work: Work, place: Place): Promise<DerivedChunk> {
  const { context, feed, dataset, range, to } = work
  const fetches: Chunk['fetches'][number][] = []
  const rows: AnyRow[] = []
  /** Data times of what tells of everything: a missing block may hide a difference for as long as it is missing. */
  const telling: number[] = []
  const start = place.at
  while (place.at < range.length && place.at - start < FETCHES_AT_ONCE && rows.length < ROWS_AT_ONCE) {
    work.signal.throwIfAborted()
    const accepted = range[place.at] as AcceptedFetch
    // A chunk never crosses the end of the asked range, and beyond it is only as long as it takes to see that nothing differs any more.
    const isBeyond = to !== null && timeOf(accepted) > to
    if (isBeyond && place.at > start && (timeOf(range[place.at - 1] as AcceptedFetch) <= to || isStretch(telling))) break
    if (work.gaps.has(accepted.seq) && dataset.land === 'changes') {
      if (place.at > start) {
        place.state = null
        break
      }
      place.state = null
    }
    if (work.withdrawn.has(accepted)) {
      // Before its rows go: afterwards the table tells of the state with what it had changed.
      place.state ??= await restoreState(context, { feed, dataset, landed: work.landed, before: timeOf(accepted) })
      fetches.push({ ...accepted, data_time: null, gives: 'withdrawn' })
      pass(work, place)
      continue
    }
    const publication = await parseIfKept(context, feed, accepted, 'its rows stay as they are')
    if (publication === null && gaveRows(work.landed, accepted.seq)) {
      pass(work, place)
      if (dataset.land !== 'changes') continue
      // What it did to the state is told by the table, once all before it is there.
      place.state = null
      break
    }
    place.state ??= await restoreState(context, { feed, dataset, landed: work.landed, before: timeOf(accepted) })
    for (const row of advancePart(feed, { dataset, state: place.state }, { accepted, publication, idKey: context.idKey }).rows)
      rows.push(row)
    if (publication && place.state.blocks.missing.length === 0) telling.push(timeOf(accepted))
    fetches.push({ ...accepted, data_time: timeOf(accepted), gives: publication ? 'rows' : 'lost' })
    pass(work, place)
  }
  return { fetches, rows, isStretch: isStretch(telling) }
}

function pass(work: Work, place: Place): void {
  place.at++
  work.onProgress?.(place.at, work.range.length)
}

/** From the newest fetch to the oldest: of each version the rows of the newest one that carries it. */
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
  const next = { ...landedWith({ ...base, until: work.until }, fetches), rebuildFrom: chunk.rebuildFrom }
  const landing = { feed: feed.id, rows, base, next }
  const done: Replaced | null =
    fetches.length > 0
      ? await replaceRows(context, dataset, { ...landing, fetchIds: fetches.map(({ fetch_id }) => fetch_id) })
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

/** Long enough that an absence counted otherwise, or a life that went on, would have shown. */
function isStretch(times: readonly number[]): boolean {
  return times.length > ABSENCES && (times.at(-1) as number) - (times[0] as number) > REVIVAL_MS
}

/** The fetches that were withdrawn and whose rows a table still holds. */
async function dueWithdrawals(context: IngestContext, feed: string, landed: Landed): Promise<AcceptedFetch[]> {
  const seqs = toWithdraw(landed, await withdrawnSeqs(context.store, feed))
  const read = await Promise.all(seqs.map((seq) => readWithdrawn(context.store, feed, seq)))
  return read.filter((fetch) => fetch !== null)
}

/** Newest data time of what a table holds and was not withdrawn; null where that is nothing. */
async function newestLanded(context: IngestContext, feed: string, { seqs }: Landed): Promise<number | null> {
  const newest = await newestAccepted(context.store, feed, (seq) => hasSeq(seqs, seq))
  return newest && timeOf(newest)
}

/** The numbers of a range, by what the guard accepted, right before which lie numbers that landed with rows and that the archive lost. */
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
 * The fetches from a data time on that can be derived anew, in its order: all that the archive holds or, where it lost its first ones, all
 * but those it has to begin from.
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

/** The number that an archive begins with, and, where it lost earlier ones, those that it is begun from and that stay as they landed. */
export async function beginningOf(context: IngestContext, feed: Feed): Promise<{ begin: number; kept: ReadonlySet<number> }> {
  const first = await logAfter(context.store, feed.id, 0, KEPT_TO_BEGIN + BEGINNING)
  const begin = first.find(({ fetch, withdrawn }) => fetch !== null || withdrawn)?.seq ?? 1
  const kept = begin === 1 ? [] : counting(first).sort(byDataTime).slice(0, KEPT_TO_BEGIN)
  return { begin, kept: new Set(kept.map(({ seq }) => seq)) }
}

const timeOf = ({ data_time }: AcceptedFetch): number => Date.parse(data_time)
const startOf = (range: readonly AcceptedFetch[]): number => (range[0] ? timeOf(range[0]) : 0)
