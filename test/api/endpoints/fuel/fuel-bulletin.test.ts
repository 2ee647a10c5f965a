import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fuelBulletin } from '../../../../lake/datasets/fuel/bulletin.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { type GoldenRow, golden } from '../../../helpers/golden.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const DAY = 86_400_000
const FIRST = Date.UTC(2023, 0, 2)
const NEWEST = Date.UTC(2025, 5, 30)
/** Fetched on the Friday after. */
const UNTIL = NEWEST + 4 * DAY + 7 * 3_600_000
/** Mondays that the bulletin leaves out. */
const LEFT_OUT = ['2023-12-25', '2024-04-01', '2024-12-23', '2024-12-30']
const PRODUCTS = ['EURO_SUPER_95', 'AUTOMOTIVE_GAS_OIL', 'LPG_MOTOR_FUEL', 'HEATING_GAS_OIL', 'FUEL_OIL_LOW_SULPHUR']

let service: TestService

/**
 * Weeks of two countries over two and a half years, in three editions. The history begins in 2024, and one of its weeks also has
 * a table of its own. The series is rounded, has no price without taxes, and runs until 2024.
 */
function editions(): AnyRow[] {
  const next = figures(11)
  const rows: AnyRow[] = []
  for (let at = FIRST; at <= NEWEST; at += 7 * DAY) {
    const date = isoInstant(at).slice(0, 10)
    if (LEFT_OUT.includes(date)) continue
    for (const country_code of ['ES', 'FR'])
      for (const product of PRODUCTS) {
        const price = Math.round(1_300_000 + 300_000 * next()) / 1000
        const before = Math.round(550 * price) / 1000
        const row = (edition: string, price_with_tax: number, price_without_tax: number | null): AnyRow =>
          exampleTableRow(fuelBulletin, {
            ...{ edition, country_code, product, date, price_with_tax, price_without_tax },
            period_start: dayBounds(date).start,
            price_unit: product === 'FUEL_OIL_LOW_SULPHUR' ? 'EUR/t' : 'EUR/kL',
          })
        const isHistory = date >= '2024-01-01'
        // Spain gave no price without taxes in one week of the history.
        if (isHistory) rows.push(row(`history-${date.slice(0, 4)}`, price, date === '2025-02-10' ? null : before))
        if (date === '2024-08-26') rows.push(row(`raw-${date}`, Math.round(price) + 5, Math.round(before) + 5))
        if (date < '2024-07-02') rows.push(row(`series-${date.slice(0, 4)}`, Math.round(price), null))
      }
  }
  return rows
}

beforeAll(async () => {
  service = await startService()
  await service.land(fuelBulletin, editions(), UNTIL)
})
afterAll(() => service?.close())

const ask = (query: string): Promise<GoldenRow[]> => golden(service.lake, [fuelBulletin], query)

/** Spain's prices of a week as the editions' rules have them: those of the history, else of the series. */
const SPAIN = `
  SELECT product, date, CAST(price_with_tax / 1000 AS DECIMAL(12, 6)) AS price, CAST(price_without_tax / 1000 AS DECIMAL(12, 6)) AS before
  FROM fuel_bulletin AS one
  WHERE country_code = 'ES' AND product IN ('EURO_SUPER_95', 'AUTOMOTIVE_GAS_OIL', 'LPG_MOTOR_FUEL')
    AND (starts_with(edition, 'history') OR (starts_with(edition, 'series') AND NOT EXISTS (
      FROM fuel_bulletin AS other WHERE starts_with(other.edition, 'history') AND other.date = one.date AND other.country_code = 'ES')))`
const FUEL = `CASE product WHEN 'EURO_SUPER_95' THEN 'GASOLINE_95_E5' WHEN 'AUTOMOTIVE_GAS_OIL' THEN 'DIESEL_A' ELSE 'LPG' END`

async function prices(query: string): Promise<Reply> {
  const reply = await service.json(`/api/combustible/historico?limit=1000&${query}`)
  expect(reply.prices, JSON.stringify(reply)).toBeInstanceOf(Array)
  return reply
}

