import type { CompletenessGroups } from '../feeds/define.ts'
import type { Backwards, MissingFrom } from './backwards.ts'
import { groupFactsOf, groupsOf, namesIn } from './completeness-groups.ts'
import type { Entry } from './fold.ts'

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
