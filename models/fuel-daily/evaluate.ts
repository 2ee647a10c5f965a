import type { Figure, Window } from '../figures.ts'
import type { StationMeans } from './days.sql.ts'
import { AREA_KINDS, outcomesOf, panelsOf } from './fit.ts'
import { DAYS_AHEAD, walkDays } from './walk.ts'

/**
 * The errors of the forecasts of every product, of the nation and of provinces apart, one to seven days ahead: of outcomes within a window (the last
 * 90 days unless told), walked forward, beside those of the last value. `named` is what the series are called after.
 */
export function evaluateDaily(means: readonly StationMeans[], window: Window | null, named: string): Figure[] {
  return panelsOf(means).flatMap((panel) =>
    Array.from({ length: DAYS_AHEAD }, (_, at) => walkDays(panel, at + 1)).flatMap((walk) =>
      AREA_KINDS.flatMap((area_kind) => {
        const told = outcomesOf(panel, walk, { area_kind, window })
        if (told.points === 0) return []
        const about = {
          ...{ model: 'fuel', series: `${named}.${panel.product}`, window: `${told.window_from}:${told.window_to}` },
          ...{ horizon: `P${walk.ahead}D`, limit: null, ok: true },
        }
        const { error, baseline, points, coverage, held } = told
        return [
          { ...about, metric: 'mae_eur_l', value: error, baseline, points },
          ...(baseline > 0 ? [{ ...about, metric: 'mae_to_last_value', value: error / baseline, baseline: 1, points }] : []),
          ...(coverage === null ? [] : [{ ...about, metric: 'coverage_80', value: coverage, baseline: null, points: held }]),
        ]
      }),
    ),
  )
}
