import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Derived } from '../../../jobs/derive/define.ts'
import { type DeriveResult, derive, dueAfter } from '../../../jobs/derive/derive.ts'
import { coverageOfInputs, pinInputs, planModel } from '../../../jobs/derive/lineage.ts'
import { trafficForecastsDerived, trafficModelsDerived } from '../../../jobs/derive/road/forecasts.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { madridTraffic } from '../../../jobs/feeds/road/madrid-traffic.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { trafficCountsHourly } from '../../../lake/datasets/road/traffic-counts.ts'
import { trafficForecasts, trafficModels } from '../../../lake/datasets/road/traffic-forecasts.ts'
import { trafficReadings, trafficReadings15m } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { modelCards, modelScores } from '../../../lake/datasets/service/models.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant, madridDate, offsetAt } from '../../../lake/schema/time.ts'
import { calendarDay, dateOf } from '../../../models/traffic/calendar.ts'
import { LIVE_MODELS } from '../../../models/traffic/live-models.ts'
import {
  gridDay,
  SENSOR_COLUMNS,
  SERIES_DAY_COLUMNS,
  sensorsOf,
  seriesOfMonth,
  seriesOfReadings,
} from '../../../models/traffic/sensors.sql.ts'
import { exampleTableRow } from '../../api/service.ts'
import { figures } from '../../helpers/figures.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { deepTest } from '../../helpers/tier.ts'
import { landRows } from '../../lake/query/fixtures.ts'

const never = new AbortController().signal
const HOUR = 3_600_000
const MINUTE = 60_000
/** The present day, after a hundred, with a change of the clock among them. */
const TODAY = '2026-04-20'
const DAYS = 100
const MIDNIGHT = dayBounds(TODAY).start
/** Two of the ring, two of the city; one that ended a month ago, one that ended three months ago, and one that began today. */
const SENSORS = ['11', '12', '21', '22', '31', '32', '41'] as const
const typeOf = (sensor: string): string => (sensor.startsWith('1') ? 'M30' : 'URBAN')
const endOf = (sensor: string): number =>
  sensor === '31' ? MIDNIGHT - 30 * 24 * HOUR : sensor === '32' ? MIDNIGHT - 90 * 24 * HOUR : Infinity
const beginOf = (sensor: string): number => (sensor === '41' ? MIDNIGHT : -Infinity)

