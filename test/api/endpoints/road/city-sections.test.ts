import { afterAll, beforeAll, expect, test } from 'vitest'
import { derive } from '../../../../jobs/derive/derive.ts'
import { trafficSectionHoursDerived } from '../../../../jobs/derive/road/traffic.ts'
import { feeds } from '../../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../../jobs/upkeep/tasks.ts'
import {
  trafficSectionHours,
  trafficSectionStates,
  trafficSectionStatesArchive,
  trafficSections,
} from '../../../../lake/datasets/road/traffic-sections.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds, offsetAt } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { golden } from '../../../helpers/golden.ts'
import { openTestContext, type TestContext } from '../../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../../helpers/redis.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const STEP = 300_000
/** A Thursday at 08:30 in Madrid. */
const NOW = Date.UTC(2028, 10, 16, 7, 30)
const LEVELS = ['FREE', 'FREE', 'DENSE', 'VERY_DENSE', 'CONGESTED', 'CLOSED', 'UNKNOWN'] as const
/** Thursdays of the archive, each with its rush hour; one more day has the hour that October repeats. */
const THURSDAYS = ['2028-09-28', '2028-10-05', '2028-10-19', '2028-10-26', '2028-11-02']
const LIVE_DAY = '2028-11-08'
const LIVE_FEEDS = ['barcelona_traffic', 'valencia_traffic', 'bilbao_traffic']

let service: TestService
let redis: TestRedis
let context: TestContext

const BILBAO = { source: 'bilbao_traffic', city: 'bilbao', level_basis: 'OCCUPANCY', source_state: null, forecast_15min_level: null }
const RING = [
  [-2.93, 43.26],
  [-2.929, 43.26],
  [-2.929, 43.261],
  [-2.93, 43.26],
]
const LINE = [
  [2.112, 41.384],
  [2.102, 41.382],
]

/** The present states of sections: seven of Barcelona, one of them stale, one missing in the catalogue; two of Bilbao. */
function now(): AnyRow[] {
  const at = { observed_at: NOW, updated_at: NOW }
  const barcelona = LEVELS.map((level, n) =>
    exampleRow(trafficSectionStates, { ...at, section_id: `${n + 1}`, level, source_state: `${n}`, is_stale: false }),
  )
  const measured = { intensity_veh_h: 600, occupancy_pct: 18, speed_kmh: 21 }
  return [
    ...barcelona,
    exampleRow(trafficSectionStates, { ...at, section_id: '8', level: 'CONGESTED', is_stale: true }),
    exampleRow(trafficSectionStates, { ...at, ...BILBAO, section_id: '1', level: 'DENSE', ...measured }),
    exampleRow(trafficSectionStates, { ...at, ...BILBAO, section_id: '2', level: 'UNKNOWN', intensity_veh_h: 0, occupancy_pct: 0 }),
  ]
}

function sections(): AnyRow[] {
  const at = { observed_at: NOW, updated_at: NOW }
  const barcelona = Array.from({ length: 6 }, (_, n) =>
    exampleRow(trafficSections, {
      ...at,
      section_id: `${n + 1}`,
      name: `Carrer ${n + 1}`,
      line: LINE,
      position: { lat: 41.383, lon: 2.107 + n / 100 },
    }),
  )
  const place = { source: 'bilbao_traffic', city: 'bilbao', municipality_code: '48020', name: null, line: null, length_m: null }
  return [
    ...barcelona,
    exampleRow(trafficSections, { ...at, ...place, section_id: '1', area: [[RING]], position: { lat: 43.2605, lon: -2.9295 } }),
  ]
}

/** The archive: an hour of each Thursday and the night of the clock change, seven sections. */
function archived(): AnyRow[] {
  const next = figures(3)
  const hours = [...THURSDAYS.map((day) => [day, 8] as const), ['2028-10-29', 2] as const]
  return hours.flatMap(([local_date, hour]) => {
    const { start } = dayBounds(local_date)
    const isChange = local_date === '2028-10-29'
    return Array.from({ length: 12 * 7 }, (_, nth) => {
      const second_of_day = hour * 3600 + Math.floor(nth / 7) * 300 + 57
      const instant = Date.parse(`${local_date}T00:00:00Z`) + second_of_day * 1000 - offsetAt(start)
      return exampleTableRow(trafficSectionStatesArchive, {
        ...{
          month: local_date.slice(0, 7),
          section_id: `${(nth % 7) + 1}`,
          local_date,
          second_of_day,
          repetition: 1,
          day_starts_at: start,
        },
        ...{ observed_at: isChange ? null : instant, is_clock_change: isChange },
        level: LEVELS[Math.floor(LEVELS.length * next())],
      })
    })
  })
}

