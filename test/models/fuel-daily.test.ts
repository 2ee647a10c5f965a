import { expect, test } from 'vitest'
import type { StationMeans } from '../../models/fuel-daily/days.sql.ts'
import { fitDaily } from '../../models/fuel-daily/fit.ts'
import { predictDaily } from '../../models/fuel-daily/predict.ts'
import { changeOn, dayPanel, halfOn, LEAST_DAYS, restless, walkDays } from '../../models/fuel-daily/walk.ts'
import { expectScored } from '../helpers/checked-scores.ts'
import { figures } from '../helpers/figures.ts'

const FIRST = Date.UTC(2025, 0, 1)
const dateOf = (day: number): string => new Date(FIRST + day * 86_400_000).toISOString().slice(0, 10)

/** Days of Spain and two provinces with persistent changes (0.9), and of a province that has begun; every 17th day is missing. */
function madeUp(days: number, seed: number, persistence = 0.9): StationMeans[] {
  const next = figures(seed)
  const areas = ['ES', '28', '08', '46'].map((area) => ({
    area,
    level: Math.log(1.5),
    change: 0,
    dates: [] as string[],
    prices: [] as number[],
  }))
  for (let day = 0; day < days; day++) {
    const common = 0.002 * (next() - 0.5)
    for (const one of areas) {
      one.change = persistence * one.change + common + 0.0004 * (next() - 0.5)
      one.level += one.change
      if (day % 17 === 9 || (one.area === '46' && day < days - 30)) continue
      one.dates.push(dateOf(day))
      one.prices.push(Math.exp(one.level))
    }
  }
  return areas.map(({ area, dates, prices }) => ({
    product: 'DIESEL_A',
    area_kind: area === 'ES' ? 'NATION' : 'PROVINCE',
    area,
    dates,
    prices,
  }))
}

test('no forecast depends on later data', () => {
  const means = madeUp(200, 3)
  const cut = 150
  const next = figures(8)
  const shuffled = means.map((one) => ({
    ...one,
    prices: one.prices.map((price, at) => ((one.dates[at] as string) <= dateOf(cut) ? price : price * (0.5 + next()))),
  }))
  for (const ahead of [1, 7]) {
    const [one, other] = [walkDays(dayPanel('DIESEL_A', means), ahead), walkDays(dayPanel('DIESEL_A', shuffled), ahead)]
    for (const [at, changes] of one.changes.entries()) {
      expect((other.changes[at] as Float64Array).slice(0, cut + 1)).toEqual(changes.slice(0, cut + 1))
      expect(changes.some((change) => !Number.isNaN(change))).toBe(true)
    }
    expect((other.changes[0] as Float64Array).slice(cut + 1)).not.toEqual((one.changes[0] as Float64Array).slice(cut + 1))
  }
})

test('changes that go on are learnt, intervals hold about as many outcomes as they say, and areas with few days have no number', () => {
  const means = madeUp(400, 5)
  const fit = fitDaily(means, null)
  const of = new Map(
    fit.checks.map((check) => [
      `${check.series} ${check.horizon}`,
      { isBaseline: check.error >= check.baseline, error: Math.min(check.error, check.baseline) },
    ]),
  )
  for (const { error, baseline } of fit.checks) expect(error).toBeLessThan(0.8 * baseline)
  const coverage = fit.scores.filter(({ metric }) => metric === 'COVERAGE_80')
  expect(coverage.map(({ series, horizon }) => `${series} ${horizon}`)).toEqual([
    'DIESEL_A.NATION P1D',
    'DIESEL_A.PROVINCE P1D',
    'DIESEL_A.NATION P7D',
    'DIESEL_A.PROVINCE P7D',
  ])
  for (const { value } of coverage.filter(({ series }) => series === 'DIESEL_A.PROVINCE')) expect(Math.abs(value - 0.8)).toBeLessThan(0.1)
  const served = { model_version: 'v', parameters: fit.parameters, of: Object.fromEntries(of) }
  const rows = predictDaily(means, served)
  expect(rows).toHaveLength(4 * 7)
  const own = means[0] as StationMeans
  const last = own.prices.at(-1) as number
  const panel = dayPanel('DIESEL_A', means)
  const change = changeOn(fit.parameters.of['DIESEL_A P3D'] as number[], panel, { area: 0, day: 399 }) as number
  const third = rows.find(({ area, horizon }) => area === 'ES' && horizon === 'P3D')
  expect(third).toMatchObject({
    date: dateOf(402),
    baseline_date: dateOf(399),
    forecast_kind: 'MODEL',
    series: 'STATION_MEAN',
    area_kind: 'NATION',
    absence: null,
  })
  expect(third?.price).toBeCloseTo(last * Math.exp(change), 5)
  expect(third?.interval_low as number).toBeLessThan(third?.price as number)
  expect(rows.find(({ area }) => area === '46')).toMatchObject({
    price: null,
    forecast_kind: null,
    absence: 'FEW_PRICES',
    reason: expect.stringContaining(`${LEAST_DAYS} are needed`),
  })
  // Where the model was no better, the forecast is the last value, with an interval of its own errors.
  const plain = predictDaily(means, { ...served, of: {} }).find(({ area, horizon }) => area === 'ES' && horizon === 'P3D')
  expect(plain).toMatchObject({ forecast_kind: 'BASELINE', recent_error: null, price: plain?.baseline })
  expect((plain?.interval_high as number) - (plain?.interval_low as number)).toBeGreaterThan(
    (third?.interval_high as number) - (third?.interval_low as number),
  )
})

