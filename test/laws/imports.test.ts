import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { PROJECT, type Room, type SourceFile, sourceFiles, walk } from './sources.ts'

const files = sourceFiles()

/** How a file is named to run it: to `new URL` beside `import.meta.url`, to `startProcess`, or as the `script` of a process. */
const SPAWNED = /(?:new URL\(|startProcess(?:<\w+>)?\(|\bscript: )'([\w./-]+\.ts)'/g

/** Ways of vitest to mock our modules. */
const MOCKING = ['mock', 'doMock', 'hoisted', 'importMock', 'mocked', 'spyOn', 'fn', 'stubGlobal']

/** Which rooms a room may import from; `lake ← models ← jobs` and `lake ← models ← api`. */
const MAY_IMPORT: Readonly<Record<Room, readonly Room[]>> = {
  lake: ['lake'],
  models: ['models', 'lake'],
  jobs: ['jobs', 'models', 'lake'],
  api: ['api', 'models', 'lake'],
  scripts: ['scripts', 'jobs', 'api', 'models', 'lake', 'test'],
  test: ['test', 'scripts', 'jobs', 'api', 'models', 'lake'],
}

test('imports point one way', () => {
  const wrong = [...files.values()].flatMap(({ path, room, imports }) =>
    imports
      .filter((name) => !(MAY_IMPORT[room] as readonly string[]).includes(name.split('/')[0] as string))
      .map((name) => `${path} imports ${name}`),
  )
  expect(wrong).toEqual([])
})

/** Parts of scripts for tests alone: they run them, or try the product in the same scenes. */
const TRIES = ['scripts/checks/benches/', 'scripts/checks/engines/', 'scripts/run-tests.ts']

test('no command that a user runs imports from the tests', () => {
  const wrong = [...files.values()].filter(
    ({ path, room, imports }) =>
      room === 'scripts' && !TRIES.some((folder) => path.startsWith(folder)) && imports.some((name) => name.startsWith('test/')),
  )
  expect(wrong.map(({ path }) => path)).toEqual([])
})

test('imports name files that are there', () => {
  const missing = [...files.values()].flatMap(({ path, imports }) =>
    imports.filter((name) => name.endsWith('.ts') && !files.has(name)).map((name) => `${path} imports ${name}`),
  )
  expect(missing).toEqual([])
})

test('there is no import cycle', () => {
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '))
    if (done.has(path) || trail.includes(path)) return
    for (const next of files.get(path)?.imports ?? []) if (files.has(next)) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of files.keys()) visit(path, [])
  expect(cycles).toEqual([])
})

/** The shell file of a command, such as `scripts/start`; documentation names code files too, but runs none. */
const fronts = walk(join(PROJECT, 'scripts')).filter((path) => !path.endsWith('.ts') && !path.endsWith('.md'))

test('no file is an orphan: commands lead to every file of the rooms, tests to every helper of theirs', () => {
  const begun = fronts.flatMap((front) => [...readFileSync(front, 'utf8').matchAll(/scripts\/[\w./-]+\.ts/g)].map(([name]) => name))
  const tests = [...files.keys()].filter((path) => path.endsWith('.test.ts') || path === 'test/vitest.config.ts')
  // Pages name the modules that they load.
  const pages = [...files.values()].filter(({ path }) => path.startsWith('api/features/'))
  const loaded = pages.flatMap(({ text }) => [...text.matchAll(/'([\w/-]+)\.js'/g)].map(([, name]) => `api/browser/${name}.ts`))
  expect(orphans(files, { begun: [...begun, ...loaded], tests })).toEqual([])
})

test('a file that only its test imports, or that is only named, is an orphan', () => {
  const file = (path: string, imports: string[], text = ''): SourceFile => ({ path, room: path.split('/')[0] as Room, imports, text })
  const made = new Map(
    [
      file(
        'scripts/a/main.ts',
        ['jobs/used.ts'],
        "fork(new URL('./child.ts', import.meta.url))\nstartProcess<T>('worker.ts', 1)\nlog('named.ts')",
      ),
      file('scripts/a/child.ts', []),
      file('scripts/a/worker.ts', []),
      file('scripts/a/named.ts', []),
      file('scripts/b/worker.ts', []),
      file('jobs/used.ts', []),
      file('jobs/only-tested.ts', []),
      file('test/one.test.ts', ['jobs/only-tested.ts', 'test/helper.ts'], "fork(new URL('./spawned.ts', import.meta.url))"),
      file('test/helper.ts', []),
      file('test/spawned.ts', []),
      file('test/forgotten.ts', []),
    ].map((one) => [one.path, one]),
  )
  expect(orphans(made, { begun: ['scripts/a/main.ts'], tests: ['test/one.test.ts'] })).toEqual([
    'scripts/a/named.ts',
    'scripts/b/worker.ts',
    'jobs/only-tested.ts',
    'test/forgotten.ts',
  ])
})

test('no file is longer than 400 lines', () => {
  const texts = [...files.values()].map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
  for (const front of fronts) texts.push({ path: relative(PROJECT, front), lines: readFileSync(front, 'utf8').split('\n').length - 1 })
  expect(texts.filter(({ lines }) => lines > 400)).toEqual([])
})

test('nothing of ours is mocked', () => {
  expect([...files.values()].filter(({ text }) => mocks(text)).map(({ path }) => path)).toEqual([])
})

test.each(MOCKING)('%s counts as mocking', (name) => {
  expect(mocks(['vi', `${name}('./a.ts')`].join('.'))).toBe(true)
  expect(mocks(['vi', ` .${name} (a)`].join('\n'))).toBe(true)
  expect(mocks(`const { ${name} } = ${'vi'}`)).toBe(true)
})

/** Files that neither a command leads to (those of the rooms) nor a test (those of `test`). */
function orphans(
  all: ReadonlyMap<string, SourceFile>,
  from: { readonly begun: readonly string[]; readonly tests: readonly string[] },
): string[] {
  const byCommands = reachedFrom(all, from.begun)
  const byTests = reachedFrom(all, from.tests)
  return [...all.values()].filter(({ path, room }) => !(room === 'test' ? byTests : byCommands).has(path)).map(({ path }) => path)
}

function reachedFrom(all: ReadonlyMap<string, SourceFile>, begun: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>()
  const reach = (path: string): void => {
    const found = all.get(path)
    if (!found || reached.has(path)) return
    reached.add(path)
    for (const next of found.imports) reach(next)
    // A file that is run as a process of its own: a path from the file that starts it.
    for (const [, name] of found.text.matchAll(SPAWNED)) reach(join(dirname(path), name as string))
  }
  for (const path of begun) reach(path)
  return reached
}

function mocks(text: string): boolean {
  const names = MOCKING.join('|')
  return new RegExp(
    `\\b${'vi'}\\s*\\.\\s*(?:${names})\\b|\\{[^}]*\\b(?:${names})\\b[^}]*\\}\\s*=\\s*${'vi'}\\b|from '${'node'}:test'`,
  ).test(text)
}
