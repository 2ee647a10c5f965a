import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROJECT } from '../laws/sources.ts'

test('a name without a test file fails, and nothing else is run', () => {
  const asked = ['scripts/run-tests.ts', 'test/lake/repeats', 'test/no/such']
  const { status, stdout } = spawnSync(process.execPath, asked, { cwd: PROJECT, encoding: 'utf8' })
  expect(stdout).toContain('no test file is named like test/no/such\n')
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('0 passed, 1 failed, 0 skipped')
  expect(status).toBe(1)
})

/** Size of Node's thread pool in a command that sources `setup.sh`. */
function pool(env: Readonly<Record<string, string>>): string {
  const script = `set -eu; . '${join(PROJECT, 'scripts/setup.sh')}'; set_pool; printf %s "$UV_THREADPOOL_SIZE"`
  const { PATH = '' } = process.env
  return spawnSync('bash', ['-c', script], { encoding: 'utf8', env: { PATH, ...env } }).stdout
}

test('the thread pool follows the number of query slots, unless it is set', () => {
  expect(pool({})).toBe('12')
  expect(pool({ QUERY_SLOTS: '8' })).toBe('36')
  expect(pool({ QUERY_SLOTS: '8', UV_THREADPOOL_SIZE: '5' })).toBe('5')
  for (const QUERY_SLOTS of ['', '0', 'many', 'a[$(exit 3)]']) expect(pool({ QUERY_SLOTS })).toBe('12')
})

test('every command that queries the lake sets its pool', () => {
  for (const command of ['start', 'lake', 'feeds', 'replay', 'bench'])
    expect(readFileSync(join(PROJECT, 'scripts', command), 'utf8'), command).toMatch(/^set_pool$/m)
})
