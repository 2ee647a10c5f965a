import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defineDerived, type MonthsSpec } from '../../../jobs/derive/define.ts'
import { type DeriveResult, derive, dueAfter, makeDeriver } from '../../../jobs/derive/derive.ts'
import { monthSpan } from '../../../jobs/derive/lineage.ts'
import { compactDataset } from '../../../jobs/upkeep/compact.ts'
import { deleteOldRows } from '../../../jobs/upkeep/delete-rows.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { madrid } from '../../../lake/datasets/road/sources.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { scanFiles } from '../../../lake/query/scan.ts'
import { instant, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { type AnyRow, defineDataset, identity } from '../../../lake/schema/dataset.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import { exampleTableRow } from '../../api/service.ts'
import { littleFeed, openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows } from '../../lake/query/fixtures.ts'

const never = new AbortController().signal
const feeds = [littleFeed()]
const HOUR = 3_600_000

const SHARED = {
  domain: 'road',
  about: 'By month.',
  sources: [madrid],
  version: 'month',
  time: 'period_start',
  writeMode: 'replace',
  partition: [identity('month')],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
} as const

/** Vehicles by day of Madrid. */
const days = defineDataset({
  ...SHARED,
  id: 'little_days',
  title: 'Days',
  columns: {
    month: col.string(1, 'Month.'),
    date: col.local_date(2, 'Day.'),
    period_start: col.instant(3, 'Begin.'),
    vehicles: col.integer(4, 'Sum.', { unit: 'veh/h' }),
  },
  entity: ['month', 'date'],
  order: ['date'],
})

/** The greatest day of each month, derived from the days. */
const peaks = defineDataset({
  ...SHARED,
  id: 'little_peaks',
  title: 'Peaks',
  columns: { month: col.string(1, 'Month.'), period_start: col.instant(2, 'Begin.'), vehicles: col.integer(3, 'Most.', { unit: 'veh/h' }) },
  entity: ['month'],
  order: ['month'],
})

const DAY = sql`CAST(timezone('Europe/Madrid', observed_at) AS DATE)`

function daysDerived(change: Partial<MonthsSpec> = {}): MonthsSpec {
  return defineDerived({
    by: 'months',
    into: days,
    from: [trafficReadings],
    revision: 1,
    rows: ({ month }, [readings]) => sql`
      SELECT ${month} AS month, ${DAY} AS date, timezone('Europe/Madrid', CAST(${DAY} AS TIMESTAMP)) AS period_start,
        CAST(sum(intensity_veh_h) AS INTEGER) AS vehicles
      FROM ${readings ?? null} GROUP BY ALL`,
    ...change,
  })
}

const peaksDerived = defineDerived({
  by: 'months',
  into: peaks,
  from: [days],
  revision: 1,
  rows: ({ month, from }, [made]) => sql`
    SELECT ${month} AS month, ${instant(from)} AS period_start, max(vehicles) AS vehicles FROM ${made ?? null} HAVING count(*) > 0`,
})

let redis: TestRedis
let context: TestContext
const opened: TestContext[] = []
async function open(): Promise<TestContext> {
  const one = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  opened.push(one)
  await prepareTables(one, [trafficReadings, days, peaks])
  return one
}
beforeEach(async () => {
  redis = await startTestRedis()
  context = await open()
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  await redis.stop()
})

/** A reading of an instant: DGT publishes no ends. */
const reading = (at: number, veh: number): AnyRow =>
  exampleTableRow(trafficReadings, {
    source: 'dgt',
    observed_at: at,
    intensity_veh_h: veh,
    sensor_id: `s${at}-${veh}`,
    fetch_id: `little.${at}`,
  })

/** Lands readings as a feed would, covered until the newest. */
async function land(to: TestContext, rows: readonly AnyRow[], until: number): Promise<void> {
  await landRows(to.lake, trafficReadings, rows, { properties: { 'landed-until.little': new Date(until).toISOString() } })
}

const run = (spec: MonthsSpec = daysDerived(), on = context): Promise<DeriveResult> => derive(on, spec, { feeds, signal: never })
const dayRows = async (on = context): Promise<string[]> =>
  (await tableRows(on, days)).map(({ month, date, vehicles }) => `${month} ${date} ${vehicles}`).sort()

/** The sums of rows, day by day. */
function expected(rows: readonly AnyRow[]): string[] {
  const sums = new Map<string, number>()
  for (const row of rows) {
    const date = madridDate(row['observed_at'] as number)
    sums.set(date, (sums.get(date) ?? 0) + (row['intensity_veh_h'] as number))
  }
  return [...sums].map(([date, sum]) => `${date.slice(0, 7)} ${date} ${sum}`).sort()
}

const state = async (on = context) => {
  const found = await on.lake.table(days).load()
  if (!found) throw new Error('there is no table')
  return found
}

test('a month of Madrid begins in the last hours of the month before in UTC, and reads them', async () => {
  expect(monthSpan('2026-12')).toEqual({ month: '2026-12', from: Date.UTC(2026, 10, 30, 23), to: Date.UTC(2026, 11, 31, 23) })
  expect(monthSpan('2026-04').from).toBe(Date.UTC(2026, 2, 31, 22))
  const edges = [Date.UTC(2026, 2, 31, 22) - 1, Date.UTC(2026, 2, 31, 22), Date.UTC(2026, 3, 30, 22) - 1, Date.UTC(2026, 3, 30, 22)]
  const rows = edges.map((at, index) => reading(at, 10 ** index))
  await land(context, rows, edges[3] as number)
  expect(await run()).toEqual({ made: ['2026-03', '2026-04', '2026-05'], removed: [], rows: 4, waits: false })
  expect(await dayRows()).toEqual(['2026-03 2026-03-31 1', '2026-04 2026-04-01 10', '2026-04 2026-04-30 100', '2026-05 2026-05-01 1000'])
  const { properties } = await state()
  expect(properties['derived.2026-04']).toBe('r1 traffic_readings:674=1x2,675=1x2')
  expect(properties['landed-until.little']).toBe('2026-04-30T22:00:00.000Z')
})

test('only months whose inputs changed are built again, and equal rows change the lineage alone', async () => {
  await land(context, [reading(Date.UTC(2026, 0, 10), 1), reading(Date.UTC(2026, 1, 10), 2), reading(Date.UTC(2026, 2, 10), 3)], 0)
  expect(await run()).toMatchObject({ made: ['2026-01', '2026-02', '2026-03'] })
  await land(context, [reading(Date.UTC(2026, 2, 11), 4)], 0)
  expect(await run()).toMatchObject({ made: ['2026-03'] })
  const before = await state()
  expect(await run()).toEqual({ made: [], removed: [], rows: 0, waits: false })
  expect((await state()).version).toBe(before.version)
  // February reads the last hours of a corrected January.
  await land(context, [reading(Date.UTC(2026, 0, 12), 5)], 0)
  expect(await run()).toMatchObject({ made: ['2026-01', '2026-02'] })
  const files = (await liveFiles(await state())).map(({ partition, sequenceNumber }) => `${partition[0]}@${sequenceNumber}`).sort()
  expect(files).toEqual(['2026-01@5', '2026-02@2', '2026-03@4'])
  expect(await run(daysDerived({ revision: 2 }))).toMatchObject({ made: ['2026-01', '2026-02', '2026-03'] })
  expect((await state()).snapshotId).toBe(5n)
})

test('a file without bounds of the time counts for the months of its partition', async () => {
  await land(context, [reading(Date.UTC(2026, 0, 10), 1), reading(Date.UTC(2026, 2, 10), 3)], Date.UTC(2026, 4, 1))
  const table = context.lake.table(trafficReadings)
  const files = await liveFiles((await table.load()) as NonNullable<Awaited<ReturnType<typeof table.load>>>)
  const january = files.find(({ partition }) => partition[0] === 56 * 12)
  if (!january) throw new Error('a file of January was expected')
  const key = `${table.key}/data/spark.parquet`
  await context.store.put(key, (await context.store.get(january.key)) as Buffer)
  await commit({ table, operation: 'replace', add: [{ ...january, key, metrics: new Map() }], remove: [january] })
  // The partition ends an hour into Madrid's February.
  expect(await run()).toMatchObject({ made: ['2026-01', '2026-02', '2026-03'], rows: 2 })
  expect(await dayRows()).toEqual(['2026-01 2026-01-10 1', '2026-03 2026-03-10 3'])
})

test('a month past the retention of the derived table is not built again, its lineage stays, and the next month follows', async () => {
  const [first, second] = [Date.UTC(2021, 0, 10), Date.UTC(2021, 1, 10)]
  await land(context, [reading(first, 1), reading(second, 2)], second)
  await run()
  const { properties } = await state()
  expect(await deleteOldRows(context, { ...days, keep: '5y' }, Date.UTC(2026, 1, 5))).toBe(1)
  await land(context, [reading(first + HOUR, 4), reading(second + HOUR, 8)], second)
  expect(await run()).toMatchObject({ made: ['2021-02'], removed: [] })
  expect(await dayRows()).toEqual(['2021-02 2021-02-10 10'])
  expect((await state()).properties['derived.2021-01']).toBe(properties['derived.2021-01'])
})

test('a month whose rows are gone is taken out', async () => {
  const [file] = await landRows(context.lake, trafficReadings, [reading(Date.UTC(2026, 0, 10), 1)])
  await land(context, [reading(Date.UTC(2026, 2, 10), 3)], 0)
  expect(await run()).toMatchObject({ made: ['2026-01', '2026-03'] })
  await commit({ table: context.lake.table(trafficReadings), operation: 'delete', remove: [file?.key as string] })
  expect(await run()).toMatchObject({ removed: ['2026-01'], made: [] })
  expect(await dayRows()).toEqual(['2026-03 2026-03-10 3'])
})

test('compaction makes nothing due', async () => {
  for (const at of [5, 6, 7, 8]) await land(context, [reading(Date.UTC(2026, 0, at), at)], 0)
  for (const at of [3, 4, 5]) await land(context, [reading(Date.UTC(2026, 1, at), at)], 0)
  await run()
  await land(context, [reading(Date.UTC(2026, 2, 9), 9)], 0)
  expect(await run()).toMatchObject({ made: ['2026-03'] })
  await compactDataset(context, trafficReadings)
  expect(await liveFiles((await context.lake.table(trafficReadings).load()) as never)).toHaveLength(3)
  expect(await run()).toMatchObject({ made: [] })
  expect(await dayRows()).toHaveLength(8)
})

test('a table that settles by day has the complete days, and is built once they are complete', async () => {
  const settling = daysDerived({
    watermark: 'day',
    rows: ({ month, to }, [readings]) => sql`
      SELECT ${month} AS month, ${DAY} AS date, timezone('Europe/Madrid', CAST(${DAY} AS TIMESTAMP)) AS period_start,
        CAST(sum(intensity_veh_h) AS INTEGER) AS vehicles
      FROM ${readings ?? null} WHERE observed_at < ${instant(to)} GROUP BY ALL`,
  })
  // The clock is put forward on the 29th, which ends at 22:00Z.
  const over = Date.UTC(2026, 2, 29, 22)
  await land(context, [reading(over - 25 * HOUR, 1), reading(over - HOUR, 2)], over - HOUR)
  expect(await run(settling)).toMatchObject({ made: ['2026-03'] })
  expect(await dayRows()).toEqual(['2026-03 2026-03-28 1'])
  expect((await state()).properties['landed-until.little']).toBe('2026-03-28T23:00:00.000Z')
  expect((await state()).properties['derived.2026-03']).toMatch(/ <2026-03-28T23:00:00.000Z$/)
  // Within the day nothing is due, but what came late before it.
  await land(context, [reading(over - HOUR / 2, 4)], over - HOUR / 2)
  expect(await run(settling)).toMatchObject({ made: [] })
  await land(context, [reading(over - 26 * HOUR, 8)], over - HOUR / 2)
  expect(await run(settling)).toMatchObject({ made: ['2026-03'] })
  // A quarter of an hour later every reading of the day is there, also those stamped with their ends.
  await land(context, [reading(over, 16)], over)
  expect(await run(settling)).toMatchObject({ made: [] })
  await land(context, [], over + HOUR / 4)
  expect(await run(settling)).toMatchObject({ made: ['2026-03'] })
  expect(await dayRows()).toEqual(['2026-03 2026-03-28 9', '2026-03 2026-03-29 6'])
})

test('a table derived from derived rows follows them, and has their covered period', async () => {
  const derivations = [daysDerived(), peaksDerived]
  expect(dueAfter(derivations, { into: [trafficReadings] })).toEqual(derivations)
  expect(dueAfter([peaksDerived, daysDerived()], { into: [peaks] })).toEqual([])
  const deriver = makeDeriver(context, { derivations, feeds })
  await land(context, [reading(Date.UTC(2026, 0, 10), 5), reading(Date.UTC(2026, 0, 11), 7)], Date.UTC(2026, 0, 11))
  await deriver.after(feeds[0] as (typeof feeds)[0], never)
  const tops = async (): Promise<unknown[]> => (await tableRows(context, peaks)).map(({ month, vehicles }) => [month, vehicles])
  expect(await tops()).toEqual([['2026-01', 7]])
  const made = await context.lake.table(peaks).load()
  expect(made?.properties['landed-until.little']).toBe('2026-01-11T00:00:00.000Z')
  expect(made?.properties['derived.2026-01']).toBe('r1 little_days:2026-01=1x2')
  await land(context, [reading(Date.UTC(2026, 0, 10, 3), 9)], Date.UTC(2026, 0, 11))
  await deriver.all(never)
  expect(await tops()).toEqual([['2026-01', 14]])
})

test('nothing is built while the covered period of the inputs is unknown', async () => {
  await landRows(context.lake, trafficReadings, [reading(Date.UTC(2026, 0, 10), 5)])
  expect(await run()).toEqual({ made: [], removed: [], rows: 0, waits: false })
})

test('however rows come, leave and are compacted, the incremental result equals a full build', async () => {
  // Around the ends of a month, the clock change and a leap day.
  const centres = [Date.UTC(2028, 1, 29, 23), Date.UTC(2028, 2, 26, 1), Date.UTC(2028, 2, 31, 22)]
  const time = fc.tuple(fc.constantFrom(...centres), fc.integer({ min: -40, max: 40 })).map(([at, hours]) => at + hours * HOUR)
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ land: fc.array(fc.tuple(time, fc.integer({ min: 1, max: 999 })), { minLength: 1, maxLength: 4 }) }),
    },
    { weight: 1, arbitrary: fc.constant({ compact: true }) },
    { weight: 2, arbitrary: fc.constant({ derive: true }) },
    { weight: 1, arbitrary: fc.record({ remove: fc.nat(20) }) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 9 }), async (steps) => {
      const one = await open()
      let rows: AnyRow[] = []
      let count = 0
      const table = one.lake.table(trafficReadings)
      for (const now of steps) {
        if ('land' in now) {
          const fresh = now.land.map(([at, veh]) => ({ ...reading(at, veh), sensor_id: `s${count++}` }))
          rows.push(...fresh)
          await land(one, fresh, 0)
        } else if ('compact' in now) await compactDataset(one, trafficReadings)
        else if ('derive' in now) await run(undefined, one)
        else {
          const files = await liveFiles((await table.load()) as never)
          const file = files[now.remove % Math.max(1, files.length)]
          if (!file) continue
          const { lake } = one
          const gone = new Set(
            (await lake.query(sql`SELECT sensor_id FROM ${scanFiles(trafficReadings, [file])}`)).map((row) => row['sensor_id']),
          )
          await commit({ table, operation: 'delete', remove: [file] })
          rows = rows.filter((row) => !gone.has(row['sensor_id']))
        }
      }
      await run(undefined, one)
      expect(await dayRows(one)).toEqual(expected(rows))
      const other = await open()
      if (rows.length > 0) await land(other, rows, 0)
      await run(undefined, other)
      expect(await tableRows(one, days)).toEqual(await tableRows(other, days))
      for (const done of opened.splice(1)) await done.close()
    }),
    { numRuns: 12 },
  )
})
