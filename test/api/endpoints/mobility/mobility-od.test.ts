import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mobilityDistrictTrips, mobilityFlowDays, mobilityTrips, mobilityV1Trips } from '../../../../lake/datasets/mobility/trips.ts'
import { mobilityZoneMembers } from '../../../../lake/datasets/mobility/zones.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { type GoldenRow, golden } from '../../../helpers/golden.ts'
import { FEEDS } from '../../main/feed-listings.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const UNTIL = Date.UTC(2026, 0, 10)
/** The leap day, the day on which the clock goes back, and the newest, after a gap. */
const DAYS = ['2024-02-29', '2024-03-01', '2024-10-26', '2024-10-27', '2024-10-30']
const ZONES = ['01001', '01047_AM', '28079', 'externo']

let service: TestService

function cells(): AnyRow[] {
  const next = figures(9)
  return DAYS.flatMap<AnyRow>((day) =>
    ZONES.flatMap<AnyRow>((origin_zone) =>
      ZONES.flatMap<AnyRow>((destination_zone) =>
        [0, 2, 23].flatMap<AnyRow>((hour) =>
          ['2-10', '>50'].flatMap<AnyRow>((distance_band) => {
            if (next() < 0.3) return []
            const trips = Math.round(4e6 * next()) / 1000
            return exampleTableRow(mobilityTrips, {
              ...{ study_day: `V2-${day}`, local_date: day, day_starts_at: dayBounds(day).start, starts_at: null, is_clock_change: true },
              ...{ origin_zone, destination_zone, hour, distance_band, trips, trip_km: Math.round(trips * 1000 * 30 * next()) / 1000 },
            })
          }),
        ),
      ),
    ),
  )
}

beforeAll(async () => {
  // As in a live service, where the former study is fetched on request alone.
  const former = {
    id: 'mitma_v1_trips',
    domain: 'mobility',
    source: 'mitma',
    datasets: [mobilityV1Trips.id],
    every_s: 604_800,
    urls: [],
    enabled: false,
  }
  service = await startService({ feeds: [...FEEDS, former] })
  await service.land(mobilityTrips, cells(), UNTIL)
  const day = (local_date: string): AnyRow =>
    exampleTableRow(mobilityFlowDays, { month: local_date.slice(0, 7), local_date, day_starts_at: dayBounds(local_date).start })
  await service.land(mobilityFlowDays, DAYS.map(day), UNTIL)
  const members = ZONES.slice(0, 3).map((zone_id) => exampleTableRow(mobilityZoneMembers, { zone_id, member_id: zone_id.slice(0, 5) }))
  await service.land(mobilityZoneMembers, members, UNTIL)
})
afterAll(() => service?.close())

async function matrix(query: string): Promise<Reply[]> {
  const reply = await service.json(`/api/movilidad/od?limit=1000&${query}`)
  expect(reply.cells, JSON.stringify(reply)).toBeInstanceOf(Array)
  return reply.cells
}

/** The table's values by a unit of the calendar and by the grouping; null for a column outside the grouping. */
const expected = (where: string, unit: string, { hour, distance }: { hour: string; distance: string }): Promise<GoldenRow[]> =>
  golden(
    service.lake,
    [mobilityTrips],
    `SELECT strftime(date_trunc('${unit}', local_date), '%Y-%m-%d') AS begun, origin_zone AS origin, destination_zone AS destination,
      ${hour} AS hour, ${distance} AS distance, CAST(sum(trips) AS DOUBLE) AS trips, CAST(sum(trip_km) AS DOUBLE) AS trip_km
    FROM mobility_trips WHERE ${where} GROUP BY ALL ORDER BY 1, 2, 3, 4, 5`,
  )

const shown = (rows: readonly Reply[]): GoldenRow[] =>
  rows.map((one) => ({
    begun: new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Madrid' }).format(new Date(one.period_start)),
    origin: one.origin_zone,
    destination: one.destination_zone,
    hour: one.hour,
    distance: one.distance_band,
    trips: one.trips,
    trip_km: one.trip_km,
  }))

