import type { Blocks } from '../feeds/define.ts'
import type { Backwards, MissingFrom } from './backwards.ts'
import { blockFactsOf, blocksOf, namesIn } from './blocks.ts'
import type { Entry } from './fold.ts'

/** Counts the absences of things that are in no block while the log is read backwards: which of them count shows once a thing is found. */
export interface Anywhere {
  /** True for a thing that is in no block of its dataset. */
  has(entry: Entry): boolean
  /** Notes that a thing is not in the fetch so many steps back. */
  isAbsent(key: string, step: number): void
  /** The absences that count of a thing that was last seen at an instant of data time (ms), so many steps back. */
  countOf(key: string, seen: { readonly at: number; readonly step: number }): Promise<number>
  /** Blocks that were named in the fetches from the newest to the one that had the thing looked for longest. */
  names(): ReadonlySet<string>
}

/** Begins to count; `isMissing` tells what was missing. */
export function absencesAnywhere(
  log: Backwards,
  options: { readonly dataset: string; readonly rule: Blocks | null; readonly isMissing: MissingFrom },
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
      for (const name of namesIn(blockFactsOf(accepted, dataset))) names.add(name)
    }
  }
  return {
    has: ({ row }) => rule !== null && blocksOf(row, rule.column).length === 0,
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

  /** The steps from which a block is missing that was not when a thing was seen at an instant, so many steps back. */
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
