import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Engine, openEngine } from '../../../lake/query/engine.ts'
import { Sql, sql } from '../../../lake/query/sql.ts'
import { tempFolder } from '../../helpers/temp.ts'

const folder = tempFolder()
const lake = join(folder, "lake's")
let engine: Engine

beforeAll(async () => {
  for (const path of [lake, join(folder, "lake's-neighbour")]) mkdirSync(path)
  writeFileSync(join(lake, 'inside.csv'), 'a\n1\n')
  writeFileSync(join(folder, "lake's-neighbour", 'outside.csv'), 'a\n1\n')
  writeFileSync(join(folder, 'outside.csv'), 'a\n1\n')
  symlinkSync(join(folder, 'outside.csv'), join(folder, 'link.csv'))
  engine = await openEngine({ folders: [lake], spool: join(folder, 'spool'), memory: 200e6, spill: 1e9, threads: 1, slots: 1, queue: 1 })
})
afterAll(() => engine.close())

/** Runs a text that the product could never build, as if a hole had been found. */
const attempt = (text: string): Promise<void> => engine.use({}, null, (session) => session.run(raw(text)))
const ask = (text: string): Promise<unknown> => engine.use({}, null, async (session) => (await session.selectText(text)).next())

function raw(text: string): Sql {
  return Sql.of(Object.freeze(Object.assign([text], { raw: Object.freeze([text]) })) as unknown as TemplateStringsArray, [])
}

test('files inside are read', async () => {
  const path = join(lake, 'inside.csv')
  await engine.use({}, null, async (session) => expect(await session.values(sql`SELECT * FROM read_csv(${path})`)).toEqual([[1n]]))
})

test.each([
  "SELECT * FROM read_csv('/etc/passwd')",
  "SELECT * FROM read_text('/etc/hostname')",
  "SELECT * FROM read_blob('/proc/self/environ')",
  `SELECT * FROM read_csv('${folder}/lake''s/../outside.csv')`,
  `SELECT * FROM read_csv('${folder}/lake''s-neighbour/outside.csv')`,
  `SELECT * FROM read_csv('${folder}/link.csv')`,
  `SELECT * FROM read_csv('${folder}/*.csv')`,
  "SELECT * FROM glob('/etc/*')",
  "SELECT * FROM read_parquet('https://127.0.0.1:9/x.parquet')",
  "SELECT * FROM read_parquet('s3://bucket/x.parquet')",
  "SELECT * FROM '/etc/passwd'",
  "SELECT * FROM sniff_csv('/etc/passwd')",
])('a read outside is refused: %s', async (text) => {
  await expect(ask(text)).rejects.toThrow(/disabled by configuration|not exist/)
})

test.each([
  `COPY (SELECT 1) TO '${folder}/out.csv'`,
  `ATTACH '${folder}/out.db' AS other`,
  "ATTACH '/etc/passwd' AS other (TYPE sqlite)",
  `EXPORT DATABASE '${folder}/export'`,
  'SET threads = 64',
  "SET GLOBAL TimeZone = 'Europe/Madrid'",
  'SET enable_external_access = true',
  "SET allowed_directories = ['/']",
  'SET lock_configuration = false',
  'RESET lock_configuration',
  'PRAGMA memory_limit = "64GB"',
  'INSTALL httpfs',
  'LOAD httpfs',
  `LOAD '${folder}/x.duckdb_extension'`,
  'INSTALL spatial FROM community',
])('a statement that reaches out is refused: %s', async (text) => {
  await expect(attempt(text)).rejects.toThrow(/disabled|locked|Cannot|cannot|not allowed/)
})

test.each([
  'CREATE TABLE t (a INTEGER)',
  `COPY (SELECT 1) TO '${join(lake, 'out.csv').replace("'", "''")}'`,
  `ATTACH '${join(lake, 'x.db').replace("'", "''")}' AS other`,
  'INSERT INTO t VALUES (1)',
  'SET VARIABLE a = 1',
  'CALL pragma_version()',
  'EXPLAIN ANALYZE SELECT 1',
  'BEGIN',
])('only SELECT is answered: %s', async (text) => {
  await expect(ask(text)).rejects.toMatchObject({ name: 'QueryError' })
})

test('one SELECT at a time', async () => {
  await expect(ask('SELECT 1; SELECT 2')).rejects.toMatchObject({ code: 'refused' })
})

test('the clock of queries is UTC, whatever the machine has', async () => {
  const values = await engine.use({}, null, (session) => session.values(sql`SELECT CAST(TIMESTAMPTZ '2026-07-01 12:00:00+00' AS VARCHAR)`))
  expect(values).toEqual([['2026-07-01 12:00:00+00']])
})
