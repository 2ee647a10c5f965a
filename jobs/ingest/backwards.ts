import type { Landed, SeqSet } from '../../lake/landed.ts'
import { type AcceptedFetch, byDataTime, readAccepted, withdrawnSeqs } from '../../lake/raw/archive.ts'
import type { CompletenessGroups } from '../feeds/define.ts'
import { groupFactsOf, groupsOf, isDue, leastOf, namesIn } from './completeness-groups.ts'
import type { IngestContext } from './context.ts'
import type { Entry } from './fold.ts'

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

/**
 * Counts the absences of things without a block while the log is read backwards. Which of them count is known once the thing
 * is found.
 */
export interface Anywhere {
  /** True for a thing without a block of its dataset. */
  has(entry: Entry): boolean
  /** Records that a thing is absent from the fetch `step` steps back. */
  isAbsent(key: string, step: number): void
  /** The absences that count for a thing last seen at `at` (data time, ms), `step` steps back. */
  countOf(key: string, seen: { readonly at: number; readonly step: number }): Promise<number>
  /** Completeness groups named in the fetches from the newest back to the one where the longest search ended. */
  names(): ReadonlySet<string>
}

/** Starts counting; `isMissing` returns whether a block is missing from a fetch. */
export function absencesAnywhere(
  log: Backwards,
  options: { readonly dataset: string; readonly rule: CompletenessGroups | null; readonly isMissing: MissingFrom },
): Anywhere {
  const { dataset, rule, isMissing } = options
  const absences = new Map<string, number[]>()
  const names = new Set<string>()
  let named = -1
  const nameAll = async (until: number): Promise<void> => {
    while (named < until) {
      const accepted = await log.at(named + 1)
      if (!accepted) return
      named++
      for (const name of namesIn(groupFactsOf(accepted, dataset))) names.add(name)
    }
  }
  return {
    has: ({ row }) => rule !== null && groupsOf(row, rule.column).length === 0,
    isAbsent(key, step) {
      const steps = absences.get(key)
      if (steps) steps.push(step)
      else absences.set(key, [step])
    },
    async countOf(key, { at, step }) {
      const steps = new Set(absences.get(key))
      if (steps.size === 0) return 0
      await nameAll(step)
      const hidden = new Set<number>()
      for (const name of names) for (const one of await hiddenBy(name, { at, step })) hidden.add(one)
      return [...steps].filter((one) => !hidden.has(one)).length
    },
    names: () => names,
  }

  /** The steps at which a block is missing, if it was present when the thing was last seen. */
  async function hiddenBy(name: string, { at, step }: { readonly at: number; readonly step: number }): Promise<number[]> {
    const hidden: number[] = []
    let run: number[] = []
    for (let one = 0; one <= step; one++) {
      const accepted = await log.at(one)
      if (accepted && (await isMissing(name, one))) {
        if (Date.parse(accepted.data_time) <= at) return hidden
        run.push(one)
      } else {
        hidden.push(...run)
        run = []
      }
    }
    return [...hidden, ...run]
  }
}
