import { expect, onTestFinished, test } from 'vitest'
import { fuelDays } from '../../lake/datasets/fuel/prices.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { dayBounds } from '../../lake/schema/time.ts'
import { fitFuel } from '../../models/fuel/fit.ts'
import { type Forecast, HORIZONS_WEEKS, valueBy, walk } from '../../models/fuel/forecast.ts'
import { panelOf } from '../../models/fuel/panel.ts'
import { predictFuel, type Served } from '../../models/fuel/predict.ts'
import { makeRidge } from '../../models/fuel/ridge.ts'
import type { WeekPrice } from '../../models/fuel/weeks.sql.ts'
import { MEANS_COLUMNS, stationMeans } from '../../models/fuel-daily/days.sql.ts'
import { predictDaily } from '../../models/fuel-daily/predict.ts'
import { exampleTableRow } from '../api/service.ts'
import { figures } from '../helpers/figures.ts'
import { tempFolder } from '../helpers/temp.ts'
import { landRows, openTestLake } from '../lake/query/fixtures.ts'

const DAY = 86_400_000
const FIRST = Date.UTC(2015, 0, 5)
const dateOf = (days: number): string => new Date(FIRST + days * DAY).toISOString().slice(0, 10)
const COUNTRIES = ['ES', 'FR', 'IT']

/** Weeks of three countries that wander; Spain follows its own changes a little. */
const PRICES: readonly WeekPrice[] = (() => {
  const next = figures(21)
  const state = COUNTRIES.map((country_code) => ({ country_code, level: 1300, change: 0 }))
  return Array.from({ length: 320 }, (_, week) =>
    state.map((one) => {
      one.change = 0.5 * one.change + 0.03 * (next() - 0.5)
      one.level *= 1 + one.change
      return { product: 'EURO_SUPER_95', country_code: one.country_code, date: dateOf(7 * week), price_with_tax: one.level }
    }),
  ).flat()
})()
const PANEL = panelOf('EURO_SUPER_95', PRICES)
const LAST = PANEL.own.length - 1
/** Spain, Europe and the two others, the two last changes, and the distance. */
const FEATURES = 2 * (2 + 2) + 1

/** The features of a week, read through coefficients that are one at a time. */
function featuresOf(week: number): number[] {
  return Array.from({ length: FEATURES }, (_, nth) => {
    const weights = Array.from({ length: FEATURES }, (_each, at) => (at === nth ? 1 : 0))
    return (valueBy(weights, PANEL, week) as number) - (PANEL.own[week] as number)
  })
}

test('a forecast depends on the last two changes of Spain, of Europe and of each country at half, and on the distance to Europe beyond that of a year', () => {
  const { own, europe, others } = PANEL
  const change = (of: readonly number[], back: number): number => (of[LAST - back] as number) - (of[LAST - back - 1] as number)
  const apart = (back: number): number => (own[LAST - back] as number) - (europe[LAST - back] as number)
  const usual = Array.from({ length: 52 }, (_, back) => apart(back)).reduce((sum, one) => sum + one, 0) / 52
  const expected = [0, 1].flatMap((lag) => [
    ...[change(own, lag), change(europe, lag)],
    ...others.map((changes) => (changes[LAST - lag] as number) / 2),
  ])
  for (const [at, feature] of featuresOf(LAST).entries()) expect(feature).toBeCloseTo([...expected, apart(0) - usual][at] as number, 9)
  expect([valueBy(Array(FEATURES).fill(0), PANEL, 53), valueBy([0], PANEL, LAST)]).toEqual([null, null])
})

test.each(HORIZONS_WEEKS)('coefficients have learnt from every outcome of %i weeks that is known, and from none that is not', (horizon) => {
  const ridge = makeRidge(FEATURES, 0.03)
  for (let origin = 54; origin + horizon <= LAST; origin++)
    ridge.add(featuresOf(origin), (PANEL.own[origin + horizon] as number) - (PANEL.own[origin] as number))
  const expected = ridge.fit()
  const { weights } = walk(PANEL, horizon).at(-1) as Forecast
  for (const [at, weight] of weights.entries()) expect(weight).toBeCloseTo(expected[at] as number, 6)
})

