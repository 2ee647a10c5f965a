import { expect, test } from 'vitest'
import { gridOf } from '../../models/risk/grid.ts'
import { bySection, coverageOf, fitSpread, type RiskForecast, tenthsOf, varianceOf } from '../../models/risk/spread.ts'
import { figures } from '../helpers/figures.ts'

/** Counts of means from 0.05 to 8. Their rates are gammas with the variance of a shape: the sum of `shape` exponentials. */
function made(shape: number, seed: number): RiskForecast {
  const next = figures(seed)
  const exponential = (): number => -Math.log(1 - next())
  const means = Float64Array.from({ length: 20_000 }, (_, at) => 0.05 * 160 ** (at / 20_000))
  const counts = Float64Array.from(means, (mean) => {
    const rate = (mean * Array.from({ length: shape }, exponential).reduce((sum, one) => sum + one, 0)) / shape
    let count = 0
    for (let time = exponential(); time < rate; time += exponential()) count++
    return count
  })
  return { counts, means, variances: means.map((mean) => mean ** 2 / shape) }
}

test('four of five counts are within intervals that mean it, small or great', () => {
  const truth = made(4, 5)
  for (const one of [truth, ...tenthsOf(truth)]) expect(Math.abs((coverageOf(one) as number) - 0.8)).toBeLessThan(0.025)
  const of = (factor: number): number => coverageOf({ ...truth, variances: truth.variances.map((one) => one * factor) }) as number
  expect(of(0)).toBeLessThan(0.76)
  expect(of(4)).toBeGreaterThan(0.84)
  // A certain rate leaves the chance of counting alone.
  const certain = made(100, 6)
  expect(coverageOf({ ...certain, variances: new Float64Array(certain.means.length) })).toBeCloseTo(0.8, 1)
  expect(coverageOf({ counts: [], means: new Float64Array(0), variances: new Float64Array(0) })).toBeNull()
})

test('means that are less sure than was thought get the spread that they have', () => {
  const truth = made(4, 7)
  const claimed = { ...truth, variances: truth.variances.map((one) => one / 3) }
  const spread = fitSpread([claimed])
  const variances = claimed.means.map((mean, at) => varianceOf(spread, mean, claimed.variances[at] as number))
  const ratio = (variances.at(-1) as number) / (truth.variances.at(-1) as number)
  expect(ratio).toBeGreaterThan(0.8)
  expect(ratio).toBeLessThan(1.25)
  expect(fitSpread([truth])).toEqual({ own: 1, square: 0 })
})

test('cells add up by section, with a variance that grows with the square of the time', () => {
  const grid = gridOf(
    [0, 5].map((km) => ({
      ...{ province_code: '09', road: 'N1', km },
      ...{ local_date: '2024-01-01', hour_local: 1, minute: 0, animal_code: null },
    })),
  )
  const found = bySection(grid, {
    ...{ counts: [1, 0, 2, 1], expected: Float64Array.of(1, 2, 0, 0) },
    ...{ rates: Float64Array.of(0.5, 0), variances: Float64Array.of(0.1, 0) },
  })
  expect([...Array.from(found.counts), ...found.means]).toEqual([1, 3, 3, 0])
  expect(found.variances[0]).toBeCloseTo(3.6, 9)
  expect(found.variances[1]).toBe(0)
})
