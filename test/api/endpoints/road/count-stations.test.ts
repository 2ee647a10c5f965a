import { afterAll, beforeAll, expect, test } from 'vitest'
import { trafficCountStations, trafficCountsHourly } from '../../../../lake/datasets/road/traffic-counts.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { golden } from '../../../helpers/golden.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const AT = Date.UTC(2026, 10, 2)
let service: TestService

/** The defect on a day of ES01: the quality of all its counts, or of one hour. */
const ODD: Readonly<Record<string, { readonly quality: string; readonly hour?: number; readonly direction?: string }>> = {
  '2023-03-28': { quality: 'OUTAGE', direction: '2' },
  '2023-03-29': { quality: 'COPIED_DAY' },
  '2023-03-30': { quality: 'CEILING', hour: 18, direction: '1' },
  '2023-03-31': { quality: 'ERROR', hour: 3, direction: '1' },
}

beforeAll(async () => {
  service = await startService()
  const dice = figures(5)
  const day = (station_id: string, direction: string, local_date: string, quality = 'OK'): AnyRow[] =>
    Array.from({ length: 24 }, (_, hour) => {
      const odd = station_id === 'ES01' ? ODD[local_date] : undefined
      const isOdd = odd && (odd.hour ?? hour) === hour && (odd.direction ?? direction) === direction
      const is_clock_change = local_date === '2023-03-26' && hour === 2
      return exampleTableRow(trafficCountsHourly, {
        ...{ month: local_date.slice(0, 7), station_id, direction, local_date, hour, day_starts_at: dayBounds(local_date).start },
        ...{ starts_at: null, is_clock_change, quality: isOdd ? odd.quality : quality },
        vehicles: quality === 'OK' ? Math.round(3000 * dice()) : 0,
      })
    })
  const days = (from: string, count: number): string[] =>
    Array.from({ length: count }, (_, at) => new Date(Date.parse(from) + at * 86_400_000).toISOString().slice(0, 10))
  const both = (local_date: string): AnyRow[] => [...day('ES01', '1', local_date), ...day('ES01', '2', local_date)]
  await service.land(
    trafficCountsHourly,
    [
      // Two holidays and a Sunday, the day that has no hour from 2 to 3, and the end of a leap year's February.
      ...[...days('2023-03-20', 12), '2023-05-02', ...days('2024-02-26', 4)].flatMap(both),
      // The last day of a year is of that year, though it ends in the next one in UTC.
      ...both('2024-12-31'),
      // A year without counts of one direction.
      ...day('ES01', '1', '2025-01-01'),
      ...day('ES02', '1', '2024-02-28'),
      ...day('ES02', '2', '2024-02-28', 'DEAD_DIRECTION'),
    ],
    AT,
  )
  const station = (station_id: string, direction: string, values: AnyRow = {}): AnyRow =>
    exampleRow(trafficCountStations, { station_id, direction, ...values })
  await service.publish(trafficCountStations, [
    ...[station('ES01', '2', { heading: 'N-S' }), station('ES01', '1')],
    ...[station('ES02', '1', { position: { lat: 40.5, lon: -3.6 } }), station('ES02', '2', { is_counted: false, heading: null })],
    station('ES03', '1'),
  ])
})
afterAll(() => service?.close())

const one = (of: string, query = ''): Promise<Reply> => service.json(`/api/movilidad/estaciones/${of}${query}`)

test('stations, each with its directions, by place', async () => {
  const { stations, total } = await service.json('/api/movilidad/estaciones')
  expect([total, stations.map(({ id }: Reply) => id)]).toEqual([3, ['ES01', 'ES02', 'ES03']])
  expect(stations[0]).toMatchObject({
    ...{ province: 'Madrid', province_code: '28', municipality: 'Madrid', source_id: 'ES01' },
    directions: [
      { direction: '1', heading: 'S-N', is_counted: true },
      { direction: '2', heading: 'N-S', is_counted: true },
    ],
  })
  expect((await service.json('/api/movilidad/estaciones?lat=40.5&lon=-3.6&radius=100')).stations.map(({ id }: Reply) => id)).toEqual([
    'ES02',
  ])
  expect((await service.json('/api/movilidad/estaciones?province=Toledo')).stations).toEqual([])
  expect((await service.open('/api/movilidad/estaciones')).status).toBe(401)
  expect((await service.get('/api/movilidad/estaciones/ES99')).status).toBe(404)
})

