import { hasSeq, type Landed, toWithdraw } from '../../lake/landed.ts'
import { acceptedAfter, readWithdrawn, withdrawnSeqs } from '../../lake/raw/archive.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from './context.ts'
import { rebuild } from './rebuild.ts'
import { isBehind, landedIn } from './tables.ts'

/**
 * Gives fetches that came late, and rebuilds that were interrupted, their place in the tables of a feed, and takes out what was withdrawn, so
 * that what is left to land lies after everything landed. It may take long; fetching goes on meanwhile.
 */
export async function placeLate(context: IngestContext, feed: Feed, signal: AbortSignal): Promise<void> {
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
    const waiting = isFilling ? [] : await acceptedAfter(context.store, feed.id, await lastBeforeGap(context, feed.id, landed))
    const late = waiting.filter(({ seq, data_time }) => !hasSeq(landed.seqs, seq) && Date.parse(data_time) <= until)
    const times = [...late, ...due.filter((fetch) => fetch !== null)].map(({ data_time }) => Date.parse(data_time))
    const from = Math.min(...times, landed.rebuildFrom ?? Number.POSITIVE_INFINITY)
    if (Number.isFinite(from)) await rebuild(context, { feed, dataset, from, to: null })
  }
}

/** The last sequence before the first fetch of the archive that a table lacks, as far as its record tells. */
export async function lastBeforeGap(context: IngestContext, feed: string, landed: Landed): Promise<number> {
  const [begin, end] = landed.seqs[0] ?? [1, 0]
  if (begin === 1) return end
  // The archive may have lost what came before.
  const [oldest] = await acceptedAfter(context.store, feed, 0, 1)
  return oldest && oldest.seq < begin ? 0 : end
}
