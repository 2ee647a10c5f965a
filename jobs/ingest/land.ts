import { isSameLanded, landedWith } from '../../lake/landed.ts'
import type { Feed } from '../feeds/define.ts'
import { isBulk } from './bulk.ts'
import type { IngestContext } from './context.ts'
import { firstOfEachKey } from './first-of-key.ts'
import type { FeedMemory, Part } from './memory.ts'
import { dropSpooled, takeSpooled } from './spool.ts'
import { landedIn, landRows, replaceRows } from './tables.ts'
import { rowsFromArchive } from './versions.ts'

/** Rows in one commit at most; what waits beyond lands in the next. */
const MOST_ROWS = 2_000_000

/** What a landing did: rows by dataset, and whether the memory still fits the tables (false: somebody else landed, make it anew). */
export interface LandingResult {
  readonly rows: Record<string, number>
  readonly fits: boolean
}

/** Lands what waits in a memory, each dataset in commits of its own that state which fetches they hold. */
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

/** Lands what waits of one dataset; null where the table no longer holds what the part remembers. */
export async function landPart(context: IngestContext, feed: Feed, part: Part): Promise<{ fetches: number; rows: number } | null> {
  const done = { fetches: part.pending.length, rows: 0 }
  // Nobody need write a file to learn that somebody else has landed.
  if (done.fetches > 0 && !isSameLanded(await landedIn(context, part.dataset, feed.id), part.landed)) return null
  while (part.pending.length > 0) {
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
  // Files that the engine makes are of one fetch each.
  const most = isBulk(feed) ? 1 : pending.length
  while (taken < most && (taken === 0 || count + (pending[taken] as Part['pending'][0]).count <= MOST_ROWS))
    count += (pending[taken++] as Part['pending'][0]).count
  const batch = pending.slice(0, taken)
  const landing = { feed: feed.id, base, next: landedWith(base, batch) }
  if (dataset.land === 'replace' && count > 0) {
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
  const given = batch.flatMap(({ rows }) => rows)
  const rows = dataset.land === 'append' ? await firstOfEachKey(context, dataset, given) : given
  if (!(await landRows(context, dataset, { ...landing, rows }))) return null
  part.landed = landing.next
  part.pending = pending.slice(taken)
  return rows.length
}