/** A repeated line of the file: in no figure. */
const repeated = (rows: readonly AnyRow[]): AnyRow => ({ ...(rows[0] as AnyRow), repetition: 2, level: 'CONGESTED' })

/** A day of live states of Barcelona, and of Bilbao with its measures, stamped with the end of their five minutes. */
function live(): AnyRow[] {
  const next = figures(9)
  const { start, end } = dayBounds(LIVE_DAY)
  return Array.from({ length: (end - start) / STEP }, (_, nth) => start + nth * STEP).flatMap((observed_at) => [
    ...['1', '2', '3'].map((section_id) =>
      exampleTableRow(trafficSectionStates, { section_id, observed_at, level: LEVELS[Math.floor(LEVELS.length * next())] }),
    ),
    exampleTableRow(trafficSectionStates, {
      ...{ ...BILBAO, section_id: '1', observed_at: observed_at + STEP, level: next() < 0.2 ? 'UNKNOWN' : 'DENSE' },
      ...{ intensity_veh_h: next() < 0.1 ? null : Math.floor(900 * next()), occupancy_pct: Math.floor(40 * next()), speed_kmh: null },
    }),
  ])
}

const roll = async (): Promise<void> => {
  const signal = new AbortController().signal
  expect(await derive(context, trafficSectionHoursDerived, { feeds, signal })).toMatchObject({ waits: false })
}
const city = async (id: string): Promise<Reply> => (await service.json('/api/trafico/ciudades')).cities.find((one: Reply) => one.id === id)

