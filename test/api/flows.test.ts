import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mobilityFlowDays } from '../../lake/datasets/mobility/flow-days.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { dayBounds, isoInstant } from '../../lake/schema/time.ts'
import { figures } from '../helpers/figures.ts'
import { type GoldenRow, golden } from '../helpers/golden.ts'
import { exampleTableRow, type Reply, startService, type TestService } from './service.ts'

const UNTIL = Date.UTC(2026, 0, 10)
const FIRST = Date.UTC(2024, 0, 1)
/** The last day that is there: its month is not whole. */
const LAST = Date.UTC(2024, 4, 3)
/** The ministry left out a day of April. */
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
        // Of some pairs there are no trips on some days, and of one there never is any length.
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

beforeAll(async () => {
  service = await startService()
  await service.land(mobilityFlowDays, days(), UNTIL)
})
afterAll(() => service?.close())

async function flows(query: string): Promise<Reply> {
  const reply = await service.json(`/api/movilidad?limit=1000&sort=period_start&${query}`)
  expect(reply.flows, JSON.stringify(reply)).toBeInstanceOf(Array)
  return reply
}

/** What the table says of a period of local days, the end not included, by a unit of the calendar. */
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
  test('are of the newest whole month unless told: neither of one that goes on nor of one that lacks a day', async () => {
    const reply = await flows('')
    expect(shown(reply.flows)).toEqual(await expected('2024-03-01', '2024-04-01', 'month'))
    expect(reply.flows).toHaveLength(25)
    expect(reply.flows[0]).toMatchObject({ period_start: '2024-02-29T23:00:00.000Z', interval: '1mo', study: 'V2', days_expected: 31 })
    expect(reply.flows.find((one: Reply) => one.origin_province_code === '01')).toMatchObject({ origin_province: 'Araba/Álava' })
    expect(reply.flows.find((one: Reply) => one.origin_province_code === 'FR')).toMatchObject({ origin_province: null })
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
    expect(reply.flows.length).toBeGreaterThan(20)
    expect(shown(reply.flows)).toEqual(await expected(from, to, unit))
  })

  test('say which days are there, of the step and not of the pair', async () => {
    const { flows: april } = await flows('from=2024-04-01&to=2024-05-01&origin=Madrid&destination=48')
    expect(april).toMatchObject([{ origin_province_code: '28', destination_province_code: '48', days_present: 29, days_expected: 30 }])
    expect((await flows('from=2024-05-01&to=2024-06-01&origin=28')).flows[0]).toMatchObject({ days_present: 3, days_expected: 31 })
    expect((await flows(`interval=1d&from=${LEFT_OUT}&to=2024-04-19`)).flows).toEqual([])
    expect((await flows('from=2021-01-01&to=2022-01-01')).flows).toEqual([])
    expect((await flows('origin=05')).flows).toEqual([])
  })

  test('are a table too, with the same numbers', async () => {
    const { flows: rows } = await flows('from=2024-01-01&to=2024-04-01&interval=1y')
    const csv = await (
      await service.get('/api/movilidad?limit=1000&sort=period_start&from=2024-01-01&to=2024-04-01&interval=1y&format=csv')
    ).text()
    const [header = '', ...lines] = csv.trimEnd().split('\r\n')
    const at = header.split(',').indexOf('trips')
    expect(lines.map((line) => Number(line.split(',').at(at)))).toEqual(rows.map(({ trips }: Reply) => trips))
    expect(Math.max(...rows.map(({ trips }: Reply) => trips))).toBeGreaterThan(1_000_000)
    for (const format of ['parquet', 'arrow']) expect((await service.get(`/api/movilidad?format=${format}`)).status, format).toBe(200)
  })

  test('are never of two studies, and a view or study that there is not is told', async () => {
    const absent = await service.get('/api/movilidad?study=V1')
    expect([absent.status, ((await absent.json()) as Reply).code]).toEqual([503, 'feed-unavailable'])
    for (const [query, parameter] of [
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
