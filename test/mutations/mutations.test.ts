import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../helpers/temp.ts'
import { commitOf, makeScratch } from './checkout.ts'
import { tryMutant } from './judge.ts'
import { applied, changesOf, isProgram } from './mutators.ts'
import { Reach } from './reach.ts'
import { asText, digestOf, type Result, Results, summaryOf } from './results.ts'
import type { TestRun } from './run-tests.ts'
import { type Mutant, selectMutants } from './select.ts'

const PROJECT = resolve(import.meta.dirname, '../..')

/** The possible changes of a source, one at a time. */
const changed = (source: string): string[] => changesOf(source).map((change) => applied(source, change))

test.each<[string, string, string[]]>([
  ['comparisons', 'f(a < b)', ['f(a <= b)', 'f(a >= b)']],
  ['equality', 'f(a === b)', ['f(a !== b)']],
  ['arithmetic', 'f(a + b * c)', ['f(a - b * c)', 'f(a + b / c)']],
  ['no texts that are joined', "f('a' + b, `a` + b)", []],
  ['boolean operators', 'f(a && !b)', ['f(a || !b)', 'f(a && b)']],
  ['booleans', 'f(true)', ['f(false)']],
  ['numbers', 'f(5, 0)', ['f(6, 0)', 'f(0, 0)', 'f(5, 1)']],
  ['conditions', 'f(a ? b : c)', ['f(true ? b : c)', 'f(false ? b : c)']],
  [
    'early returns',
    'function f(a) { if (a) return 1; return 2 }',
    [
      'function f(a) { if (true) return 1; return 2 }',
      'function f(a) { if (false) return 1; return 2 }',
      'function f(a) { if (a) ; return 2 }',
      'function f(a) { if (a) return 2; return 2 }',
      'function f(a) { if (a) return 0; return 2 }',
      'function f(a) { if (a) return 1; return 3 }',
      'function f(a) { if (a) return 1; return 0 }',
    ],
  ],
  ['calls of lists', 'f(a.filter((b) => c).map(d))', ['f(a.map(d))']],
  ['SQL', 'sql`min(a) AND b < ${c}`', ['sql`max(a) AND b < ${c}`', 'sql`min(a) OR b < ${c}`', 'sql`min(a) AND b <= ${c}`']],
  ['no BETWEEN', 'sql`a BETWEEN ${b} AND ${c} AND d`', ['sql`a BETWEEN ${b} AND ${c} OR d`']],
  ['no other templates', 'f(`a AND b < c`)', []],
  ['no types', 'type A = 1 | true', []],
  ['no ids of columns, and no examples', "col.integer(7, 'Lanes.', { example: 3 })", []],
])('a source is changed: %s', (_, source, expected) => {
  expect(changed(source)).toEqual(expected)
  for (const text of expected) expect(isProgram(text)).toBe(true)
})

/** Paths of the files below, as they import each other: they are not files of this project. */
const [ADD, LOOP, SUM, TYPES] = ['../lake/add.ts', '../lake/loop.ts', '../api/sum.ts', '../api/types.ts']
const FILES: Readonly<Record<string, string>> = {
  'lake/add.ts': 'export const add = (a: number, b: number): number => a + b\n',
  'lake/loop.ts': 'export function count(to: number): number {\n  let at = 0\n  while (at < to) at++\n  return at\n}\n',
  'lake/unseen.ts': 'export const far = (a: number): boolean => a > 3\n',
  'api/sum.ts': `import { add } from '${ADD}'\nexport const sum = (all: readonly number[]): number => all.reduce(add)\n`,
  'api/types.ts': `import type { add } from '${ADD}'\nexport type Add = typeof add\n`,
  'scripts/run.ts': `import '${LOOP}'\n`,
  'scripts/start': '#!/usr/bin/env bash\nexec node scripts/run.ts\n',
  'test/add.test.ts': `import '${ADD}'\n`,
  'test/sum.test.ts': `import '${SUM}'\n`,
  'test/sum.deep.test.ts': `import '${SUM}'\n`,
  'test/types.test.ts': `import type {} from '${TYPES}'\n`,
  'test/start.test.ts': "spawn('scripts/start')\n",
}

/** A checkout with these files, committed. */
function checkout(files: Readonly<Record<string, string>>): string {
  const root = tempFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(root, 'node_modules'))
  writeFileSync(join(root, '.gitignore'), 'node_modules\n')
  const git = (...args: readonly string[]): void => void execFileSync('git', ['-C', root, ...args], { stdio: 'ignore' })
  git('init')
  git('add', '.')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-m', 'a')
  return root
}