let redis: TestRedis
let context: TestContext
beforeEach(async () => {
  redis = await startTestRedis()
  context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [
    ...[trafficReadings, trafficHours, trafficCountsHourly],
    ...[trafficForecasts, trafficModels, modelScores, modelCards],
  ])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

/** Intensities by sensor and hour: a profile, fewer on days off, and a level that wanders. */
const INTENSITY: ReadonlyMap<string, number> = (() => {
  const dice = figures(5)
  const made = new Map<string, number>()
  let level = 0
  for (let at = dayBounds(madridDate(MIDNIGHT, -DAYS)).start; at < MIDNIGHT + 24 * HOUR; at += HOUR) {
    level = 0.9 * level + 0.3 * (dice() - 0.5)
    const isOff = calendarDay(Date.parse(madridDate(at)) / (24 * HOUR)).isOff
    const clock = new Date(at + offsetAt(at)).getUTCHours()
    for (const sensor of SENSORS)
      if (at >= beginOf(sensor) && at < endOf(sensor))
        made.set(
          `${sensor} ${at}`,
          Math.round(
            (isOff ? 250 : 500) * (1.2 + Math.sin(clock / 4)) * Math.exp(level + 0.05 * (dice() - 0.5)) * (sensor === '12' ? 2 : 1),
          ),
        )
  }
  return made
})()

const HOURS: readonly AnyRow[] = [...INTENSITY].flatMap(([key, intensity]) => {
  const [sensor_id = '', at = ''] = key.split(' ')
  const period_start = Number(at)
  if (period_start >= MIDNIGHT) return []
  const sums = { readings: 12, intensity_readings: 12, intensity_sum_veh_h: 12 * intensity, intensity_max_veh_h: intensity }
  const month = madridDate(period_start).slice(0, 7)
  return [exampleTableRow(trafficHours, { month, sensor_id, period_start, period_s: 300, sensor_type: typeOf(sensor_id), ...sums })]
})

/** The readings of today between two instants, every five minutes; each is published at the end of its period. */
function readings(from: number, to: number): AnyRow[] {
  const rows: AnyRow[] = []
  for (let at = from; at < to; at += 5 * MINUTE)
    for (const sensor_id of SENSORS) {
      const intensity_veh_h = INTENSITY.get(`${sensor_id} ${Math.floor(at / HOUR) * HOUR}`)
      if (intensity_veh_h === undefined) continue
      const fetch_id = `madrid_traffic.${at}`
      rows.push(
        exampleTableRow(trafficReadings, {
          observed_at: at + 5 * MINUTE,
          sensor_id,
          sensor_type: typeOf(sensor_id),
          intensity_veh_h,
          fetch_id,
          quality: 'OK',
        }),
      )
    }
  return rows
}

const covered = (until: number) => ({ properties: { 'landed-until.madrid_traffic': isoInstant(until) } })
const landReadings = (from: number, to: number): Promise<unknown> =>
  landRows(context.lake, trafficReadings, readings(from, to), covered(to - 5 * MINUTE))
const run = (derived: Derived): Promise<DeriveResult> => derive(context, derived, { feeds, signal: never })
const forecasts = (): Promise<AnyRow[]> => tableRows(context, trafficForecasts)

deepTest(
  'an hour of the live sensors that is over gives forecasts of all of them and of their corridor, and nothing that comes before the next one does',
  {
    timeout: 120_000,
  },
  async () => {
    await landRows(context.lake, trafficHours, HOURS, covered(MIDNIGHT))
    const until = MIDNIGHT + 10 * HOUR
    await landReadings(MIDNIGHT, until + 10 * MINUTE)
    expect((await run(trafficForecastsDerived)).made).toEqual([])
    // Without a day of detectors, their model is empty.
    expect((await run(trafficModelsDerived)).made).toEqual(['traffic', 'traffic_detectors'])
    const [card] = await tableRows(context, modelCards)
    expect(card).toMatchObject({ model: 'traffic', fit_state: 'PROMOTED', data_to: madridDate(MIDNIGHT, -1) })
    expect((await run(trafficForecastsDerived)).made).toEqual(['traffic'])

    const rows = await forecasts()
    const of = (id: string, horizon = 'PT1H'): AnyRow => rows.find((row) => row['series_id'] === id && row['horizon'] === horizon) as AnyRow
    const ids = (all: readonly AnyRow[]): string[] => [...new Set(all.map(({ series_id }) => series_id as string))].sort()
    expect(ids(rows)).toEqual(['11', '12', '21', '22', '31', '41', 'm-30'])
    expect(rows).toHaveLength(4 * 7)
    expect(of('m-30')).toMatchObject({ series_kind: 'CORRIDOR', series: 'm-30', direction: null, model: 'traffic', reason: null })
    expect(of('21', 'PT3H')).toMatchObject({
      ...{ series_kind: 'SENSOR', direction: null, made_at: until, starts_at: until + 2 * HOUR, hour_local: 12, forecast_kind: 'MODEL' },
    })
    expect(of('31')).toMatchObject({ intensity_veh_h: null, reason: 'SILENT' })
    expect(of('41')).toMatchObject({ intensity_veh_h: null, reason: 'FEW_DAYS' })
    for (const id of ['11', '12', '21', '22', 'm-30'])
      for (const hours of [1, 2, 3, 4]) {
        const row = of(id, `PT${hours}H`)
        const sensors = id === 'm-30' ? ['11', '12'] : [id]
        const outcome =
          sensors.reduce((sum, one) => sum + (INTENSITY.get(`${one} ${until + (hours - 1) * HOUR}`) as number), 0) / sensors.length
        const [low, value, high] = [row['interval_low'], row['intensity_veh_h'], row['interval_high']] as [number, number, number]
        expect([id, hours, low < value && value < high, Math.abs(value / outcome - 1) < 0.5]).toEqual([id, hours, true, true])
      }
    // The corridor's expected value is the mean of its sensors, not their sum.
    const mean = ((of('11')['intensity_veh_h'] as number) + (of('12')['intensity_veh_h'] as number)) / 2
    expect(Math.abs((of('m-30')['intensity_veh_h'] as number) / mean - 1)).toBeLessThan(0.1)

    expect((await run(trafficForecastsDerived)).made).toEqual([])
    await landReadings(until + 10 * MINUTE, until + HOUR)
    expect((await run(trafficForecastsDerived)).made).toEqual([])
    await landReadings(until + HOUR, until + HOUR + 10 * MINUTE)
    expect((await run(trafficForecastsDerived)).made).toEqual(['traffic'])
    const next = await forecasts()
    expect(new Set(next.map(({ made_at }) => made_at))).toEqual(new Set([until + HOUR]))
    expect(ids(next)).toEqual(ids(rows))
    // Within the hour that goes on its readings stay unread, wherever they come from.
    expect((await context.lake.table(trafficForecasts).load())?.properties['landed-until.madrid_traffic']).toBe(isoInstant(until + HOUR))

    // A reading of an hour that was over, which comes late, is another input.
    await landRows(
      context.lake,
      trafficReadings,
      [{ ...readings(until, until + 1)[0], sensor_id: '21', observed_at: until + 7 * MINUTE }],
      {},
    )
    expect((await run(trafficForecastsDerived)).made).toEqual(['traffic'])
    // The same after the day was rolled up: none of it is read twice.
    const before = await forecasts()
    const rolled = [...INTENSITY].filter(
      ([key]) => Number(key.split(' ')[1]) >= MIDNIGHT && Number(key.split(' ')[1]) < MIDNIGHT + 5 * HOUR,
    )
    await landRows(
      context.lake,
      trafficHours,
      rolled.map(([key, intensity]) => {
        const [sensor_id = '', at = ''] = key.split(' ')
        const sums = { readings: 12, intensity_readings: 12, intensity_sum_veh_h: 12 * intensity, intensity_max_veh_h: intensity }
        return exampleTableRow(trafficHours, {
          ...{ month: TODAY.slice(0, 7), sensor_id, period_start: Number(at), period_s: 300, sensor_type: typeOf(sensor_id), ...sums },
        })
      }),
    )
    expect((await run(trafficForecastsDerived)).made).toEqual(['traffic'])
    expect(await forecasts()).toEqual(before)
  },
)

test('a feed that stopped delays the forecasts of other sources by an hour', async () => {
  await landRows(context.lake, trafficModels, [exampleTableRow(trafficModels, { model: 'traffic' })], covered(MIDNIGHT))
  await landRows(context.lake, trafficHours, HOURS.slice(-1), covered(MIDNIGHT))
  const until = MIDNIGHT + 10 * HOUR
  const properties = { 'landed-until.madrid_traffic': isoInstant(until), 'landed-until.dgt_detectors': isoInstant(MIDNIGHT - 24 * HOUR) }
  await landRows(context.lake, trafficReadings, readings(MIDNIGHT, MIDNIGHT + 5 * MINUTE), { properties })
  const pins = await pinInputs(context, trafficForecastsDerived)
  const parts = await planModel(trafficForecastsDerived, pins, coverageOfInputs(trafficForecastsDerived, pins, feeds))
  expect(parts.map(({ version, recent }) => [version, recent?.to])).toEqual([['traffic', until - HOUR]])
})

test('a table of the live feed is followed by forecasts', () => {
  expect(dueAfter([trafficForecastsDerived], madridTraffic)).toEqual([trafficForecastsDerived])
})

test('days of sensors are those of the clock in Madrid, and of the hour that October repeats the first passing', async () => {
  const from = dayBounds('2026-10-24').start
  const to = dayBounds('2026-10-26').end
  const rows: AnyRow[] = []
  for (let at = from; at < to; at += HOUR)
    for (const [sensor_id, factor] of [
      ['11', 1],
      ['12', 3],
    ] as const) {
      const mean = ((at - from) / HOUR + 1) * factor
      const sums = { readings: 12, intensity_readings: 12, intensity_sum_veh_h: 12 * mean, intensity_max_veh_h: mean }
      rows.push(
        exampleTableRow(trafficHours, { month: '2026-10', sensor_id, period_start: at, period_s: 300, sensor_type: 'M30', ...sums }),
      )
    }
  // Half an hour and more has to be measured.
  rows.push(
    exampleTableRow(trafficHours, {
      month: '2026-10',
      sensor_id: '13',
      period_start: from,
      period_s: 300,
      sensor_type: 'M30',
      intensity_readings: 5,
    }),
  )
  await landRows(context.lake, trafficHours, rows)
  const found = (
    await context.lake.query(seriesOfMonth(LIVE_MODELS.traffic, '2026-10', { from, to }), { columns: SERIES_DAY_COLUMNS })
  ).map(gridDay)
  const hours = (name: string, date: string): readonly (number | null)[] | undefined =>
    found.find((one) => one.name === name && dateOf(one.day) === date)?.vehicles
  expect(new Set(found.map(({ name }) => name))).toEqual(new Set(['11 S', '12 S', 'm-30 C']))
  expect(hours('11 S', '2026-10-24')).toEqual(Array.from({ length: 24 }, (_, hour) => hour + 1))
  // 25 hours: the third one is passed twice.
  expect(hours('11 S', '2026-10-25')).toEqual([25, 26, 27, ...Array.from({ length: 21 }, (_, hour) => hour + 29)])
  expect(hours('11 S', '2026-10-26')?.[0]).toBe(50)
  expect(hours('m-30 C', '2026-10-24')?.[1]).toBe(4)
  const some = await context.lake.query(seriesOfMonth(LIVE_MODELS.traffic, '2026-10', { from, to }, ['12']), {
    columns: SERIES_DAY_COLUMNS,
  })
  expect(new Set(some.map(({ name }) => name))).toEqual(new Set(['12 S', 'm-30 C']))
  const day24 = some.map(gridDay).find(({ name, day }) => name === 'm-30 C' && dateOf(day) === '2026-10-24')
  expect(day24?.vehicles).toEqual(hours('m-30 C', '2026-10-24'))

  const spring = { from: dayBounds('2026-03-29').start, to: dayBounds('2026-03-29').end }
  const passing: AnyRow[] = []
  for (let at = spring.from; at < spring.to; at += 10 * MINUTE)
    passing.push(
      exampleTableRow(trafficReadings, {
        observed_at: at + 10 * MINUTE,
        sensor_id: '7',
        intensity_veh_h: (at - spring.from) / HOUR,
        quality: 'OK',
        fetch_id: 'x.1',
        period_s: 600,
      }),
    )
  await landRows(
    context.lake,
    trafficReadings,
    passing.map((row) => ({ ...row, intensity_veh_h: Math.floor(row['intensity_veh_h'] as number) })),
  )
  const [day] = (await context.lake.query(seriesOfReadings(LIVE_MODELS.traffic, spring, ['2026-03']), { columns: SERIES_DAY_COLUMNS })).map(
    gridDay,
  )
  expect(day).toEqual({
    name: '7 S',
    day: Date.parse('2026-03-29') / 86_400_000,
    vehicles: [0, 1, null, ...Array.from({ length: 21 }, (_, hour) => hour + 2)],
  })
})

test('hours that the live feed lacks are those of the archive, and no hour of a sensor is of both', async () => {
  const from = dayBounds('2026-10-20').start
  const to = from + 6 * HOUR
  const hour = (source: string, sensor_id: string, at: number, mean: number): AnyRow => {
    const [period_s, readings] = source === 'madrid' ? [300, 12] : [900, 4]
    const sums = { readings, intensity_readings: readings, intensity_sum_veh_h: readings * mean, intensity_max_veh_h: mean }
    return exampleTableRow(trafficHours, { month: '2026-10', source, sensor_id, period_start: at, period_s, sensor_type: 'M30', ...sums })
  }
  await landRows(context.lake, trafficHours, [
    ...[0, 1, 2, 3].map((nth) => hour('madrid_archive', '11', from + nth * HOUR, 100)),
    ...[2, 3, 4].map((nth) => hour('madrid', '11', from + nth * HOUR, 200)),
    hour('madrid', '12', from + 4 * HOUR, 400),
  ])
  const found = (
    await context.lake.query(seriesOfMonth(LIVE_MODELS.traffic, '2026-10', { from, to }), { columns: SERIES_DAY_COLUMNS })
  ).map(gridDay)
  const of = (name: string): readonly (number | null)[] | undefined => found.find((day) => day.name === name)?.vehicles.slice(0, 6)
  expect(of('11 S')).toEqual([100, 100, 200, 200, 200, null])
  expect(of('m-30 C')).toEqual([100, 100, 200, 200, 300, null])
  const counted = await context.lake.query(sensorsOf(LIVE_MODELS.traffic, ['2026-10']), { columns: SENSOR_COLUMNS })
  expect(counted).toEqual([
    { sensor_id: '11', hours: 4, until: from + 5 * HOUR },
    { sensor_id: '12', hours: 1, until: from + 5 * HOUR },
  ])

  // Hours that are not rolled up yet include the archive's readings, too.
  await landRows(
    context.lake,
    trafficReadings15m,
    [0, 15, 30, 45].map((minute) =>
      exampleTableRow(trafficReadings15m, {
        ...{ month: '2026-10', sensor_id: '11', local_date: '2026-10-20', minute_of_day: minute, sensor_type: 'M30' },
        ...{ day_starts_at: from, starts_at: from + minute * MINUTE, intensity_veh_h: 80 },
      }),
    ),
  )
  const read = await context.lake.query(seriesOfReadings(LIVE_MODELS.traffic, { from, to }, ['2026-10']), { columns: SERIES_DAY_COLUMNS })
  expect(
    read
      .map(gridDay)
      .find(({ name }) => name === '11 S')
      ?.vehicles.slice(0, 2),
  ).toEqual([80, null])
})
