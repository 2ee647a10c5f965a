import { afterAll, beforeAll, expect, test } from 'vitest'
import { trafficReadings } from '../../../../lake/datasets/road/traffic-readings.ts'
import { trafficCityHours } from '../../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensors } from '../../../../lake/datasets/road/traffic-sensors.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { madridDate } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { golden } from '../../../helpers/golden.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const HOUR = 3_600_000
/** A Sunday at 02:30 in Madrid, a week after the repeated hour. */
const NOW = Date.UTC(2028, 10, 5, 1, 30)
const LEVELS = ['FLUID', 'FLUID', 'FLUID', 'SLOW', 'QUEUES', 'CONGESTION', null] as const
/** Sensors whose reading counts; two more are stale, two are wrong, and one is of another source. */
const REPORTING = 20

let service: TestService
const last: AnyRow[] = []

function hours(source: string, period_s: number, to: number): AnyRow[] {
  const next = figures(source.length)
  const rows: AnyRow[] = []
  for (let at = NOW - 100 * 24 * HOUR; at < to; at += HOUR) {
    const period_start = at - (at % HOUR)
    // Some hours are of a few sensors, or of many more than there are now.
    const sensors = [8, REPORTING, REPORTING - 3, REPORTING + 4, 40][Math.floor(5 * next())] as number
    const readings = (sensors * 3600) / period_s
    const of = (most: number): number => Math.floor(most * readings * next())
    const graded = source === 'madrid' ? readings : 0
    rows.push(
      exampleTableRow(trafficCityHours, {
        ...{ month: madridDate(period_start).slice(0, 7), source, period_s, period_start, sensors, readings },
        ...{ intensity_readings: readings, intensity_sum_veh_h: of(900), occupancy_readings: readings, occupancy_sum_pct: of(40) },
        ...{ load_readings: readings, load_sum_pct: of(90), level_readings: graded, slow_readings: Math.floor(graded * 0.2 * next()) },
        ...{ queues_readings: Math.floor(graded * 0.1 * next()), congestion_readings: Math.floor(graded * 0.05 * next()) },
      }),
    )
  }
  return rows
}

beforeAll(async () => {
  service = await startService()
  const next = figures(5)
  for (let n = 0; n < REPORTING + 5; n++)
    last.push(
      exampleRow(trafficReadings, {
        ...{ sensor_id: `s${n}`, observed_at: NOW, updated_at: NOW, intensity_veh_h: n % 9 ? Math.floor(900 * next()) : null },
        ...{
          occupancy_pct: Math.floor(40 * next()),
          load_pct: Math.floor(90 * next()),
          level_of_service: LEVELS[n % LEVELS.length] ?? null,
        },
        ...{ is_stale: n === 3 || n === 4, quality: n === 7 || n === 8 ? 'ERROR' : 'OK', source: n === 9 ? 'elsewhere' : 'madrid' },
      }),
    )
  await service.publish(
    trafficSensors,
    Array.from({ length: 30 }, (_, n) =>
      exampleRow(trafficSensors, { sensor_id: `s${n}`, observed_at: NOW, updated_at: NOW, status: n === 29 ? 'MISSING' : 'ACTIVE' }),
    ),
    { feed: 'madrid_sensors' },
  )
  await service.publish(trafficReadings, last, { at: NOW })
})
afterAll(() => service?.close())

const madrid = async (): Promise<Reply> => (await service.json('/api/trafico/ciudades')).cities[0]

const counted = (): AnyRow[] => last.filter((row) => row['source'] === 'madrid' && !row['is_stale'] && row['quality'] === 'OK')
const mean = (name: string): number => {
  const there = counted().flatMap((row) => (row[name] as number | null) ?? [])
  return Math.round((10 * there.reduce((sum, value) => sum + value, 0)) / there.length) / 10
}

