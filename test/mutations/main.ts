import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { commitOf, makeScratch } from './checkout.ts'
import { mutate } from './mutate.ts'
import { asText, digestOf, Results, summaryOf } from './results.ts'
import { stopRuns } from './run-tests.ts'
import { selectMutants } from './select.ts'

const PROJECT = resolve(import.meta.dirname, '../..')
const USAGE = `scripts/check-mutations [options]
  --count N         mutants (100)
  --seed N          chooses them (1)
  --tier T          default or deep: which test files are run (default)
  --root FOLDER     a git checkout with its packages installed: its product code is changed, its tests are run (this one)
  --same-as FOLDER  another checkout: only files that are the same in both are changed, so both get the same mutants
  --after FILE      results of the same mutants: the tests that noticed them are reused (see test/mutations/README.md)
  --limit-s N       time limit for all tests of one mutant (300)
  --jobs N          mutants tried at a time, each by one worker (2)
  --results FILE    file of results, from which an interrupted run is resumed (.cache/mutations/<commit>-<tier>-<seed>-<count>.jsonl)
  --list            prints the mutants and ends
  --json            prints the summary as JSON`

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    tier: { type: 'string', default: 'default' },
    root: { type: 'string', default: PROJECT },
    'same-as': { type: 'string' },
    after: { type: 'string' },
    'limit-s': { type: 'string', default: '300' },
    jobs: { type: 'string', default: '2' },
    results: { type: 'string' },
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) {
  process.stdout.write(`${USAGE}\n`)
  process.exit(0)
}

const { tier } = values
if (tier !== 'default' && tier !== 'deep') refuse('--tier is default or deep')
const [count, seed, limit_s, jobs] = [numberOf('count'), numberOf('seed'), numberOf('limit-s'), numberOf('jobs')]
const root = resolve(values.root)
const sameAs = values['same-as'] === undefined ? null : resolve(values['same-as'])
const commit = commitOf(root)
if (sameAs !== null) commitOf(sameAs)

const mutants = selectMutants({ root, sameAs, seed, count })
if (values.list) {
  for (const { file, line, mutator, before, after } of mutants)
    process.stdout.write(`${file}:${line} (${mutator})\n  - ${before}\n  + ${after}\n`)
  process.exit(0)
}
const path = values.results ?? join(PROJECT, '.cache/mutations', `${commit.slice(0, 8)}-${tier}-${seed}-${count}.jsonl`)
const results = Results.open(resolve(path), { tier, commit, limit_s, mutants: digestOf(mutants) })
const after = values.after === undefined ? null : Results.read(resolve(values.after))
if (after && after.of.mutants !== results.of.mutants) refuse(`${values.after} has results of other mutants`)

const scratches = Array.from({ length: jobs }, () => makeScratch(root))
const tidy = (): void => {
  stopRuns()
  for (const scratch of scratches) scratch.remove()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    tidy()
    process.exit(130)
  })
try {
  const shared = resolve(process.env['SHARED_DIR'] ?? join(root, '..', 'shared'))
  const durations = join(root, 'test/durations.json')
  await mutate({
    mutants,
    results,
    after,
    scratches,
    limit_s,
    shared: existsSync(shared) ? shared : null,
    seconds: existsSync(durations) ? (JSON.parse(readFileSync(durations, 'utf8')) as Record<string, number>) : {},
    tell: (line) => process.stderr.write(`${line}\n`),
  })
} finally {
  tidy()
}
const summary = summaryOf({ of: results.of, all: results.all() })
process.stdout.write(`${values.json ? JSON.stringify(summary) : asText(summary)}\n`)

function numberOf(name: 'count' | 'seed' | 'limit-s' | 'jobs'): number {
  const text = values[name]
  if (!/^[1-9]\d{0,8}$/.test(text)) refuse(`--${name} is a whole number above 0`)
  return Number(text)
}

function refuse(why: string): never {
  process.stderr.write(`${why}\n`)
  process.exit(2)
}
