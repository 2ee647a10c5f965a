import type { Landed, SeqSet } from '../../lake/landed.ts'
import { type AcceptedFetch, byDataTime, readAccepted, withdrawnSeqs } from '../../lake/raw/archive.ts'
import type { CompletenessGroups } from '../feeds/define.ts'
import { groupFactsOf, isDue, leastOf } from './completeness-groups.ts'
import type { IngestContext } from './context.ts'

/** Log records read at once. */
const WINDOW = 64

/** The landed fetches of a feed from the newest data time back. Reads the log only as far as needed, and no bodies. */
export interface Backwards {
  /** The fetch `step` steps back (0 is the newest); null before the oldest in the archive. */
  at(step: number): Promise<AcceptedFetch | null>
}

/** Starts reading backwards: from the newest landed fetch, or from the last one before an instant of data time. */
export function readBackwards(
  context: IngestContext,
  options: { readonly feed: string; readonly landed: Landed; readonly before: number | null },
): Backwards {
  const read: AcceptedFetch[] = []
  const rest = landedBackwards(context, options)
  let isOver = false
  return {
    async at(step) {
      while (read.length <= step && !isOver) {
        const next = await rest.next()
        if (next.done) isOver = true
        else read.push(next.value)
      }
      return read[step] ?? null
    },
  }
}

async function* landedBackwards(
  context: IngestContext,
  options: { readonly feed: string; readonly landed: Landed; readonly before: number | null },
): AsyncGenerator<AcceptedFetch> {
  const { feed, landed, before } = options
  const withdrawn = await withdrawnSeqs(context.store, feed)
  let waiting: AcceptedFetch[] = []
  const due = (from: number): AcceptedFetch[] => {
    const found = waiting.filter(({ data_time }) => Date.parse(data_time) >= from)
    waiting = waiting.filter(({ data_time }) => Date.parse(data_time) < from)
    return found.sort(byDataTime).reverse()
  }
  for (const seqs of windows(landed.seqs)) {
    const read = await Promise.all(seqs.map((seq) => readAccepted(context.store, feed, seq)))
    const found = read.filter((accepted) => accepted !== null)
    if (found.length === 0) break
    for (const accepted of found) {
      const at = Date.parse(accepted.data_time)
      if (withdrawn.has(accepted.seq) || (before !== null && at >= before)) continue
      waiting.push(accepted)
      // A fetch accepted by the guard is newer than all before it. One accepted by an operator may have any data time, so it
      // waits for its position.
      if (accepted.accepted_by === 'guard') yield* due(at)
    }
  }
  yield* due(Number.NEGATIVE_INFINITY)
}

/** The numbers of a set from the highest down, some at a time. */
function* windows(set: SeqSet): Generator<number[]> {
  let window: number[] = []
  for (const [first, last] of [...set].reverse())
    for (let seq = last; seq >= first; seq--) {
      window.push(seq)
      if (window.length < WINDOW) continue
      yield window
      window = []
    }
  if (window.length > 0) yield window
}

/** Returns whether a block is missing from the landed fetch `step` steps back. */
export type MissingFrom = (block: string, step: number) => Promise<boolean>

/**
 * Recomputes from the log alone what `missingAfter` returned when fetches landed. An absent block without an expectation is
 * followed back to the last fetch with rows or an expectation, at most to `since`, when it still had a thing. If the archive
 * starts in between, the block counts as missing: otherwise the thing would end.
 */
export function missingBackwards(
  log: Backwards,
  options: { readonly dataset: string; readonly rule: CompletenessGroups | null; readonly since: number },
): MissingFrom {
  const { dataset, rule, since } = options
  /**
   * By block, a run of steps without it: from the first queried to the one that decides, and the step up to which it is
   * missing.
   */
  const gaps = new Map<string, { readonly from: number; readonly to: number; readonly missingTo: number }>()
  const gapAt = async (block: string, from: number) => {
    let firstSaid = -1
    for (let step = from; ; step++) {
      const accepted = await log.at(step)
      if (!accepted) return { from, to: step, missingTo: step }
      const facts = groupFactsOf(accepted, dataset)
      const { counts, said } = facts
      const isSaid = said.includes(block)
      const count = counts[block] ?? 0
      if (count > 0) return { from, to: step, missingTo: isSaid || count >= leastOf(rule) ? step : firstSaid }
      if (isSaid) firstSaid = step
      const due = isDue(rule, facts, block)
      if (due !== null) return { from, to: step, missingTo: due ? step : firstSaid }
      if (Date.parse(accepted.data_time) <= since) return { from, to: step + 1, missingTo: firstSaid }
    }
  }
  return async (block, step) => {
    const accepted = await log.at(step)
    if (!accepted) return false
    const facts = groupFactsOf(accepted, dataset)
    if (facts.said.includes(block)) return true
    if (rule === null || facts.counts[block]) return false
    const due = isDue(rule, facts, block)
    if (due !== null) return due
    const known = gaps.get(block)
    const gap = known && step >= known.from && step < known.to ? known : await gapAt(block, step)
    gaps.set(block, gap)
    return step <= gap.missingTo
  }
}

/** The landed fetches of the first window. */
export async function newestWindow(log: Backwards): Promise<AcceptedFetch[]> {
  const found: AcceptedFetch[] = []
  for (let step = 0; step < WINDOW; step++) {
    const accepted = await log.at(step)
    if (!accepted) break
    found.push(accepted)
  }
  return found
}
