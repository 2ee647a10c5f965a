import { afterEach, beforeEach, expect, test } from 'vitest'
import type { IngestContext } from '../../../jobs/ingest/context.ts'
import { deleteOldRows } from '../../../jobs/upkeep/delete-rows.ts'
import { vesselPositions, vessels } from '../../../lake/datasets/maritime/vessels.ts'
import { CommitOutcomeUnknown } from '../../../lake/iceberg/errors.ts'
import { openTable } from '../../../lake/iceberg/table.ts'
import { DELETED_BEFORE, UNTIL } from '../../../lake/landed.ts'
import { checkDatasets } from '../../../lake/schema/check-datasets.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { keptFrom } from '../../../lake/schema/partitions.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { exampleTableRow } from '../../api/service.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows } from '../../lake/query/fixtures.ts'

const DAY_MS = 86_400_000
const FEED = 'ais_receivers'
const DAYS = Number.parseInt(vesselPositions.keep as string, 10)
/** The first instant to keep at `NOW`. */
const FIRST = Date.parse('2026-11-14T00:00:00Z')
const NOW = FIRST + DAYS * DAY_MS + 3_600_000

let context: TestContext
beforeEach(async () => {
  // Redis plays no part.
  context = await openTestContext({ folder: tempFolder(), redisUrl: 'redis://127.0.0.1:1', publisher: '' })
})
afterEach(() => context.close())

const land = (times: readonly number[]): Promise<unknown> =>
  landRows(
    context.lake,
    vesselPositions,
    times.map((observed_at) => exampleTableRow(vesselPositions, { observed_at })),
    { properties: { [UNTIL + FEED]: new Date(Math.max(...times)).toISOString() } },
  )
const times = async (): Promise<unknown[]> => (await tableRows(context, vesselPositions)).map(({ observed_at }) => observed_at).sort()
const properties = async () => (await context.lake.table(vesselPositions).load())?.properties ?? {}

test('whole days of UTC go, from the millisecond before midnight; the table records how far, and keeps its landed fetches', async () => {
  await land([FIRST - DAY_MS - 1, FIRST - 1, FIRST, FIRST + DAY_MS])
  expect(await deleteOldRows(context, vesselPositions, FIRST + DAYS * DAY_MS - 1)).toBe(1)
  expect(await times()).toEqual([FIRST - 1, FIRST, FIRST + DAY_MS])
  expect(await deleteOldRows(context, vesselPositions, NOW)).toBe(1)
  expect(await times()).toEqual([FIRST, FIRST + DAY_MS])
  expect(await deleteOldRows(context, vesselPositions, NOW)).toBe(0)
  expect(await properties()).toMatchObject({
    [DELETED_BEFORE]: '2026-11-14T00:00:00.000Z',
    [UNTIL + FEED]: '2026-11-15T00:00:00.000Z',
  })
})

test('rows land afterwards; those of a deleted day go with the next run', async () => {
  await land([FIRST - 1, FIRST])
  await deleteOldRows(context, vesselPositions, NOW)
  await land([FIRST - 2, FIRST + 2 * DAY_MS])
  expect(await times()).toEqual([FIRST - 2, FIRST, FIRST + 2 * DAY_MS])
  expect(await deleteOldRows(context, vesselPositions, NOW)).toBe(1)
  expect(await times()).toEqual([FIRST, FIRST + 2 * DAY_MS])
  expect((await properties())[UNTIL + FEED]).toBe('2026-11-16T00:00:00.000Z')
})

test('a run that is interrupted deletes nothing, and the next one all', async () => {
  await land([FIRST - 1, FIRST])
  const { store } = context
  const failing: ObjectStore = {
    ...store,
    putIfAbsent: (key, body) => (key.endsWith('.metadata.json') ? Promise.reject(new Error('stopped')) : store.putIfAbsent(key, body)),
  }
  const { key } = context.lake.table(vesselPositions)
  const interrupted = { ...context, lake: { table: () => openTable({ store: failing, key }) } } as unknown as IngestContext
  await expect(deleteOldRows(interrupted, vesselPositions, NOW)).rejects.toThrow(CommitOutcomeUnknown)
  expect(await times()).toEqual([FIRST - 1, FIRST])
  expect((await properties())[DELETED_BEFORE]).toBeUndefined()
  expect(await deleteOldRows(context, vesselPositions, NOW)).toBe(1)
  expect(await times()).toEqual([FIRST])
})

test.each([
  ['35d', '2026-11-30T12:00:00Z', '2026-10-26T00:00:00.000Z'],
  ['6mo', '2026-08-31T12:00:00Z', '2026-02-28T00:00:00.000Z'],
  ['5y', '2028-02-29T12:00:00Z', '2023-02-28T00:00:00.000Z'],
] as const)('%s at %s keeps what begins at %s or later, by days or by whole months', (keep, now, from) => {
  const at = (dataset: Dataset) => new Date(keptFrom({ ...dataset, keep }, Date.parse(now))).toISOString()
  expect(at(vesselPositions)).toBe(from)
  expect(at(vessels)).toBe(`${from.slice(0, 7)}-01T00:00:00.000Z`)
})

test('months of a changes dataset go as a whole; one with a row to keep stays', async () => {
  const monthly = { ...vessels, keep: '5y' } as const
  const [january, february] = [Date.UTC(2021, 0, 31), Date.UTC(2021, 1, 1)]
  const row = (observed_at: number) => exampleTableRow(vessels, { observed_at, updated_at: observed_at })
  await landRows(context.lake, vessels, [row(january - 86_400_000)])
  await landRows(context.lake, vessels, [row(january), row(february), row(february + 9 * DAY_MS)])
  expect(await deleteOldRows(context, monthly, Date.UTC(2026, 0, 31, 23))).toBe(0)
  expect(await deleteOldRows(context, monthly, Date.UTC(2026, 1, 20))).toBe(2)
  expect((await tableRows(context, vessels)).map(({ observed_at }) => observed_at).sort()).toEqual([february, february + 9 * DAY_MS])
})

test.each([
  ['5 years', 'an age such as 35d, 6mo or 5y'],
  ['0d', 'an age such as 35d, 6mo or 5y'],
])('keep: %s is no retention', (keep, reason) => {
  expect(() => checkDatasets([{ ...vessels, keep: keep as '5y' }])).toThrow(reason)
})

test('a dataset that keeps its rows keeps them', async () => {
  await landRows(context.lake, vessels, [exampleTableRow(vessels, { observed_at: 0, updated_at: 0 })])
  expect(await deleteOldRows(context, vessels, NOW)).toBe(0)
  expect(await tableRows(context, vessels)).toHaveLength(1)
})
