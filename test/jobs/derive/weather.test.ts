import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { distanceM } from '../../../api/kernel/reads/geo.ts'
import { type DeriveResult, derive } from '../../../jobs/derive/derive.ts'
import { weatherDaysDerived, weatherRoadDaysDerived, weatherStationRoadsDerived } from '../../../jobs/derive/weather/days.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { roadPoints } from '../../../lake/datasets/road/road-network.ts'
import { weatherDays, weatherRoadDays } from '../../../lake/datasets/weather/weather-days.ts'
import { weatherStationRoads } from '../../../lake/datasets/weather/weather-station-roads.ts'
import { weatherObservations, weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { exampleTableRow } from '../../api/service.ts'
import { figures } from '../../helpers/figures.ts'
import { golden } from '../../helpers/golden.ts'
import { littleFeed, openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows } from '../../lake/query/fixtures.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const never = new AbortController().signal
const feeds = [littleFeed()]
const TABLES = [weatherObservations, weatherStations, roadPoints, weatherDays, weatherStationRoads, weatherRoadDays]

let redis: TestRedis
let context: TestContext
const opened: TestContext[] = []
async function open(): Promise<TestContext> {
  const one = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  opened.push(one)
  await prepareTables(one, TABLES)
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

/** Lands the publications until an instant. */
const land = (on: TestContext, dataset: (typeof TABLES)[number], rows: readonly AnyRow[], until: number): Promise<unknown> =>
  landRows(on.lake, dataset, rows, { properties: { 'landed-until.little': isoInstant(until) } })
const derived = (on: TestContext, what: typeof weatherDaysDerived | typeof weatherRoadDaysDerived): Promise<DeriveResult> =>
  derive(on, what, { feeds, signal: never })
const derivedRows = async (on: TestContext, dataset: (typeof TABLES)[number]): Promise<string[]> =>
  (await tableRows(on, dataset)).map(({ fetch_id, ...row }) => JSON.stringify(row)).sort()

const tenth = (share: number, least: number, most: number): number => Math.round(10 * (least + share * (most - least))) / 10

/** Hours of some stations: some are not reported, and some lack a measure. `at` is the end of the first. */
function hours(stations: readonly string[], { at, count, seed }: { at: number; count: number; seed: number }): AnyRow[] {
  const next = figures(seed)
  const rows: AnyRow[] = []
  for (const station_id of stations)
    for (let hour = 0; hour < count; hour++) {
      if (next() < 0.05) continue
      const measured = (least: number, most: number): number | null => (next() < 0.03 ? null : tenth(next(), least, most))
      const whole = (most: number): number | null => (next() < 0.03 ? null : Math.round(most * next()))
      const values = {
        ...{ precipitation_mm: next() < 0.002 ? null : tenth(Math.max(0, next() - 0.8), 0, 9), temp_c: measured(-5, 20) },
        ...{ temp_min_c: measured(-6, 18), temp_max_c: measured(-4, 22), humidity_pct: whole(100), wind_mean_m_s: measured(0, 9) },
        // Few values, so that the strongest gust comes several times.
        ...{ gust_m_s: next() < 0.1 ? null : Math.round(4 * next()), gust_dir_deg: whole(360), pressure_hpa: measured(900, 1030) },
        ...{ visibility_m: next() < 0.5 ? null : 100 * Math.round(300 * next()), snow_cm: next() < 0.9 ? null : Math.round(9 * next()) },
      }
      const key = { source: 'aemet', station_id, period_s: 3600, observed_at: at + hour * HOUR }
      rows.push(exampleTableRow(weatherObservations, { ...key, ...values, fetch_id: `little.${at + hour * HOUR}` }))
    }
  return rows
}

describe('weather by station and day', () => {
  const stations = ['0076', '3195', '8416X']
  // The leap day and the end of a month, and both days on which the clock changes.
  const spans = [
    { at: Date.UTC(2028, 1, 28), count: 72, seed: 1 },
    { at: Date.UTC(2028, 2, 25), count: 72, seed: 2 },
    { at: Date.UTC(2028, 9, 28), count: 120, seed: 3 },
  ]
  const until = Date.UTC(2028, 10, 2, 5)

  test('is the sum of the hours of past days in Madrid, by plain SQL', async () => {
    const rows = spans.flatMap((span) => hours(stations, span))
    // Outside the period: no hour.
    rows.push(exampleTableRow(weatherObservations, { station_id: '3195', period_s: 600, observed_at: Date.UTC(2028, 1, 29, 12) }))
    await land(context, weatherObservations, rows, until)
    expect(await derived(context, weatherDaysDerived)).toMatchObject({ made: ['2028-02', '2028-03', '2028-10', '2028-11'], waits: false })
    const names = `source, station_id, period_s, month, strftime(local_date, '%Y-%m-%d') AS local_date, epoch_ms(period_start) AS period_start, hours,
      CAST(coverage AS DOUBLE) AS coverage, CAST(precipitation_mm AS DOUBLE) AS precipitation_mm, CAST(temp_mean_c AS DOUBLE) AS temp_mean_c,
      CAST(temp_min_c AS DOUBLE) AS temp_min_c, CAST(temp_max_c AS DOUBLE) AS temp_max_c, CAST(humidity_mean_pct AS DOUBLE) AS humidity_mean_pct,
      CAST(wind_mean_m_s AS DOUBLE) AS wind_mean_m_s, CAST(gust_m_s AS DOUBLE) AS gust_m_s, gust_dir_deg,
      CAST(pressure_mean_hpa AS DOUBLE) AS pressure_mean_hpa, visibility_min_m, CAST(snow_max_cm AS DOUBLE) AS snow_max_cm`
    const made = await golden(context.lake, [weatherDays], `SELECT ${names} FROM weather_days ORDER BY station_id, local_date`)
    const expected = await golden(
      context.lake,
      [weatherObservations],
      `WITH hourly AS (
        SELECT *, (observed_at - INTERVAL 1 HOUR) AT TIME ZONE 'Europe/Madrid' AS begins FROM weather_observations WHERE period_s = 3600
      ), daily AS (
        SELECT source, station_id, period_s, CAST(begins AS DATE) AS local_date, count(*) AS n,
          CASE WHEN bool_and(precipitation_mm IS NOT NULL) THEN sum(precipitation_mm) END AS rain, round(avg(temp_c), 1) AS temp,
          min(temp_min_c) AS temp_min_c, max(temp_max_c) AS temp_max_c, round(avg(humidity_pct), 1) AS humidity,
          round(avg(wind_mean_m_s), 1) AS wind, max(gust_m_s) AS gust_m_s,
          (list(gust_dir_deg ORDER BY gust_m_s DESC NULLS LAST, observed_at))[1] AS gust_dir_deg, round(avg(pressure_hpa), 1) AS pressure,
          min(visibility_m) AS visibility_min_m, max(snow_cm) AS snow_max_cm
        FROM hourly GROUP BY ALL
      )
      SELECT source, station_id, period_s, strftime(local_date, '%Y-%m') AS month, strftime(local_date, '%Y-%m-%d') AS local_date,
        epoch_ms(CAST(local_date AS TIMESTAMP) AT TIME ZONE 'Europe/Madrid') AS period_start, n AS hours,
        round(n / CASE local_date WHEN DATE '2028-03-26' THEN 23 WHEN DATE '2028-10-29' THEN 25 ELSE 24 END, 6) AS coverage,
        CAST(rain AS DOUBLE) AS precipitation_mm, temp AS temp_mean_c, CAST(temp_min_c AS DOUBLE) AS temp_min_c, CAST(temp_max_c AS DOUBLE) AS temp_max_c,
        humidity AS humidity_mean_pct, wind AS wind_mean_m_s, CAST(gust_m_s AS DOUBLE) AS gust_m_s, gust_dir_deg, pressure AS pressure_mean_hpa,
        visibility_min_m, CAST(snow_max_cm AS DOUBLE) AS snow_max_cm
      FROM daily WHERE local_date < DATE '2028-11-02' ORDER BY station_id, local_date`,
    )
    expect(made).toHaveLength(expected.length)
    expect(made.map(({ local_date }) => local_date)).toEqual(
      expect.arrayContaining(['2028-02-29', '2028-03-26', '2028-10-29', '2028-10-31']),
    )
    expect(made.some(({ precipitation_mm }) => precipitation_mm === null)).toBe(true)
    for (const [at, row] of made.entries())
      for (const [name, value] of Object.entries(expected[at] ?? {}))
        expect([name, row[name]], JSON.stringify(row)).toEqual([name, typeof value === 'number' ? expect.closeTo(value, 5) : value])
    expect((await context.lake.table(weatherDays).load())?.properties['landed-until.little']).toBe('2028-11-01T23:00:00.000Z')
  })

  test('the month of an hour that ends as a month ends', async () => {
    const end = Date.UTC(2028, 0, 31, 23)
    await land(context, weatherObservations, hours(['3195'], { at: end, count: 1, seed: 9 }), end + DAY)
    await derived(context, weatherDaysDerived)
    const rows = await tableRows(context, weatherDays)
    expect(rows.map((row) => [row['month'], row['local_date'], row['hours']])).toEqual([['2028-01', '2028-01-31', 1]])
  })

  test('only a month with another hour is built again, and the result equals a build at once', async () => {
    const rows = spans.flatMap((span) => hours(stations, span))
    const isLate = (row: AnyRow): boolean => row['station_id'] === '3195' && new Date(row['observed_at'] as number).getUTCMonth() === 2
    await land(
      context,
      weatherObservations,
      rows.filter((row) => !isLate(row)),
      until,
    )
    await derived(context, weatherDaysDerived)
    await land(context, weatherObservations, rows.filter(isLate), until)
    expect(await derived(context, weatherDaysDerived)).toMatchObject({ made: ['2028-03'] })
    expect(await derived(context, weatherDaysDerived)).toMatchObject({ made: [] })
    const other = await open()
    await land(other, weatherObservations, rows, until)
    await derived(other, weatherDaysDerived)
    expect(await derivedRows(context, weatherDays)).toEqual(await derivedRows(other, weatherDays))
  })
})

describe('weather by road and day', () => {
  const NOW = Date.UTC(2028, 1, 20, 12)
  const HOME = { lat: 40.4, lon: -3.7 }
  /** Degrees of latitude of a metre. */
  const M = 180 / (Math.PI * 6_371_008.8)
  const north = (metres: number) => ({ lat: HOME.lat + metres * M, lon: HOME.lon })
  const station = (station_id: string, metres: number | null, values: AnyRow = {}): AnyRow =>
    exampleTableRow(weatherStations, {
      ...{ listing: 'OBSERVATION', station_id, position: metres === null ? null : north(metres), observed_at: NOW - 2 * DAY },
      ...values,
    })
  const point = (road: string, km: number, metres: number, values: AnyRow = {}): AnyRow =>
    exampleTableRow(roadPoints, {
      ...{ month: '2028-02', road, province_code: '28', km, position: north(metres), observed_at: NOW - DAY },
      ...values,
    })
  const STATIONS = [
    station('AT', 0, { observed_at: NOW - 3 * DAY, position: { lat: 43, lon: -8 } }),
    // The newest place counts.
    station('AT', 0),
    station('FAR', 12_000),
    station('NOWHERE', null),
    // Stations in the inventory alone have no hourly observations.
    station('LISTED', 0, { listing: 'INVENTORY' }),
  ]
  const POINTS = [
    ...[point('A-1', 4, -9_990), point('A-1', 10, 1_500), point('A1', 11, 2_500), point('A-1', 12, 3_500), point('A-1', 30, 21_000)],
    // Ten metres too far; in the next province; in the month before.
    ...[point('M-2', 1, -10_010), point('A-1', 14, 5_000, { province_code: '40' }), point('R-3', 1, 0, { month: '2028-01' })],
  ]

  async function landAll(on: TestContext): Promise<void> {
    await land(on, weatherStations, STATIONS, NOW)
    await land(on, roadPoints, POINTS, NOW)
    await land(
      on,
      weatherObservations,
      ['2028-01-31', '2028-02-19'].flatMap((day, nth) =>
        hours(['AT', 'FAR', 'NOWHERE'], { at: Date.parse(day) + HOUR, count: 22, seed: 5 + nth }),
      ),
      NOW,
    )
    for (const one of [weatherDaysDerived, weatherStationRoadsDerived, weatherRoadDaysDerived]) await derived(on, one)
  }

  test('a road is near a station by its points within 10 km, by province, with the nearest', async () => {
    await landAll(context)
    const rows = await tableRows(context, weatherStationRoads)
    const by = (one: AnyRow): unknown[] =>
      ['month', 'station_id', 'road', 'province_code', 'km_from', 'km_to', 'km', 'distance_m', 'points'].map((name) => one[name])
    expect(rows.map(by).sort()).toEqual([
      ['2028-02', 'AT', 'A-1', '28', 4, 12, 10, 1500, 4],
      ['2028-02', 'AT', 'A-1', '40', 14, 14, 14, 5000, 1],
      ['2028-02', 'FAR', 'A-1', '28', 11, 30, 12, 8500, 3],
      ['2028-02', 'FAR', 'A-1', '40', 14, 14, 14, 7000, 1],
    ])
    // As the lists of the API measure it.
    const nearest = POINTS.filter(({ road }) => road !== 'R-3').map(({ position }) => distanceM(HOME, position as typeof HOME))
    expect(Math.round(Math.min(...nearest))).toBe(1500)
  })

  test('a road is near a station from the first landing on, on the first day of a month too', async () => {
    const begin = Date.parse('2028-02-01T09:00:00Z')
    await land(context, weatherStations, [station('AT', 0, { observed_at: begin })], begin)
    await land(context, roadPoints, [point('A-1', 4, -900, { observed_at: begin + HOUR / 4 })], begin + HOUR / 4)
    await derived(context, weatherStationRoadsDerived)
    const rows = await tableRows(context, weatherStationRoads)
    expect(rows.map(({ month, station_id, road, km }) => [month, station_id, road, km])).toEqual([['2028-02', 'AT', 'A-1', 4]])
  })

  test('has the extremes of the stations near it, each day of every month by the roads of the newest', async () => {
    await landAll(context)
    const made = await golden(
      context.lake,
      [weatherRoadDays],
      `SELECT month, road, province_code, strftime(local_date, '%Y-%m-%d') AS day, array_to_string(station_ids, ',') AS ids, stations, wet_stations,
        frost_stations, CAST(precipitation_max_mm AS DOUBLE) AS rain, CAST(temp_min_c AS DOUBLE) AS cold, CAST(temp_max_c AS DOUBLE) AS warm,
        CAST(gust_m_s AS DOUBLE) AS gust, visibility_min_m AS seen, CAST(snow_max_cm AS DOUBLE) AS snow, CAST(coverage AS DOUBLE) AS coverage
      FROM weather_road_days ORDER BY day, province_code`,
    )
    const expected = await golden(
      context.lake,
      [weatherDays],
      `SELECT month, 'A-1' AS road, province_code, strftime(local_date, '%Y-%m-%d') AS day, 'AT,FAR' AS ids, 2 AS stations,
        count(*) FILTER (WHERE precipitation_mm >= 0.1) AS wet_stations, count(*) FILTER (WHERE temp_min_c < 0) AS frost_stations,
        CAST(max(precipitation_mm) AS DOUBLE) AS rain, CAST(min(temp_min_c) AS DOUBLE) AS cold, CAST(max(temp_max_c) AS DOUBLE) AS warm,
        CAST(max(gust_m_s) AS DOUBLE) AS gust, min(visibility_min_m) AS seen, CAST(max(snow_max_cm) AS DOUBLE) AS snow,
        round(sum(hours) / 48, 5) AS coverage
      FROM weather_days, (VALUES ('28'), ('40')) AS province(province_code) WHERE station_id <> 'NOWHERE' GROUP BY ALL ORDER BY day, province_code`,
    )
    expect(made.map(({ month, day, province_code }) => [month, day, province_code])).toEqual([
      ['2028-01', '2028-01-31', '28'],
      ['2028-01', '2028-01-31', '40'],
      ['2028-02', '2028-02-19', '28'],
      ['2028-02', '2028-02-19', '40'],
    ])
    for (const [at, row] of made.entries())
      expect(row).toEqual({ ...expected[at], coverage: expect.closeTo(expected[at]?.['coverage'] as number, 4) })
  })

  test('another hour rebuilds its month, another place of a road all months, and the result equals a build at once', async () => {
    await landAll(context)
    const late = hours(['AT'], { at: Date.parse('2028-01-31T00:00Z'), count: 1, seed: 8 })
    await land(context, weatherObservations, late, NOW)
    await derived(context, weatherDaysDerived)
    expect(await derived(context, weatherRoadDaysDerived)).toMatchObject({ made: ['2028-01'] })
    const more = point('M-40', 3, 700)
    await land(context, roadPoints, [more], NOW)
    expect(await derived(context, weatherStationRoadsDerived)).toMatchObject({ made: ['2028-02'] })
    expect(await derived(context, weatherRoadDaysDerived)).toMatchObject({ made: ['2028-01', '2028-02'] })
    const other = await open()
    await land(other, weatherObservations, late, NOW)
    await land(other, roadPoints, [more], NOW)
    await landAll(other)
    for (const dataset of [weatherDays, weatherStationRoads, weatherRoadDays])
      expect(await derivedRows(context, dataset)).toEqual(await derivedRows(other, dataset))
    expect((await tableRows(context, weatherRoadDays)).map(({ road }) => road)).toContain('M-40')
  })
})
