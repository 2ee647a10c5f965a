import { isSameLanded, landedWith } from '../../lake/landed.ts'
import type { Feed } from '../feeds/define.ts'
import { isBulk } from './bulk.ts'
import type { IngestContext } from './context.ts'
import { firstOfEachKey } from './first-of-key.ts'
import type { FeedMemory, Part } from './memory.ts'
import { dropSpooled, takeSpooled } from './spool.ts'
import { landedIn, landRows, replaceRows } from './tables.ts'
import { rowsFromArchive } from './versions.ts'

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
  const landing = { feed: feed.id, base, next: landedWith(base, batch) }
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