test('a standing version is held against the same outcomes: as it walked until its newest day, and by its coefficients since', () => {
  const means = madeUp(300, 7)
  const early = fitDaily(
    means
      .map((one) => ({ ...one, dates: one.dates.filter((date) => date <= dateOf(250)) }))
      .map((one) => ({ ...one, prices: one.prices.slice(0, one.dates.length) })),
    null,
  )
  const now = fitDaily(means, early.parameters)
  for (const { standing, error } of now.checks) expect(Math.abs((standing as number) / error - 1)).toBeLessThan(0.1)
  expect(now.checks.some(({ standing, error }) => standing !== error)).toBe(true)
  expect(fitDaily(means, now.parameters).checks.every(({ standing, error }) => standing === error)).toBe(true)
  expect(() => fitDaily([], null)).toThrow('no prices')
})

test('a champion with fewer days is scored by its forecasts of that time, and not by its later learning', () => {
  const means = madeUp(400, 3, 0.5)
  const since = means.map((one) => {
    const from = one.dates.findIndex((date) => date >= dateOf(200))
    return { ...one, dates: one.dates.slice(from), prices: one.prices.slice(from) }
  })
  const standing = fitDaily(since, null)
  const errors = (checks: typeof standing.checks, of: 'error' | 'standing'): unknown =>
    checks.map((check) => [check.series, check.horizon, expect.closeTo(check[of] as number, 12)])
  const fresh = fitDaily(means, standing.parameters)
  expectScored(fresh)
  expect(fresh.checks.map((check) => [check.series, check.horizon, check.standing])).toEqual(errors(standing.checks, 'error'))
  expect(fresh.checks).not.toEqual(standing.checks)
  // It could say nothing yet of days within its first two weeks.
  const few = fitDaily(
    means.map((one) => ({ ...one, dates: one.dates.slice(-60), prices: one.prices.slice(-60) })),
    null,
  )
  expect(fitDaily(means, few.parameters).checks.every(({ standing: theirs }) => theirs === null)).toBe(true)
})

test('a change depends on the last week, the week before, the last day, and how far the nation moved beyond the area', () => {
  const dates = Array.from({ length: 30 }, (_, day) => dateOf(day))
  const [nation, province] = [(day: number): number => 0.001 * day ** 2, (day: number): number => 0.02 * Math.sin(day)]
  const of = (area: string, area_kind: string, log: (day: number) => number): StationMeans => ({
    ...{ product: 'DIESEL_A', area_kind, area, dates, prices: dates.map((_, day) => Math.exp(log(day))) },
  })
  const panel = dayPanel('DIESEL_A', [of('28', 'PROVINCE', province), of('ES', 'NATION', nation)])
  const inputs = (area: number): number[] =>
    [0, 1, 2, 3].map(
      (nth) =>
        changeOn(
          [0, 1, 2, 3].map((at) => (at === nth ? 1 : 0)),
          panel,
          { area, day: 20 },
        ) as number,
    )
  const week = (log: (day: number) => number, until = 20): number => log(until) - log(until - 7)
  const expected = [
    [week(nation), week(nation, 13), nation(20) - nation(19), 0],
    [week(province), week(province, 13), province(20) - province(19), week(nation) - week(province)],
  ]
  for (const area of [0, 1]) for (const [at, value] of inputs(area).entries()) expect(value).toBeCloseTo(expected[area]?.[at] as number, 12)
  expect(changeOn([1, 0, 0, 0], panel, { area: 1, day: 13 })).toBeNull()
})

test('an interval depends on the newest 120 due errors, of 40 at least, by how restless the price is now', () => {
  const logs = new Float64Array(400)
  const scale = new Float64Array(400).fill(1)
  scale[300] = 3
  const asked: number[] = []
  // A forecast's error grows with the age of its day.
  const half = (day: number, known = 400): number | null => {
    asked.length = 0
    return halfOn({ logs, scale, ahead: 5, said: (made) => (asked.push(made), made >= 300 - 5 - known + 1 ? 300 - made : Number.NaN) }, day)
  }
  // Errors from 5 to 124: the 97th of 121 is above four fifths.
  expect(half(300)).toBe(3 * (5 + Math.ceil(0.8 * 121) - 1))
  expect([Math.max(...asked), Math.min(...asked)]).toEqual([295, 176])
  expect([half(300, 39), half(300, 40)]).toEqual([null, 3 * (5 + Math.ceil(0.8 * 41) - 1)])
})

test('intervals of a week have their stated coverage when prices begin to run for weeks, not only when single days are wild', () => {
  const next = figures(4)
  let [held, all] = [0, 0]
  for (let area = 0; area < 60; area++) {
    let [level, change] = [0, 0]
    // Changes go on, and are six times as great in the last two months.
    const logs = Float64Array.from({ length: 260 }, (_, day) => {
      change = 0.9 * change + (day < 200 ? 0.0005 : 0.003) * (next() - 0.5)
      level += change
      return level
    })
    const of = { logs, scale: restless(logs, 7), said: () => 0, ahead: 7 }
    for (let day = 207; day < 253; day++) {
      all++
      if (Math.abs((logs[day + 7] as number) - (logs[day] as number)) <= (halfOn(of, day) as number)) held++
    }
  }
  expect(held / all).toBeGreaterThan(0.65)
})

test('a panel is of decades of all provinces', () => {
  const dates = Array.from({ length: 7000 }, (_, day) => dateOf(day - 6500))
  const of = (at: number): StationMeans => ({
    ...{ product: 'DIESEL_A', area_kind: 'PROVINCE', area: String(at), dates, prices: dates.map(() => 1.5) },
  })
  const { days, areas } = dayPanel(
    'DIESEL_A',
    Array.from({ length: 52 }, (_, at) => of(at)),
  )
  expect([days, areas.length, areas[51]?.logs.at(-1)]).toEqual([7000, 52, Math.log(1.5)])
})