test('the tests of a file are those that lead to it, the nearest first, those of the same words sooner, then the quickest; type imports do not count', () => {
  const more = { 'test/again.test.ts': `import '${ADD}'\n`, 'test/lake/add.test.ts': `import '../${ADD}'\n` }
  const reach = new Reach(checkout({ ...FILES, ...more }))
  const seconds = (path: string): number => (path.endsWith('/add.test.ts') ? 9 : 1)
  const nearest = ['test/lake/add.test.ts', 'test/add.test.ts', 'test/again.test.ts', 'test/sum.test.ts']
  expect(reach.testsOf('lake/add.ts', { tier: 'default', seconds })).toEqual(nearest)
  expect(reach.testsOf('lake/add.ts', { tier: 'deep', seconds })).toEqual([
    ...nearest.slice(0, 3),
    'test/sum.deep.test.ts',
    'test/sum.test.ts',
  ])
  expect(reach.testsOf('lake/loop.ts', { tier: 'default', seconds })).toEqual(['test/start.test.ts'])
  expect(reach.testsOf('lake/unseen.ts', { tier: 'deep', seconds })).toEqual([])
  const [app, trips] = ['../../api/app.ts', './trips/od.ts']
  const test = `import '${app}'\n`
  const named = new Reach(
    checkout({ 'api/app.ts': `import '${trips}'\n`, 'api/trips/od.ts': '', 'test/api/a.test.ts': test, 'test/api/trips-od.test.ts': test }),
  )
  expect(named.testsOf('api/trips/od.ts', { tier: 'default', seconds })).toEqual(['test/api/trips-od.test.ts', 'test/api/a.test.ts'])
})

test('the same seed gives the same mutants, on different lines, from the files that two checkouts share', () => {
  const root = checkout(FILES)
  const [one, again, other] = [1, 1, 2].map((seed) => selectMutants({ root, sameAs: null, seed, count: 4 }))
  expect(one).toEqual(again)
  expect(digestOf(one as never)).not.toBe(digestOf(other as never))
  expect(new Set(one?.map(({ file, line }) => `${file}:${line}`)).size).toBe(4)
  const changedRoot = checkout({ ...FILES, 'lake/loop.ts': '' })
  const common = selectMutants({ root, sameAs: changedRoot, seed: 1, count: 100 })
  expect([...new Set(common.map(({ file }) => file))].toSorted()).toEqual(['lake/add.ts', 'lake/unseen.ts'])
  expect(selectMutants({ root: changedRoot, sameAs: root, seed: 1, count: 100 })).toEqual(common)
  expect(common.find(({ file }) => file === 'lake/add.ts')).toMatchObject({
    line: 1,
    before: 'export const add = (a: number, b: number): number => a + b',
    after: 'export const add = (a: number, b: number): number => a - b',
  })
})

test('a copy has the commit and linked packages, and is removed with its processes; uncommitted product code is refused', async () => {
  const root = checkout({ ...FILES, 'package-lock.json': '{}' })
  const commit = commitOf(root)
  const scratch = makeScratch(root)
  try {
    // Commands under test install nothing.
    expect(readFileSync(join(scratch.folder, 'node_modules/.installed'), 'utf8')).toBe('{}')
    expect(readFileSync(join(scratch.folder, 'lake/add.ts'), 'utf8')).toBe(FILES['lake/add.ts'])
    expect(commitOf(scratch.folder)).toBe(commit)
    writeFileSync(join(scratch.folder, 'node_modules/.mutants.json'), '')
    writeFileSync(join(scratch.folder, 'lake/add.ts'), '')
    writeFileSync(join(scratch.temporary, 'left'), '')
    scratch.clear()
    expect(existsSync(join(scratch.temporary, 'left'))).toBe(false)
    const left = spawn('sleep', ['600'], { env: { TMPDIR: scratch.temporary }, detached: true })
    await once(left, 'spawn')
    scratch.remove()
    expect(await once(left, 'exit')).toEqual([null, 'SIGKILL'])
  } finally {
    scratch.remove()
  }
  expect(existsSync(scratch.folder)).toBe(false)
  expect(existsSync(join(root, 'node_modules/.mutants.json'))).toBe(false)
  expect(commitOf(root)).toBe(commit)
  writeFileSync(join(root, 'lake/add.ts'), '')
  expect(() => commitOf(root)).toThrow('lake/add.ts')
})

