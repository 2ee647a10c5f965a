import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { distanceM } from '../../api/define/geo.ts'
import { conditionsOf } from '../../api/endpoints/weather/weather.ts'
import { feedById } from '../../jobs/feeds/catalog.ts'
import { parsePublication } from '../../jobs/ingest/parse.ts'
import { roadPoints } from '../../lake/datasets/road/road-points.ts'
import { weatherDaily } from '../../lake/datasets/weather/weather-daily.ts'
import { weatherObservations } from '../../lake/datasets/weather/weather-observations.ts'
import { weatherStations } from '../../lake/datasets/weather/weather-stations.ts'
import type { Point } from '../../lake/schema/columns.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { WHOLE } from '../../scripts/stand-in/publisher.ts'
import { STAND_INS } from '../../scripts/stand-in/publishers/list.ts'
import { makeWorld } from '../../scripts/stand-in/world/world.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from './service.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Two days around the change of the clocks in October, and what came before it in the day. */
const END = Date.parse('2026-10-26T12:30:00Z')
const BEGIN = END - 3 * DAY

let service: TestService
let landed: AnyRow[]
let places: ReadonlyMap<string, Point>

const RETIRO = { lat: 40.411804, lon: -3.678095 }
/** Degrees of latitude of a metre. */
const M = 180 / (Math.PI * 6_371_008.8)

/** What the stand-in of a feed publishes at an instant, as rows. */
async function published(id: string, at: number, day?: string): Promise<Map<string, AnyRow[]>> {
  const standIn = STAND_INS.find((one) => one.feed === id)
  const resource = day ?? (id === 'aemet_stations' ? 'stations' : 'observations')
  const bytes = standIn?.write(makeWorld(1, 'small'), { resource, publishedAt: at, stampedAt: at, variant: WHOLE }) as Buffer
  const keeps = (): boolean => true
  return new Map((await parsePublication(feedById(id), [{ name: resource, bytes }], at, { keeps })).rows)
}

beforeAll(async () => {
  service = await startService()
  const byKey = new Map<string, AnyRow>()
  const fetches = Array.from({ length: 8 }, (_, n) => BEGIN + n * 9 * HOUR)
  for (const at of [...fetches, END])
    for (const row of (await published('aemet_observation', at)).get('weather_observations') ?? [])
      byKey.set(`${row['station_id']} ${row['observed_at']}`, { fetch_id: `aemet_observation.${at}`, ...row })
  landed = [...byKey.values()]
  await service.land(weatherObservations, landed, END, ['aemet_observation'])
  const days = await Promise.all(['2026-10-23', '2026-10-24', '2026-10-25', '2026-10-26'].map((day) => published('aemet_daily', END, day)))
  const daily = days.flatMap((rows) => rows.get('weather_daily') ?? []).map((row): AnyRow => ({ fetch_id: 'aemet_daily.1', ...row }))
  const trace = { precipitation_mm: 0, precipitation_flag: 'TRACE' }
  const isTrace = (row: AnyRow): boolean => row['station_id'] === '3195' && row['day'] === '2026-10-24'
  await service.land(
    weatherDaily,
    daily.map((row) => (isTrace(row) ? { ...row, ...trace } : row)),
    END,
  )
  const live = (row: AnyRow, at: number): AnyRow => ({ observed_at: at, ...row, status: 'ACTIVE', updated_at: at, is_stale: false })
  const newest = new Map<unknown, AnyRow>()
  for (const row of landed)
    if ((row['observed_at'] as number) > ((newest.get(row['station_id'])?.['observed_at'] as number | undefined) ?? 0))
      newest.set(row['station_id'], row)
  const current = [...newest.values()].map(({ fetch_id: _fetch, ...row }) => live(row, row['observed_at'] as number))
  // One that has not reported for hours is no weather now.
  const late = exampleRow(weatherObservations, { station_id: 'LATE', observed_at: END - 4 * HOUR, updated_at: END - 4 * HOUR })
  await service.publish(weatherObservations, [...current, late], { at: END, feed: 'aemet_observation' })
  const observed = (await published('aemet_observation', END)).get('weather_stations') as AnyRow[]
  const inventory = (await published('aemet_stations', END)).get('weather_stations') as AnyRow[]
  await service.publish(
    weatherStations,
    observed.map((row) => live(row, END)),
    { at: END, feed: 'aemet_observation' },
  )
  await service.publish(
    weatherStations,
    inventory.map((row) => live(row, END)),
    { at: END, feed: 'aemet_stations' },
  )
  const tableRow = (row: AnyRow): AnyRow => ({
    ...{ observed_at: END, fetch_id: 'aemet_stations.1', status: 'ACTIVE', is_baseline: false, updated_at: END, last_seen_at: null },
    ...row,
  })
  await service.land(weatherStations, [...observed, ...inventory].map(tableRow), END)
  places = new Map(observed.map((row) => [row['station_id'] as string, row['position'] as Point]))
  const point = (km: number, north_m: number, values: AnyRow = {}): AnyRow =>
    exampleTableRow(roadPoints, {
      ...{ month: '2026-10', road: 'M-999', province_code: '28', km, position: { lat: RETIRO.lat + north_m * M, lon: RETIRO.lon } },
      ...values,
    })
  // Nearest at km 12; far from all stations at km 90; of an older month nearer, and of another road.
  const road = [point(10, 5000), point(12, -900), point(14, 9000), point(90, 0, { position: { lat: 36, lon: -9 } })]
  const older = [point(13, 10, { month: '2026-09' }), point(1, 5, { road: 'M-99' })]
  await service.land(roadPoints, [...road, ...older], END)
})
afterAll(() => service?.close())

