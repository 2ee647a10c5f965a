import { afterEach, beforeEach, expect, test } from 'vitest'
import { batch, defineFeed } from '../../../jobs/feeds/define.ts'
import { compactDataset, isByMonth } from '../../../jobs/upkeep/compact.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { mobilityTrips } from '../../../lake/datasets/mobility/trips.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { weatherDaily } from '../../../lake/datasets/weather/weather-days.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { day, defineDataset, identity, month } from '../../../lake/schema/dataset.ts'
import { littleFeed, tableRows } from '../../helpers/pipeline.ts'
import { minute, never, openStage, START, type Stage } from '../ingest/stage.ts'

const DAY_MS = 86_400_000
const FIRST = Date.UTC(2026, 0, 1)

const days = defineDataset({
  id: 'little_days',
  domain: 'weather',
  title: 'Days of little stations',
  about: 'A value of each station and day.',
  sources: [dgt],
  columns: {
    day: col.string(1, 'Day.'),
    station_id: col.string(2, 'Station.'),
    value: col.integer(3, 'Value.', { unit: '1' }),
    starts_at: col.instant(4, 'Begin of the day.'),
  },
  entity: ['day', 'station_id'],
  version: 'day',
  time: 'starts_at',
  writeMode: 'replace',
  partition: [month('starts_at')],
  order: ['station_id', 'starts_at'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})

/** A feed whose publication has days by their number since the first, each with the value of both stations. */
const feed = defineFeed({
  ...littleFeed(),
  into: [days],
  bands: {},
  *rows(bodies, _clock, diagnostics) {
    const { at, values } = JSON.parse(String(bodies[0]?.bytes)) as { at: string; values: Record<string, number> }
    diagnostics.publishedAt(Date.parse(at))
    for (const [number, value] of Object.entries(values)) {
      const starts_at = FIRST + Number(number) * DAY_MS
      const day = new Date(starts_at).toISOString().slice(0, 10)
      yield batch(
        days,
        ['a', 'b'].map((station_id) => ({ day, station_id, value, starts_at })),
      )
    }
  },
})

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

/** How many files a month of the year has. */
const filesOf = async (number: number): Promise<number> => {
  const state = await stage.context.lake.table(days).load()
  const span = { gte: Date.UTC(2026, number, 1), lt: Date.UTC(2026, number + 1, 1) }
  return state ? (await liveFiles(state, { starts_at: span })).length : 0
}
const values = async (): Promise<string[]> =>
  (await tableRows(stage.context, days)).map(({ day, station_id, value }) => `${day} ${station_id} ${value}`).sort()

test('days that land as versions become one file a month once it is over, and can still be corrected', async () => {
  // From 1 January to 6 March, ten days at once; each landing compacts the closed months.
  for (let at = 0; at < 65; at += 10) {
    const some = Object.fromEntries(Array.from({ length: Math.min(10, 65 - at) }, (_, nth) => [at + nth, at + nth]))
    await stage.archive(feed, at, at + 1, () => ({ values: some }))
    await stage.runner.land(feed, never)
  }
  const before = await values()
  expect([before.length, await filesOf(0), await filesOf(1)]).toEqual([130, 1, 1])
  expect(await filesOf(2)).toBeLessThanOrEqual(5)

  await stage.archive(feed, 65, 66, () => ({ values: { 3: 1000 } }))
  await stage.runner.land(feed, never)
  expect(await values()).toEqual(before.map((row) => (row.startsWith('2026-01-04') ? row.replace(/\d+$/, '1000') : row)))
  await compactDataset(stage.context, days)
  expect([await filesOf(0), await filesOf(1)]).toEqual([1, 1])
})

test('files of the open month are made one now and then', async () => {
  for (let at = 0; at < 14; at++) {
    await stage.archive(feed, at, at + 1, () => ({ values: { [at]: at } }))
    if (at % 2 === 1) await stage.runner.land(feed, never)
    expect(await filesOf(0)).toBeLessThanOrEqual(5)
  }
  expect(await values()).toHaveLength(28)
})

test('only versions of tables by month are made into fewer files', () => {
  expect([isByMonth(days), isByMonth(weatherDaily), isByMonth(trafficReadings)]).toEqual([true, true, true])
  expect([isByMonth({ ...days, partition: [identity('day')] }), isByMonth(mobilityTrips)]).toEqual([false, false])
})

test('files of an earlier partitioning are merged into files of the present one', async () => {
  const byMonth = littleFeed()
  const daily = { ...trafficReadings, partition: [day('observed_at')] }
  const byDay = { ...byMonth, into: [byMonth.into[0] as typeof trafficReadings, daily] }
  await prepareTables(stage.context, byMonth.into)
  for (const count of [0, 1, 2])
    await stage.publish(byMonth, count, { readings: { a: count } }).then(() => stage.runner.land(byMonth, never))
  await prepareTables(stage.context, byDay.into)
  stage.restart()
  // The rows of another day close the first.
  await stage.publish(byDay, 24 * 60, { readings: { a: 9 } })
  await stage.runner.land(byDay, never)
  await compactDataset(stage.context, daily)
  const table = await stage.context.lake.table(daily).load()
  const files = await liveFiles(table as NonNullable<typeof table>)
  const dayNumber = Math.floor(START / DAY_MS)
  expect(files.map(({ specId, partition, rows }) => [specId, partition[0], rows]).sort()).toEqual([
    [1, dayNumber, 3],
    [1, dayNumber + 1, 1],
  ])
  const found = await stage.context.lake.query(sql`SELECT * FROM ${scan(daily, { observed_at: { gte: START, lte: minute(2) } })}`)
  expect(found.map(({ intensity_veh_h }) => intensity_veh_h).sort()).toEqual([0, 1, 2])
})
