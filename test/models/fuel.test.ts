import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { fuelBulletin } from '../../lake/datasets/fuel/bulletin.ts'
import { dayBounds } from '../../lake/schema/time.ts'
import { evaluate } from '../../models/fuel/evaluate.ts'
import { fitFuel } from '../../models/fuel/fit.ts'
import { HORIZONS_WEEKS, LEAST_WEEKS, walk } from '../../models/fuel/forecast.ts'
import { panelOf } from '../../models/fuel/panel.ts'
import { predictFuel } from '../../models/fuel/predict.ts'
import { makeRidge } from '../../models/fuel/ridge.ts'
import { WEEK_COLUMNS, type WeekPrice, weeklyPrices } from '../../models/fuel/weeks.sql.ts'
import { evaluateFuel } from '../../scripts/checks/evaluations/fuel.ts'
import { exampleTableRow } from '../api/service.ts'
import { expectScored } from '../helpers/checked-scores.ts'
import { figures } from '../helpers/figures.ts'
import { sharedFolder } from '../helpers/shared.ts'
import { tempFolder } from '../helpers/temp.ts'
import { deepTest } from '../helpers/tier.ts'
import { landRows, openTestLake } from '../lake/query/fixtures.ts'
import { PROJECT } from '../laws/sources.ts'

const shared = sharedFolder()
const WEEK = 7 * 86_400_000
const FIRST = Date.UTC(2015, 0, 5)
const COUNTRIES = ['ES', 'FR', 'PT', 'IT']
const dateOf = (week: number): string => new Date(FIRST + week * WEEK).toISOString().slice(0, 10)

/** Weeks of four countries: Spain follows the others' changes of the week before, and all wander. */
function madeUp(weeks: number, seed: number): WeekPrice[] {
  const next = figures(seed)
  const prices: WeekPrice[] = []
  const level = new Map(COUNTRIES.map((code) => [code, 1300]))
  let before = 0
  for (let week = 0; week < weeks; week++) {
    const common = 0.04 * (next() - 0.5)
    for (const country_code of COUNTRIES) {
      const change = (country_code === 'ES' ? 0.7 * before : common) + 0.006 * (next() - 0.5)
      level.set(country_code, (level.get(country_code) as number) * (1 + change))
      // Every eleventh week is left out, and a country misses some of the others.
      if (week % 11 === 5 || (country_code === 'PT' && week % 7 === 3)) continue
      prices.push({ product: 'EURO_SUPER_95', country_code, date: dateOf(week), price_with_tax: level.get(country_code) as number })
    }
    before = common
  }
  return prices
}

test('a ridge gives the coefficients of the least penalised squares', () => {
  const next = figures(1)
  const rows = Array.from({ length: 40 }, () => ({ x: [next() - 0.5, next() - 0.5, next() - 0.5], noise: next() - 0.5 }))
  const ridge = makeRidge(3, 0.7)
  const known = rows.map(({ x, noise }) => ({ x, y: 2 * (x[0] as number) - (x[1] as number) + noise }))
  for (const { x, y } of known) ridge.add(x, y)
  const found = [...ridge.fit()]
  const loss = (of: readonly number[]): number =>
    known.reduce((sum, { x, y }) => sum + (x.reduce((dot, one, at) => dot + one * (of[at] as number), 0) - y) ** 2, 0) +
    0.7 * of.reduce((sum, one) => sum + one * one, 0)
  for (let at = 0; at < 3; at++)
    for (const step of [-1e-4, 1e-4]) expect(loss(found.map((one, nth) => (nth === at ? one + step : one)))).toBeGreaterThan(loss(found))
  // Asked again after another observation it has learnt.
  ridge.add([1, 0, 0], 100)
  expect(ridge.fit()[0]).toBeGreaterThan(found[0] as number)
})

test('the observations of another regression of the same features count by a share', () => {
  const next = figures(3)
  const observed = Array.from({ length: 40 }, () => ({ features: [next(), next(), 1], outcome: next() }))
  const weighed = (shares: readonly number[]): Float64Array => {
    const ridge = makeRidge(3, 0.7)
    for (const [at, { features, outcome }] of observed.entries()) {
      const root = Math.sqrt(shares[at] as number)
      ridge.add(
        features.map((feature) => feature * root),
        outcome * root,
      )
    }
    return ridge.fit()
  }
  const [own, other] = [makeRidge(3, 0.7), makeRidge(3, 0.7)]
  for (const [at, { features, outcome }] of observed.entries()) (at < 30 ? own : other).add(features, outcome)
  const expected = weighed(observed.map((_, at) => (at < 30 ? 1 : 0.25)))
  for (const [at, coefficient] of own.fit({ ridge: other, share: 0.25 }).entries())
    expect(coefficient).toBeCloseTo(expected[at] as number, 10)
})

