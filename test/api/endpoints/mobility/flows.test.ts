import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { imdRoads } from '../../../../lake/datasets/mobility/imd.ts'
import { mobilityFlowDays } from '../../../../lake/datasets/mobility/trips.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { type GoldenRow, golden } from '../../../helpers/golden.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const UNTIL = Date.UTC(2026, 0, 10)
const FIRST = Date.UTC(2024, 0, 1)
/** The last available day: its month is incomplete. */
const LAST = Date.UTC(2024, 4, 3)
/** The ministry omitted a day of April. */
const LEFT_OUT = '2024-04-18'
const PLACES = ['01', '28', '48', 'FR', 'EXTERNAL']

let service: TestService

function days(): AnyRow[] {
  const next = figures(5)
  const rows: AnyRow[] = []
  for (let at = FIRST; at <= LAST; at += 86_400_000) {
    const local_date = isoInstant(at).slice(0, 10)
    if (local_date === LEFT_OUT) continue
    for (const origin_province of PLACES)
      for (const destination_province of PLACES) {
        // Some pairs have no trips on some days, and one never has a length.
        if (next() < 0.1) continue
        const trips = origin_province === 'EXTERNAL' && destination_province === 'EXTERNAL' ? 0 : Math.round(9e7 * next()) / 1000
        rows.push(
          exampleTableRow(mobilityFlowDays, {
            ...{ month: local_date.slice(0, 7), local_date, day_starts_at: dayBounds(local_date).start },
            ...{ origin_province, destination_province, trips, trip_km: Math.round(trips * 1000 * 50 * next()) / 1000 },
          }),
        )
      }
  }
  return rows
}

/** Two roads in two provinces, in the two newest years of maps; one section has no province on the map. */
function roads(): AnyRow[] {
  const next = figures(7)
  return [2018, 2019].flatMap((year) =>
    [
      ['A-6', '28'],
      ['A-6', '40'],
      ['N-VI', '28'],
      ['N-VI', '00'],
    ].map(([road, province_code]) =>
      exampleTableRow(imdRoads, {
        ...{ edition: String(year), year, year_starts_at: dayBounds(`${year}-01-01`).start, road, province_code },
        ...{ imd: Math.round(1e6 * next()) / 10, veh_km: Math.round(1e9 * next()) / 10, heavy_share_pct: Math.round(1e4 * next()) / 100 },
      }),
    ),
  )
}

beforeAll(async () => {
  service = await startService()
  await service.land(mobilityFlowDays, days(), UNTIL)
  await service.land(imdRoads, roads(), UNTIL)
})
afterAll(() => service?.close())

async function flows(query: string): Promise<Reply> {
  const reply = await service.json(`/api/movilidad?limit=1000&sort=period_start&${query}`)
  expect(reply.mobility, JSON.stringify(reply)).toBeInstanceOf(Array)
  return reply
}

/** The table's contents for a period of local days, the end not included, by a unit of the calendar. */
const expected = (from: string, to: string, unit: string): Promise<GoldenRow[]> =>
  golden(
    service.lake,
    [mobilityFlowDays],
    `WITH days AS (SELECT *, date_trunc('${unit}', local_date) AS begun FROM mobility_flow_days)
    SELECT strftime(begun, '%Y-%m-%d') AS begun, origin_province AS origin, destination_province AS destination,
      CAST(sum(trips) AS DOUBLE) AS trips, CAST(sum(trip_km) AS DOUBLE) AS trip_km,
      CASE WHEN sum(trips) > 0 THEN round(CAST(sum(trip_km) AS DOUBLE) / CAST(sum(trips) AS DOUBLE), 3) END AS mean,
      (SELECT count(DISTINCT local_date) FROM days AS other WHERE other.begun = days.begun) AS present,
      CAST(days.begun + INTERVAL 1 ${unit} AS DATE) - CAST(days.begun AS DATE) AS expected
    FROM days
    WHERE local_date >= DATE '${from}' AND local_date < DATE '${to}'
    GROUP BY days.begun, origin_province, destination_province
    ORDER BY 1, 2, 3`,
  )

const shown = (rows: readonly Reply[]): GoldenRow[] =>
  rows.map((one) => ({
    begun: new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Madrid' }).format(new Date(one.period_start)),
    origin: one.origin_province_code,
    destination: one.destination_province_code,
    trips: one.trips,
    trip_km: one.trip_km,
    mean: one.mean_distance_km,
    present: one.days_present,
    expected: one.days_expected,
  }))