test('its years have the whole days with counts, each direction separately', async () => {
  const expected = await golden(
    service.lake,
    [trafficCountsHourly],
    `SELECT CAST(year AS INTEGER) AS year, CAST(round(sum(mean), 1) AS DOUBLE) AS imd_veh_day, CAST(min(days) AS INTEGER) AS days FROM (
       SELECT year, direction, avg(total) AS mean, count(*) AS days FROM (
         SELECT year(local_date) AS year, local_date, direction, sum(vehicles) AS total FROM traffic_counts_hourly
         WHERE station_id = 'ES01' GROUP BY ALL HAVING count(*) FILTER (WHERE quality NOT IN ('OK', 'CEILING')) = 0
       ) GROUP BY ALL
     ) GROUP BY year ORDER BY year`,
  )
  const { years } = await one('ES01')
  expect(years.map(({ year, imd_veh_day, days }: Reply) => ({ year, imd_veh_day, days }))).toEqual([
    ...expected.slice(0, 2),
    { year: 2025, imd_veh_day: null, days: 1 },
  ])
  expect(years.map(({ days, coverage, ceiling_hours }: Reply) => [days, coverage, ceiling_hours])).toEqual([
    [11, 0.030137, 1],
    [5, 0.013661, 0],
    [1, 0.00274, 0],
  ])
  // A street of one way is whole with one direction.
  expect((await one('ES02')).years).toMatchObject([{ year: 2024, days: 1, imd_veh_day: expect.any(Number) }])
})

test('its profile is of the hours of one year that are counts in both directions', async () => {
  const expected = await golden(
    service.lake,
    [trafficCountsHourly],
    `SELECT CASE WHEN isodow(local_date) = 7 OR local_date IN (DATE '2023-03-20', DATE '2023-05-02') THEN 'SUNDAY_HOLIDAY' WHEN isodow(local_date) = 6 THEN 'SATURDAY' ELSE 'WORKDAY' END AS day_type,
       hour AS hour_local, round(avg(total), 1) AS mean_veh_h, CAST(quantile_disc(total, 0.1) AS INTEGER) AS p10_veh_h, CAST(quantile_disc(total, 0.9) AS INTEGER) AS p90_veh_h,
       CAST(count(*) AS INTEGER) AS days
     FROM (
       SELECT local_date, hour, sum(vehicles) AS total FROM traffic_counts_hourly
       WHERE station_id = 'ES01' AND year(local_date) = 2023 AND NOT is_clock_change AND quality IN ('OK', 'CEILING')
       GROUP BY ALL HAVING count(*) = 2
     ) GROUP BY ALL ORDER BY ALL`,
  )
  const { profile, profile_year } = await one('ES01', '?year=2023')
  const key = ({ day_type, hour_local }: Reply): string => `${day_type} ${String(hour_local).padStart(2, '0')}`
  expect(profile_year).toBe(2023)
  expect(profile.toSorted((a: Reply, b: Reply) => (key(a) < key(b) ? -1 : 1))).toEqual(expected)
  // The hour that the clock leaves out is no hour of that Sunday; 20 March, for San José, and 2 May are holidays.
  const sundays = profile.filter(({ day_type }: Reply) => day_type === 'SUNDAY_HOLIDAY')
  expect([2, 3].map((hour) => sundays.find(({ hour_local }: Reply) => hour_local === hour).days)).toEqual([2, 3])
  expect((await one('ES01', '?year=2024')).profile.find(({ hour_local }: Reply) => hour_local === 0)).toMatchObject({
    day_type: 'WORKDAY',
    days: 5,
  })
})

test('without counts of a year, or at all, there is no profile', async () => {
  // In 2025 one direction has no counts.
  expect(await one('ES01')).toMatchObject({ profile_year: 2025, profile: null })
  expect(await one('ES01', '?year=2022')).toMatchObject({ profile_year: 2022, profile: null })
  expect(await one('ES03')).toMatchObject({ years: [], profile_year: null, profile: null })
})
