import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Derived } from '../../../jobs/derive/define.ts'
import { type DeriveResult, derive } from '../../../jobs/derive/derive.ts'
import { trafficForecastsDerived, trafficModelsDerived } from '../../../jobs/derive/road/forecasts.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { corridorSensorMonths } from '../../../lake/datasets/mobility/corridors.ts'
import { trafficCountsHourly } from '../../../lake/datasets/road/traffic-counts.ts'
import { trafficForecasts, trafficModels } from '../../../lake/datasets/road/traffic-forecasts.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { modelCards, modelScores } from '../../../lake/datasets/service/models.ts'
import type { Sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant, madridDate, offsetAt } from '../../../lake/schema/time.ts'
import { LIVE_MODELS } from '../../../models/traffic/live-models.ts'
import { gridDay, SERIES_DAY_COLUMNS, seriesOfMonth, seriesOfReadings } from '../../../models/traffic/sensors.sql.ts'
import { exampleTableRow } from '../../api/service.ts'
import { figures } from '../../helpers/figures.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { deepTest } from '../../helpers/tier.ts'
import { landRows } from '../../lake/query/fixtures.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
const MIDNIGHT = dayBounds('2026-04-20').start
const never = new AbortController().signal

let redis: TestRedis
let context: TestContext
beforeEach(async () => {
  redis = await startTestRedis()
  context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [
    ...[trafficReadings, trafficHours, trafficCountsHourly, corridorSensorMonths],
    ...[trafficForecasts, trafficModels, modelScores, modelCards],
  ])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

const covered = (until: number) => ({ properties: { 'landed-until.dgt_detectors': isoInstant(until) } })
const run = (derived: Derived): Promise<DeriveResult> => derive(context, derived, { feeds, signal: never })

/** A lane of the A-6 in a month: of its own carriageway, or of one of two lanes. */
const memberOf = (month: string, sensor_id: string, point_id: string, values: AnyRow = {}): AnyRow =>
  exampleTableRow(corridorSensorMonths, {
    ...{ month, corridor_id: 'acceso-madrid-a-6', source: 'dgt', sensor_id, period_s: 300, point_id },
    ...{ point_sensors: point_id === 'c' ? 1 : 2, ...values },
  })

deepTest(
  'detectors, which have no archive, have typical values as forecasts after four weeks, as does their road',
  { timeout: 120_000 },
  async () => {
    const LANES = ['a', 'b', 'c'] as const
    const dice = figures(8)
    const meanAt = (lane: string, at: number): number =>
      (lane === 'a' ? 900 : 300) + 100 * Math.sin(new Date(at + offsetAt(at)).getUTCHours() / 4) + Math.round(40 * (dice() - 0.5))
    const hours = (days: number): AnyRow[] => {
      const rows: AnyRow[] = []
      for (let at = dayBounds(madridDate(MIDNIGHT, -days)).start; at < MIDNIGHT; at += HOUR)
        for (const lane of LANES) {
          const sum = Math.round(12 * meanAt(lane, at))
          const sums = { readings: 12, intensity_readings: 12, intensity_sum_veh_h: sum, intensity_max_veh_h: sum }
          rows.push(
            exampleTableRow(trafficHours, {
              ...{ month: madridDate(at).slice(0, 7), source: 'dgt', sensor_id: lane, period_start: at, period_s: 300, ...sums },
              sensor_type: 'INTERURBAN',
            }),
          )
        }
      return rows
    }
    const all = hours(29)
    const from = dayBounds(madridDate(MIDNIGHT, -27)).start
    await landRows(
      context.lake,
      trafficHours,
      all.filter((row) => (row['period_start'] as number) >= from),
      covered(MIDNIGHT),
    )
    await landRows(
      context.lake,
      corridorSensorMonths,
      ['2026-03', '2026-04'].flatMap((month) => LANES.map((sensor_id) => memberOf(month, sensor_id, sensor_id === 'c' ? 'c' : 'a'))),
      covered(MIDNIGHT),
    )
    expect((await run(trafficModelsDerived)).rows).toBe(0)
    await landRows(
      context.lake,
      trafficHours,
      all.filter((row) => (row['period_start'] as number) < from),
      covered(MIDNIGHT),
    )
    expect(await run(trafficModelsDerived)).toMatchObject({ rows: 4 })
    expect(await tableRows(context, modelCards)).toMatchObject([{ model: 'traffic_detectors', fit_state: 'PROMOTED' }])
    const until = MIDNIGHT + 10 * HOUR
    const today: AnyRow[] = []
    for (let at = MIDNIGHT; at < until + 10 * MINUTE; at += 5 * MINUTE)
      for (const sensor_id of LANES)
        today.push(
          exampleTableRow(trafficReadings, {
            ...{ source: 'dgt', observed_at: at, sensor_id, sensor_type: 'INTERURBAN', quality: 'UNKNOWN' },
            ...{ intensity_veh_h: Math.round(meanAt(sensor_id, at)), fetch_id: `dgt_detectors.${at}` },
          }),
        )
    await landRows(context.lake, trafficReadings, today, covered(until + 5 * MINUTE))
    expect((await run(trafficForecastsDerived)).made).toEqual(['traffic_detectors'])
    const rows = await tableRows(context, trafficForecasts)
    expect(rows).toHaveLength(4 * 4)
    const of = (id: string): AnyRow => rows.find((row) => row['series_id'] === id && row['horizon'] === 'PT1H') as AnyRow
    for (const id of [...LANES, 'acceso-madrid-a-6']) {
      const { intensity_veh_h: value, interval_low: low, interval_high: high, ...row } = of(id) as Record<string, number>
      expect(row).toMatchObject({ model: 'traffic_detectors', forecast_kind: 'BASELINE', reason: null, baseline: value, made_at: until })
      expect([id, (low as number) < (value as number), (value as number) < (high as number)]).toEqual([id, true, true])
    }
    // The mean of a carriageway of two lanes and one of one.
    const [a, b, c] = LANES.map((id) => of(id)['intensity_veh_h'] as number) as [number, number, number]
    expect(Math.abs((of('acceso-madrid-a-6')['intensity_veh_h'] as number) / ((a + b + c) / 2) - 1)).toBeLessThan(0.03)
    expect(of('acceso-madrid-a-6')['series_kind']).toBe('CORRIDOR')
  },
)

test('an access road is the mean of its carriageways, in hours in which all lanes of one are measured', async () => {
  const from = dayBounds('2026-10-20').start
  const to = from + 6 * HOUR
  const hour = (sensor_id: string, nth: number, mean: number): AnyRow => {
    const sums = { readings: 12, intensity_readings: 12, intensity_sum_veh_h: 12 * mean, intensity_max_veh_h: mean }
    const of = { month: '2026-10', source: 'dgt', sensor_id, sensor_type: 'INTERURBAN', period_s: 300 }
    return exampleTableRow(trafficHours, { ...of, period_start: from + nth * HOUR, ...sums })
  }
  await landRows(context.lake, corridorSensorMonths, [
    ...['a', 'b'].map((id) => memberOf('2026-10', id, 'a')),
    memberOf('2026-10', 'c', 'c'),
    // A dead lane, and one that was at the road in another month.
    ...['d', 'e'].map((id) => memberOf('2026-10', id, 'd', id === 'e' ? { intensity_sum_veh_h: 0 } : {})),
    memberOf('2026-09', 'f', 'c'),
  ])
  await landRows(context.lake, trafficHours, [
    ...[hour('a', 0, 1000), hour('b', 0, 500), hour('c', 0, 300), hour('d', 0, 9000), hour('e', 0, 0), hour('f', 0, 9000)],
    ...[hour('a', 1, 1000), hour('c', 1, 300)],
  ])
  const read = async (query: Sql): Promise<readonly (number | null)[] | undefined> => {
    const days = (await context.lake.query(query, { columns: SERIES_DAY_COLUMNS })).map(gridDay)
    return days.find(({ name }) => name === 'acceso-madrid-a-6 C')?.vehicles.slice(0, 3)
  }
  expect(await read(seriesOfMonth(LIVE_MODELS.traffic_detectors, '2026-10', { from, to }))).toEqual([900, 300, null])
  expect(await read(seriesOfMonth(LIVE_MODELS.traffic, '2026-10', { from, to }))).toBeUndefined()
  // Hours that are not rolled up yet: the lanes are those of the newest month.
  await landRows(
    context.lake,
    trafficReadings,
    ['a', 'b', 'c', 'f'].flatMap((sensor_id, nth) =>
      [0, 10, 20, 30, 40, 50].map((minute) =>
        exampleTableRow(trafficReadings, {
          ...{ source: 'dgt', sensor_id, sensor_type: 'INTERURBAN', period_s: 600, observed_at: to + minute * MINUTE },
          ...{ intensity_veh_h: 100 * (nth + 1), quality: 'UNKNOWN', fetch_id: 'x.1' },
        }),
      ),
    ),
  )
  const day = await context.lake.query(
    seriesOfReadings(LIVE_MODELS.traffic_detectors, { from: to, to: to + HOUR }, ['2026-09', '2026-10']),
    { columns: SERIES_DAY_COLUMNS },
  )
  expect(day.map(gridDay).find(({ name }) => name === 'acceso-madrid-a-6 C')?.vehicles[6]).toBe(300)
})
