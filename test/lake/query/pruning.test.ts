import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ColumnFilter, Filter } from '../../../lake/iceberg/types.ts'
import type { Lake } from '../../../lake/open.ts'
import { prunedFiles } from '../../../lake/query/relations.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { byTier, IS_DEEP } from '../../helpers/tier.ts'
import { anyRow, VALUES } from './arbitraries.ts'
import { everything, landRows, openTestLake, variant } from './fixtures.ts'

const ROWS = 12_288
const FILES = 3
const DISTINCT = 1500
const FILTERS = byTier(5, 50)
/** DuckDB's least row group. */
const ROW_GROUP_ROWS = 2048
const SEED = 20260105

let lake: Lake
beforeAll(async () => {
  lake = await openTestLake(tempFolder())
})
afterAll(() => lake.close())

/** Physical columns that can be filtered, and how to take their value from a row. */
const COLUMNS: Readonly<Record<string, { readonly value: (row: AnyRow) => unknown; readonly any: fc.Arbitrary<unknown> }>> = {
  ...Object.fromEntries(
    [
      'observed_at',
      'name',
      'colour',
      'small',
      'big',
      'tiny',
      'price',
      'amount',
      'ratio',
      'is_open',
      'seen_at',
      'valid_on',
      'leaves_at',
    ].map((name) => [name, { value: (row: AnyRow) => row[name] ?? null, any: VALUES[name] as fc.Arbitrary<unknown> }]),
  ),
  position_lat: { value: (row) => (row['position'] as { lat: number } | null)?.lat ?? null, any: fc.double({ min: -90, max: 90 }) },
}

/** Order as the lake has it: texts by their UTF-8, NaN above every number, −0 equal to 0. */
function compare(one: unknown, other: unknown): number {
  if (typeof one === 'string' && typeof other === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other))
  if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other))
  return (one as number) < (other as number) ? -1 : (one as number) > (other as number) ? 1 : 0
}

const TESTS: Readonly<Record<string, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  gte: (order) => order >= 0,
  gt: (order) => order > 0,
  lte: (order) => order <= 0,
  lt: (order) => order < 0,
}

function matches(value: unknown, filter: ColumnFilter): boolean {
  return Object.entries(filter).every(([operator, wanted]) => {
    if (operator === 'in') return value !== null && (wanted as unknown[]).some((one) => one !== null && compare(value, one) === 0)
    if (wanted === null) return operator === 'eq' && value === null
    return value !== null && (TESTS[operator] as (order: number) => boolean)(compare(value, wanted))
  })
}

function anyFilter(values: readonly unknown[], any: fc.Arbitrary<unknown>): fc.Arbitrary<ColumnFilter> {
  const value = fc.oneof({ arbitrary: fc.constantFrom(...values), weight: 4 }, { arbitrary: any, weight: 1 })
  return fc.oneof(
    fc.record({ eq: fc.option(value, { nil: null, freq: 8 }) }),
    fc.record({ in: fc.array(value, { maxLength: 4 }) }),
    fc.record({ gte: value, lt: value }),
    fc.record({ gt: value, lte: value }),
    fc.tuple(fc.constantFrom('gte', 'gt', 'lte', 'lt'), value).map(([operator, wanted]) => ({ [operator]: wanted })),
  )
}

const sample = fc.sample(anyRow, { numRuns: DISTINCT, seed: SEED })

/** Rows in three files, each of several row groups, that are narrow in the column under test. */
async function landSample(dataset: Dataset, value: (row: AnyRow) => unknown): Promise<AnyRow[]> {
  const rows = Array.from({ length: ROWS }, (_, id): AnyRow => ({ ...(sample[(id * 7919) % DISTINCT] as AnyRow), id, fetch_id: 'x' }))
  const sorted = [...rows].sort((one, other) => {
    const [a, b] = [value(one), value(other)]
    return a === null || b === null ? Number(a === null) - Number(b === null) : compare(a, b)
  })
  for (let start = 0; start < ROWS; start += ROWS / FILES)
    await landRows(lake, dataset, sorted.slice(start, start + ROWS / FILES), { rowGroupRows: ROW_GROUP_ROWS })
  return rows
}

/** Every other column by default. */
const TRIED = Object.keys(COLUMNS).filter((_, at) => IS_DEEP || at % 2 === 0)

test.each(TRIED)('a pruned scan by %s gives the same as a full scan', async (name) => {
  const { value, any } = COLUMNS[name] as (typeof COLUMNS)[string]
  const order = name === 'position_lat' ? 'id' : name
  const dataset = variant({ id: `everything_${name}`, order: [order], ...(name === 'observed_at' ? {} : { partition: [] }) })
  const rows = await landSample(dataset, value)
  const values = [...new Set(rows.map(value))].filter((one) => one !== null)
  let pruned = 0
  const state = await lake.table(dataset).load()
  const all = (await prunedFiles(state as NonNullable<typeof state>, dataset, {})).length
  await fc.assert(
    fc.asyncProperty(anyFilter(values, any), async (condition) => {
      const filter: Filter = { [name]: condition }
      const found = await lake.query(sql`SELECT id FROM ${scan(dataset, filter)} ORDER BY id`)
      const expected = rows.filter((row) => matches(value(row), condition)).map(({ id }) => ({ id }))
      expect(found).toEqual(expected)
      const files = await prunedFiles(state as NonNullable<typeof state>, dataset, filter)
      if (files.length < all) pruned++
    }),
    { numRuns: FILTERS, seed: SEED },
  )
  expect(pruned).toBeGreaterThan(0)
})

test('conditions on several columns are joined by AND', async () => {
  const dataset = variant({ id: 'everything_and' })
  const rows = await landSample(dataset, (row) => row['price'] ?? null)
  const filter: Filter = { price: { gte: -100_000, lt: 400_000 }, is_open: { eq: true }, observed_at: { gte: Date.UTC(1970, 0, 1) } }
  const found = await lake.query(sql`SELECT id FROM ${scan(dataset, filter)} ORDER BY id`)
  const expected = rows.filter((row) => Object.entries(filter).every(([column, condition]) => matches(row[column] ?? null, condition)))
  expect(found).toEqual(expected.map(({ id }) => ({ id })))
  expect(found.length).toBeGreaterThan(0)
})

test('a filter names its column and is typed by it', () => {
  expect(() => scan(everything, { nome: { eq: 'a' } })).toThrow(/everything has no column nome; it has id, observed_at/)
})