test('stations: what the inventory says goes first, what only the observations say fills in', async () => {
  const { stations, total } = await service.json('/api/clima/estaciones?limit=20000')
  expect(total).toBe(stations.length)
  const listings = Map.groupBy(stations as Reply[], (one) => one.listings.join())
  expect([...listings.keys()].sort()).toEqual(['INVENTORY', 'INVENTORY,OBSERVATION', 'OBSERVATION'])
  const retiro = stations.find((one: Reply) => one.id === '3195')
  expect(retiro).toMatchObject({
    ...{
      name: 'MADRID, RETIRO',
      province: 'Madrid',
      province_code: '28',
      municipality_code: '28079',
      altitude_m: 667,
      synop_code: '08222',
    },
    ...{ listings: ['INVENTORY', 'OBSERVATION'], source: 'aemet', source_id: '3195', status: 'ACTIVE', is_stale: false },
  })
  // Degrees, minutes and seconds are good to 31 m.
  expect(Math.abs(retiro.lat - 40.411804)).toBeLessThan(0.0003)
  const madrid = (await service.json('/api/clima/estaciones?province=Madrid&limit=20000')).stations
  expect(madrid.every((one: Reply) => one.province_code === '28')).toBe(true)
  expect(madrid.length).toBe(stations.filter((one: Reply) => one.province_code === '28').length)
  const near = (await service.json('/api/clima/estaciones?lat=40.41&lon=-3.68&radius=1000')).stations
  expect(near.map((one: Reply) => one.id)).toContain('3195')
})

test('one station, with its last hour', async () => {
  const one = await service.json('/api/clima/estaciones/3195')
  const last = landed
    .filter((row) => row['station_id'] === '3195')
    .sort((a, b) => (b['observed_at'] as number) - (a['observed_at'] as number))[0]
  expect(one).toMatchObject({ id: '3195', name: 'MADRID, RETIRO' })
  expect(one.last_observation).toMatchObject({
    observed_at: new Date(last?.['observed_at'] as number).toISOString(),
    temp_c: last?.['temp_c'],
    pressure_hpa: last?.['pressure_hpa'],
    snow_cm: null,
    period_s: 3600,
  })
  const { stations } = await service.json('/api/clima/estaciones?limit=20000')
  const silent = stations.find((station: Reply) => station.listings.join() === 'INVENTORY')
  expect((await service.json(`/api/clima/estaciones/${silent.id}`)).last_observation).toBeNull()
  expect((await service.get('/api/clima/estaciones/NONE')).status).toBe(404)
})

