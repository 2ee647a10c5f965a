import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder } from '../helpers/temp.ts'

const run = promisify(execFile)
const MAIN = new URL('../../scripts/service/lake.ts', import.meta.url).pathname

/** The output of `scripts/lake sql` over an empty lake. */
async function answer(query: string, ...more: string[]): Promise<string[]> {
  const env = { ...process.env, LAKE_URL: '', REDIS_URL: '' }
  const { stdout } = await run(process.execPath, [MAIN, 'sql', query, '--data', tempFolder(), ...more], { env, timeout: 120_000 })
  return stdout.trimEnd().split('\n')
}

test('a query with too many rows prints the first ones only', async () => {
  expect(await answer('SELECT range AS n FROM range(9000000000000)', '--rows', '3')).toEqual([
    'n',
    '-',
    '0',
    '1',
    '2',
    'the first 3 rows; --rows shows more',
  ])
})

test('a query with few rows prints their number', async () => {
  expect(await answer("SELECT 1 AS n, 'x' AS name;")).toEqual(['n  name', '-  ----', '1  x', '1 rows'])
  expect((await answer('SELECT range AS n FROM range(3)', '--rows', '3')).at(-1)).toBe('3 rows')
})
