import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { PROJECT, type Room, sourceFiles, walk } from './sources.ts'

const files = sourceFiles()

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

test('no file is an orphan: commands and tests lead to every one', () => {
  const reached = new Set<string>()
  const reach = (path: string): void => {
    if (reached.has(path) || !files.has(path)) return
    reached.add(path)
    for (const next of files.get(path)?.imports ?? []) reach(next)
    // A path given to a child process, such as 'run-worker.ts' beside the file that starts it.
    for (const [, name] of files.get(path)?.text.matchAll(/'([\w./-]+\.ts)'/g) ?? [])
      for (const candidate of files.keys()) if (candidate.endsWith(`/${(name as string).replace(/^(\.\.?\/)+/, '')}`)) reach(candidate)
  }
  const fronts = walk(join(PROJECT, 'scripts')).filter((path) => !path.endsWith('.ts'))
  for (const front of fronts) for (const [name] of readFileSync(front, 'utf8').matchAll(/scripts\/[\w./-]+\.ts/g)) reach(name)
  // Tests stand for the code of rooms, not for each other's helpers: a helper that no test uses is an orphan too.
  for (const path of files.keys()) if (path.endsWith('.test.ts') || path === 'test/vitest.config.ts') reach(path)
  expect([...files.keys()].filter((path) => !reached.has(path))).toEqual([])
})

test('no file is longer than 400 lines', () => {
  const texts = [...files.values()].map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
  const fronts = walk(join(PROJECT, 'scripts')).filter((path) => !path.endsWith('.ts'))
  for (const front of fronts) texts.push({ path: relative(PROJECT, front), lines: readFileSync(front, 'utf8').split('\n').length - 1 })
  expect(texts.filter(({ lines }) => lines > 400)).toEqual([])
})

test('tests do not mock modules', () => {
  const word = ['vi', 'mock('].join('.')
  expect([...files.values()].filter(({ text }) => text.includes(word)).map(({ path }) => path)).toEqual([])
})
