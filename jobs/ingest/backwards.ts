import type { Landed, SeqSet } from '../../lake/landed.ts'
import { type AcceptedFetch, byDataTime, readAccepted, withdrawnSeqs } from '../../lake/raw/archive.ts'
import type { CompletenessGroups } from '../feeds/define.ts'
import { type GroupFacts, type GroupState, groupFactsOf, groupsAfter, isDue, namesIn } from './completeness-groups.ts'
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

/** The blocks after each landed fetch, as the fold found them. */
export interface GroupHistory {
  /** The blocks after the fetch `step` steps back; null before the oldest in the archive. */
  at(step: number): Promise<GroupState | null>
}

/**
 * Folds the blocks of landed fetches again, without their bodies. For each block it begins at a fetch that has rows or an
 * expectation of it, at most at `since` (data time, ms), when every active thing was there. If the archive starts in between, the
 * block counts as missing: otherwise its things would end. `names` are the blocks of active things.
 */
export function groupHistory(
  log: Backwards,
  of: { readonly dataset: string; readonly rule: CompletenessGroups | null; readonly names: ReadonlySet<string>; readonly since: number },
): GroupHistory {
  const { dataset, rule, since } = of
  const read: (GroupFacts & { readonly at: number })[] = []
  let states: GroupState[] = []
  let isOver = false

  const readTo = async (step: number): Promise<void> => {
    while (read.length <= step && !isOver) {
      const accepted = await log.at(read.length)
      if (accepted) read.push({ ...groupFactsOf(accepted, dataset), at: Date.parse(accepted.data_time) })
      else isOver = true
    }
  }
  /** True if a block is not missing after a fetch, whatever was before. */
  const isThere = (facts: (typeof read)[number], block: string): boolean => {
    const isDueNow = isDue(rule, facts, block)
    return !facts.said.includes(block) && ((facts.counts[block] ?? 0) > 0 || (isDueNow === null ? facts.at <= since : !isDueNow))
  }
  /** Makes the states of more steps. Those before them are only read as far as a block of theirs is not decided. */
  const extend = async (): Promise<void> => {
    const steps = Math.max(WINDOW, 2 * states.length)
    await readTo(steps - 1)
    let open = [...new Set([...of.names, ...read.slice(0, steps).flatMap(namesIn)])]
    for (let step = Math.min(steps, read.length) - 1; open.length > 0; step++) {
      await readTo(step)
      const facts = read[step]
      if (!facts) break
      open = open.filter((block) => !isThere(facts, block))
    }
    let state: GroupState = { counts: {}, missing: rule === null ? [] : open.sort(), lost_at: {}, had_at: {} }
    let before_at: number | null = null
    states = read.toReversed().map((facts) => {
      state = groupsAfter(rule, state, { ...facts, before_at })
      before_at = facts.at
      return state
    })
    states = states.reverse().slice(0, steps)
  }
  return {
    async at(step) {
      while (step >= states.length && !(isOver && states.length >= read.length)) await extend()
      return states[step] ?? null
    },
  }
}
