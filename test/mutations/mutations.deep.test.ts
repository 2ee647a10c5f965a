import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../helpers/temp.ts'
import type { Summary } from './results.ts'

const PROJECT = resolve(import.meta.dirname, '../..')
const MAIN = new URL('./main.ts', import.meta.url).pathname
/** Paths of the files below, as they import each other: they are not files of this project. */
const [ADD, HALF] = ['../lake/add.ts', '../lake/half.ts']
const FILES = {
  'lake/add.ts': 'export const add = (a: number, b: number): number => a + b\n',
  'lake/half.ts': 'export const half = (a: number): number => a / 2\n',
  'test/add.test.ts': `import { expect, test } from 'vitest'\nimport { add } from '${ADD}'\ntest('add', () => expect(add(1, 2)).toBe(3))\n`,
  'test/half.test.ts': `import { test } from 'vitest'\nimport { half } from '${HALF}'\ntest('half', () => void half(1))\n`,
  'test/half.deep.test.ts': `import { expect, test } from 'vitest'\nimport { half } from '${HALF}'\ntest('half', () => expect(half(3)).toBe(1.5))\n`,
  'test/vitest.config.ts':
    "export default { test: { root: new URL('..', import.meta.url).pathname, include: ['test/**/*.test.ts'], exclude: process.env.TEST_TIER === 'deep' ? [] : ['**/*.deep.test.ts'] } }\n",
  '.gitignore': 'node_modules\n',
} as const

function project(): string {
  const root = tempFolder()
  for (const folder of ['lake', 'test']) mkdirSync(join(root, folder))
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(root, path), text)
  symlinkSync(join(PROJECT, 'node_modules'), join(root, 'node_modules'))
  for (const args of [['init'], ['add', '.'], ['-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-m', 'a']])
    execFileSync('git', ['-C', root, ...args], { stdio: 'ignore' })
  return root
}

function mutations(root: string, ...args: readonly string[]): Summary {
  const options = ['--root', root, '--count', '9', '--jobs', '1', '--json', ...args]
  const { stdout, stderr } = spawnSync(process.execPath, [MAIN, ...options], { encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as Summary
}

test('the deep tests notice what the default ones miss, and a finished run is not repeated', () => {
  const root = project()
  const [usual, deep] = [join(root, 'default.jsonl'), join(root, 'deep.jsonl')]
  const first = mutations(root, '--results', usual)
  expect(first).toMatchObject({ tier: 'default', count: 2, killed: 1, survived: 1, undecided: 0, not_reached: 0 })
  expect(first.survivors).toMatchObject([{ file: 'lake/half.ts', line: 1, ran: 1, reaching: 1 }])
  const began = performance.now()
  expect(mutations(root, '--results', usual)).toEqual(first)
  expect(performance.now() - began).toBeLessThan(10_000)
  const second = mutations(root, '--tier', 'deep', '--after', usual, '--results', deep)
  expect(second).toMatchObject({ tier: 'deep', mutants: first.mutants, count: 2, killed: 2, survivors: [] })
})