test.each(HORIZONS_WEEKS)('an interval of %i weeks depends on the last 156 due errors, by how restless the price is', (horizon) => {
  const made = walk(PANEL, horizon)
  const last = made.at(-1) as Forecast
  const due = made.filter(({ target }) => target !== null).slice(-156)
  expect(due).toHaveLength(156)
  const rankOf = (said: (one: Forecast) => number): number => {
    const errors = due.map((one) => Math.abs(said(one) - (PANEL.own[one.target as number] as number)) / one.scale)
    return errors.toSorted((one, other) => one - other)[Math.ceil(0.8 * 157) - 1] as number
  }
  expect(last.rank).toBeCloseTo(
    rankOf(({ value }) => value),
    9,
  )
  expect(last.half).toBeCloseTo((last.rank as number) * last.scale, 12)
  expect(last.lastHalf).toBeCloseTo(rankOf((one) => one.last) * last.scale, 9)
  // Means that fade by half in three weeks: of the changes, and of the errors that have come due.
  const faded = (values: readonly number[]): number =>
    values.slice(1).reduce((mean, value) => mean + (1 - 0.5 ** (1 / 3)) * (value - mean), values[0] as number)
  const moves = PANEL.own.slice(1).map((log, at) => Math.abs(log - (PANEL.own[at] as number)))
  const astray = made.flatMap(({ target, value }) => (target === null ? [] : [Math.abs(value - (PANEL.own[target] as number))]))
  expect(last.scale).toBeCloseTo(0.004 * Math.sqrt(horizon) + (faded(moves) + faded(astray)) / 2, 12)
})

test('between weeks the variance of the error grows evenly; the served forecast has its own errors', () => {
  const early = fitFuel(
    PRICES.filter(({ date }) => date <= dateOf(7 * 250)),
    null,
  )
  const halves = (of: Served['of']): Map<string, number> =>
    new Map(
      predictFuel(PRICES, { model_version: 'v', made_at: 0, parameters: early.parameters, of }).map(({ horizon, price, interval_high }) => [
        horizon,
        Math.log((interval_high as number) / (price as number)),
      ]),
    )
  const names = HORIZONS_WEEKS.map((weeks) => `P${7 * weeks}D`)
  const modelled = halves(Object.fromEntries(names.map((name) => [`GASOLINE_95_E5 ${name}`, { isBaseline: false, error: 0.01 }])))
  const plain = halves({})
  for (const [at, weeks] of HORIZONS_WEEKS.entries()) {
    const state = walk(PANEL, weeks).at(-1) as Forecast
    const rank = early.parameters.of[`GASOLINE_95_E5 ${names[at]}`]?.rank as number
    expect(modelled.get(names[at] as string)).toBeCloseTo(rank * state.scale, 4)
    expect(plain.get(names[at] as string)).toBeCloseTo(state.lastHalf as number, 4)
  }
  for (const half of [modelled, plain]) {
    const of = (days: number): number => half.get(`P${days}D`) as number
    expect(of(3)).toBeCloseTo(of(7) * Math.sqrt(3 / 7), 4)
    expect(of(10)).toBeCloseTo(Math.sqrt(of(7) ** 2 + (3 / 7) * (of(14) ** 2 - of(7) ** 2)), 4)
  }
  expect([...plain.keys()]).toEqual([...Array.from({ length: 14 }, (_, at) => `P${at + 1}D`), 'P28D'])
})

