import { hasSeq } from '../../lake/landed.ts'
import { byDataTime, counting, type LogEntry, logAfter } from '../../lake/raw/archive.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from './context.ts'
import { parseIfKept } from './derive.ts'
import { landPart } from './land.ts'
import { lastBeforeGap } from './late-data.ts'
import { foldInto, type Part, passEmpty } from './memory.ts'
import { restoreState } from './restore.ts'
import { landedIn } from './tables.ts'

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
  const landed = await landedIn(context, dataset, feed.id)
  const part: Part = { dataset, landed, pending: [], state: await restoreState(context, { feed, dataset, landed }) }
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