test('driving weather: the newest hour of each station of the last three, with its place and conditions', async () => {
  const { weather, total, meta } = await service.json('/api/weather?limit=20000')
  expect(meta.sources[0]).toMatchObject({ id: 'aemet', commercial_use: 'yes' })
  expect(total).toBe(weather.length)
  expect(weather.length).toBeGreaterThan(100)
  expect(weather.some((one: Reply) => one.id === 'LATE')).toBe(false)
  for (const one of weather) {
    expect(Date.parse(one.observed_at)).toBeGreaterThanOrEqual(END - 3 * HOUR)
    expect([one.id, one.conditions]).toEqual([one.id, conditionsOf(one)])
    expect([one.province_code === null, one.lat === null]).toEqual([false, false])
  }
  const code = weather.find((one: Reply) => one.conditions.length > 0)?.conditions[0] ?? 'RAIN'
  const picked = (await service.json(`/api/weather?condition=${code}&limit=20000`)).weather
  expect(picked.map((one: Reply) => one.id)).toEqual(
    weather.filter((one: Reply) => one.conditions.includes(code)).map((one: Reply) => one.id),
  )
  const sevilla = (await service.json('/api/weather?province=Sevilla&limit=20000')).weather
  expect(sevilla.length).toBe(weather.filter((one: Reply) => one.province_code === '41').length)
  expect((await service.get('/api/weather?condition=HAIL')).status).toBe(400)
})

describe('near a road', () => {
  const near = (at: Point, north_m: number): boolean => distanceM(at, { lat: RETIRO.lat + north_m * M, lon: RETIRO.lon }) <= 10_000

  test('stations within 10 km of its located points, each with the nearest, alike now and in the catalogue', async () => {
    const { stations } = await service.json('/api/clima/estaciones?road=m999&limit=20000')
    const retiro = stations.find((one: Reply) => one.id === '3195')
    // The inventory's position is good to 31 m.
    expect(retiro).toMatchObject({ road: 'M-999', km: 12, distance_m: expect.toSatisfy((m: number) => Math.abs(m - 900) < 35) })
    const { weather } = await service.json('/api/weather?road=M-999&sort=distance_m&limit=20000')
    expect(weather[0]).toMatchObject({ id: '3195', road: 'M-999', km: 12, distance_m: retiro.distance_m })
    for (const { km, distance_m } of weather) expect([km < 20, distance_m <= 10_000]).toEqual([true, true])
    const stretch = (await service.json('/api/weather?road=M-999&km_from=13&km_to=15')).weather
    expect(stretch.find((one: Reply) => one.id === '3195')).toMatchObject({
      km: 14,
      distance_m: expect.toSatisfy((m: number) => Math.abs(m - 9000) < 35),
    })
    expect((await service.json('/api/weather?road=M-999&km_from=80')).total).toBe(0)
    expect((await service.json('/api/weather?limit=1')).weather[0]).toMatchObject({ road: null, km: null, distance_m: null })
  })

  test('a road or stretch without located points is refused by name, as is a stretch without a road', async () => {
    const refused = async (path: string): Promise<unknown> => {
      const response = await service.get(path)
      return [response.status, ((await response.json()) as Reply).errors?.[0].parameter]
    }
    expect(await refused('/api/weather?road=A-1')).toEqual([400, 'road'])
    expect(await refused('/api/clima/estaciones?road=A-1')).toEqual([400, 'road'])
    expect(await refused('/api/weather?road=M-999&km_from=20&km_to=30')).toEqual([400, 'km_from'])
    expect(await refused('/api/weather?km_from=20')).toEqual([400, 'road'])
    expect(await refused('/api/clima/historico?road=A-1')).toEqual([400, 'road'])
    expect(await refused('/api/clima/historico?road=M-999&station=3195')).toEqual([400, 'station'])
    expect(await refused('/api/clima/historico')).toEqual([400, 'station'])
  })

  test('series of the stations near it are listed apart', async () => {
    const { history } = await service.json('/api/clima/historico?road=M-999&interval=1d&from=2026-10-24&to=2026-10-27&limit=1000')
    const expected = [...places].filter(([, at]) => [5000, -900, 9000].some((north_m) => near(at, north_m))).map(([id]) => id)
    expect([...new Set(history.map((one: Reply) => one.station_id))].sort()).toEqual(expected.sort())
    expect(history.find((one: Reply) => one.station_id === '3195')).toMatchObject({ road: 'M-999', km: 12, distance_m: 900 })
    const twice = (await service.json('/api/clima/historico?station=3195,3195&interval=1d&from=2026-10-24&to=2026-10-25')).history
    expect(twice).toMatchObject([{ station_id: '3195', road: null, km: null, distance_m: null }])
  })
})