test('a fit is held against the last 104 weeks, by season too; a standing version against the same, as it walked until its newest week', () => {
  const until = (week: number): readonly WeekPrice[] => PRICES.filter(({ date }) => date <= dateOf(7 * week))
  const early = fitFuel(until(270), null)
  const now = fitFuel(PRICES, early.parameters)
  for (const { standing, error, points } of now.checks) {
    expect([points, standing === error]).toEqual([104, false])
    expect(Math.abs((standing as number) / error - 1)).toBeLessThan(0.2)
  }
  expect(fitFuel(PRICES, now.parameters).checks.every(({ standing, error }) => standing === error)).toBe(true)
  // The former forecasts of one that began later are unknown: its coefficients, of all weeks, stand in for them.
  const later = fitFuel(PRICES, { ...now.parameters, data_from: dateOf(7) })
  expect(later.checks.some(({ standing, error }) => standing === error)).toBe(false)
  const months = Array.from({ length: 104 }, (_, at) => Number(dateOf(7 * (319 - at)).slice(5, 7)))
  const seasons = { WINTER: [12, 1, 2], SPRING: [3, 4, 5], SUMMER: [6, 7, 8], AUTUMN: [9, 10, 11] }
  for (const [subset, theirs] of Object.entries(seasons)) {
    const score = now.scores.find((one) => one.subset === subset && one.horizon === 'P7D')
    expect([subset, score?.points]).toEqual([subset, months.filter((month) => theirs.includes(month)).length])
  }
})

test('an area whose prices ended more than a week before the newest has no number, and gives its last date', () => {
  const dates = Array.from({ length: 200 }, (_, day) => dateOf(day))
  const of = (area: string, days: number) => ({
    ...{ product: 'DIESEL_A', area_kind: area === 'ES' ? 'NATION' : 'PROVINCE', area },
    ...{ dates: dates.slice(0, days), prices: dates.slice(0, days).map((_, at) => 1.5 + 0.01 * Math.sin(at)) },
  })
  const rows = predictDaily([of('ES', 200), of('28', 193), of('08', 192)], {
    ...{ model_version: 'v', parameters: { data_to: dates[199] as string, of: {} }, of: {} },
  })
  const intervalsOf = (area: string): unknown => {
    const { absence, reason, price } = rows.find((row) => row.area === area) ?? {}
    return [absence, reason, price !== null]
  }
  expect(['ES', '28', '08'].map(intervalsOf)).toEqual([
    [null, null, true],
    [null, null, true],
    ['ENDED', `no price since ${dates[191]}`, false],
  ])
})

test('means are those of Spain and its provinces, by the litre, of days that are over and of two years', async () => {
  const lake = await openTestLake(tempFolder())
  onTestFinished(() => lake.close())
  const row = (date: string, values: AnyRow = {}): AnyRow =>
    exampleTableRow(fuelDays, {
      ...{ month: date.slice(0, 7), date, period_start: dayBounds(date).start, product: 'DIESEL_A', area_kind: 'NATION', area: 'ES' },
      ...{ price_unit: 'EUR/L', price_mean: 1.5, ...values },
    })
  const dates = ['2024-03-09', '2024-03-10', '2026-03-09', '2026-03-10']
  await landRows(lake, fuelDays, [
    ...dates.map((date) => row(date)),
    row('2026-03-09', { area_kind: 'PROVINCE', area: '28', price_mean: 1.6 }),
    row('2026-03-09', { area_kind: 'OPERATOR', area: 'X' }),
    row('2026-03-09', { product: 'CNG', price_unit: 'EUR/kg' }),
    row('2026-03-10', { area_kind: 'PROVINCE', area: '08' }),
  ])
  const found = (of: readonly string[]) => lake.query(stationMeans(of), { columns: MEANS_COLUMNS, maxRows: 10 })
  expect(await found(['2024-03', '2026-03'])).toEqual([
    { product: 'DIESEL_A', area_kind: 'NATION', area: 'ES', dates: ['2024-03-10', '2026-03-09'], prices: [1.5, 1.5] },
    { product: 'DIESEL_A', area_kind: 'PROVINCE', area: '28', dates: ['2026-03-09'], prices: [1.6] },
  ])
  expect((await found(['2026-03'])).map(({ dates: testDates }) => testDates)).toEqual([['2026-03-09'], ['2026-03-09']])
})
