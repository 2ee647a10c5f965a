import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Verdict } from './judge.ts'
import type { Mutant } from './select.ts'

/** The run of a file of results; another run cannot resume it. */
export interface RunOf {
  readonly tier: 'default' | 'deep'
  readonly commit: string
  readonly limit_s: number
  /** A digest of the mutants, the same for the same changes of the same texts. */
  readonly mutants: string
}

/** The outcome of one mutant, by its place in the list. */
export type Result = Verdict & Pick<Mutant, 'file' | 'line' | 'mutator' | 'before' | 'after'> & { readonly place: number }

/** Results of a run, one per line in a file, so that an interrupted run can be resumed. */
export class Results {
  readonly of: RunOf
  readonly #path: string
  readonly #found = new Map<number, Result>()

  /** Opens a file, or creates it. Throws if it has the results of another run. */
  static open(path: string, of: RunOf): Results {
    if (existsSync(path)) {
      const results = Results.read(path)
      if (JSON.stringify(results.of) !== JSON.stringify(of))
        throw new Error(`${path} has the results of another run: ${JSON.stringify(results.of)}`)
      return results
    }
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${JSON.stringify(of)}\n`)
    return new Results(path, of, [])
  }

  /** Reads a file; a last line that was not written to its end does not count. */
  static read(path: string): Results {
    const text = readFileSync(path, 'utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    if (whole !== text) writeFileSync(path, whole)
    const [of, ...found] = whole.trimEnd().split('\n')
    return new Results(
      path,
      JSON.parse(of ?? '') as RunOf,
      found.map((line) => JSON.parse(line) as Result),
    )
  }

  private constructor(path: string, of: RunOf, found: readonly Result[]) {
    this.of = of
    this.#path = path
    for (const result of found) this.#found.set(result.place, result)
  }

  get(place: number): Result | undefined {
    return this.#found.get(place)
  }

  add(result: Result): void {
    appendFileSync(this.#path, `${JSON.stringify(result)}\n`)
    this.#found.set(result.place, result)
  }

  /** All, in the order of the mutants. */
  all(): Result[] {
    return [...this.#found.values()].toSorted((one, other) => one.place - other.place)
  }
}

/** A digest of mutants. */
export function digestOf(mutants: readonly Mutant[]): string {
  const changes = mutants.map(({ file, start, end, text, before }) => [file, start, end, text, before])
  return createHash('sha256').update(JSON.stringify(changes)).digest('hex').slice(0, 16)
}

/** The counts of a run, and its survivors. */
export interface Summary extends RunOf {
  readonly count: number
  /** Including those that timed out. */
  readonly killed: number
  readonly timed_out: number
  readonly survived: number
  readonly undecided: number
  readonly not_reached: number
  readonly survivors: readonly Result[]
}

/** Counts results by outcome. */
export function summaryOf({ of, all }: { readonly of: RunOf; readonly all: readonly Result[] }): Summary {
  const count = (...outcomes: readonly Result['outcome'][]): number => all.filter(({ outcome }) => outcomes.includes(outcome)).length
  return {
    ...of,
    count: all.length,
    killed: count('killed', 'timed out'),
    timed_out: count('timed out'),
    survived: count('survived'),
    undecided: count('undecided'),
    not_reached: count('not reached'),
    survivors: all.filter(({ outcome }) => outcome !== 'killed' && outcome !== 'timed out'),
  }
}

/** A summary as text for people. */
export function asText({ tier, commit, count, killed, timed_out, survived, undecided, not_reached, survivors }: Summary): string {
  const lines = survivors.map(
    ({ outcome, file, line, mutator, before, after, ran, reaching }) =>
      `${outcome}: ${file}:${line} (${mutator}; ${ran} of ${reaching} test files)\n  - ${before}\n  + ${after}`,
  )
  const table = [
    '| tier | commit | mutants | killed | of them timed out | survived | undecided | not reached |',
    '|---|---|---|---|---|---|---|---|',
    `| ${tier} | ${commit.slice(0, 8)} | ${count} | ${killed} | ${timed_out} | ${survived} | ${undecided} | ${not_reached} |`,
  ]
  return [...lines, ...table].join('\n')
}
