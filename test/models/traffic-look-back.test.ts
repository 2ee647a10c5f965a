import { beforeAll, expect, test } from 'vitest'
import { fitTraffic } from '../../models/traffic/fit.ts'
import { type Grid, makeGrid } from '../../models/traffic/grid.ts'
import { ALL_SERIES, horizonOf, type TrafficParameters } from '../../models/traffic/predict.ts'
import { predictTraffic, type Served } from '../../models/traffic/rows.ts'
import { LOOKED_BACK_DAYS } from '../../models/traffic/typical.ts'
import { figures } from '../helpers/figures.ts'
import { deepTest } from '../helpers/tier.ts'

/** Epiphany: its forecasts need the holidays of five months before, the first 145 days ago, and the typical values then. */
const LAST = Date.parse('2026-01-06') / 86_400_000
const DAYS = 300
const SERIES = ['10 S', '11 S', '12 S'] as const

/** Hours of three sensors up to noon of the last day: a daily course that drifts, less on Sundays, and noise. */
function gridOf(backDays: number): Grid {
  const next = figures(17)
  const grid = makeGrid(LAST - backDays, LAST)
  for (let day = LAST - DAYS; day <= LAST; day++)
    for (const name of SERIES) {
      const level = (400 + 150 * Math.sin(day / 9)) * ((day + 4) % 7 === 0 ? 0.6 : 1)
      const vehicles = Array.from({ length: 24 }, (_, hour) => {
        const count = Math.round(level * (1 + Math.sin((Math.PI * (hour - 6)) / 12) * 0.8) * (0.7 + 0.6 * next()))
        return day === LAST && hour > 12 ? null : count
      })
      grid.add({ name, day, vehicles })
    }
  return grid.end()
}

let whole: Grid
let parameters: TrafficParameters
beforeAll(() => {
  whole = gridOf(DAYS)
  parameters = fitTraffic(whole, null, 'panel').parameters
}, 120_000)

/** The served values of the fit, at all horizons: the model, or the typical value. */
function servedAs(isBaseline: boolean): Served {
  const of = Object.fromEntries([1, 2, 3, 4].map((hours) => [`${ALL_SERIES} ${horizonOf(hours)}`, { isBaseline, error: 0.1 }]))
  return { model: 'traffic', model_version: 'r1', parameters, of }
}

test('forecasts look back as far as the live ones are given hours, and need no more', { timeout: 120_000 }, () => {
  const served = servedAs(false)
  const forecastsOf = (grid: Grid): unknown[] =>
    predictTraffic(grid, served).map(({ series_id, horizon, baseline, intensity_veh_h, interval_low }) => [
      series_id,
      horizon,
      baseline,
      intensity_veh_h,
      interval_low,
    ])
  const all = forecastsOf(whole)
  expect(all).toHaveLength(SERIES.length * 4)
  expect(forecastsOf(gridOf(LOOKED_BACK_DAYS))).toEqual(all)
  // Less than it states would not do.
  expect(forecastsOf(gridOf(LOOKED_BACK_DAYS - 20))).not.toEqual(all)
})

test('the typical value is served within an interval of its own errors, which is wider than that of the model', () => {
  const [model, typical] = [predictTraffic(whole, servedAs(false)), predictTraffic(whole, servedAs(true))]
  expect(typical).toHaveLength(model.length)
  const widthOf = (rows: typeof model): number =>
    rows.reduce((sum, { interval_low, interval_high }) => sum + (interval_high as number) - (interval_low as number), 0)
  for (const { forecast_kind, intensity_veh_h, baseline } of typical)
    expect([forecast_kind, intensity_veh_h]).toEqual(['BASELINE', baseline])
  expect(widthOf(typical)).toBeGreaterThan(1.2 * widthOf(model))
})

deepTest(
  'over many hours, Sundays and a holiday among them, hardly any forecast touches a bound of its interval',
  { timeout: 300_000 },
  () => {
    /** The grid as it was at the end of an hour. */
    const until = (day: number, hour: number): Grid => {
      const days = day - whole.firstDay + 1
      const counts = whole.counts.map((of) => of.slice(0, days * 24).fill(Number.NaN, (days - 1) * 24 + hour + 1))
      return { ...whole, days, counts }
    }
    const touching = (served: Served): number => {
      const rows = Array.from({ length: 9 }, (_, back) => LAST - 1 - back).flatMap((day) =>
        [1, 7, 10, 14, 19, 22].flatMap((hour) => predictTraffic(until(day, hour), served)),
      )
      expect(rows.length).toBeGreaterThan(600)
      const atBound = rows.filter(
        ({ intensity_veh_h: value, interval_low, interval_high }) => value === interval_low || value === interval_high,
      )
      return atBound.length / rows.length
    }
    expect(touching(servedAs(false))).toBeLessThanOrEqual(0.02)
    expect(touching(servedAs(true))).toBeLessThanOrEqual(0.02)
    // By the errors of the model, around its forecast, the typical value would.
    const { bounds, scales } = parameters.spread
    expect(touching({ ...servedAs(true), parameters: { ...parameters, spread: { bounds, scales } } })).toBeGreaterThan(0.1)
  },
)
