import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { applied } from './mutators.ts'
import type { TestRun } from './run-tests.ts'
import type { Mutant } from './select.ts'

/** The outcome of a mutant: `timed out` counts as killed; the tests of an `undecided` one did not finish. */
export type Outcome = 'killed' | 'timed out' | 'survived' | 'undecided' | 'not reached'

/** The outcome of a mutant, and its circumstances. */
export interface Verdict {
  readonly outcome: Outcome
  /** The test file that noticed it; null if none did. */
  readonly by: string | null
  /** Number of test files that were run, among those that reach the mutant. */
  readonly ran: number
  readonly reaching: number
  /** Test files that also failed without the change, and were left out. */
  readonly unstable: readonly string[]
  readonly took_s: number
}

/** The parameters of a trial. */
export interface Trial {
  /** The copy that is changed. */
  readonly folder: string
  readonly mutant: Mutant
  /** Runs test files of the copy in its current state, with a time limit (s). */
  readonly run: (files: readonly string[], limit_s: number) => Promise<TestRun>
  /** In the order of running. */
  readonly tests: readonly string[]
  /** Time limit for all test runs together, s. */
  readonly limit_s: number
  /** Durations of test files, s; updated after each run. */
  readonly seconds: Map<string, number>
}

/** Sizes of batches, which grow: the nearest files notice most mutants, and starting Vitest takes as long as a quick file. */
const BATCHES_S = [5, 15, 60, 240] as const
/** Assumed duration of a file without a recorded one, s. */
const UNKNOWN_S = 3
/** A batch hangs if it takes this many times its previous duration plus some time. */
const HANGS = { times: 4, plus_s: 90 }

/** Runs the tests of a mutant until one notices it. A failing test counts only if it passes without the change. */
export async function tryMutant(trial: Trial): Promise<Verdict> {
  const { mutant, tests, seconds } = trial
  const path = join(trial.folder, mutant.file)
  const source = readFileSync(path, 'utf8')
  const left = [...tests]
  const unstable: string[] = []
  let [ran, took_s, batch] = [0, 0, 0]
  let isUnclear = false
  const verdict = (outcome: Outcome, by: string | null): Verdict => ({ outcome, by, ran, reaching: tests.length, unstable, took_s })
  const run = async (files: readonly string[], { text, most_s }: { text: string; most_s: number }): Promise<TestRun> => {
    writeFileSync(path, text)
    const result = await trial.run(files, most_s)
    took_s += result.took_s
    return result
  }
  try {
    if (tests.length === 0) return verdict('not reached', null)
    while (left.length > 0) {
      const files = takeBatch(left, seconds, BATCHES_S[Math.min(batch++, BATCHES_S.length - 1)] as number)
      const [hangs_s, left_s] = [HANGS.times * sumOf(files, seconds) + HANGS.plus_s, trial.limit_s - took_s]
      if (left_s <= 0) return verdict('undecided', null)
      const changed = await run(files, { text: applied(source, mutant), most_s: Math.min(hangs_s, left_s) })
      if (changed.outcome === 'hung' && left_s < hangs_s) return verdict('undecided', null)
      if (changed.outcome === 'passed') {
        ran += files.length
        for (const [file, s] of changed.seconds) seconds.set(file, s)
        continue
      }
      const suspects = changed.failed.length > 0 ? changed.failed : files
      const unchanged = await run(suspects, { text: source, most_s: hangs_s })
      // Under the current load the same tests end well within the limit without the change: the change makes them hang.
      const isClear = unchanged.outcome === 'passed' && (changed.outcome === 'failed' || unchanged.took_s < hangs_s / 2)
      if (isClear) {
        ran += files.length
        return verdict(changed.outcome === 'hung' ? 'timed out' : 'killed', suspects.length === 1 ? (suspects[0] as string) : null)
      }
      if (changed.outcome === 'hung' || unchanged.outcome === 'hung') {
        // These prove nothing; another file may still notice the mutant.
        isUnclear = true
        left.unshift(...files.filter((file) => !suspects.includes(file)))
        continue
      }
      const failing = unchanged.failed.length > 0 ? unchanged.failed : suspects
      unstable.push(...failing)
      left.unshift(...files.filter((file) => !failing.includes(file)))
    }
    return verdict(isUnclear || ran === 0 ? 'undecided' : 'survived', null)
  } finally {
    writeFileSync(path, source)
  }
}

/** Removes files from the front whose total duration is within the limit, at least one. */
function takeBatch(left: string[], seconds: ReadonlyMap<string, number>, most_s: number): string[] {
  const files: string[] = []
  do files.push(left.shift() as string)
  while (left.length > 0 && sumOf([...files, left[0] as string], seconds) <= most_s)
  return files
}

function sumOf(files: readonly string[], seconds: ReadonlyMap<string, number>): number {
  return files.reduce((sum, file) => sum + (seconds.get(file) ?? UNKNOWN_S), 0)
}
