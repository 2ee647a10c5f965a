import type { Scratch } from './checkout.ts'
import { tryMutant, type Verdict } from './judge.ts'
import { isDeepOnly, Reach } from './reach.ts'
import type { Results } from './results.ts'
import { runTests } from './run-tests.ts'
import type { Mutant } from './select.ts'

/** The input of a run. */
export interface Mutation {
  readonly mutants: readonly Mutant[]
  /** Earlier results, to which new ones are appended. */
  readonly results: Results
  /** Results of the same mutants with other tests. */
  readonly after: Results | null
  /** Copies of the checkout, one for each concurrent trial. */
  readonly scratches: readonly Scratch[]
  readonly limit_s: number
  readonly shared: string | null
  /** Known durations of test files, s. */
  readonly seconds: Readonly<Record<string, number>>
  readonly tell: (line: string) => void
}

/** What remains to be done for a mutant. */
type Plan = { readonly tests: readonly string[] } | { readonly verdict: Verdict }

/** A file that imports it tests more in the deep tier than in the default one. */
const TIER_FILE = 'test/helpers/tier.ts'
/** Assumed duration of a file without a known one, s. */
const USUAL_S = 3

/** Tries every mutant without a result. */
export async function mutate({ mutants, results, after, scratches, limit_s, shared, seconds: known, tell }: Mutation): Promise<void> {
  const [first] = scratches
  if (!first) throw new Error('there is no copy to change')
  const { tier } = results.of
  const reach = new Reach(first.folder)
  const seconds = new Map(Object.entries(known))
  const deeper = reach.stepsTo(TIER_FILE)
  const waiting = [...mutants.entries()].filter(([place]) => results.get(place) === undefined)

  /** The remaining tests of a mutant in order, or its verdict if earlier results determine it. */
  const plan = (place: number, { file }: Mutant): Plan => {
    const tests = reach.testsOf(file, { tier, seconds: (test) => seconds.get(test) ?? USUAL_S })
    const earlier = after?.get(place)
    if (!earlier) return { tests }
    // The deep tier runs all default tests: mutants that those killed are killed, and files that passed pass again unless they
    // test more here.
    const isSuperset = after?.of.commit === results.of.commit && after.of.tier === 'default' && tier === 'deep'
    if (isSuperset && (earlier.outcome === 'killed' || earlier.outcome === 'timed out')) return { verdict: earlier }
    if (isSuperset && earlier.outcome === 'survived') {
      const more = tests.filter((test) => isDeepOnly(test) || deeper.has(test) || earlier.unstable.includes(test))
      return more.length > 0 ? { tests: more } : { verdict: earlier }
    }
    if (isSuperset) return { tests: [...tests.filter(isDeepOnly), ...tests.filter((test) => !isDeepOnly(test))] }
    const { by } = earlier
    const noticed = tests.find((test) => by !== null && plainName(test) === plainName(by))
    return { tests: noticed === undefined ? tests : [noticed, ...tests.filter((test) => test !== noticed)] }
  }

  const tryAll = async (scratch: Scratch): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [place, mutant] = next
      const planned = plan(place, mutant)
      const { outcome, by, ran, reaching, unstable, took_s } =
        'verdict' in planned
          ? { ...planned.verdict, took_s: 0 }
          : await tryMutant({
              folder: scratch.folder,
              mutant,
              run: (files, most_s) => runTests({ scratch, tier, files, limit_s: most_s, shared }),
              tests: planned.tests,
              limit_s,
              seconds,
            })
      const { file, line, mutator, before, after: changed } = mutant
      results.add({ place, file, line, mutator, before, after: changed, outcome, by, ran, reaching, unstable, took_s })
      const how = `${Math.round(took_s)} s, ${ran} of ${reaching} test files${by === null ? '' : `, ${by}`}`
      tell(`${results.all().length}/${mutants.length} ${outcome}: ${file}:${line} (${mutator}), ${how}`)
    }
  }
  await Promise.all(scratches.map(tryAll))
}

/** The name of a test file before it was moved to the deep tier. */
function plainName(test: string): string {
  return test.replace('.deep.test.ts', '.test.ts')
}
