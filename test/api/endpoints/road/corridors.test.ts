import { afterAll, beforeAll, expect, test } from 'vitest'
import { corridorHours, corridorSensorMonths } from '../../../../lake/datasets/mobility/corridors.ts'
import { imdSections } from '../../../../lake/datasets/mobility/imd.ts'
import { roadPoints } from '../../../../lake/datasets/road/road-network.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { type GoldenRow, golden } from '../../../helpers/golden.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const AT = Date.UTC(2026, 10, 2)
const HOUR = 3_600_000
let service: TestService
let id = 0

const section = (year: number, values: AnyRow): AnyRow => {
  const { length_km = 10, imd = 1000 } = values as { length_km?: number; imd?: number | null }
  return exampleTableRow(imdSections, {
    ...{ edition: String(year), year, object_id: ++id, year_starts_at: Date.UTC(year - 1, 11, 31, 23), province_code: '28' },
    ...{ length_km, imd, veh_km: imd === null ? null : length_km * 365 * imd, year_days: 365 },
    ...values,
  })
}

beforeAll(async () => {
  service = await startService()
  const dice = figures(3)
  const a6 = (year: number, from: number, values: AnyRow = {}): AnyRow =>
    section(year, {
      ...{ road: 'A-6', section_id: `A-6 ${from}`, km_from: from, km_to: from + 10, imd: Math.round(40_000 * (1 + dice())) },
      ...values,
    })
  await service.land(
    imdSections,
    [
      ...[0, 10, 20, 30].map((km) => a6(2017, km)),
      // One more than the year before, one that states nothing, one beyond the province, and one of a road that is another.
      ...[0, 10, 20, 40].map((km) => a6(2018, km)),
      a6(2018, 50, { imd: null }),
      a6(2018, 60, { province_code: '40', imd: 20_000 }),
      section(2018, { road: 'A-66', section_id: 'A-66', imd: 7000 }),
      section(2018, { road: 'N-6', section_id: 'N-6', imd: 1 }),
    ],
    AT,
  )
  const point = (km: number): AnyRow =>
    exampleTableRow(roadPoints, {
      month: '2026-10',
      road: 'A-6',
      province_code: '28',
      km,
      position: { lat: 40.45 + 0.0085 * km, lon: -3.8 },
    })
  await service.land(
    roadPoints,
    Array.from({ length: 8 }, (_, at) => point(at * 3)),
    AT,
  )

  const month = (of: string, sensor_id: string, hours: number, mean: number, values: AnyRow = {}): AnyRow =>
    exampleTableRow(corridorSensorMonths, {
      ...{ month: of, period_start: dayBounds(`${of}-01`).start, sensor_id, hours, intensity_sum_veh_h: hours * mean },
      ...values,
    })
  await service.land(
    corridorSensorMonths,
    [
      ...['a', 'b', 'c'].flatMap((sensor, at) => [
        month('2024-12', sensor, 700, 1000 + 100 * at),
        month('2025-01', sensor, 720, 1100 + 100 * at),
      ]),
      month('2025-02', 'a', 600, 1400),
      month('2025-02', 'new', 600, 3000),
      // Quarters of an hour are never put together with these.
      month('2025-02', 'a', 10, 90_000, { period_s: 900 }),
      // Detectors: a carriageway of two lanes, one of one, and one of which a lane is missing.
      ...(
        [
          ['d1', 'd1', 2, 1000],
          ['d2', 'd1', 2, 500],
          ['d3', 'd3', 1, 700],
          ['d4', 'd4', 2, 9000],
        ] as const
      ).map(([id, point_id, point_sensors, mean]) =>
        month('2025-02', id, 600, mean, { corridor_id: 'acceso-madrid-a-6', source: 'dgt', point_id, point_sensors }),
      ),
    ],
    AT,
  )
  const start = dayBounds('2024-12-31').start
  const hours = Array.from({ length: 24 * 12 }, (_, at) => {
    const period_start = start + at * HOUR
    const local_date = new Date(period_start + HOUR).toISOString().slice(0, 10)
    const weekday = new Date(local_date).getUTCDay()
    const day_type = weekday === 0 || local_date === '2025-01-01' ? 'SUNDAY_HOLIDAY' : weekday === 6 ? 'SATURDAY' : 'WORKDAY'
    return exampleTableRow(corridorHours, {
      ...{ month: local_date.slice(0, 7), period_start, local_date, hour_local: at % 24, day_type, sensors: 3 },
      intensity_mean_veh_h: Math.round(30_000 * dice()) / 10,
    })
  })
  await service.land(corridorHours, hours, AT)
})
afterAll(() => service?.close())

