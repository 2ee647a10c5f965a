import { addSeqs, type Landed } from '../../lake/landed.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { instantOfRow } from '../../lake/schema/partitions.ts'
import { entityKey } from '../../lake/schema/rows.ts'
import type { IngestContext } from './context.ts'
import type { FeedMemory, Part } from './memory.ts'
import { holdsFrom, keysBetween, landRows } from './tables.ts'

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
  for (const part of memory.parts.values()) {
    while (part.pending.length > 0) {
      const landed = await landPart(context, memory.feed.id, part)
      if (landed === null) return { rows, fits: false }
      rows[part.dataset.id] = (rows[part.dataset.id] ?? 0) + landed
    }
  }
  return { rows, fits: true }
}

async function landPart(context: IngestContext, feed: string, part: Part): Promise<number | null> {
  const { dataset, landed: base } = part
  let taken = 0
  let count = 0
  while (taken < part.pending.length && (taken === 0 || count + (part.pending[taken] as Part['pending'][0]).rows.length <= MOST_ROWS))
    count += (part.pending[taken++] as Part['pending'][0]).rows.length
  const batch = part.pending.slice(0, taken)
  const rows =
    dataset.land === 'append'
      ? await freshRows(
          context,
          part,
          batch.flatMap(({ rows }) => rows),
        )
      : batch.flatMap(({ rows }) => rows)
  const next: Landed = {
    seqs: addSeqs(
      base.seqs,
      batch.map(({ seq }) => seq),
    ),
    until: Math.max(base.until ?? 0, ...batch.map(({ data_time }) => data_time)),
    rebuildFrom: base.rebuildFrom,
    rebuilds: base.rebuilds,
  }
  if (!(await landRows(context, dataset, { feed, rows, base, next }))) return null
  part.landed = next
  part.pending = part.pending.slice(taken)
  return rows.length
}

/** Observations whose key the table lacks: of several with one key, the first in order of data time counts. */
async function freshRows(context: IngestContext, part: Part, rows: AnyRow[]): Promise<AnyRow[]> {
  const { dataset } = part
  const key = (row: AnyRow): string => `${entityKey(dataset, row)}\u001f${instantOfRow(row, dataset.time)}`
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  for (const row of rows) {
    const at = instantOfRow(row, dataset.time)
    from = Math.min(from, at)
    to = Math.max(to, at)
  }
  // Most batches are newer than every file, and cannot meet a key again.
  const overlaps = rows.length > 0 && (await holdsFrom(context, dataset, from))
  const taken = overlaps ? await keysBetween(context, dataset, { from, to, key }) : new Set<string>()
  return rows.filter((row) => {
    const id = key(row)
    if (taken.has(id)) return false
    taken.add(id)
    return true
  })
}