test('conditions: thresholds, and nothing of what is not measured', () => {
  const of = (values: AnyRow): string[] =>
    conditionsOf({
      precipitation_mm: null,
      solid_precipitation_mm: null,
      temp_c: null,
      snow_cm: null,
      visibility_m: null,
      gust_m_s: null,
      ...values,
    })
  expect(of({})).toEqual([])
  expect(of({ precipitation_mm: 0, visibility_m: 1000, gust_m_s: 19.3, snow_cm: 0 })).toEqual([])
  expect(of({ precipitation_mm: 0.1 })).toEqual(['RAIN'])
  expect(of({ precipitation_mm: 0.1, temp_c: 1.1 })).toEqual(['RAIN'])
  expect(of({ precipitation_mm: 0.1, temp_c: 1 })).toEqual(['SNOWFALL'])
  expect(of({ precipitation_mm: 2, solid_precipitation_mm: 0.1, temp_c: 5, snow_cm: 3, visibility_m: 999, gust_m_s: 19.4 })).toEqual([
    'SNOWFALL',
    'SNOW_ON_GROUND',
    'FOG',
    'STRONG_WIND',
  ])
})

describe('series', () => {
  const FROM = '2026-10-24'
  const TO = '2026-10-27'

  /** The same by one plain query over the Parquet files, in a DuckDB of its own. */
  async function golden(text: string, table = 'weather_observations'): Promise<Record<string, unknown>[]> {
    const db = await DuckDBInstance.create(':memory:')
    const connection = await db.connect()
    await connection.run("SET TimeZone = 'UTC'")
    const folder = `${new URL(service.shared.storeFolder, 'file:///').pathname}/lake/weather/${table}/data`
    const reader = await connection.runAndReadAll(text.replaceAll('OBSERVATIONS', `read_parquet('${folder}/**/*.parquet')`))
    const rows = reader.getRowObjectsJson() as Record<string, unknown>[]
    connection.closeSync()
    return rows
  }
  const numbers = (rows: readonly Record<string, unknown>[]): Record<string, unknown>[] =>
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) && name !== 'station_id' ? Number(value) : value,
        ]),
      ),
    )

  test('hours are the observations, from the begin of each hour', async () => {
    const { history, meta } = await service.json(`/api/clima/estaciones/3195/historico?from=${FROM}&to=${TO}&limit=1000`)
    expect(meta).toMatchObject({
      covered_until: new Date(END).toISOString(),
      grain: expect.stringMatching(/station/),
      method: expect.stringMatching(/sum/),
    })
    const expected = numbers(
      await golden(`
        SELECT
          strftime(observed_at - INTERVAL 1 HOUR, '%Y-%m-%dT%H:%M:%S.000Z') AS period_start, precipitation_mm, temp_c AS temp_mean_c, temp_min_c,
          temp_max_c, humidity_pct, wind_mean_m_s, gust_m_s, gust_dir_deg, pressure_hpa, visibility_m, snow_cm
        FROM OBSERVATIONS
        WHERE station_id = '3195' AND observed_at > '2026-10-23 22:00:00+00' AND observed_at <= '2026-10-26 23:00:00+00'
        ORDER BY period_start`),
    )
    expect(expected.length).toBeGreaterThan(50)
    expect(history).toEqual(
      expected.map((row) => ({
        ...{
          road: null,
          km: null,
          distance_m: null,
          station_id: '3195',
          interval: '1h',
          day_definition: 'HOUR',
          precipitation_trace: false,
          coverage: 1,
        },
        ...row,
      })),
    )
  })

  test('days are those of Madrid, also of 25 hours, and say what they lack', async () => {
    const { history } = await service.json(`/api/clima/historico?station=3195&interval=1d&from=${FROM}&to=${TO}&limit=1000`)
    const expected = numbers(
      await golden(`
        SELECT
          station_id, precipitation_mm, temp_mean_c, temp_min_c, temp_max_c, humidity_pct, wind_mean_m_s, gust_m_s, gust_dir_deg, pressure_hpa,
          visibility_m, snow_cm, hours / CASE day WHEN DATE '2026-10-25' THEN 25 ELSE 24 END AS coverage
        FROM (
          SELECT
            station_id, CAST(timezone('Europe/Madrid', observed_at - INTERVAL 1 HOUR) AS DATE) AS day,
            CASE WHEN bool_and(precipitation_mm IS NOT NULL) THEN round(sum(precipitation_mm), 1) END AS precipitation_mm,
            round(avg(temp_c), 1) AS temp_mean_c, min(temp_min_c) AS temp_min_c, max(temp_max_c) AS temp_max_c,
            round(avg(humidity_pct), 1) AS humidity_pct, round(avg(wind_mean_m_s), 1) AS wind_mean_m_s, max(gust_m_s) AS gust_m_s,
            (list(gust_dir_deg ORDER BY gust_m_s DESC NULLS LAST, observed_at))[1] AS gust_dir_deg,
            round(avg(pressure_hpa), 1) AS pressure_hpa, min(visibility_m) AS visibility_m, max(snow_cm) AS snow_cm, count(*) AS hours
          FROM OBSERVATIONS
          WHERE station_id = '3195'
          GROUP BY ALL
        )
        WHERE day BETWEEN '2026-10-24' AND '2026-10-26'
        ORDER BY day`),
    )
    expect(history.map((one: Reply) => [one.period_start, one.day_definition, one.interval])).toEqual([
      ['2026-10-23T22:00:00.000Z', 'MADRID_DAY', '1d'],
      ['2026-10-24T22:00:00.000Z', 'MADRID_DAY', '1d'],
      ['2026-10-25T23:00:00.000Z', 'MADRID_DAY', '1d'],
    ])
    expect(history.map((one: Reply) => [one.station_id, one.precipitation_mm, one.snow_cm])).toEqual(
      expected.map((one) => [one['station_id'], one['precipitation_mm'], one['snow_cm']]),
    )
    for (const [at, one] of history.entries())
      for (const [name, value] of Object.entries(expected[at] ?? {}))
        if (typeof value === 'number') expect([name, one[name]]).toEqual([name, expect.closeTo(value, 5)])
    expect(history[1].coverage).toBe(1)
    expect(history[2].coverage).toBeLessThan(0.6)
  })

  test('several stations at once stay apart; one that nobody knows is refused; variables choose members', async () => {
    const ids = [...new Set(landed.map((row) => row['station_id'] as string))].slice(0, 3)
    const { history } = await service.json(`/api/clima/historico?station=${ids.join(',')}&interval=1d&from=${FROM}&to=${TO}&limit=1000`)
    expect(history.map((one: Reply) => one.station_id).sort()).toEqual(ids.flatMap((id) => [id, id, id]).sort())
    const only = (await service.json(`/api/clima/historico?station=3195&variables=wind&from=${FROM}&to=${TO}`)).history[0]
    expect(Object.keys(only)).toEqual([
      'station_id',
      'road',
      'km',
      'distance_m',
      'period_start',
      'interval',
      'day_definition',
      'wind_mean_m_s',
      'gust_m_s',
      'gust_dir_deg',
      'coverage',
    ])
    const refused = await service.get('/api/clima/historico?station=319&interval=1d')
    expect([refused.status, ((await refused.json()) as Reply).errors[0].parameter]).toEqual([400, 'station'])
    expect((await service.get('/api/clima/historico?interval=1d')).status).toBe(400)
    expect((await service.get('/api/clima/estaciones/NONE/historico')).status).toBe(404)
    expect((await service.get(`/api/clima/historico?station=3195&interval=1w`)).status).toBe(400)
  })

  test('validated days of AEMET: in UTC, with traces, never mixed with days of observations', async () => {
    const read = async (query: string): Promise<Reply[]> =>
      (await service.json(`/api/clima/historico?station=3195&interval=1d&from=${FROM}&to=${TO}&${query}`)).history
    const history = await read('series=CLIMATOLOGY')
    const expected = numbers(
      await golden(
        `SELECT
          strftime(day_starts_at, '%Y-%m-%dT%H:%M:%S.000Z') AS period_start, precipitation_mm, precipitation_flag, temp_mean_c, temp_min_c,
          temp_max_c, wind_mean_m_s, gust_m_s, gust_dir_deg
        FROM OBSERVATIONS
        WHERE station_id = '3195' AND day BETWEEN '2026-10-24' AND '2026-10-26'
        ORDER BY day`,
        'weather_daily',
      ),
    )
    expect(expected).toHaveLength(3)
    expect(history).toEqual(
      expected.map(({ precipitation_flag, ...row }) => ({
        ...{
          station_id: '3195',
          interval: '1d',
          day_definition: 'AEMET_DAY',
          ...{ road: null, km: null, distance_m: null },
          coverage: 1,
          precipitation_trace: precipitation_flag === 'TRACE',
        },
        ...{ humidity_pct: null, pressure_hpa: null, visibility_m: null, snow_cm: null },
        ...row,
      })),
    )
    expect(history[0].precipitation_trace).toBe(true)
    expect((await read('')).map((one) => one.day_definition)).toEqual(['MADRID_DAY', 'MADRID_DAY', 'MADRID_DAY'])
    const [begin] = await golden(`SELECT strftime(min(day_starts_at), '%Y-%m-%dT%H:%M:%S.000Z') AS at FROM OBSERVATIONS`, 'weather_daily')
    for (const path of ['/api/clima/historico?station=3195&', '/api/clima/estaciones/3195/historico?'])
      expect((await service.json(`${path}series=CLIMATOLOGY&interval=1d`)).meta.covered_from, path).toBe(begin?.['at'])
    const refused = await service.get('/api/clima/estaciones/3195/historico?series=CLIMATOLOGY')
    expect([refused.status, ((await refused.json()) as Reply).errors[0].parameter]).toEqual([400, 'interval'])
  })

  test('an hour that lacks a measure is no zero: a day of such hours has no sum', async () => {
    const still = landed.find((row) => row['wind_mean_m_s'] === null)?.['station_id'] as string
    const { history } = await service.json(`/api/clima/historico?station=${still}&interval=1d&from=${FROM}&to=${TO}`)
    expect(history.map((one: Reply) => [one.wind_mean_m_s, one.gust_m_s, one.gust_dir_deg, one.visibility_m])).toEqual(
      history.map(() => [null, null, null, null]),
    )
    expect(history.length).toBe(3)
  })
})