const list = (query = ''): Promise<Reply> => service.json(`/api/movilidad/corredores?limit=500${query}`)
const one = (of: string, query = ''): Promise<Reply> => service.json(`/api/movilidad/corredores/${of}${query}`)

/** Daily vehicles of the sections that meet a condition, by plain SQL. */
async function daily(where: string): Promise<GoldenRow> {
  const [row] = await golden(
    service.lake,
    [imdSections],
    `SELECT round(CAST(sum(veh_km) AS DOUBLE) / CAST(sum(length_km * year_days) AS DOUBLE), 1) AS imd,
       CAST(sum(veh_km) AS DOUBLE) / CAST(sum(length_km * year_days) AS DOUBLE) AS exact, CAST(count(*) AS INTEGER) AS sections, sum(length_km) AS length_km
     FROM imd_sections WHERE veh_km IS NOT NULL AND ${where}`,
  )
  return row as GoldenRow
}

test('each corridor that something is known of, with the newest year of it', async () => {
  const { corridors, total, meta } = await list()
  expect(corridors.map(({ id, year, basis }: Reply) => [id, year, basis])).toEqual([
    ['a-6', 2018, 'MINISTRY_SECTIONS'],
    ['a-66', 2018, 'MINISTRY_SECTIONS'],
    ['acceso-madrid-a-6', 2025, 'ROAD_DETECTORS'],
    ['m-30', 2025, 'CITY_SENSORS'],
    ['madrid-a-6', 2018, 'MINISTRY_SECTIONS'],
  ])
  expect(total).toBe(5)
  // The years of the ministry's map ended long ago, that of the sensors did not.
  expect(corridors.map(({ id, stale }: Reply) => [id, stale])).toEqual(corridors.map(({ id, year }: Reply) => [id, year === 2018]))
  expect([(await one('madrid-a-6')).stale, (await one('m-30')).stale]).toEqual([true, false])
  expect(meta).toMatchObject({ grain: 'One corridor, one year.', method: expect.stringContaining('present in both years') })
  expect(meta.sources.map(({ id }: Reply) => id)).toEqual(expect.arrayContaining(['mitma_traffic_map', 'madrid']))
  expect((await list('&year=2024')).corridors.map(({ id }: Reply) => id)).toEqual(['m-30'])
  expect((await list('&q=MADRID%20a-6')).corridors.map(({ id }: Reply) => id)).toEqual(['acceso-madrid-a-6', 'madrid-a-6'])
  expect((await list('&q=nowhere')).corridors).toEqual([])
  const refused = await service.get('/api/movilidad/corredores?year=2020')
  expect([refused.status, ((await refused.json()) as Reply).detail]).toEqual([400, expect.stringContaining('2017, 2018, 2024, 2025')])
  expect((await service.open('/api/movilidad/corredores')).status).toBe(401)
})

test('by sections: vehicle-km by length and days, and the change on the sections of both years', async () => {
  const all = await daily(`road = 'A-6' AND year = 2018 AND province_code = '28'`)
  const both = `road = 'A-6' AND section_id IN ('A-6 0', 'A-6 10', 'A-6 20')`
  const [now, then] = [await daily(`${both} AND year = 2018`), await daily(`${both} AND year = 2017`)]
  const corridor = await one('madrid-a-6')
  expect(corridor).toMatchObject({
    ...{ year: 2018, basis: 'MINISTRY_SECTIONS', imd_veh_day: all.imd, units: 5, matched_units: 3, length_km: 50, coverage: 0.8 },
    ...{ comparable_imd_veh_day: now.imd, previous_imd_veh_day: then.imd, profile: null, period_s: null, sensors: [] },
    change_pct: Math.round(10_000 * (Number(now.exact) / Number(then.exact) - 1)) / 100,
    roads: [{ road: 'A-6', km_from: 0, km_to: 60 }],
  })
  expect((await one('a-6')).imd_veh_day).toBe((await daily(`road = 'A-6' AND year = 2018`)).imd)
  // The first year has no year to compare with.
  expect(await one('madrid-a-6', '?year=2017')).toMatchObject({
    year: 2017,
    units: 4,
    matched_units: 0,
    change_pct: null,
    previous_imd_veh_day: null,
  })
})

test('a corridor has its sections, each with its line where points are known, and none of the whole where they are not', async () => {
  const corridor = await one('madrid-a-6')
  expect(
    corridor.sections.map(({ km_from, heavy_share_pct, line, geometry_absent }: Reply) => [
      km_from,
      heavy_share_pct !== null,
      line?.type ?? null,
      geometry_absent,
    ]),
  ).toEqual([
    [0, true, 'LineString', null],
    [10, true, 'LineString', null],
    [20, true, null, 'NO_POINTS'],
    [40, true, null, 'NO_POINTS'],
    [50, false, null, 'NO_POINTS'],
  ])
  expect([corridor.geometry, corridor.geometry_absent]).toEqual([null, 'NO_POINTS'])
  for (const of of ['m-45', 'nothing']) expect((await service.get(`/api/movilidad/corredores/${of}`)).status).toBe(404)
  expect((await service.get('/api/movilidad/corredores/madrid-a-6?year=2025')).status).toBe(404)
})