test('a city is computed from the sensors that report now, others are listed without figures', async () => {
  const { cities, total } = await service.json('/api/trafico/ciudades')
  expect([total, cities.map((one: Reply) => [one.id, one.availability, one.municipality_code])]).toEqual([
    4,
    [
      ['madrid', 'AVAILABLE', '28079'],
      ['barcelona', 'NOT_YET', '08019'],
      ['bilbao', 'NOT_YET', '48020'],
      ['valencia', 'NOT_YET', '46250'],
    ],
  ])
  const graded = counted().flatMap((row) => (row['level_of_service'] as string | null) ?? [])
  const share = (level: string): number => Math.round((1000 * graded.filter((one) => one === level).length) / graded.length) / 10
  expect(cities[0]).toMatchObject({
    ...{ sensors: 29, sensors_reporting: REPORTING, sensors_graded: graded.length, observed_at: '2028-11-05T01:30:00.000Z' },
    ...{ intensity_veh_h: mean('intensity_veh_h'), occupancy_pct: mean('occupancy_pct'), load_pct: mean('load_pct') },
    ...{ fluid_pct: share('FLUID'), slow_pct: share('SLOW'), queues_pct: share('QUEUES'), congestion_pct: share('CONGESTION') },
    dense_or_worse_pct: Math.round((1000 * graded.filter((one) => one !== 'FLUID').length) / graded.length) / 10,
    ...{ kind: 'SENSORS', coverage: Math.round((10_000 * graded.length) / 29) / 10_000, sensors_closed: null },
    ...{ congestion_index: null, index_absence: 'FEW_WEEKS' },
  })
  const { id, name, municipality_code, availability, kind, source, index_absence, ...figures } = cities[1]
  expect([id, name, municipality_code, availability, kind, source, index_absence, new Set(Object.values(figures))]).toEqual([
    ...['barcelona', 'Barcelona', '08019', 'NOT_YET', 'SECTIONS', 'barcelona_traffic', 'NO_DATA'],
    new Set([null]),
  ])
})

test('before enough has landed nothing is typical', async () => {
  const { typical, deviation } = await madrid()
  expect(typical).toMatchObject({
    day_type: 'SUNDAY_HOLIDAY',
    hour_local: 2,
    weeks: 0,
    absence: 'FEW_WEEKS',
    load_pct: null,
    sensors: null,
  })
  expect(deviation).toBeNull()
})

/** The typical value now, by plain SQL. */
async function expected(source: string): Promise<Record<string, unknown> | undefined> {
  const nth = (of: string): string => `list_sort(list(${of}))[CAST(ceil(0.5 * count(${of})) AS INTEGER)]`
  const holidays = `'2028-08-15', '2028-10-12', '2028-11-01'`
  const level = (name: string): string => `CASE WHEN level_readings > 0 THEN CAST(100 * ${name} / level_readings AS DECIMAL(9, 1)) END`
  const [row] = await golden(
    service.lake,
    [trafficCityHours],
    `WITH local AS (SELECT *, timezone('Europe/Madrid', period_start) AS clock FROM traffic_city_hours WHERE source = '${source}'),
    these AS (
      SELECT *, CAST(intensity_sum_veh_h / intensity_readings AS DECIMAL(9, 1)) AS i, CAST(occupancy_sum_pct / occupancy_readings AS DECIMAL(9, 1)) AS o,
        CAST(load_sum_pct / load_readings AS DECIMAL(9, 1)) AS l, ${level('slow_readings')} AS s, ${level('queues_readings')} AS q, ${level('congestion_readings')} AS c,
        ${level('(slow_readings + queues_readings + congestion_readings)')} AS d
      FROM local
      WHERE CAST(clock AS DATE) BETWEEN DATE '2028-11-05' - 91 AND DATE '2028-11-04' AND hour(clock) = 2 AND sensors BETWEEN 16 AND 25
        AND (dayname(clock) = 'Sunday' OR strftime(clock, '%Y-%m-%d') IN (${holidays}))
    )
    SELECT 'SUNDAY_HOLIDAY' AS day_type, 2 AS hour_local, count(DISTINCT yearweek(clock)) AS weeks, count(*) AS hours, any_value(source) AS source,
      any_value(period_s) AS period_s, ${nth('i')} AS intensity_veh_h, ${nth('o')} AS occupancy_pct, ${nth('l')} AS load_pct, NULL AS absence,
      ${nth('sensors')} AS sensors, ${nth('s')} AS slow_pct, ${nth('q')} AS queues_pct, ${nth('c')} AS congestion_pct,
      ${nth('d')} AS dense_or_worse_pct
    FROM these`,
  )
  return row
}