test('results are written line by line, can be resumed, and are not mixed with those of another run', () => {
  const path = join(tempFolder(), 'results/one.jsonl')
  const of = { tier: 'default', commit: 'c0ffee', limit_s: 300, mutants: 'digest' } as const
  const result = (place: number, outcome: Result['outcome']): Result => ({
    place,
    outcome,
    file: 'lake/add.ts',
    line: 7,
    mutator: 'arithmetic',
    before: 'a + b',
    after: 'a - b',
    by: null,
    ran: 2,
    reaching: 3,
    unstable: [],
    took_s: 1,
  })
  const results = Results.open(path, of)
  results.add(result(1, 'survived'))
  results.add(result(0, 'killed'))
  writeFileSync(path, `${readFileSync(path, 'utf8')}{"place":2,"outc`)
  const again = Results.open(path, of)
  expect([again.get(0)?.outcome, again.get(1)?.outcome, again.get(2)]).toEqual(['killed', 'survived', undefined])
  again.add(result(2, 'timed out'))
  const summary = summaryOf({ of, all: Results.open(path, of).all() })
  expect(summary).toMatchObject({ count: 3, killed: 2, timed_out: 1, survived: 1, undecided: 0, not_reached: 0 })
  expect(asText(summary)).toBe(
    [
      'survived: lake/add.ts:7 (arithmetic; 2 of 3 test files)\n  - a + b\n  + a - b',
      '| tier | commit | mutants | killed | of them timed out | survived | undecided | not reached |',
      '|---|---|---|---|---|---|---|---|',
      '| default | c0ffee | 3 | 2 | 1 | 1 | 0 | 0 |',
    ].join('\n'),
  )
  expect(() => Results.open(path, { ...of, commit: 'other' })).toThrow('another run')
})

/** A run of tests: of the changed file, or of the original one. */
type Runs = (files: readonly string[], isChanged: boolean) => Partial<TestRun>

/** Tries a mutant with the given test outcomes; also returns which files were run. */
async function tried(runs: Runs, { tests = ['a', 'b', 'c'], limit_s = 300 } = {}) {
  const folder = tempFolder()
  const path = join(folder, 'lake/add.ts')
  mkdirSync(join(folder, 'lake'))
  writeFileSync(path, 'a + b\n')
  const [mutant] = selectMutants({ root: folder, sameAs: null, seed: 1, count: 1 }) as [Mutant]
  const log: string[] = []
  const seconds = new Map([
    ['a', 10],
    ['b', 5],
    ['c', 5],
  ])
  const verdict = await tryMutant({
    folder,
    mutant,
    tests,
    limit_s,
    seconds,
    async run(files, most_s) {
      const isChanged = readFileSync(path, 'utf8') === 'a - b\n'
      log.push(`${files.join()} ${isChanged ? 'changed' : 'as it was'} ${most_s}`)
      return { outcome: 'passed', failed: [], seconds: new Map(), took_s: 10, ...runs(files, isChanged) }
    },
  })
  expect(readFileSync(path, 'utf8')).toBe('a + b\n')
  return { verdict, log }
}

test('a mutant is killed by a test that passes without it; the tests after it are not run', async () => {
  const { verdict, log } = await tried((_, isChanged) => (isChanged ? { outcome: 'failed', failed: ['a'] } : {}))
  expect(verdict).toEqual({ outcome: 'killed', by: 'a', ran: 1, reaching: 3, unstable: [], took_s: 20 })
  expect(log).toEqual(['a changed 130', 'a as it was 130'])
})

test('a mutant survives if all tests pass, in growing batches', async () => {
  const { verdict, log } = await tried(() => ({}))
  expect(verdict).toEqual({ outcome: 'survived', by: null, ran: 3, reaching: 3, unstable: [], took_s: 20 })
  expect(log).toEqual(['a changed 130', 'b,c changed 130'])
})

test('a test that also fails without the mutant kills nothing and is left out', async () => {
  const { verdict, log } = await tried((files) => (files.includes('b') ? { outcome: 'failed', failed: ['b'] } : {}))
  expect(verdict).toEqual({ outcome: 'survived', by: null, ran: 2, reaching: 3, unstable: ['b'], took_s: 40 })
  expect(log).toEqual(['a changed 130', 'b,c changed 130', 'b as it was 130', 'c changed 110'])
})

test.each<[string, number, string]>([
  ['timed out', 20, 'well within'],
  ['undecided', 70, 'not well within'],
])('a mutant that makes tests hang is %s if they end without it in %i s, %s their limit', async (outcome, took_s) => {
  const { verdict } = await tried((_, isChanged) => (isChanged ? { outcome: 'hung', took_s: 130 } : { took_s }), { tests: ['a'] })
  expect(verdict).toMatchObject({ outcome, unstable: [] })
  const others = await tried(
    (files, isChanged) => (files.includes('a') ? (isChanged ? { outcome: 'hung', took_s: 130 } : { took_s }) : {}),
    {
      limit_s: 1000,
    },
  )
  expect(others.verdict).toMatchObject({ outcome, ran: outcome === 'undecided' ? 2 : 1 })
})

test('a mutant is undecided after its time limit, and not reached if no test leads to it', async () => {
  const { verdict, log } = await tried(() => ({}), { limit_s: 10 })
  expect([verdict.outcome, verdict.ran, log]).toEqual(['undecided', 1, ['a changed 10']])
  const stopped = await tried((files) => (files.includes('b') ? { outcome: 'hung' } : {}), { limit_s: 30 })
  expect([stopped.verdict.outcome, stopped.verdict.ran, stopped.log]).toEqual(['undecided', 1, ['a changed 30', 'b,c changed 20']])
  expect((await tried(() => ({}), { tests: [] })).verdict.outcome).toBe('not reached')
})
