import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Lake } from '../../../lake/open.ts'
import { cutRows } from '../../../lake/query/pieces.ts'
import { stageRows } from '../../../lake/query/rows.ts'
import { fieldOf, sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { everything, openTestLake } from './fixtures.ts'

const columns = tableColumns(everything)
let lake: Lake
beforeAll(async () => {
  lake = await openTestLake(tempFolder())
})
afterAll(() => lake.close())

/** The ids of the rows in each piece, in order. */
function cut(rows: readonly AnyRow[], by: readonly string[], pieces: number): Promise<number[][]> {
  return lake.use({}, async (session) => {
    const given = rows.map((row, id) => ({ id, observed_at: 0, fetch_id: 'test.1', ...row }))
    const { table } = await stageRows(session, columns, [given])
    const fields = by.map((name) => fieldOf(everything, name))
    const found: number[][] = []
    for (const condition of await cutRows(session, table, { by: fields, pieces }))
      found.push((await session.values(sql`SELECT id FROM ${table} WHERE ${condition} ORDER BY id`)).map(([id]) => Number(id)))
    return found
  })
}

const few = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values)

test('each row is in one piece, whatever its values, and rows of one place are together', async () => {
  const row = fc.record({
    name: few(null, '', 'Atocha', 'Sol', 'Ávila', "O'Donnell"),
    small: few(null, -1, 0, 7),
    price: few(null, 0.001, 1.5),
    ratio: few(null, -0.5, 0, Number.MAX_VALUE),
    seen_at: few(null, -1, 0, 1.5e12),
    valid_on: few(null, '1969-12-31', '2026-08-22'),
    is_open: few(null, true, false),
  })
  const order = fc.uniqueArray(few('name', 'small', 'price', 'ratio', 'seen_at', 'valid_on', 'is_open'), { minLength: 1, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 60 }), order, fc.integer({ min: 2, max: 9 }), async (rows, by, most) => {
      const pieces = await cut(rows, by, most)
      expect(pieces.length).toBeLessThanOrEqual(most)
      expect(pieces.every((ids) => ids.length > 0)).toBe(true)
      expect(pieces.flat().sort((one, other) => one - other)).toEqual(rows.map((_, id) => id))
      const placeOf = (id: number): string => JSON.stringify(by.map((name) => (rows[id] as AnyRow)[name]))
      const places = pieces.map((ids) => new Set(ids.map(placeOf)))
      expect(places.reduce((sum, { size }) => sum + size, 0)).toBe(new Set(rows.map((_, id) => placeOf(id))).size)
    }),
    { numRuns: 60 },
  )
})

test('pieces follow the order, nulls last, and are about as large', async () => {
  const rows = Array.from({ length: 1000 }, (_, id) => ({ name: id % 10 === 9 ? null : `stop ${id % 10}`, small: id % 100 }))
  const pieces = await cut(rows, ['name', 'small'], 5)
  expect(pieces.map((ids) => ids.length)).toEqual([200, 200, 200, 200, 200])
  expect(pieces.map((ids) => [...new Set(ids.map((id) => rows[id]?.name))])).toEqual([
    ['stop 0', 'stop 1'],
    ['stop 2', 'stop 3'],
    ['stop 4', 'stop 5'],
    ['stop 6', 'stop 7'],
    ['stop 8', null],
  ])
})

test('a place with more rows than a piece has one of its own, larger than the others', async () => {
  const rows = Array.from({ length: 100 }, (_, id) => ({ name: id < 10 ? 'a' : id < 90 ? 'b' : 'c' }))
  const pieces = await cut(rows, ['name'], 10)
  expect(pieces.map((ids) => ids.length)).toEqual([10, 80, 10])
  expect(await cut(rows.slice(10, 90), ['name'], 10)).toHaveLength(1)
  expect(await cut([], ['name'], 10)).toEqual([[]])
})
