import { afterEach, beforeEach, expect, test } from 'vitest'
import { derive } from '../../../jobs/derive/derive.ts'
import { trafficHoursDerived, trafficSectionHoursDerived } from '../../../jobs/derive/road/traffic.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { trafficReadings, trafficReadings15m } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSectionHours, trafficSectionStates, trafficSectionStatesArchive } from '../../../lake/datasets/road/traffic-sections.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { LIVE_MODELS } from '../../../models/traffic/live-models.ts'
import { SERIES_DAY_COLUMNS, seriesOfReadings } from '../../../models/traffic/sensors.sql.ts'
import { exampleTableRow } from '../../api/service.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows } from '../../lake/query/fixtures.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let redis: TestRedis
let context: TestContext
beforeEach(async () => {
  redis = await startTestRedis()
  context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [trafficSectionStates, trafficSectionStatesArchive, trafficSectionHours])
  await prepareTables(context, [trafficReadings, trafficReadings15m, trafficHours])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

/** Lands states of two cities, with the covered period of each feed, and returns the built hours. */
async function hoursAfter(states: readonly (readonly [source: string, at: string])[], until: Readonly<Record<string, string>>) {
  const rows = states.map(([source, at]) => exampleTableRow(trafficSectionStates, { source, observed_at: Date.parse(at) }))
  const properties = Object.fromEntries(Object.entries(until).map(([feed, at]) => [`landed-until.${feed}`, new Date(at).toISOString()]))
  await landRows(context.lake, trafficSectionStates, rows, { properties })
  await derive(context, trafficSectionHoursDerived, { feeds: [], signal: new AbortController().signal })
  const made = await tableRows(context, trafficSectionHours)
  return made.map(({ source, period_start }) => `${source} ${new Date(period_start as number).toISOString().slice(0, 13)}`).sort()
}

test('a city that stops publishing delays the hours of the others by a day, and its own are complete once it goes on', async () => {
  const states = [
    ['bilbao_traffic', '2026-10-01T09:00Z'],
    ...['01', '02', '03', '04', '05'].map((day) => ['barcelona_traffic', `2026-10-${day}T10:00Z`] as const),
  ] as const
  const stopped = { barcelona_traffic: '2026-10-05T12:00Z', bilbao_traffic: '2026-10-01T10:00Z' }
  const early = ['barcelona_traffic 2026-10-01T10', 'barcelona_traffic 2026-10-02T10', 'barcelona_traffic 2026-10-03T10']
  // Bilbao's times are ends of five minutes.
  expect(await hoursAfter(states, stopped)).toEqual([...early, 'bilbao_traffic 2026-10-01T08'])
  // Within a day nothing changes: no hour is made before each city had the time to publish it.
  const late = { ...stopped, bilbao_traffic: '2026-10-05T11:00Z' }
  expect(await hoursAfter([['bilbao_traffic', '2026-10-01T20:00Z']], late)).toEqual([
    ...[...early, 'barcelona_traffic 2026-10-04T10'],
    ...['bilbao_traffic 2026-10-01T08', 'bilbao_traffic 2026-10-01T19'],
  ])
})

test('readings are in the hour and day of their interval, whether its end or its begin is published', async () => {
  const [from, to, until] = ['2026-11-30T09:00Z', '2026-11-30T23:00Z', '2026-12-01T00:00Z'].map((at) => Date.parse(at)) as [
    number,
    number,
    number,
  ]
  // 1,200 vehicles per hour from 10:00 to 11:00 in Madrid, and in the five minutes before midnight; none at other times.
  const flow = (start: number): number => (start < from + HOUR || start === to - 5 * MINUTE ? 1200 : 0)
  const starts = (step: number): number[] => Array.from({ length: (until - from) / step }, (_, nth) => from + nth * step)
  const live = (source: string, lag: number): AnyRow[] =>
    starts(5 * MINUTE).map((at) =>
      exampleTableRow(trafficReadings, { source, sensor_id: '1', observed_at: at + lag, intensity_veh_h: flow(at), quality: 'OK' }),
    )
  // The city's file is stamped ten seconds after the five minutes that it states; DGT's minute stands for what follows.
  const rows = [...live('madrid', 5 * MINUTE + 10_000), ...live('dgt', 0)]
  const archived = starts(15 * MINUTE)
    .filter((at) => at < to)
    .map((starts_at) =>
      exampleTableRow(trafficReadings15m, {
        ...{ month: '2026-11', sensor_id: '1', local_date: '2026-11-30', day_starts_at: Date.parse('2026-11-29T23:00Z'), starts_at },
        ...{ minute_of_day: (starts_at + HOUR - Date.parse('2026-11-30')) / MINUTE, repetition: 1, quality: 'OK' },
        intensity_veh_h: (flow(starts_at) + flow(starts_at + 5 * MINUTE) + flow(starts_at + 10 * MINUTE)) / 3,
      }),
    )
  await landRows(context.lake, trafficReadings15m, archived)
  const landed = (at: number) => ({ properties: { 'landed-until.madrid_traffic': new Date(at).toISOString() } })
  const derived = () => derive(context, trafficHoursDerived, { feeds: [], signal: new AbortController().signal })
  await landRows(context.lake, trafficReadings, rows, landed(to + 10 * MINUTE))
  // The day may still lack readings that end after midnight.
  await derived()
  expect(await tableRows(context, trafficHours)).toEqual([])
  await landRows(context.lake, trafficReadings, [], landed(until))
  expect((await derived()).made).toEqual(['2026-11'])
  const made = (await tableRows(context, trafficHours)) as Record<string, number>[]
  const hours = (source: string): unknown[] =>
    made
      .filter((row) => String(row['source']) === source)
      .sort((one, other) => (one['period_start'] as number) - (other['period_start'] as number))
      .map((row) => [row['readings'], (row['intensity_sum_veh_h'] as number) / (row['intensity_readings'] as number)])
  const quiet = (readings: number, count: number): unknown[] => Array.from({ length: count }, () => [readings, 0])
  expect(hours('madrid')).toEqual([[12, 1200], ...quiet(12, 12), [12, 100]])
  expect(hours('dgt')).toEqual(hours('madrid'))
  expect(hours('madrid_archive')).toEqual([[4, 1200], ...quiet(4, 12), [4, 100]])
  const series = await context.lake.query(seriesOfReadings({ ...LIVE_MODELS.traffic, archive: null }, { from, to: until }, []), {
    columns: SERIES_DAY_COLUMNS,
  })
  const days = series.filter(({ name }) => name === '1 S').map(({ h00, h09, h10, h11, h23 }) => [h00, h09, h10, h11, h23])
  expect(days.sort()).toEqual([
    [null, null, 1200, 0, 100],
    [0, null, null, null, null],
  ])
})