async function landed(rows: readonly AnyRow[], until: number, source: string): Promise<Reply> {
  await service.land(trafficCityHours, rows, until)
  await expect.poll(async () => (await madrid()).typical.source, { timeout: 15_000 }).toBe(source)
  return await madrid()
}

test('the archive stands in while live readings are too few, without levels of service; then they go first', async () => {
  const fromArchive = await landed(hours('madrid_archive', 900, NOW - 24 * HOUR), NOW, 'madrid_archive')
  expect(fromArchive.typical).toEqual(await expected('madrid_archive'))
  expect(fromArchive.typical).toMatchObject({ slow_pct: null, absence: null })
  expect(fromArchive.deviation).toMatchObject({ slow_diff_pct: null, load_diff_pct: expect.any(Number) })
  expect(fromArchive).toMatchObject({ congestion_index: null, index_absence: 'NOT_TYPICAL' })

  const { typical, deviation, ...now } = await landed(hours('madrid', 300, NOW), NOW + HOUR, 'madrid')
  expect(typical).toEqual(await expected('madrid'))
  for (const name of ['occupancy', 'load', 'slow', 'queues', 'congestion'])
    expect(deviation[`${name}_diff_pct`], name).toBeCloseTo(now[`${name}_pct`] - typical[`${name}_pct`], 6)
  expect(now.congestion_index).toBeCloseTo((100 * now.dense_or_worse_pct) / typical.dense_or_worse_pct, 1)
  expect(now.index_absence).toBeNull()
  expect(deviation.intensity_diff_veh_h).toBeCloseTo(now.intensity_veh_h - typical.intensity_veh_h, 6)
  expect(deviation.intensity_diff_pct).toBeCloseTo((100 * (now.intensity_veh_h - typical.intensity_veh_h)) / typical.intensity_veh_h, 1)
})

test('the sensors of a city now, as GeoJSON unless asked otherwise', async () => {
  const path = '/api/trafico/ciudades/madrid'
  const geojson = await service.get(`${path}?limit=100`)
  expect([geojson.headers.get('content-type'), ((await geojson.json()) as Reply).features.length]).toEqual(['application/geo+json', 24])
  const ask = async (query: string): Promise<Reply> => await service.json(`${path}?format=json&${query}`)
  const levels = (await ask('level_of_service=CONGESTED,DENSE')).readings.map((one: Reply) => one.level_of_service)
  expect(new Set(levels)).toEqual(new Set(['CONGESTED', 'DENSE']))
  expect((await ask('bbox=0,0,1,1')).total).toBe(0)
  const { readings } = await service.json('/api/trafico/intensidad?limit=100')
  const same = readings.filter((one: Reply) => one.source === 'madrid')
  const found = (await ask('limit=100')).readings
  const both = Object.keys(found[0]).filter((name) => name in same[0])
  expect(both).toContain('intensity_veh_h')
  const shared = (list: Reply[]): Reply[] => list.map((one) => Object.fromEntries(both.map((name) => [name, one[name]])))
  expect(shared(found)).toEqual(shared(same))
  expect(found.map((one: Reply) => one.level)).toEqual(same.map((one: Reply) => one.level_of_service ?? 'UNKNOWN'))
  expect((await ask('level=CONGESTED,DENSE')).readings.map((one: Reply) => one.id)).toEqual(
    (await ask('level_of_service=CONGESTED,DENSE')).readings.map((one: Reply) => one.id),
  )
})

test('cities without any data yet say so, others are unknown', async () => {
  for (const city of ['barcelona', 'valencia', 'bilbao']) {
    const refused = await service.get(`/api/trafico/ciudades/${city}`)
    expect([refused.status, refused.headers.has('retry-after'), ((await refused.json()) as Reply).code]).toEqual([404, true, 'no-data-yet'])
  }
  expect((await service.get('/api/trafico/ciudades/getafe')).status).toBe(404)
})
