import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrateTable } from '../../../lake/iceberg/migrate.ts'
import type { Lake } from '../../../lake/open.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { col, retired } from '../../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { everything, landRows, openTestLake, variant } from './fixtures.ts'

let lake: Lake
beforeAll(async () => {
  lake = await openTestLake(tempFolder())
})
afterAll(() => lake.close())

const { id, observed_at, name, small, price, position, tags } = everything.columns
const first = variant({ id: 'evolving', columns: { id, observed_at, name, small, price, position, tags }, order: ['name'] })
/** Name renamed, small widened, price gone, a text and a list added, and a new column that takes the old name of another. */
const second = variant({
  id: 'evolving',
  columns: {
    id,
    observed_at,
    title: col.string(3, 'Name.', { nullable: true, was: ['name'] }),
    small: col.integer(6, 'Now a long.', { unit: '1', long: true, nullable: true }),
    price: retired(price),
    position,
    labels: col.list([20, 21], 'List of texts.', col.string(0, 'Tag.'), { nullable: true, was: ['tags'] }),
    name: col.string(30, 'Another name.', { nullable: true }),
    hours: col.list([31, 32], 'Hours.', col.integer(0, 'Hour.', { unit: 'h' }), { nullable: true }),
    at: col.point([33, 34], 'Another point.', { nullable: true }),
  },
  order: ['title'],
})

const old: AnyRow = {
  id: 1,
  observed_at: 1000,
  name: 'old name',
  small: -5,
  price: 1.5,
  position: { lat: 40, lon: -3 },
  tags: ['a', 'b'],
  fetch_id: 'one',
}
const added: AnyRow = {
  id: 2,
  observed_at: 2000,
  title: 'new title',
  small: 2 ** 40,
  position: null,
  labels: [],
  name: 'new name',
  hours: [1, 24],
  at: { lat: 1, lon: 2 },
  fetch_id: 'two',
}

async function evolve(): Promise<void> {
  await landRows(lake, first, [old])
  await migrateTable(lake.table(second), second)
  await landRows(lake, second, [added])
}

test('old and new files are read by field id after add, rename, widen and retire', async () => {
  await evolve()
  const { price: _price, ...kept } = added
  expect(await lake.query(sql`SELECT * FROM ${scan(second)} ORDER BY id`)).toEqual([
    {
      id: 1,
      observed_at: 1000,
      title: 'old name',
      small: -5,
      position: { lat: 40, lon: -3 },
      labels: ['a', 'b'],
      name: null,
      hours: null,
      at: null,
      fetch_id: 'one',
    },
    kept,
  ])
  // Conditions prune by field id too: the old file's limits are those of `title`.
  const ids = async (dataset: Dataset, filter: Parameters<typeof scan>[1]): Promise<unknown[]> =>
    (await lake.query(sql`SELECT id FROM ${scan(dataset, filter)} ORDER BY id`)).map((row) => row['id'])
  expect(await ids(second, { title: { eq: 'old name' } })).toEqual([1])
  expect(await ids(second, { name: { eq: 'old name' } })).toEqual([])
  expect(await ids(second, { name: { eq: 'new name' } })).toEqual([2])
  expect(await ids(second, { name: { eq: null } })).toEqual([1])
  expect(await ids(second, { small: { gte: -5, lt: 2 ** 41 } })).toEqual([1, 2])
  expect(await ids(second, { small: { gt: 2 ** 33 } })).toEqual([2])
  expect(await ids(second, { at_lat: { eq: 1 } })).toEqual([2])
})

test('a declaration newer than its table reads it: missing columns are null', async () => {
  const early = variant({ ...first, id: 'early' })
  const late = variant({ ...second, id: 'early' })
  await landRows(lake, early, [old])
  expect(await lake.query(sql`SELECT id, title, name, labels FROM ${scan(late, { title: { eq: 'old name' } })}`)).toEqual([
    { id: 1, title: 'old name', name: null, labels: ['a', 'b'] },
  ])
  expect(await lake.query(sql`SELECT id FROM ${scan(late, { at_lat: { gt: 0 } })}`)).toEqual([])
})
