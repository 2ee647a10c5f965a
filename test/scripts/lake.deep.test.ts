import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { datasets } from '../../lake/catalog.ts'
import { createTable } from '../../lake/iceberg/create.ts'
import { tableKey } from '../../lake/iceberg/schema.ts'
import { versionKey } from '../../lake/iceberg/table.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { cliConfig, openServiceStore } from '../../scripts/service/store.ts'
import { tempFolder } from '../helpers/temp.ts'

const run = promisify(execFile)
const MAIN = new URL('../../scripts/commands/lake.ts', import.meta.url).pathname

/** The exit code and lines of output of `scripts/lake` over a folder of data. */
async function lake(data: string, ...args: string[]): Promise<{ readonly code: number; readonly lines: string[] }> {
  const env = { ...process.env, LAKE_URL: '', REDIS_URL: '' }
  const done = run(process.execPath, [MAIN, ...args, '--data', data], { env, timeout: 120_000 })
  const { stdout, code } = await done.then(({ stdout }) => ({ stdout, code: 0 })).catch((error: { stdout: string; code: number }) => error)
  return { code, lines: stdout.trimEnd().split('\n') }
}

/** The output of `scripts/lake sql` over an empty lake. */
const answer = async (query: string, ...more: string[]): Promise<string[]> => (await lake(tempFolder(), 'sql', query, ...more)).lines

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

test('one bad table keeps no command from the others, and its versions say which one to go back to', async () => {
  const data = tempFolder()
  const store = await openServiceStore(cliConfig(data))
  const [first, bad, last] = datasets as [Dataset, Dataset, Dataset]
  for (const dataset of [first, bad, last]) await createTable({ store, dataset, properties: {} })
  await store.put(versionKey(tableKey(bad), 2), Buffer.from('{"format-version": 2'))
  await store.close()

  const tables = await lake(data, 'tables')
  expect([tables.code, tables.lines.length]).toEqual([0, datasets.length + 2])
  expect(tables.lines[3]).toMatch(new RegExp(`^${bad.id} .*cannot be used: its metadata is damaged`))
  expect(tables.lines[4]).toMatch(new RegExp(`^${last.id} .*v1\\.metadata\\.json`))
  const relocated = await lake(data, 'relocate')
  expect(relocated.code).toBe(1)
  expect(relocated.lines).toEqual([
    `${first.id}: is where its paths say`,
    expect.stringMatching(`^${bad.id}: cannot be used: its metadata is damaged`),
    `${last.id}: is where its paths say`,
  ])
  const versions = async () => (await lake(data, 'versions', bad.id)).lines.slice(2)
  expect(await versions()).toEqual([
    expect.stringMatching(/^ *2 .*cannot be used: its metadata is damaged/),
    expect.stringMatching(/^ *1 +\d{4}-\d\d-\d\dT\S+ +0 +0/),
  ])
  expect((await lake(data, 'rollback', bad.id, '1', '--yes')).lines.at(-1)).toBe('done: version 3')
  expect((await versions())[0]).toMatch(/^ *3 +\d{4}\S+ +0 +0/)
})
