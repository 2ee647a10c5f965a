import type { Figure, Window } from '../figures.ts'
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
        const about = {
          ...{ model: 'fuel', series: `${named}.${panel.product}`, window: `${result.window_from}:${result.window_to}` },
          ...{ horizon: `P${walk.ahead}D`, limit: null, ok: true },
        }
        const { error, baseline, points, coverage, held } = result
        return [
          { ...about, metric: 'mae_eur_l', value: error, baseline, points },
          ...(baseline > 0 ? [{ ...about, metric: 'mae_to_last_value', value: error / baseline, baseline: 1, points }] : []),
          ...(coverage === null ? [] : [{ ...about, metric: 'coverage_80', value: coverage, baseline: null, points: held }]),
        ]
      }),
    ),
  )
}
