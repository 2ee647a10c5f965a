import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DeriveResult, derive } from '../../../jobs/derive/derive.ts'
import { fuelForecastsDerived } from '../../../jobs/derive/fuel/forecasts.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { fuelBulletin } from '../../../lake/datasets/fuel/bulletin.ts'
import { fuelForecasts } from '../../../lake/datasets/fuel/forecasts.ts'
import { fuelDays } from '../../../lake/datasets/fuel/prices.ts'
import { modelCards, modelScores } from '../../../lake/datasets/service/models.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { exampleTableRow } from '../../api/service.ts'
import { figures } from '../../helpers/figures.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows } from '../../lake/query/fixtures.ts'

const never = new AbortController().signal
const WEEK_MS = 7 * 86_400_000
const FIRST = Date.UTC(2021, 0, 4)
const dateOf = (week: number): string => new Date(FIRST + week * WEEK_MS).toISOString().slice(0, 10)

let redis: TestRedis
let context: TestContext
beforeEach(async () => {
  redis = await startTestRedis()
  context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [fuelBulletin, fuelDays, fuelForecasts, modelScores, modelCards])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

/**
 * Weeks of three countries. Spain's petrol follows the others' previous week. Its LPG and its fuel oil (by the tonne) wander by
 * themselves, and heating oil is new.
 */
function weeks(from: number, to: number): AnyRow[] {
  const next = figures(5)
  const level = { EURO_SUPER_95: 1300, LPG_MOTOR_FUEL: 800 }
  const row = (week: number, product: string, country_code: string, price: number, price_unit = 'EUR/kL'): AnyRow =>
    exampleTableRow(fuelBulletin, {
      ...{ edition: `history-${dateOf(week).slice(0, 4)}`, date: dateOf(week), period_start: dayBounds(dateOf(week)).start },
      ...{ product, country_code, price_unit, price_with_tax: Math.round(price * 1000) / 1000 },
    })
  const rows: AnyRow[] = []
  let before = 0
  let others = 1200
  for (let week = 0; week < to; week++) {
    const common = 0.05 * (next() - 0.5)
    others *= 1 + common
    level.EURO_SUPER_95 *= 1 + 0.8 * before + 0.002 * (next() - 0.5)
    level.LPG_MOTOR_FUEL *= 1 + 0.02 * (next() - 0.5)
    before = common
    if (week < from) continue
    for (const country of ['FR', 'PT']) rows.push(row(week, 'EURO_SUPER_95', country, others))
    rows.push(row(week, 'EURO_SUPER_95', 'ES', level.EURO_SUPER_95), row(week, 'LPG_MOTOR_FUEL', 'ES', level.LPG_MOTOR_FUEL))
    rows.push(row(week, 'FUEL_OIL_LOW_SULPHUR', 'ES', level.LPG_MOTOR_FUEL - 100, 'EUR/t'))
    if (week >= 170) rows.push(row(week, 'HEATING_GAS_OIL', 'ES', 1000))
  }
  return rows
}

const run = (): Promise<DeriveResult> => derive(context, fuelForecastsDerived, { feeds, signal: never })
const forecasts = async (): Promise<AnyRow[]> => tableRows(context, fuelForecasts)

test('each bulletin gives forecasts with their errors; without a better model they are the last value, and a new product has no number', {
  timeout: 120_000,
}, async () => {
  expect((await run()).made).toEqual([])
  await landRows(context.lake, fuelBulletin, weeks(0, 200))
  expect((await run()).made).toEqual(['fuel'])
  const rows = await forecasts()
  const of = (product: string, horizon: string): AnyRow =>
    rows.find((row) => row['product'] === product && row['horizon'] === horizon) as AnyRow
  expect(rows).toHaveLength(4 * 15)
  const petrol = of('GASOLINE_95_E5', 'P7D')
  expect(petrol).toMatchObject({
    date: dateOf(200),
    baseline_date: dateOf(199),
    forecast_kind: 'MODEL',
    series: 'BULLETIN',
    interval_level: 0.8,
    reason: null,
  })
  const bounds = [petrol['interval_low'], petrol['price'], petrol['interval_high']] as number[]
  expect(bounds).toEqual(bounds.toSorted((one, other) => one - other))
  const [card] = await tableRows(context, modelCards)
  const scores = await tableRows(context, modelScores)
  const served = card?.['served'] as { series: string; horizon: string; serves: string; error: number; baseline: number }[]
  for (const { series, horizon, serves, error, baseline } of served) {
    expect(serves).toBe(error < baseline ? 'MODEL' : 'BASELINE')
    expect(of(series, horizon)).toMatchObject({ forecast_kind: serves, recent_error: expect.closeTo(Math.min(error, baseline), 6) })
    const score = scores.find(
      (one) => one['series'] === series && one['horizon'] === horizon && one['subset'] === 'ALL' && one['metric'] === 'MAE',
    )
    expect(score).toMatchObject({ value: error, baseline, points: 104, window_to: dateOf(199), model_version: card?.['model_version'] })
  }
  expect(served.find(({ series, horizon }) => series === 'GASOLINE_95_E5' && horizon === 'P7D')?.serves).toBe('MODEL')
  const lpg = of('LPG', 'P7D')
  expect(lpg).toMatchObject({ forecast_kind: 'BASELINE', price: lpg['baseline'] })
  expect(lpg['interval_low'] as number).toBeLessThan(lpg['price'] as number)
  // A product sold by the tonne has its price and errors by the tonne.
  const oil = of('FUEL_OIL_LOW_SULPHUR', 'P7D')
  expect([oil['price_unit'], petrol['price_unit']]).toEqual(['EUR/t', 'EUR/L'])
  expect(oil['baseline'] as number).toBeCloseTo(1000 * (lpg['baseline'] as number) - 100, 2)
  expect(oil['recent_error'] as number).toBeGreaterThan(1)
  expect(new Set(scores.flatMap((one) => (one['metric'] === 'MAE' ? [`${one['series']} ${one['metric_unit']}`] : [])))).toEqual(
    new Set(['GASOLINE_95_E5 EUR/L', 'LPG EUR/L', 'FUEL_OIL_LOW_SULPHUR EUR/t']),
  )
  const charts = card?.['charts'] as { name: string }[]
  expect(charts.map(({ name }) => name)).toEqual(expect.arrayContaining(['errors', 'errors-by-tonne']))
  expect(of('HEATING_GAS_OIL', 'P14D')).toMatchObject({
    ...{ price: null, interval_low: null, forecast_kind: null, recent_error: null },
    absence: 'FEW_PRICES',
    reason: 'not enough data: 30 weeks of prices, 60 are needed',
  })
  // The path leads from the newest price to the forecast of a week, and on to that of two.
  const path = [1, 2, 3, 4, 5, 6, 7].map((days) => Math.log(of('GASOLINE_95_E5', `P${days}D`)['price'] as number))
  const steps = path.map((value, at) => value - (at === 0 ? Math.log(petrol['baseline'] as number) : (path[at - 1] as number)))
  for (const step of steps) expect(step).toBeCloseTo(steps[0] as number, 4)

  expect((await run()).made).toEqual([])
  await landRows(context.lake, fuelBulletin, weeks(200, 201))
  expect((await run()).made).toEqual(['fuel'])
  const [later] = await tableRows(context, modelCards)
  expect([later?.['data_to'], (later?.['versions'] as unknown[]).length]).toEqual([dateOf(200), 2])
  expect(new Set((await forecasts()).map((row) => row['model_version']))).toEqual(new Set([later?.['model_version']]))
})

const FIRST_DAY = Date.UTC(2026, 0, 1)

/** The mean price of diesel in Spain and in a province on 160 days. */
function stationDays(): AnyRow[][] {
  const next = figures(11)
  let [level, change] = [Math.log(1.5), 0]
  return Array.from({ length: 160 }, (_, day) => {
    change = 0.9 * change + 0.002 * (next() - 0.5)
    level += change
    const date = new Date(FIRST_DAY + day * 86_400_000).toISOString().slice(0, 10)
    const price_mean = Math.round(Math.exp(level) * 10_000) / 10_000
    const row = (area_kind: string, area: string): AnyRow =>
      exampleTableRow(fuelDays, {
        month: date.slice(0, 7),
        date,
        period_start: dayBounds(date).start,
        area_kind,
        area,
        product: 'DIESEL_A',
        price_mean,
      })
    return [row('NATION', 'ES'), row('PROVINCE', '28')]
  })
}

test('means of the stations give forecasts of Spain and its provinces once a day is over, and not again while it goes on', {
  timeout: 120_000,
}, async () => {
  const priced = stationDays()
  await landRows(context.lake, fuelDays, priced.slice(0, 150).flat())
  expect((await run()).made).toEqual(['fuel_daily'])
  const before = await forecasts()
  expect(before).toHaveLength(2 * 7)
  // The newest day is unfinished: the newest baseline is the day before it.
  const newest = new Date(FIRST_DAY + 148 * 86_400_000).toISOString().slice(0, 10)
  expect(before[0]).toMatchObject({ model: 'fuel_daily', baseline_date: newest, series: 'STATION_MEAN', made_at: dayBounds(newest).end })
  expect(before.every(({ price, interval_low }) => price !== null && interval_low !== null)).toBe(true)
  await landRows(context.lake, fuelDays, [exampleTableRow(fuelDays, { ...priced[149]?.[0], area_kind: 'OPERATOR', area: 'x' })])
  await run()
  expect(await forecasts()).toEqual(before)
  await landRows(context.lake, fuelDays, priced.slice(150).flat())
  expect((await run()).made).toEqual(['fuel_daily'])
  expect((await forecasts())[0]?.['made_at']).not.toBe(before[0]?.['made_at'])
  expect((await tableRows(context, modelCards)).map(({ model }) => model)).toEqual(['fuel_daily'])
})

test('days before that come from an archive give forecasts on the same day where there were too few', { timeout: 120_000 }, async () => {
  const priced = stationDays()
  await landRows(context.lake, fuelDays, priced.slice(130).flat())
  await run()
  const before = await forecasts()
  expect(new Set(before.map(({ absence, reason }) => `${absence} ${reason}`))).toEqual(
    new Set(['FEW_PRICES not enough data: 29 days of prices, 120 are needed']),
  )
  await landRows(context.lake, fuelDays, priced.slice(0, 130).flat())
  await run()
  const after = await forecasts()
  expect([after.length, after[0]?.['made_at']]).toEqual([14, before[0]?.['made_at']])
  expect(after.every(({ price, absence, reason }) => price !== null && absence === null && reason === null)).toBe(true)
  // The first version could not forecast the later days then, and gets no credit for learning from them since.
  const [card] = await tableRows(context, modelCards)
  const [reason = ''] = (card?.['versions'] as { reason: string }[]).map((version) => version.reason)
  expect(reason).toContain('the current version cannot forecast these outcomes')
})