test('a panel has the weeks of Spain; a missing week of another country is no change, and the next week contains the whole change', () => {
  const price = (country_code: string, week: number, price_with_tax: number): WeekPrice => ({
    ...{ product: 'EURO_SUPER_95', country_code, date: dateOf(week), price_with_tax },
  })
  const prices = [
    ...[price('ES', 0, 1000), price('ES', 1, 1100), price('ES', 3, 1210)],
    ...[price('FR', 0, 1000), price('FR', 2, 1500), price('FR', 3, 2000), price('PT', 1, 500), price('PT', 3, 1000)],
  ]
  const panel = panelOf('EURO_SUPER_95', prices)
  expect(panel.dates).toEqual([dateOf(0), dateOf(1), dateOf(3)])
  expect(panel.own.map(Math.exp).map(Math.round)).toEqual([1000, 1100, 1210])
  // France's 1500 is of a week that Spain has not.
  expect(panel.others.map((series) => series.map((change) => Math.exp(change)))).toEqual([
    [1, 1, expect.closeTo(2, 9)],
    [1, 1, expect.closeTo(2, 9)],
  ])
  expect(panel.europe.map((level) => Math.exp(level))).toEqual([1, 1, expect.closeTo(2, 9)])
  expect(panelOf('LPG_MOTOR_FUEL', prices).dates).toEqual([])
})

test('no forecast depends on later data', () => {
  const weeks = 170
  const prices = madeUp(weeks, 4)
  const whole = new Map(HORIZONS_WEEKS.map((horizon) => [horizon, walk(panelOf('EURO_SUPER_95', prices), horizon)]))
  fc.assert(
    fc.property(
      fc.integer({ min: 70, max: weeks - 1 }),
      fc.infiniteStream(fc.double({ min: 0.5, max: 2, noNaN: true })),
      (cut, factors) => {
        const origin = dateOf(cut)
        const shuffled = prices.map((one) =>
          one.date <= origin ? one : { ...one, price_with_tax: one.price_with_tax * factors.next().value },
        )
        const panel = panelOf('EURO_SUPER_95', shuffled)
        for (const horizon of HORIZONS_WEEKS) {
          const known = (whole.get(horizon) ?? []).filter((one) => (panel.dates[one.origin] as string) <= origin)
          expect(walk(panel, horizon).slice(0, known.length)).toEqual(known)
          expect(known.length).toBeGreaterThan(0)
        }
      },
    ),
    { numRuns: 12 },
  )
})

test('the pattern that Spain follows is learnt, intervals contain about the stated share, and a short series has no forecast', () => {
  const prices = madeUp(500, 9)
  const measured = evaluate(prices, { from: dateOf(250), to: dateOf(499) })
  const of = (metric: string, horizon: string): number =>
    measured.find((one) => one.metric === metric && one.horizon === horizon)?.value as number
  expect(of('mae_to_last_value', '1w')).toBeLessThan(0.5)
  for (const horizon of ['1w', '2w', '4w']) expect(Math.abs(of('coverage_80', horizon) - 0.8)).toBeLessThan(0.08)
  const few = panelOf('EURO_SUPER_95', madeUp(LEAST_WEEKS - 1, 2))
  for (const horizon of HORIZONS_WEEKS) expect(walk(few, horizon)).toEqual([])
  const first = walk(panelOf('EURO_SUPER_95', prices), 1)[0]
  expect([first?.origin, first?.half]).toEqual([LEAST_WEEKS - 1, null])
  expect(evaluate(madeUp(20, 2), null)).toEqual([])
})

test('errors are those of the outcomes in the window, in euros per litre, beside those of the last value', () => {
  const prices = madeUp(200, 3)
  const window = { from: dateOf(150), to: dateOf(170) }
  const spain = new Map(prices.filter(({ country_code }) => country_code === 'ES').map((one) => [one.date, one.price_with_tax]))
  const pairs = [...spain].flatMap(([date, price]) => {
    const before = spain.get(new Date(Date.parse(date) - WEEK).toISOString().slice(0, 10))
    return before === undefined || date < window.from || date > window.to ? [] : [Math.abs(price - before)]
  })
  const [mae, ratio] = evaluate(prices, window).filter(({ horizon }) => horizon === '1w')
  expect(mae).toMatchObject({
    model: 'fuel',
    series: 'EURO_SUPER_95',
    metric: 'mae_eur_l',
    window: `${window.from}:${window.to}`,
    points: pairs.length,
  })
  expect(mae?.baseline).toBeCloseTo(pairs.reduce((sum, one) => sum + one, 0) / pairs.length / 1000, 9)
  expect(ratio?.value).toBeCloseTo((mae?.value as number) / (mae?.baseline as number), 9)
  expect(ratio).toMatchObject({ metric: 'mae_to_last_value', limit: { max: 0.62 }, ok: (ratio?.value as number) <= 0.62 })
})

