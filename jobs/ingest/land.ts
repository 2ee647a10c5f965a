import { hasSeq, isSameLanded, landedWith } from '../../lake/landed.ts'
import { byDataTime, counting, type LogEntry, logAfter } from '../../lake/raw/archive.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import { isBulk } from './bulk.ts'
import type { IngestContext } from './context.ts'
import { parseIfKept, rowsFromArchive } from './derive.ts'
import { firstOfEachKey } from './first-of-key.ts'
import type { DatasetState } from './fold.ts'
import { lastBeforeGap } from './late-data.ts'
import { type FeedMemory, foldInto, type Part, passEmpty } from './memory.ts'
import { releaseOf } from './release.ts'
import { loadStates } from './replay.ts'
import { dropSpooled, takeSpooled } from './spool.ts'
import { heldIn, landedIn, landRows, replaceRows } from './tables.ts'

/** Most rows per commit; the rest lands in the next one. */
const MOST_ROWS = 2_000_000

/**
 * The result of a landing: rows by dataset, and whether the memory still matches the tables (false: another process landed,
 * rebuild the memory).
 */
export interface LandingResult {
  readonly rows: Record<string, number>
  readonly fits: boolean
}

/** Lands the pending rows of a memory, each dataset in its own commits, which record the fetches they contain. */
export async function land(context: IngestContext, memory: FeedMemory): Promise<LandingResult> {
  const rows: Record<string, number> = {}
  try {
    for (const part of memory.parts.values()) {
      const landed = await landPart(context, memory.feed, part)
      if (landed === null) return { rows, fits: false }
      if (landed.fetches > 0) rows[part.dataset.id] = landed.rows
    }
    return { rows, fits: true }
  } finally {
    await dropSpooled(context, memory.feed)
  }
}

/**
 * Lands the pending rows of one dataset, up to the first that are not in memory; null if the table has changed since the memory
 * was made.
 */
export async function landPart(context: IngestContext, feed: Feed, part: Part): Promise<{ fetches: number; rows: number } | null> {
  const done = { fetches: part.pending.length, rows: 0 }
  // Check first whether another process has landed, before writing a file.
  if (done.fetches > 0 && !isSameLanded(await landedIn(context, part.dataset, feed.id), part.landed)) return null
  while (part.pending[0]?.rows) {
    const rows = await landBatch(context, feed, part)
    if (rows === null) return null
    done.rows += rows
  }
  return done
}

async function landBatch(context: IngestContext, feed: Feed, part: Part): Promise<number | null> {
  const { dataset, landed: base, pending } = part
  let taken = 0
  let count = 0
  // Files made by DuckDB have one fetch each.
  const unkept = pending.findIndex(({ rows }) => rows === null)
  const most = isBulk(feed) ? 1 : unkept === -1 ? pending.length : unkept
  while (taken < most && (taken === 0 || count + (pending[taken] as Part['pending'][0]).count <= MOST_ROWS))
    count += (pending[taken++] as Part['pending'][0]).count
  const batch = pending.slice(0, taken)
  const landing = { feed: feed.id, base, next: landedWith(base, batch, await releaseOf(context)) }
  if (dataset.writeMode === 'replace' && count > 0) {
    const newestFirst = batch.flatMap(({ gives, accepted }) => (gives === 'rows' && accepted ? [{ accepted }] : [])).reverse()
    const [only, ...others] = newestFirst
    const spooled = only && others.length === 0 ? takeSpooled(context, feed, { ...only, dataset }) : null
    const rows = spooled ?? (await rowsFromArchive(context, feed, { dataset, newestFirst }))
    const done = await replaceRows(context, dataset, { ...landing, rows, fetchIds: [] })
    if (!done) return null
    part.landed = done.landed
    part.pending = pending.slice(taken)
    return done.added
  }
  const given = batch.flatMap(({ rows }) => rows ?? [])
  const rows = dataset.writeMode === 'append' ? await firstOfEachKey(context, dataset, given) : given
  if (!(await landRows(context, dataset, { ...landing, rows }))) return null
  part.landed = landing.next
  part.pending = pending.slice(taken)
  return rows.length
}

/** Fetches and rows of one commit. */
const FETCHES_AT_ONCE = 500
const ROWS_AT_ONCE = 1_000_000

/**
 * Lands archived fetches into a dataset that was added to its feed later, oldest first, until the table is complete or time is
 * up; the next call continues. It does not use the feed's memory, so fetching never waits. Returns the rows landed.
 */
export async function fillTable(
  context: IngestContext,
  feed: Feed,
  dataset: Dataset,
  options: { readonly signal: AbortSignal; readonly atMost_ms: number },
): Promise<number> {
  const began = performance.now()
  const held = await heldIn(context, dataset, feed.id)
  const { landed } = held
  const { states } = await loadStates(context, feed, { held: [held] })
  const part: Part = { dataset, landed, pending: [], state: states.get(dataset.id) as DatasetState }
  let rows = 0
  let after = await lastBeforeGap(context, feed.id, landed)
  const isOver = (): boolean => performance.now() - began > options.atMost_ms
  while (!isOver()) {
    const read = await logAfter(context.store, feed.id, after, FETCHES_AT_ONCE)
    if (read.length === 0) break
    const { seq: end } = read.at(-1) as LogEntry
    passEmpty(part, read, { after, to: end })
    // A late fetch before the newest landed one is placed once the table is complete.
    const next = counting(read).filter(
      ({ seq, data_time }) => !hasSeq(part.landed.seqs, seq) && Date.parse(data_time) > (part.landed.until ?? 0),
    )
    let waiting = 0
    let folded = 0
    for (const accepted of next.sort(byDataTime)) {
      options.signal.throwIfAborted()
      const publication = await parseIfKept(context, feed, accepted, 'it lands without rows')
      foldInto(context, feed, part, { accepted, publication })
      folded++
      waiting += part.pending.at(-1)?.count ?? 0
      if (waiting > ROWS_AT_ONCE || isOver()) break
    }
    const done = await landPart(context, feed, part)
    if (done === null) break
    rows += done.rows
    after = folded === next.length ? end : after
  }
  return rows
}
