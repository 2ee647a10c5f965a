import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commit } from '../../lake/iceberg/commit.ts'
import { expireSnapshots, removeOrphans } from '../../lake/iceberg/expire.ts'
import { liveFiles } from '../../lake/iceberg/files.ts'
import type { Lake, LakeOptions, LakeSnapshot } from '../../lake/open.ts'
import { scan, scanFiles } from '../../lake/query/scan.ts'
import { column, instant, sql } from '../../lake/query/sql.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { tempFolder } from '../helpers/temp.ts'
import { deepTest } from '../helpers/tier.ts'
import { everything, landRows, openTestLake, SOMETIMES_INTERNAL, variant } from './query/fixtures.ts'

async function testLake(options: Partial<LakeOptions> = {}): Promise<Lake> {
  const lake = await openTestLake(tempFolder(), options)
  onTestFinished(() => lake.close())
  return lake
}

const row = (id: number, more: AnyRow = {}): AnyRow => ({ id, observed_at: id * 1000, fetch_id: 'x', ...more })
const ids = async (lake: Lake, options: Parameters<Lake['query']>[1] = {}): Promise<unknown[]> =>
  (await lake.query(sql`SELECT id FROM ${scan(everything)} ORDER BY id`, options)).map(({ id }) => id)

test('a table that does not exist yet has no rows, and the types it will have', async () => {
  const lake = await testLake()
  expect(await lake.snapshot(everything)).toBeNull()
  expect(await ids(lake)).toEqual([])
  const counted = await lake.query(sql`SELECT count(*) AS n, max(price) AS price FROM ${scan(everything, { price: { gt: 1 } })}`)
  expect(counted).toEqual([{ n: 0, price: null }])
  await landRows(lake, everything, [row(1)])
  expect(await lake.query(sql`SELECT id FROM ${scan(everything, { id: { eq: 2 } })}`)).toEqual([])
})

test('a snapshot says its version, its time and until when each feed is covered', async () => {
  const lake = await testLake()
  const before = Date.now()
  await landRows(lake, everything, [row(1)], { properties: { 'landed-until.some_feed': '2026-01-05T00:00:10.000Z' } })
  const snapshot = await lake.snapshot(everything)
  expect(snapshot).toMatchObject({ version: 2, covered_until: { some_feed: Date.UTC(2026, 0, 5, 0, 0, 10) } })
  expect(snapshot?.updated_at).toBeGreaterThanOrEqual(before)
})

test('a pinned snapshot repeats an answer, over several datasets and queries', async () => {
  const lake = await testLake()
  await landRows(lake, everything, [row(1)])
  const old = (await lake.snapshot(everything)) as LakeSnapshot
  await landRows(lake, everything, [row(2)])
  expect(await ids(lake)).toEqual([1, 2])
  expect(await ids(lake, { pins: new Map([[everything.id, old.state]]) })).toEqual([1])
  const again = await lake.snapshot(everything, old.snapshotId as bigint)
  expect(await ids(lake, { pins: new Map([[everything.id, again?.state ?? null]]) })).toEqual([1])
  await expect(lake.snapshot(everything, 123n)).rejects.toMatchObject({ code: 'no-snapshot' })
})

test('one query sees one snapshot of a dataset however often it reads it, while others commit', async () => {
  const lake = await testLake({ slots: 3 })
  await landRows(lake, everything, [row(0)])
  let writing = true
  const writer = (async () => {
    for (let id = 1; writing; id++) await landRows(lake, everything, [row(id)])
  })()
  for (let round = 0; round < 20; round++) {
    const [found] = await lake.query(
      sql`SELECT (SELECT count(*) FROM ${scan(everything)}) AS one, (SELECT count(*) FROM ${scan(everything)}) AS other`,
    )
    expect(found?.['one']).toBe(found?.['other'])
  }
  await lake.use({}, async (session) => {
    const count = async (): Promise<unknown> => (await session.values(sql`SELECT count(*) FROM ${scan(everything)}`))[0]?.[0]
    const first = await count()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await count()).toBe(first)
  })
  writing = false
  await writer
})

test('expiry leaves the files of a running query', async () => {
  const now = Date.now() + 30 * 86_400_000
  const lake = await testLake()
  const [first] = await landRows(
    lake,
    everything,
    Array.from({ length: 3000 }, (_, id) => row(id)),
  )
  const [second] = await landRows(lake, everything, [row(3000)])
  const table = lake.table(everything)
  const running = lake.stream(sql`SELECT id FROM ${scan(everything)} ORDER BY id`)
  const head = await running.next()
  expect(head.value).toHaveLength(2048)
  expect(lake.inUse(first?.key as string)).toBe(true)
  await commit({ table, operation: 'delete', remove: [first?.key as string, second?.key as string] })
  const inUse = (key: string): boolean => lake.inUse(key)
  expect((await expireSnapshots({ table, inUse, now })).snapshots).toBe(2)
  await removeOrphans({ table, grace_ms: 0, inUse })
  expect(await lake.store.head(first?.key as string)).not.toBeNull()
  let rows = 2048
  for await (const batch of running) rows += batch.length
  expect(rows).toBe(3001)
  expect(lake.inUse(first?.key as string)).toBe(false)
  await removeOrphans({ table, grace_ms: 0, inUse })
  expect(await lake.store.head(first?.key as string)).toBeNull()
})

test('files named by key are read for compaction', async () => {
  const lake = await testLake()
  await landRows(lake, everything, [row(1), row(2)])
  await landRows(lake, everything, [row(3)])
  const state = await lake.table(everything).load()
  const files = await liveFiles(state as NonNullable<typeof state>)
  expect(files).toHaveLength(2)
  const chosen = files.filter(({ rows }) => rows === 2)
  expect(await lake.query(sql`SELECT id FROM ${scanFiles(everything, chosen)} ORDER BY id`)).toEqual([{ id: 1 }, { id: 2 }])
})

