import { hasSeq, type Landed, toWithdraw } from '../../lake/landed.ts'
import { acceptedAfter, counting, newsAfter, readWithdrawn, withdrawnSeqs } from '../../lake/raw/archive.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from './context.ts'
import { markLostRows } from './lost-rows.ts'
import { rebuild } from './rebuild.ts'
import { isBehind, landedIn } from './tables.ts'

/**
 * Places late fetches, finishes interrupted rebuilds, removes withdrawn rows and repairs what other writers did to rows, so that
 * everything left to land is newer than all that landed. It may take long; fetching continues.
 */
export async function mergeLateData(context: IngestContext, feed: Feed, signal: AbortSignal): Promise<void> {
  for (const dataset of feed.into) await markLostRows(context, dataset)
  const held = await Promise.all(feed.into.map(async (dataset) => ({ dataset, landed: await landedIn(context, dataset, feed.id) })))
  const withdrawn = await withdrawnSeqs(context.store, feed.id)
  for (const { dataset, landed } of held) {
    signal.throwIfAborted()
    const due = await Promise.all(toWithdraw(landed, withdrawn).map((seq) => readWithdrawn(context.store, feed.id, seq)))
    const { until } = landed
    if (until === null) continue
    const isFilling = isBehind(
      landed,
      held.map((one) => one.landed),
    )
    const after = isFilling ? null : await lastBeforeGap(context, feed.id, landed)
    const waiting = after === null ? [] : counting(await newsAfter(context.store, feed.id, after))
    const late = waiting.filter(({ seq, data_time }) => !hasSeq(landed.seqs, seq) && Date.parse(data_time) <= until)
    const times = [...late, ...due.filter((fetch) => fetch !== null)].map(({ data_time }) => Date.parse(data_time))
    const from = Math.min(...times, landed.rebuildFrom ?? Number.POSITIVE_INFINITY)
    if (Number.isFinite(from)) await rebuild(context, { feed, dataset, from, to: null })
  }
}

/** The last sequence before the first archived fetch that a table's record lacks. */
export async function lastBeforeGap(context: IngestContext, feed: string, landed: Landed): Promise<number> {
  const [begin, end] = landed.seqs[0] ?? [1, 0]
  if (begin === 1) return end
  // The archive may have lost earlier fetches.
  const [oldest] = await acceptedAfter(context.store, feed, 0, 1)
  return oldest && oldest.seq < begin ? 0 : end
}