describe('the series of the bulletin', () => {
  test('is the default, by week, with taxes and without, exactly as published', async () => {
    const reply = await prices('')
    const expected = await ask(`
      SELECT ${FUEL} AS fuel, strftime(timezone('UTC', timezone('Europe/Madrid', CAST(date AS TIMESTAMP))), '%Y-%m-%dT%H:%M:%S.000Z') AS period_start,
        CAST(price AS DOUBLE) AS price, CAST(before AS DOUBLE) AS before
      FROM (${SPAIN}) ORDER BY period_start, fuel`)
    const shown = reply.prices.map((one: Reply) => [one.period_start, one.fuel, one.price_eur_l, one.price_without_tax_eur_l])
    expect(shown.length).toBe(3 * ((NEWEST - FIRST) / (7 * DAY) + 1 - LEFT_OUT.length))
    expect(shown).toEqual(expected.map((row) => [row['period_start'], row['fuel'], row['price'], row['before']]))
    expect(new Set(reply.prices.map((one: Reply) => [one.area, one.interval, one.coverage, one.price_eur_t, one.stations].join()))).toEqual(
      new Set(['ES,1w,1,,']),
    )
    // Whole to the last of the three decimals of 1000 litres.
    expect(shown.some(([, , price]: [string, string, number]) => Math.round(1e6 * price) % 10 !== 0)).toBe(true)
    expect(reply.meta).toMatchObject({ covered_until: isoInstant(UNTIL), method: expect.stringContaining('BULLETIN') })
    expect(reply.meta.sources.map(({ id }: Reply) => id)).toEqual(['oil_bulletin'])
  })

  test('of months and years is the mean of their Mondays, and without taxes only where all of them have that price', async () => {
    for (const [interval, unit] of [
      ['1mo', 'month'],
      ['1y', 'year'],
    ] as const) {
      const { prices: points } = await prices(`fuel=DIESEL_A&interval=${interval}`)
      const expected = await ask(`
        SELECT strftime(date_trunc('${unit}', date), '%Y-%m-%d') AS begun, CAST(CAST(avg(price) AS DECIMAL(9, 6)) AS DOUBLE) AS price,
          CASE WHEN count(before) = count(*) THEN CAST(CAST(avg(before) AS DECIMAL(9, 6)) AS DOUBLE) END AS before, count(*) AS weeks
        FROM (${SPAIN}) WHERE product = 'AUTOMOTIVE_GAS_OIL' GROUP BY 1 ORDER BY 1`)
      const mondays = (begun: string): number => {
        const [from, end] = [new Date(begun), new Date(begun)]
        if (unit === 'month') end.setUTCMonth(end.getUTCMonth() + 1)
        else end.setUTCFullYear(end.getUTCFullYear() + 1)
        let count = 0
        for (let at = from.getTime(); at < end.getTime(); at += DAY) if (new Date(at).getUTCDay() === 1) count += 1
        return count
      }
      expect(points.map((one: Reply) => [one.period_start, one.price_eur_l, one.price_without_tax_eur_l, one.coverage])).toEqual(
        expected.map(({ begun, price, before, weeks }) => [
          isoInstant(dayBounds(begun as string).start),
          price,
          before,
          Number((Number(weeks) / mondays(begun as string)).toFixed(6)),
        ]),
      )
    }
  })

  test('says which weeks it left out, and not those that are not published yet', async () => {
    const { missing_periods } = await prices('from=2023-12-01&to=2026-01-01')
    expect(missing_periods).toEqual(
      [
        ['2023-12-25', '2024-01-01'],
        ['2024-04-01', '2024-04-08'],
        ['2024-12-23', '2025-01-06'],
      ].map(([from, to]) => ({ from: isoInstant(dayBounds(from as string).start), to: isoInstant(dayBounds(to as string).start) })),
    )
    expect((await prices('from=2024-12-24&to=2025-01-02')).missing_periods).toHaveLength(1)
    expect((await prices('from=2025-06-30&to=2025-12-01&interval=1mo')).missing_periods).toEqual([])
  })

  test('has no days, no provinces, and no fuels beyond its own', async () => {
    for (const [query, parameter] of [
      ['interval=1d', 'interval'],
      ['province=Madrid', 'province'],
      ['fuel=ADBLUE', 'fuel'],
    ]) {
      const refused = await service.get(`/api/combustible/historico?${query}`)
      expect(refused.status).toBe(400)
      expect(await refused.json()).toMatchObject({ errors: [{ parameter }] })
    }
  })

  test('never replaces a requested edition', async () => {
    for (const path of ['historico?series=STATION_MEAN', 'historico?series=MINISTRY_DAILY', 'tendencia?series=STATION_MEAN']) {
      const response = await service.get(`/api/combustible/${path}`)
      expect([path, response.status]).toEqual([path, 404])
    }
  })
})

test('the trend is of its last weeks', async () => {
  const reply = await service.json('/api/combustible/tendencia?weeks=6')
  expect(reply.trends.map(({ fuel, series }: Reply) => [fuel, series]).sort()).toEqual([
    ['DIESEL_A', 'BULLETIN'],
    ['GASOLINE_95_E5', 'BULLETIN'],
    ['LPG', 'BULLETIN'],
  ])
  const weeks = (
    await ask(`
      SELECT strftime(date, '%Y-%m-%d') AS date, CAST(price AS DOUBLE) AS price FROM (${SPAIN})
      WHERE product = 'EURO_SUPER_95' ORDER BY date DESC LIMIT 53`)
  ).map(({ date, price }) => ({ date: date as string, price: Number(price) }))
  const [newest, previous] = weeks as [(typeof weeks)[0], (typeof weeks)[0]]
  const slopes = weeks
    .slice(0, 6)
    .flatMap((one, nth) => weeks.slice(nth + 1, 6).map((other, at) => (one.price - other.price) / (at + 1)))
    .sort((one, other) => one - other)
  const yearAgo = weeks.find(({ date }) => date === isoInstant(NEWEST - 364 * DAY).slice(0, 10))
  const found = reply.trends.find(({ fuel }: Reply) => fuel === 'GASOLINE_95_E5')
  expect(found).toMatchObject({
    as_of: '2025-06-30',
    price_eur_l: newest.price,
    previous_eur_l: previous.price,
    days_between: 7,
    change_eur_l: Number((newest.price - previous.price).toFixed(6)),
    change_pct: Number((100 * (newest.price / previous.price - 1)).toFixed(2)),
    weeks_used: 6,
  })
  expect(found.slope_eur_l_week).toBeCloseTo(slopes[7] as number, 4)
  expect(found.change_52w_pct).toBeCloseTo(100 * (newest.price / (yearAgo?.price as number) - 1), 1)
})