describe('trips between provinces', () => {
  test('are of the newest whole month by default: neither of an unfinished one nor of one that lacks a day', async () => {
    const reply = await flows('')
    expect(shown(reply.mobility)).toEqual(await expected('2024-03-01', '2024-04-01', 'month'))
    expect(reply.mobility).toHaveLength(25)
    expect(reply.mobility[0]).toMatchObject({ period_start: '2024-02-29T23:00:00.000Z', interval: '1mo', study: 'V2', days_expected: 31 })
    expect(reply.mobility.find((one: Reply) => one.origin_province_code === '01')).toMatchObject({ origin_province: 'Araba/Álava' })
    expect(reply.mobility.find((one: Reply) => one.origin_province_code === 'FR')).toMatchObject({ origin_province: null })
    expect(reply.meta).toMatchObject({ covered_until: isoInstant(UNTIL), grain: expect.any(String), method: expect.any(String) })
    expect(reply.meta.sources.map(({ id }: Reply) => id)).toEqual(['mitma'])
  })

  test.each([
    ['1d', 'day', '2024-02-28', '2024-03-02'],
    ['1d', 'day', '2024-03-30', '2024-04-02'],
    ['1w', 'week', '2024-03-25', '2024-04-22'],
    ['1mo', 'month', '2024-01-01', '2024-06-01'],
    ['1y', 'year', '2024-01-01', '2025-01-01'],
  ])('per %s are the sums of its days, over leap days and changes of the clock', async (interval, unit, from, to) => {
    const reply = await flows(`interval=${interval}&from=${from}&to=${to}`)
    expect(reply.mobility.length).toBeGreaterThan(20)
    expect(shown(reply.mobility)).toEqual(await expected(from, to, unit))
  })

  test('list the available days, of the step and not of the pair', async () => {
    const { mobility: april } = await flows('from=2024-04-01&to=2024-05-01&origin=Madrid&destination=48')
    expect(april).toMatchObject([{ origin_province_code: '28', destination_province_code: '48', days_present: 29, days_expected: 30 }])
    expect((await flows('from=2024-05-01&to=2024-06-01&origin=28')).mobility[0]).toMatchObject({ days_present: 3, days_expected: 31 })
    expect((await flows(`interval=1d&from=${LEFT_OUT}&to=2024-04-19`)).mobility).toEqual([])
    expect((await flows('from=2021-01-01&to=2022-01-01')).mobility).toEqual([])
    expect((await flows('origin=05')).mobility).toEqual([])
  })

  test('are a table too, with the same numbers', async () => {
    const { mobility: rows } = await flows('from=2024-01-01&to=2024-04-01&interval=1y')
    const csv = await (
      await service.get('/api/movilidad?limit=1000&sort=period_start&from=2024-01-01&to=2024-04-01&interval=1y&format=csv')
    ).text()
    const [header = '', ...lines] = csv.trimEnd().split('\r\n')
    const at = header.split(',').indexOf('trips')
    expect(lines.map((line) => Number(line.split(',').at(at)))).toEqual(rows.map(({ trips }: Reply) => trips))
    expect(Math.max(...rows.map(({ trips }: Reply) => trips))).toBeGreaterThan(1_000_000)
    for (const format of ['parquet', 'arrow']) expect((await service.get(`/api/movilidad?format=${format}`)).status, format).toBe(200)
  })

  test('are never of two studies, and an unknown view or study is refused', async () => {
    for (const [query, parameter] of [
      ['study=V1', 'study'],
      ['study=V3', 'study'],
      ['view=maps', 'view'],
      ['origin=Atlantis', 'origin'],
      ['interval=1h', 'interval'],
    ]) {
      const refused = await service.get(`/api/movilidad?${query}`)
      expect(refused.status, query).toBe(400)
      expect(((await refused.json()) as Reply).errors[0].parameter).toBe(parameter)
    }
  })
})