test('by sensors: the mean of them, of one source and period; the change at the sensors of both years', async () => {
  const [expected] = await golden(
    service.lake,
    [corridorSensorMonths],
    `WITH years AS (
       SELECT sensor_id, month[:4] AS year, sum(hours) AS hours, 24 * CAST(sum(intensity_sum_veh_h) AS DOUBLE) / sum(hours) AS daily
       FROM corridor_sensor_months WHERE corridor_id = 'm-30' AND period_s = 300 GROUP BY ALL
     ), pairs AS (SELECT now.daily AS now, before.daily AS before FROM years AS now JOIN years AS before USING (sensor_id) WHERE now.year = '2025' AND before.year = '2024')
     SELECT (SELECT round(avg(daily), 1) FROM years WHERE year = '2025') AS imd, (SELECT round(avg(now), 1) FROM pairs) AS now, (SELECT round(avg(before), 1) FROM pairs) AS before,
       (SELECT round(100 * (avg(now) / avg(before) - 1), 2) FROM pairs) AS change, (SELECT round(CAST(sum(hours) AS DOUBLE) / (4 * 8760), 6) FROM years WHERE year = '2025') AS coverage`,
  )
  const corridor = await one('m-30')
  expect(corridor).toMatchObject({
    ...{ year: 2025, basis: 'CITY_SENSORS', source: 'madrid', period_s: 300, imd_veh_day: expected?.imd, units: 4, matched_units: 3 },
    ...{ comparable_imd_veh_day: expected?.now, previous_imd_veh_day: expected?.before, change_pct: expected?.change },
    ...{ length_km: 32.5, coverage: expected?.coverage, sections: [], roads: [{ road: 'M-30', km_from: 0, km_to: 32.5 }] },
  })
  expect(corridor.sensors.find(({ sensor_id }: Reply) => sensor_id === 'new')).toEqual({
    sensor_id: 'new',
    imd_veh_day: 72_000,
    coverage: 0.068493,
  })
})

test('by detectors: the mean of carriageways, each the sum of all its lanes', async () => {
  expect(await one('acceso-madrid-a-6')).toMatchObject({
    ...{ year: 2025, basis: 'ROAD_DETECTORS', source: 'dgt', units: 2, imd_veh_day: (24 * (1500 + 700)) / 2, length_km: 37 },
    roads: [{ road: 'A-6', km_from: 3, km_to: 40 }],
    sensors: [
      { sensor_id: 'd1', imd_veh_day: 36_000, coverage: 0.068493 },
      { sensor_id: 'd3', imd_veh_day: 16_800, coverage: 0.068493 },
    ],
  })
  expect(await service.json('/api/movilidad/corredores/acceso-barcelona-b-20')).toMatchObject({
    ...{ status: 404, code: 'no-data-yet', missing: ['corridor_sensor_months'], waits_for: ['a complete day of dgt_detectors'] },
  })
  expect(await service.json('/api/movilidad/corredores/acceso-barcelona-b-20?year=2024')).toMatchObject({ code: 'not-found' })
})

test('its profile is of the hours of that year alone, by kind of day', async () => {
  const expected = await golden(
    service.lake,
    [corridorHours],
    `SELECT day_type, hour_local, round(CAST(avg(intensity_mean_veh_h) AS DOUBLE), 1) AS mean_veh_h, quantile_disc(intensity_mean_veh_h, 0.1) AS p10_veh_h,
       quantile_disc(intensity_mean_veh_h, 0.9) AS p90_veh_h, CAST(count(DISTINCT local_date) AS INTEGER) AS days
     FROM corridor_hours WHERE local_date >= DATE '2025-01-01' AND local_date < DATE '2026-01-01' GROUP BY ALL ORDER BY day_type, hour_local`,
  )
  const { profile } = await one('m-30')
  const sorted = profile.toSorted((a: Reply, b: Reply) =>
    a.day_type < b.day_type ? -1 : a.day_type > b.day_type ? 1 : a.hour_local - b.hour_local,
  )
  expect(sorted.length).toBe(72)
  expect(sorted).toEqual(expected)
  expect(profile.slice(0, 1)).toMatchObject([{ day_type: 'WORKDAY', hour_local: 0, days: 7 }])
  // The last day of the year before is of that year.
  expect((await one('m-30', '?year=2024')).profile).toHaveLength(24)
})