describe('cells of the matrix', () => {
  test('are of the newest day by default', async () => {
    const rows = await matrix('')
    expect(shown(rows)).toEqual(await expected(`local_date = DATE '2024-10-30'`, 'day', { hour: 'NULL', distance: 'NULL' }))
    expect(rows[0]).toMatchObject({ study: 'V2', level: 'MUNICIPALITY', interval: '1d', days_present: 1, days_expected: 1 })
  })

  test.each([
    ['', 'NULL', 'NULL'],
    ['hour', 'hour', 'NULL'],
    ['distance', 'NULL', 'distance_band'],
    ['hour,distance', 'hour', 'distance_band'],
  ])('are grouped by %s, on the day on which the clock goes back too', async (by, hour, distance) => {
    const rows = await matrix(`from=2024-10-27&to=2024-10-28&origin=01001,externo${by && `&group_by=${by}`}`)
    expect(rows.length).toBeGreaterThan(5)
    expect(shown(rows)).toEqual(
      await expected(`local_date = DATE '2024-10-27' AND origin_zone IN ('01001', 'externo')`, 'day', { hour, distance }),
    )
  })

  test('by month are the sums of the available days', async () => {
    const rows = await matrix('from=2024-02-01&to=2024-11-01&interval=1mo&destination=28079')
    expect(shown(rows)).toEqual(await expected(`destination_zone = '28079'`, 'month', { hour: 'NULL', distance: 'NULL' }))
    expect(rows.map(({ period_start, days_present, days_expected }) => [period_start, days_present, days_expected].join())).toEqual(
      expect.arrayContaining(['2024-01-31T23:00:00.000Z,1,29', '2024-02-29T23:00:00.000Z,1,31', '2024-09-30T22:00:00.000Z,3,31']),
    )
    const mean = rows[0].trip_km / rows[0].trips
    expect(Math.abs(rows[0].mean_distance_km - mean)).toBeLessThan(0.00051)
    expect(await matrix('from=2024-05-01&to=2024-06-01')).toEqual([])
  })

  test('come whole as a table, page by page', async () => {
    const csv = await (
      await service.get('/api/movilidad/od?group_by=hour,distance&from=2024-01-01&to=2025-01-01&format=csv&limit=100000')
    ).text()
    const [{ rows } = { rows: 0 }] = await golden(service.lake, [mobilityTrips], 'SELECT count(*) AS rows FROM mobility_trips')
    expect(csv.trimEnd().split('\r\n')).toHaveLength(Number(rows) + 1)
    for (const format of ['parquet', 'arrow']) expect((await service.get(`/api/movilidad/od?format=${format}`)).status, format).toBe(200)
  })

  test('are refused for unknown studies, levels and zones', async () => {
    for (const query of ['level=DISTRICT', 'level=GAU&study=V2']) {
      const absent = await service.get(`/api/movilidad/od?${query}`)
      expect([absent.status, ((await absent.json()) as Reply).code], query).toEqual([404, 'no-data-yet'])
    }
    for (const [query, parameter] of [
      ['study=V1', 'study'],
      ['study=V1&level=GAU', 'level'],
      ['study=V1&level=DISTRICT', 'level'],
      ['origin=99999', 'origin'],
      ['origin=01001&destination=FR101,0100101', 'destination'],
      ['group_by=mode', 'group_by'],
      ['level=COUNTY', 'level'],
    ]) {
      const refused = await service.get(`/api/movilidad/od?${query}`)
      expect(refused.status, query).toBe(400)
      expect(((await refused.json()) as Reply).errors[0].parameter).toBe(parameter)
    }
    expect(((await (await service.get('/api/movilidad/od?mode=car')).json()) as Reply).code).toBe('unknown-parameter')
  })

  test('of another level are those of its own table, once that has landed, and change nothing of the others', async () => {
    const before = await matrix('')
    const day = '2024-12-01'
    const row = (origin_zone: string, hour: number, trips: number): AnyRow =>
      exampleTableRow(mobilityDistrictTrips, {
        ...{ study_day: `V2-${day}`, local_date: day, day_starts_at: dayBounds(day).start, origin_zone, destination_zone: '0105902' },
        ...{ hour, trips, trip_km: 2 * trips },
      })
    await service.land(mobilityDistrictTrips, [row('0105901', 8, 1.5), row('0105901', 9, 2.25), row('0105902', 9, 4)], UNTIL)
    const districts = ['0105901', '0105902'].map((zone_id) =>
      exampleTableRow(mobilityZoneMembers, { zone_level: 'DISTRICT', zone_id, member_id: '01059' }),
    )
    await service.land(mobilityZoneMembers, districts, UNTIL)
    const rows = await matrix('level=DISTRICT')
    expect(rows.map(({ origin_zone, level, trips, trip_km, period_start }) => [origin_zone, level, trips, trip_km, period_start])).toEqual([
      ['0105901', 'DISTRICT', 3.75, 7.5, '2024-11-30T23:00:00.000Z'],
      ['0105902', 'DISTRICT', 4, 8, '2024-11-30T23:00:00.000Z'],
    ])
    expect(await matrix('level=DISTRICT&from=2024-11-01&to=2025-01-01&interval=1mo&origin=0105901&group_by=hour')).toEqual([
      expect.objectContaining({ hour: 8, trips: 1.5, days_present: 1, days_expected: 31 }),
      expect.objectContaining({ hour: 9, trips: 2.25, days_present: 1, days_expected: 31 }),
    ])
    expect(await matrix('')).toEqual(before)
    expect((await service.get('/api/movilidad/od?level=GAU')).status).toBe(404)
    // A municipal zone is no district.
    expect((await service.get('/api/movilidad/od?level=DISTRICT&origin=28079')).status).toBe(400)
  })

  test('of the study of 2020 and 2021 are those of its own table, in its own distances and zones', async () => {
    const before = await matrix('')
    const day = '2021-02-01'
    const row = (origin_zone: string, distance_band: string, trips: number): AnyRow =>
      exampleTableRow(mobilityV1Trips, {
        ...{ study_day: `V1-${day}`, local_date: day, day_starts_at: dayBounds(day).start, origin_zone, destination_zone: '01002' },
        ...{ distance_band, trips, trip_km: 2 * trips },
      })
    await service.land(mobilityV1Trips, [row('01001_AM', '2-5', 1.5), row('01001_AM', '>100', 2.25), row('28106', '>100', 4)], UNTIL)
    const rolled = { month: '2021-02', study: 'V1', local_date: day, day_starts_at: dayBounds(day).start }
    await service.land(mobilityFlowDays, [exampleTableRow(mobilityFlowDays, rolled)], UNTIL)
    const zones = ['01001_AM', '01002'].map((zone_id) =>
      exampleTableRow(mobilityZoneMembers, { study: 'V1', zone_id, member_id: zone_id.slice(0, 5), sections: null }),
    )
    await service.land(mobilityZoneMembers, zones, UNTIL)
    const rows = await matrix('study=V1&group_by=distance&destination=01002')
    expect(
      rows.map(({ origin_zone, study, distance_band, trips, period_start }) => [origin_zone, study, distance_band, trips, period_start]),
    ).toEqual([
      ['01001_AM', 'V1', '2-5', 1.5, '2021-01-31T23:00:00.000Z'],
      ['01001_AM', 'V1', '>100', 2.25, '2021-01-31T23:00:00.000Z'],
      ['28106', 'V1', '>100', 4, '2021-01-31T23:00:00.000Z'],
    ])
    // A zone that trips name and no list has; and one of the other study.
    expect((await matrix('study=V1&origin=28106')).map(({ trips }) => trips)).toEqual([4])
    expect((await service.get('/api/movilidad/od?study=V1&origin=01047_AM')).status).toBe(400)
    expect(await matrix('')).toEqual(before)
  })
})
