import { expect, test } from 'vitest'
import { fitTraffic } from '../../models/traffic/fit.ts'
import { type Grid, makeGrid } from '../../models/traffic/grid.ts'
import { ALL_SERIES, horizonOf } from '../../models/traffic/predict.ts'
import { predictTraffic } from '../../models/traffic/rows.ts'
import { LOOKED_BACK_DAYS } from '../../models/traffic/typical.ts'
import { figures } from '../helpers/figures.ts'

/** Epiphany: its forecasts rest on the holidays of five months before, the first of them 145 days ago, and on what was typical then. */
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

test('forecasts look back as far as the live ones are given hours, and need no more', { timeout: 120_000 }, () => {
  const whole = gridOf(DAYS)
  const { parameters } = fitTraffic(whole, null, 'panel')
  // At all horizons the model is served, not what is typical.
  const of = Object.fromEntries([1, 2, 3, 4].map((hours) => [`${ALL_SERIES} ${horizonOf(hours)}`, { isBaseline: false, error: 0.1 }]))
  const served = { model: 'traffic', model_version: 'r1', parameters, of }
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
