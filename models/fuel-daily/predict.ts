import { dayBounds } from '../../lake/schema/time.ts'
import type { Absence, ForecastRow } from '../fuel/predict.ts'
import type { ServedOf } from '../run/run.ts'
import type { StationMeans } from './days.sql.ts'
import { type DailyParameters, dateOfDay, panelsOf, seriesOf } from './fit.ts'
import { changeOn, DAYS_AHEAD, type DayPanel, halfOn, LEAST_DAYS, LEVEL, restless } from './walk.ts'

/** The served model, in a form that can be sent to a thread. */
export interface ServedDaily {
  readonly model_version: string
  readonly parameters: DailyParameters
  /** By series and horizon (`DIESEL_A.NATION P3D`). */
  readonly of: ServedOf
}

/** Greatest age of an area's newest price relative to the newest of all, in days. */
const MOST_BEHIND_DAYS = 7

/**
 * The forecasts of every product and area for the seven days after its newest price. An area with too few days, or without recent
 * prices, has rows without a price and with a reason.
 */
export function predictDaily(means: readonly StationMeans[], served: ServedDaily): ForecastRow[] {
  const panels = panelsOf(means)
  const newest = Math.max(...panels.map(({ first, days }) => first + days - 1))
  return panels.flatMap((panel) =>
    panel.areas.flatMap((_, area) =>
      Array.from({ length: DAYS_AHEAD }, (_each, at) =>
        rowOf(panel, { area, ahead: at + 1, newest, made_at: dayBounds(dateOfDay(newest)).end, served }),
      ),
    ),
  )
}

function rowOf(
  panel: DayPanel,
  of: { readonly area: number; readonly ahead: number; readonly newest: number; readonly made_at: number; readonly served: ServedDaily },
): ForecastRow {
  const { ahead, served, made_at } = of
  const { area_kind, area, known, logs } = panel.areas[of.area] as DayPanel['areas'][number]
  const day = logs.findLastIndex((log) => !Number.isNaN(log))
  const last = logs[day] as number
  const state = served.of[`${seriesOf(panel.product, area_kind)} P${ahead}D`] ?? { isBaseline: true, error: null }
  const none = absenceOf({ known, behind: of.newest - panel.first - day, last: dateOfDay(panel.first + day) })
  const weights = served.parameters.of[`${panel.product} P${ahead}D`]
  const change = weights && changeOn(weights, panel, { area: of.area, day })
  const isBaseline = state.isBaseline || change === null || change === undefined
  const half =
    none === null ? halfOf(panel, { area: of.area, day, ahead, weights: isBaseline ? null : (weights as readonly number[]) }) : null
  const value = last + (isBaseline ? 0 : change)
  const euros = (log: number): number => Math.round(Math.exp(log) * 1e6) / 1e6
  const date = dateOfDay(panel.first + day + ahead)
  return {
    ...{ model: 'fuel_daily', model_version: served.model_version, made_at, series: 'STATION_MEAN', area_kind, area },
    ...{ product: panel.product, horizon: `P${ahead}D`, date, period_start: dayBounds(date).start, interval_level: LEVEL },
    price: none === null ? euros(value) : null,
    interval_low: half === null ? null : euros(value - half),
    interval_high: half === null ? null : euros(value + half),
    ...{ price_unit: 'EUR/L', baseline: euros(last), baseline_date: dateOfDay(panel.first + day) },
    forecast_kind: none !== null ? null : isBaseline ? 'BASELINE' : 'MODEL',
    recent_error: none !== null || state.error === null ? null : Math.round(state.error * 1e6) / 1e6,
    absence: none?.absence ?? null,
    reason: none?.reason ?? (half === null ? 'too few past errors for an interval' : null),
  }
}

function absenceOf({ known, behind, last }: { readonly known: number; readonly behind: number; readonly last: string }): Absence | null {
  if (behind > MOST_BEHIND_DAYS) return { absence: 'ENDED', reason: `no price since ${last}` }
  const reason = `not enough data: ${known} days of prices, ${LEAST_DAYS} are needed`
  return known < LEAST_DAYS ? { absence: 'FEW_PRICES', reason } : null
}

/** From the errors that these coefficients, or the last value, would have made. */
function halfOf(
  panel: DayPanel,
  of: { readonly area: number; readonly day: number; readonly ahead: number; readonly weights: readonly number[] | null },
): number | null {
  const { logs } = panel.areas[of.area] as DayPanel['areas'][number]
  const { weights, area, ahead } = of
  const said = (day: number): number => (weights === null ? 0 : (changeOn(weights, panel, { area, day }) ?? Number.NaN))
  return halfOn({ logs, scale: restless(logs, ahead), said, ahead }, of.day)
}