test('rows that break off in the middle are an error, not a short answer', async () => {
  const lake = await testLake({ threads: 1 })
  const breaks = sql`SELECT CASE WHEN i = 299999 THEN error('late') ELSE i END AS n FROM range(300000) t(i)`
  await expect(lake.query(breaks, { columns: {} })).rejects.toMatchObject({ code: 'broke-off' })
  let rows = 0
  const streamed = async (): Promise<void> => {
    for await (const batch of lake.stream(breaks, { columns: {} })) rows += batch.length
  }
  await expect(streamed()).rejects.toMatchObject({ code: 'broke-off' })
  expect(rows).toBeGreaterThan(100_000)
  await expect(lake.query(sql`SELECT error('at once')`, { columns: {} })).rejects.toMatchObject({ code: 'failed', message: /at once/ })
})

test('an answer longer than allowed is an error, not a short answer', async () => {
  const lake = await testLake()
  await expect(lake.query(sql`SELECT * FROM range(11)`, { maxRows: 10 })).rejects.toMatchObject({ code: 'too-many-rows' })
  expect(await lake.query(sql`SELECT * FROM range(10)`, { maxRows: 10 })).toHaveLength(10)
})

test('values come as their JavaScript types', async () => {
  const lake = await testLake()
  const answer = await lake.query(sql`SELECT count(*) AS n, sum(i) AS total, 9007199254740993 AS far, 1.500 AS price, ${instant(1.5)} AS at,
    DATE '1969-12-31' AS day, [1, NULL] AS list, {'a': 1, 'b': [DATE '2026-01-01']} AS pair, 'x'::BLOB AS bytes, NULL AS nothing,
    '{"a": 1}'::JSON AS json, true AS yes, INTERVAL 1 DAY AS span FROM range(10) t(i)`)
  expect(answer).toEqual([
    {
      n: 10,
      total: 45,
      far: 9007199254740993n,
      price: 1.5,
      at: 1.5,
      day: '1969-12-31',
      list: [1, null],
      pair: { a: 1, b: ['2026-01-01'] },
      bytes: Buffer.from('x'),
      nothing: null,
      json: { a: 1 },
      yes: true,
      span: '1 day',
    },
  ])
})

test("a person's SELECT reads datasets by their ids", async () => {
  const lake = await testLake()
  const dataset = variant({ id: 'persons_own' })
  await landRows(lake, dataset, [row(1, { name: "O'Brien $1", position: { lat: 1, lon: 2 } }), row(2)])
  const text = "WITH named AS (SELECT * FROM persons_own WHERE name LIKE 'O%') SELECT name, position_lat, position_lon FROM named"
  const ask = async (query: string, ...datasets: Dataset[]): Promise<AnyRow[]> => {
    const rows: AnyRow[] = []
    for await (const batch of lake.text(query, { datasets })) rows.push(...batch)
    return rows
  }
  expect(await ask(text, dataset, everything)).toEqual([{ name: "O'Brien $1", position: { lat: 1, lon: 2 } }])
  expect(await ask('SELECT count(*) AS n FROM everything', dataset, everything)).toEqual([{ n: 0 }])
  await expect(ask('SELECT * FROM other', dataset)).rejects.toThrow(/other/)
  await expect(ask('DROP TABLE persons_own', dataset)).rejects.toMatchObject({ name: 'QueryError' })
  await expect(ask("SELECT * FROM read_text('/etc/passwd')")).rejects.toThrow(/disabled/)
})

test("a person's SELECT without end is left after the rows that are wanted", async () => {
  const lake = await testLake()
  for await (const batch of lake.text('SELECT range AS n FROM range(9000000000000)', { datasets: [] })) {
    expect(batch[0]).toEqual({ n: 0 })
    break
  }
  expect(lake.engine.load.taken).toBe(0)
})

test('a moved lake is read at its new place', async () => {
  const folder = tempFolder()
  const { rename } = await import('node:fs/promises')
  const before = await openTestLake(join(folder, 'a'))
  await landRows(before, everything, [row(1)])
  await before.close()
  await rename(join(folder, 'a'), join(folder, 'b'))
  const after = await openTestLake(join(folder, 'b'))
  onTestFinished(() => after.close())
  expect(await ids(after)).toEqual([1])
  expect(readdirSync(folder)).toEqual(['b'])
})

test('a join of datasets takes conditions on both', async () => {
  const lake = await testLake()
  const other = variant({ id: 'other' })
  await landRows(lake, everything, [row(1, { price: 1.5 }), row(2, { price: 2.5 })])
  await landRows(lake, other, [row(1, { name: 'one' }), row(2, { name: 'two' })])
  const found = await lake.query(
    sql`SELECT a.id, a.price, b.name FROM ${scan(everything, { price: { in: [2.5, 7] } })} a
      JOIN ${scan(other)} b ON a.${column(everything, 'id')} = b.${column(other, 'id')}`,
  )
  expect(found).toEqual([{ id: 2, price: 2.5, name: 'two' }])
})

deepTest('a query that meets an internal error of DuckDB is run again over a new database', { timeout: 60_000 }, async () => {
  const lake = await testLake()
  const streamed = async (): Promise<AnyRow[]> => {
    const rows: AnyRow[] = []
    for await (const batch of lake.stream(SOMETIMES_INTERNAL, { columns: {} })) rows.push(...batch)
    return rows
  }
  for (let run = 0; run < 750; run++) {
    expect(await lake.query(SOMETIMES_INTERNAL, { columns: {} })).toEqual([{ x: 0, n: 1 }])
    expect(await streamed()).toEqual([{ x: 0, n: 1 }])
  }
})