beforeAll(async () => {
  service = await startService()
  redis = await startTestRedis()
  context = await openTestContext({ folder: service.shared.storeFolder.replace(/\/store$/, ''), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [trafficSectionStates, trafficSectionStatesArchive, trafficSectionHours])
  await service.publish(trafficSections, sections(), { at: NOW, feed: 'barcelona_sections' })
  await service.publish(trafficSectionStates, now(), { at: NOW, feed: 'barcelona_traffic' })
})
afterAll(async () => {
  await context?.close()
  await redis?.stop()
  await service?.close()
})

test('a city of sections is computed from the newest published states, each section counting once', async () => {
  expect(await city('barcelona')).toMatchObject({
    ...{ availability: 'AVAILABLE', kind: 'SECTIONS', source: 'barcelona_traffic', sensors: 8, sensors_reporting: 6 },
    ...{ sensors_graded: 5, sensors_closed: 1, coverage: 0.75, observed_at: '2028-11-16T07:30:00.000Z' },
    ...{ fluid_pct: 40, slow_pct: 20, queues_pct: 20, congestion_pct: 20, dense_or_worse_pct: 60, intensity_veh_h: null, load_pct: null },
    ...{ congestion_index: null, index_absence: 'FEW_WEEKS', deviation: null },
    typical: { day_type: 'WORKDAY', hour_local: 8, weeks: 0, absence: 'FEW_WEEKS' },
  })
  expect(await city('bilbao')).toMatchObject({
    ...{ sensors: 2, sensors_reporting: 2, sensors_graded: 1, coverage: 0.5, slow_pct: 100, intensity_veh_h: 300, occupancy_pct: 9 },
    index_absence: 'FEW_WEEKS',
  })
  expect(await city('valencia')).toMatchObject({ availability: 'NOT_YET', sensors: null, index_absence: 'NO_DATA' })
})

test('sections are lines or areas in GeoJSON, and null where the catalogue lacks them', async () => {
  const { features, bbox } = await service.json('/api/trafico/ciudades/barcelona?format=geojson')
  expect([features.length, bbox]).toEqual([8, [2.102, 41.382, 2.112, 41.384]])
  expect(features[0]).toMatchObject({
    id: 'barcelona-1/barcelona_traffic/300',
    geometry: { type: 'LineString', coordinates: LINE },
    properties: { level: 'FREE', level_of_service: 'FREE', level_basis: 'PUBLISHED', source_state: '0', source_id: '1', name: 'Carrer 1' },
  })
  expect(features[0].properties).not.toHaveProperty('geometry')
  expect(features[0].properties).not.toHaveProperty('area')
  expect(features[6]).toMatchObject({
    geometry: null,
    properties: { level: 'UNKNOWN', level_of_service: null, level_basis: null, name: null },
  })
  const bilbao = await service.json('/api/trafico/ciudades/bilbao?format=geojson')
  expect(bilbao.features.map((one: Reply) => one.geometry)).toEqual([{ type: 'MultiPolygon', coordinates: [[RING]] }, null])
  expect(bilbao.bbox).toEqual([-2.93, 43.26, -2.929, 43.261])
  const { readings } = await service.json('/api/trafico/ciudades/bilbao?format=json')
  expect(readings[0]).toMatchObject({
    ...{ id: 'bilbao-1', level: 'DENSE', level_basis: 'OCCUPANCY', intensity_veh_h: 600, speed_kmh: 21, geometry: null },
    area: { type: 'MultiPolygon', coordinates: [[RING]] },
  })
})

test('levels and areas select sections', async () => {
  const ids = async (query: string): Promise<string[]> =>
    (await service.json(`/api/trafico/ciudades/barcelona?format=json&${query}`)).readings.map((one: Reply) => one.source_id)
  expect(await ids('level=VERY_DENSE,CLOSED')).toEqual(['4', '6'])
  expect(await ids('level_of_service=VERY_DENSE')).toEqual(['4'])
  expect(await ids('bbox=2.1,41.3,2.12,41.4')).toEqual(['1', '2'])
  expect(await ids('lat=41.383&lon=2.107&radius=100')).toEqual(['1'])
  const refused = await service.get('/api/trafico/ciudades/barcelona?level=FLUID')
  expect([refused.status, ((await refused.json()) as Reply).errors[0]]).toMatchObject([400, { parameter: 'level' }])
  expect((await service.get('/api/trafico/ciudades/valencia')).status).toBe(404)
})

test('sections are in the catalogue of sensors, each with its state', async () => {
  const { sensors } = await service.json('/api/trafico/sensores?city=barcelona&type=SECTION')
  expect(sensors.map((one: Reply) => [one.id, one.source_id, one.name])).toEqual(
    [1, 2, 3, 4, 5, 6].map((n) => [`barcelona-${n}`, `${n}`, `Carrer ${n}`]),
  )
  expect(await service.json('/api/trafico/sensores/bilbao-1')).toMatchObject({
    ...{ id: 'bilbao-1', city: 'bilbao', sensor_type: 'SECTION', deviation: null, typical: { absence: 'BY_CITY_ONLY', hour_local: 8 } },
    last_reading: { level: 'DENSE', level_of_service: 'DENSE', intensity_veh_h: 600, quality: 'UNKNOWN' },
  })
  expect((await service.get('/api/trafico/sensores/bilbao-99')).status).toBe(404)
})

const SHARES = [
  ['slow_pct', `= 'DENSE'`],
  ['queues_pct', `= 'VERY_DENSE'`],
  ['congestion_pct', `= 'CONGESTED'`],
  ['dense_or_worse_pct', `IN ('DENSE', 'VERY_DENSE', 'CONGESTED')`],
] as const
const GRADED = `count(*) FILTER (WHERE level IN ('FREE', 'DENSE', 'VERY_DENSE', 'CONGESTED'))`
const shares = (scale: number): string =>
  SHARES.map(
    ([name, is]) => `CAST(100 * count(*) FILTER (WHERE level ${is}) / nullif(${GRADED}, 0) AS DECIMAL(9, ${scale})) AS ${name}`,
  ).join()

test('the archive gives typical hours until live states have enough weeks, and the index is against them', async () => {
  const rows = archived()
  await service.land(trafficSectionStatesArchive, [...rows, repeated(rows)], NOW, ['barcelona_history'])
  await roll()
  await expect.poll(async () => (await city('barcelona')).typical.weeks, { timeout: 15_000 }).toBe(THURSDAYS.length)
  const { typical, congestion_index, index_absence, dense_or_worse_pct } = await city('barcelona')
  const [expected] = await golden(
    service.lake,
    [trafficSectionStatesArchive],
    `WITH hours AS (SELECT local_date, ${shares(1)}, count(DISTINCT section_id) AS n FROM traffic_section_states_archive
       WHERE observed_at IS NOT NULL AND repetition = 1 AND level <> 'UNKNOWN' GROUP BY ALL)
     SELECT count(*) AS hours, count(DISTINCT yearweek(CAST(local_date AS DATE))) AS weeks, ${SHARES.map(
       ([name]) => `list_sort(list(${name}))[CAST(ceil(0.5 * count(*)) AS INTEGER)] AS ${name}`,
     ).join()}
     FROM hours WHERE n BETWEEN 5 AND 7`,
  )
  expect(typical).toMatchObject({
    ...expected,
    day_type: 'WORKDAY',
    hour_local: 8,
    source: 'barcelona_traffic_archive',
    period_s: 300,
    absence: null,
  })
  expect([congestion_index, index_absence]).toEqual([
    Math.round((1000 * dense_or_worse_pct) / Number(expected?.['dense_or_worse_pct'])) / 10,
    null,
  ])
  // Bilbao has no archive.
  expect(await city('bilbao')).toMatchObject({ congestion_index: null, index_absence: 'FEW_WEEKS' })
})

test.each(['1h', '1d'])('the series of a city by %s is that of plain SQL over its states', async (interval) => {
  if (interval === '1h') await service.land(trafficSectionStates, live(), NOW, LIVE_FEEDS)
  const unit = interval === '1h' ? 'hour' : 'day'
  const begin = `strftime(timezone('UTC', timezone('Europe/Madrid', date_trunc('${unit}', timezone('Europe/Madrid', begun)))), '%Y-%m-%dT%H:%M:%S.000Z')`
  for (const [id, source] of [
    ['barcelona', 'barcelona_traffic'],
    ['bilbao', 'bilbao_traffic'],
  ] as const) {
    const expected = await golden(
      service.lake,
      [trafficSectionStates],
      `SELECT ${begin} AS period_start, '${source}' AS source, 300 AS period_s, count(*) AS readings, ${shares(2)},
         CAST(100 * count(*) FILTER (WHERE level = 'CLOSED') / count(*) AS DECIMAL(9, 2)) AS closed_pct,
         CAST(avg(intensity_veh_h) AS DECIMAL(9, 1)) AS intensity_veh_h, CAST(avg(occupancy_pct) AS DECIMAL(9, 1)) AS occupancy_pct
       FROM (SELECT *, observed_at - to_seconds(CASE source WHEN 'bilbao_traffic' THEN 300 ELSE 0 END) AS begun FROM traffic_section_states)
       WHERE source = '${source}' AND (level <> 'UNKNOWN' OR intensity_veh_h IS NOT NULL) GROUP BY ALL ORDER BY 1`,
    )
    const found = async (): Promise<Reply[]> =>
      (await service.json(`/api/trafico/ciudades/${id}/historico?interval=${interval}&from=${LIVE_DAY}&to=2028-11-09&limit=1000`)).history
    expect(expected.length).toBe(interval === '1h' ? 24 : 1)
    const before = await found()
    expect(before).toMatchObject(expected)
    expect(before[0]).toMatchObject({ city: id, load_pct: null, speed_kmh: null })
    await roll()
    expect(await found()).toEqual(before)
  }
})

test('live states go before the archive, which can be requested by name', async () => {
  const path = '/api/trafico/ciudades/barcelona/historico?interval=1d'
  const sources = async (query: string): Promise<unknown[]> => {
    const reply = await service.json(`${path}&${query}`)
    expect(reply.history, JSON.stringify(reply)).toBeInstanceOf(Array)
    return [...new Set(reply.history.map((one: Reply) => one.source))]
  }
  expect(await sources('from=2028-09-01&to=2028-11-09')).toEqual(['barcelona_traffic'])
  expect(await sources('from=2028-09-01&to=2028-11-01')).toEqual(['barcelona_traffic_archive'])
  expect(await sources('from=2028-09-01&to=2028-11-09&source=barcelona_traffic_archive')).toEqual(['barcelona_traffic_archive'])
  expect(await sources('from=2028-09-01&to=2028-11-09&source=madrid')).toEqual([])
})
