import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuelMinistryDays } from '../../../../lake/datasets/fuel/prices.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant, madridDate } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { type GoldenRow, golden } from '../../../helpers/golden.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

/** Fetched on the morning after the last day. */
const UNTIL = Date.parse('2028-03-29T06:00:00Z')
let service: TestService

/** A window over the end of a leap year's February and the clock change of March; two days are missing. */
function means(): AnyRow[] {
  const next = figures(3)
  const rows: AnyRow[] = []
  for (let day = '2028-01-03'; day <= '2028-03-28'; day = madridDate(dayBounds(day).end + 1)) {
    if (day === '2028-02-10' || day === '2028-02-11') continue
    for (const product of ['GASOLINE_95_E5', 'DIESEL_A'])
      rows.push(
        exampleTableRow(fuelMinistryDays, {
          day,
          product,
          period_start: dayBounds(day).start,
          price_mean: Math.round(1400 + 100 * next()) / 1000,
        }),
      )
  }
  return rows
}

beforeAll(async () => {
  service = await startService()
  await service.land(fuelMinistryDays, means(), UNTIL)
})
afterAll(() => service?.close())

const ask = (query: string): Promise<GoldenRow[]> => golden(service.lake, [fuelMinistryDays], query)
const series = (query: string): Promise<Reply> => service.json(`/api/combustible/historico?series=MINISTRY_DAILY&limit=1000&${query}`)

test('the series by day has the published days; unpublished days are missing, later ones are not', async () => {
  const { prices, missing_periods, meta } = await series('interval=1d&from=2028-01-03&to=2028-05-01')
  const expected = await ask(`SELECT day, product, CAST(price_mean AS DOUBLE) AS price FROM fuel_ministry_days ORDER BY day, product`)
  expect(expected).toHaveLength(2 * 84)
  expect(
    prices.map((one: Reply) => [madridDate(Date.parse(one.period_start)), one.fuel, one.price_eur_l, one.area, one.stations, one.coverage]),
  ).toEqual(expected.map(({ day, product, price }) => [day, product, price, 'ES', null, 1]))
  expect(prices.map((one: Reply) => one.period_start)).toEqual(
    expect.arrayContaining(['2028-02-28T23:00:00.000Z', '2028-03-26T22:00:00.000Z']),
  )
  expect(missing_periods).toEqual([{ from: '2028-02-09T23:00:00.000Z', to: '2028-02-11T23:00:00.000Z' }])
  expect([meta.covered_until, meta.method]).toEqual([isoInstant(UNTIL), expect.stringContaining('MINISTRY_DAILY')])
})

test('longer steps are the means of their days, with the share of the days', async () => {
  for (const [interval, unit, length] of [
    ['1w', 'week', '7'],
    ['1mo', 'month', `date_diff('day', date_trunc('month', CAST(day AS DATE)), date_trunc('month', CAST(day AS DATE)) + INTERVAL 1 MONTH)`],
  ]) {
    const { prices } = await series(`fuel=DIESEL_A&interval=${interval}`)
    const expected = await ask(`
      SELECT strftime(date_trunc('${unit}', CAST(day AS DATE)), '%Y-%m-%d') AS begin, CAST(CAST(avg(price_mean) AS DECIMAL(9, 6)) AS DOUBLE) AS price,
        CAST(CAST(count(*) / min(${length}) AS DECIMAL(7, 6)) AS DOUBLE) AS coverage
      FROM fuel_ministry_days WHERE product = 'DIESEL_A' GROUP BY begin ORDER BY begin`)
    expect(prices.map((one: Reply) => [madridDate(Date.parse(one.period_start)), one.price_eur_l, one.coverage])).toEqual(
      expected.map(({ begin, price, coverage }) => [begin, price, coverage]),
    )
  }
})

test('the trend is of the days a week apart; provinces and other fuels have none', async () => {
  const reply = await service.json('/api/combustible/tendencia?series=MINISTRY_DAILY&weeks=8')
  const days = await ask(`
    SELECT product, CAST(price_mean AS DOUBLE) AS price FROM fuel_ministry_days
    WHERE day IN ('2028-03-28', '2028-03-21') ORDER BY product, day DESC`)
  const [diesel, before] = days.map(({ price }) => Number(price)) as [number, number]
  expect(reply.trends.map(({ fuel }: Reply) => fuel).sort()).toEqual(['DIESEL_A', 'GASOLINE_95_E5'])
  expect(reply.trends.find(({ fuel }: Reply) => fuel === 'DIESEL_A')).toMatchObject({
    ...{ series: 'MINISTRY_DAILY', as_of: '2028-03-28', price_eur_l: diesel, previous_eur_l: before, days_between: 7, weeks_used: 8 },
    change_eur_l: Number((diesel - before).toFixed(6)),
  })
  expect(await series('fuel=LPG')).toMatchObject({ status: 400, errors: [{ parameter: 'fuel', allowed: ['DIESEL_A', 'GASOLINE_95_E5'] }] })
  expect((await service.get('/api/combustible/historico?series=MINISTRY_DAILY&province=Madrid')).status).toBe(400)
})