test('a champion with fewer weeks is scored by its forecasts of that time, and not by its later learning', () => {
  const prices = madeUp(400, 6)
  const standing = fitFuel(
    prices.filter(({ date }) => date >= dateOf(200)),
    null,
  )
  const fresh = fitFuel(prices, standing.parameters)
  expectScored(fresh)
  expect(fresh.checks.map((check) => [check.series, check.horizon, check.standing])).toEqual(
    standing.checks.map(({ series, horizon, error }) => [series, horizon, expect.closeTo(error, 9)]),
  )
  expect(fresh.checks.map(({ error }) => error)).not.toEqual(standing.checks.map(({ error }) => error))
  // It could say nothing yet of weeks within its first year.
  const few = fitFuel(
    prices.filter(({ date }) => date >= dateOf(310)),
    null,
  )
  expect(fitFuel(prices, few.parameters).checks.every(({ standing: theirs }) => theirs === null)).toBe(true)
})

test('a product that is no longer reported has no forecast, and gives its last date', () => {
  const ended = (last: number): WeekPrice[] =>
    Array.from({ length: last + 1 }, (_, week) => ({
      ...{ product: 'LPG_MOTOR_FUEL', country_code: 'ES', date: dateOf(week), price_with_tax: 900 + (week % 5) },
    }))
  const reasonsOf = (last: number): unknown[] => {
    const prices = [...madeUp(120, 2), ...ended(last)]
    const { parameters, checks, scores } = fitFuel(prices, null)
    // Nor are there errors of products without forecasts.
    for (const errors of [checks, scores]) expect(errors.some(({ series }) => series === 'LPG')).toBe(last > 114)
    const rows = predictFuel(prices, { model_version: 'r1', parameters, made_at: 0, of: {} })
    return [...new Set(rows.flatMap(({ product, absence, reason }) => (product === 'LPG' ? [`${absence} ${reason}`] : [])))]
  }
  // Four weeks are not yet an end.
  expect(reasonsOf(115)).not.toContain(`ENDED no price since ${dateOf(115)}`)
  expect(reasonsOf(114)).toEqual([`ENDED no price since ${dateOf(114)}`])
})

test('of several editions the first by name gives a week; averages are left out, and prices by another unit than the product is sold by', async () => {
  const lake = await openTestLake(tempFolder())
  onTestFinished(() => lake.close())
  const row = (edition: string, date: string, price_with_tax: number | null, more: object = {}) =>
    exampleTableRow(fuelBulletin, { edition, date, period_start: dayBounds(date).start, price_with_tax, ...more })
  await landRows(lake, fuelBulletin, [
    ...[row('series-2024', '2024-01-01', 1400), row('raw-2024-01-01', '2024-01-01', 1401), row('history-2024', '2024-01-01', 1402)],
    ...[
      row('history-2024', '2024-01-08', null),
      row('series-2024', '2024-01-08', 1410),
      row('history-2024', '2024-01-01', 1, { country_code: 'EU' }),
    ],
    row('history-2024', '2024-01-01', 600, { product: 'FUEL_OIL_LOW_SULPHUR', price_unit: 'EUR/t' }),
    row('history-2024', '2024-01-08', 0.6, { product: 'FUEL_OIL_LOW_SULPHUR', price_unit: 'EUR/kL' }),
  ])
  const rows = await lake.query(weeklyPrices(), { columns: WEEK_COLUMNS, maxRows: 10 })
  expect(rows.map(({ date, price_with_tax }) => [date, price_with_tax])).toEqual([
    ['2024-01-01', 1402],
    ['2024-01-08', 1410],
    ['2024-01-01', 600],
  ])
})

const recorded = shared ? deepTest : test.skip

recorded('the recorded bulletin: petrol and diesel reach their limits in the last 104 weeks', async () => {
  const lake = await openTestLake(tempFolder())
  onTestFinished(() => lake.close())
  const printed: string[] = []
  const found = await evaluateFuel(lake, { data: join(shared as string, 'feeds'), window: null, say: (line) => printed.push(line) })
  expect(printed.map((line) => line.split(':')[0])).toEqual([
    'latest_prices_with_taxes_2022-08.xlsx',
    'spain_weekly_europapress_2020W17-2026W15.csv',
  ])
  const limited = found.filter(({ limit }) => limit !== null)
  expect(limited.filter(({ ok }) => !ok)).toEqual([])
  // Two products: at three horizons the ratio and the one after a calm week, at two the coverage.
  expect(limited).toHaveLength(2 * (3 + 3 + 2))
  expect(new Set(limited.map(({ window }) => window))).toEqual(new Set(['2022-07-11:2024-07-01']))
  expect(limited.filter(({ metric }) => metric === 'mae_to_last_value').map(({ points }) => points)).toEqual(Array(6).fill(104))
})

test('the command explains its invalid arguments', () => {
  const run = (...args: string[]): string =>
    spawnSync(process.execPath, [join(PROJECT, 'scripts/checks/evaluations/main.ts'), ...args], { encoding: 'utf8' }).stderr
  expect(run('fuel', '--test', '2024-01-01')).toContain('--test 2024-01-01: expected two valid days, such as 2022-07-11:2024-07-01')
  expect(run('rain')).toContain('no model rain; the models are fuel')
})
