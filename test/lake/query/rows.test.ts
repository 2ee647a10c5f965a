import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Lake } from '../../../lake/open.ts'
import { stageRows } from '../../../lake/query/rows.ts'
import { scan } from '../../../lake/query/scan.ts'
import { join, outputName, sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { byTier } from '../../helpers/tier.ts'
import { anyRow } from './arbitraries.ts'
import { everything, landRows, openTestLake } from './fixtures.ts'

let lake: Lake
beforeAll(async () => {
  lake = await openTestLake(tempFolder())
})
afterAll(() => lake.close())

const numbered = (rows: readonly AnyRow[], fetch_id: string): AnyRow[] => rows.map((row, id) => ({ id, ...row, fetch_id }))

/** −0 of a decimal or an instant is 0 in the lake. */
const plain = (row: AnyRow): AnyRow =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === 0 && name !== 'ratio' ? 0 : value]))

test('every kind comes back from Parquet as it went in', async () => {
  let fetch = 0
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { minLength: 1, maxLength: 60 }), async (rows) => {
      const fetch_id = `test.${fetch++}.${'x'.repeat(fetch % 20)}`
      const landed = numbered(rows, fetch_id)
      await landRows(lake, everything, landed)
      const found = await lake.query(sql`SELECT * FROM ${scan(everything, { fetch_id: { eq: fetch_id } })} ORDER BY id`)
      expect(found.map(normal)).toEqual(landed.map(plain).map(normal))
    }),
    { numRuns: byTier(6, 25) },
  )
})

/** JSON and texts are compared as they are; −0 inside JSON and lists is 0 after a round trip. */
function normal(row: AnyRow): AnyRow {
  const tidy = (value: unknown): unknown =>
    typeof value === 'number' && value === 0
      ? 0
      : Array.isArray(value)
        ? value.map(tidy)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(Object.entries(value).map(([name, held]) => [name, tidy(held)]))
          : value
  return tidy(row) as AnyRow
}

test('long and repeated texts keep their rows across chunks', async () => {
  const rows = Array.from({ length: 5000 }, (_, id) => ({
    id,
    observed_at: id,
    name:
      id % 7 === 0 ? null : id % 3 === 0 ? `short${Math.floor(id / 20) % 5}` : `a long text that is no slot's own ${Math.floor(id / 40)}`,
    // In runs, each the same as some before it.
    colour: Math.floor(id / 9) % 2 === 0 ? 'RED' : 'GREEN',
    fetch_id: 'test.repeated.and.longer.than.twelve.bytes',
  }))
  await landRows(lake, everything, rows)
  const found = await lake.query(sql`SELECT id, name, colour FROM ${scan(everything, { fetch_id: { eq: rows[0]?.fetch_id } })} ORDER BY id`)
  expect(found).toEqual(rows.map(({ id, name, colour }) => ({ id, name, colour })))
})

/**
 * Texts of equal length and begin in turns, more than are distinguished at once: in place in their slots, and behind a pointer.
 */
test('texts with others in between are read correctly', async () => {
  const text = (id: number): string | null => (id % 11 === 0 ? null : `${'same begin '.repeat(1 + (id % 3))}${(id * 7919) % 600}`)
  const values = Array.from({ length: 4500 }, (_, id) => `(${id}, ${text(id) === null ? 'NULL' : `'${text(id)}'`})`).join(', ')
  const found: AnyRow[] = []
  for await (const batch of lake.text(`SELECT t FROM (VALUES ${values}) AS _(id, t) ORDER BY id`, { datasets: [] })) found.push(...batch)
  expect(found.map(({ t }) => t)).toEqual(Array.from({ length: 4500 }, (_, id) => text(id)))
})

test('rows of few and of very many columns have all of them, and room for others', async () => {
  for (const count of [1, 15, 40, 1500]) {
    const names = Array.from({ length: count }, (_, at) => `column_${at}`)
    const selected = join(names.map((name, at) => sql`CAST(${at} AS INTEGER) AS ${outputName(name)}`))
    const [row, ...more] = await lake.query(sql`SELECT ${selected}`, { columns: {}, room: ['column_0', 'added'] })
    expect(more).toEqual([])
    expect(Object.entries(row as AnyRow)).toEqual([...names.map((name, at) => [name, at]), ['added', null]])
  }
})

test('values at the ends of their types are read exactly', async () => {
  const longs = [0n, -1n, 2n ** 53n - 1n, 2n ** 53n, 1n - 2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n)]
  const values = longs.map((long) => `('${long}'::BIGINT)`).join(', ')
  const query = `SELECT v, CAST(v % 1000000 AS DECIMAL(18, 3)) AS d, make_timestamp(v // 100) AS t FROM (VALUES ${values}) AS _(v)`
  const found: AnyRow[] = []
  for await (const batch of lake.text(query, { datasets: [] })) found.push(...batch)
  const whole = (long: bigint): number | bigint => (Number.isSafeInteger(Number(long)) ? Number(long) : long)
  expect(found).toEqual(longs.map((v) => ({ v: whole(v), d: Number(v % 1_000_000n), t: Number(v / 100n) / 1000 })))
})

const bad: [column: string, value: unknown, message: RegExp][] = [
  ['price', 1.0005, /column price cannot hold 1\.0005: decimal\(9, 3\) is expected/],
  ['price', 1e6, /column price cannot hold 1000000/],
  ['price', Number.NaN, /column price cannot hold null/],
  ['tiny', 1000, /decimal\(4, 1\)/],
  ['small', 2 ** 31, /column small cannot hold 2147483648: a whole number of 32 bits/],
  ['small', 1.5, /column small/],
  ['big', 2 ** 63, /column big/],
  ['big', 2n ** 63n, /column big cannot hold 9223372036854775808n/],
  ['name', 5, /column name cannot hold 5: a text is expected/],
  ['is_open', 'yes', /column is_open/],
  ['seen_at', '2026-01-01', /column seen_at/],
  ['seen_at', Number.NaN, /column seen_at/],
  ['valid_on', '2026-02-30', /column valid_on cannot hold "2026-02-30"/],
  ['observed_at', null, /column observed_at cannot hold null: a value is required/],
  ['path', [[1, 2]], /column path/],
  ['rates', [1.005], /column rates/],
]
test.each(bad)('a value that column %s cannot hold is an error that names both', async (column, value, message) => {
  const row: AnyRow = { id: 1, observed_at: 0, fetch_id: 'x', [column]: value }
  const staged = lake.use({}, (session) => stageRows(session, tableColumns(everything), [[row]]))
  await expect(staged).rejects.toThrow(message)
})

test('rows come in batches, and from a generator', async () => {
  const rows = await lake.use({}, async (session) => {
    const batches = (async function* () {
      for (let batch = 0; batch < 3; batch++) yield [{ id: batch, observed_at: batch, fetch_id: 'x' }]
    })()
    return (await stageRows(session, tableColumns(everything), batches)).rows
  })
  expect(rows).toBe(3)
})