describe('daily traffic of roads', () => {
  const ask = async (query: string): Promise<Reply[]> => {
    const reply = await service.json(`/api/movilidad?view=imd&limit=1000&${query}`)
    expect(reply.mobility, JSON.stringify(reply)).toBeInstanceOf(Array)
    return reply.mobility
  }
  const expectedRoads = (where: string): Promise<GoldenRow[]> =>
    golden(
      service.lake,
      [imdRoads],
      `SELECT road, nullif(province_code, '00') AS province_code, year, imd::DOUBLE AS imd, heavy_share_pct::DOUBLE AS heavy, veh_km::DOUBLE AS veh_km,
        length_km::DOUBLE AS length_km, sections FROM imd_roads WHERE ${where} ORDER BY imd DESC`,
    )
  const shownRoads = (rows: readonly Reply[]): GoldenRow[] =>
    rows.map((one) => ({
      ...{ road: one.road, province_code: one.province_code, year: one.year, imd: one.imd_veh_day, heavy: one.heavy_share_pct },
      ...{ veh_km: one.veh_km_year, length_km: one.length_km, sections: one.sections },
    }))

  test('is of every year by default; records have the members of their view only', async () => {
    const rows = await ask('sort=-imd_veh_day')
    expect(shownRoads(rows)).toEqual(await expectedRoads('true'))
    expect(rows).toHaveLength(8)
    expect(rows.find(({ province_code }) => province_code === '28')).toMatchObject({ province: 'Madrid', interval: '1y' })
    expect(rows.filter(({ province_code }) => province_code === null)).toHaveLength(2)
    for (const one of rows)
      expect(Object.keys(one)).toEqual([
        ...['period_start', 'interval', 'date', 'province', 'road', 'province_code', 'year', 'imd_veh_day', 'heavy_share_pct', 'length_km'],
        ...['veh_km_year', 'sections', 'matched_sections', 'previous_imd_veh_day', 'change_pct'],
      ])
    for (const one of (await flows('')).mobility)
      expect(Object.keys(one)).toEqual([
        ...['period_start', 'interval', 'date', 'origin_province', 'destination_province', 'origin_province_code'],
        'destination_province_code',
        ...['study', 'trips', 'trip_km', 'mean_distance_km', 'days_present', 'days_expected'],
      ])
    const header = (await (await service.get('/api/movilidad?view=imd&format=csv')).text()).split('\r\n')[0]
    expect(header?.split(',')).toEqual(Object.keys(rows[0]))
    const lone = await service.json('/api/movilidad?view=imd&fields=trips')
    expect(lone.errors.map((one: Reply) => one.parameter)).toEqual(['view', 'fields'])
  })

  test('says from which year on it is', async () => {
    const { meta } = await service.json('/api/movilidad?view=imd')
    expect(meta.period.from).toBe(meta.covered_from)
  })

  test('is of a road, however its designation is written, and of years that begin in the period', async () => {
    expect(shownRoads(await ask('sort=-imd_veh_day&road=a6'))).toEqual(await expectedRoads("road = 'A-6'"))
    expect(shownRoads(await ask('sort=-imd_veh_day&from=2019-01-01'))).toEqual(await expectedRoads('year = 2019'))
    expect(shownRoads(await ask('sort=-imd_veh_day&from=2018-01-01&to=2019-01-01&interval=1y'))).toEqual(await expectedRoads('year = 2018'))
    expect(await ask('to=2015-01-01')).toEqual([])
  })

  test('comes page by page without a gap, also where the map names no province', async () => {
    const seen: string[] = []
    for (let path: string | null = '/api/movilidad?view=imd&limit=3'; path; ) {
      const reply: Reply = await service.json(path)
      seen.push(...reply.mobility.map((one: Reply) => `${one.year} ${one.road} ${one.province_code}`))
      path = reply.next_cursor && `/api/movilidad?view=imd&limit=3&cursor=${encodeURIComponent(reply.next_cursor)}`
    }
    expect(seen).toHaveLength(8)
    expect(new Set(seen).size).toBe(8)
  })

  test.each([
    ['view=imd&origin=28', 'origin'],
    ['view=imd&destination=28', 'destination'],
    ['view=imd&study=V1', 'study'],
    ['view=imd&interval=1d', 'interval'],
    ['road=A-6', 'road'],
  ])('and %s is refused, for it is of the other view', async (query, parameter) => {
    const refused = await service.get(`/api/movilidad?${query}`)
    expect(refused.status).toBe(400)
    expect(((await refused.json()) as Reply).errors[0].parameter).toBe(parameter)
  })
})
