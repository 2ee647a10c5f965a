import { type Figure, figureOf, type Window } from '../figures.ts'
import type { StationMeans } from './days.sql.ts'
import { AREA_KINDS, outcomesOf, panelsOf } from './fit.ts'
import { DAYS_AHEAD, walkDays } from './walk.ts'

/**
 * Forecast errors of every product, for the nation and for provinces, one to seven days ahead: over outcomes in a window (the
 * last 90 days by default), walk-forward, with those of the last value. `named` is the prefix of series names.
 */
export function evaluateDaily(means: readonly StationMeans[], window: Window | null, named: string): Figure[] {
  return panelsOf(means).flatMap((panel) =>
    Array.from({ length: DAYS_AHEAD }, (_, at) => walkDays(panel, at + 1)).flatMap((walk) =>
      AREA_KINDS.flatMap((area_kind) => {
        const result = outcomesOf(panel, walk, { area_kind, window })
        if (result.points === 0) return []
        const { error, baseline, points, coverage, held, window_from, window_to } = result
        const about = {
          model: 'fuel',
          series: `${named}.${panel.product}`,
          window: `${window_from}:${window_to}`,
          horizon: `P${walk.ahead}D`,
        }
        return [
          figureOf(about, 'mae_eur_l', { value: error, baseline, points }),
          ...(baseline > 0 ? [figureOf(about, 'mae_to_last_value', { value: error / baseline, baseline: 1, points })] : []),
          ...(coverage === null ? [] : [figureOf(about, 'coverage_80', { value: coverage, points: held })]),
        ]
      }),
    ),
  )
}
