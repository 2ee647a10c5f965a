import type { fuelForecasts } from '../../lake/datasets/fuel/forecasts.ts'
import type { Row } from '../../lake/schema/dataset.ts'
import { dayBounds } from '../../lake/schema/time.ts'
import type { ServedOf } from '../run/run.ts'
import { type FuelParameters, fuelOf, horizonOf } from './fit.ts'
import { type Forecast, HORIZONS_WEEKS, type HorizonWeeks, LEAST_WEEKS, LEVEL, valueBy, walk } from './forecast.ts'
import { hasEnded, newestOf, type Panel, panelOf, priceOf, unitOf } from './panel.ts'
import type { WeekPrice } from './weeks.sql.ts'

/** A row of `fuel_forecasts`. */
export type ForecastRow = Row<typeof fuelForecasts>

/** What is served for each product and horizon, from `Stood`, in a form for a thread. */
export interface Served {
  readonly model_version: string
  readonly parameters: FuelParameters
  readonly made_at: number
  readonly of: ServedOf
}

const WEEK_DAYS = 7
const DAY_MS = 86_400_000
/**
 * Days of the path: two weeks. A Monday's bulletin is published that Thursday or Friday and the next one a week later, and seven
 * days ahead must be available until then.
 */
const PATH_DAYS = 14

/** A day's forecast: log price of the bulletin, and half its interval width; null for none. */
interface Step {
  readonly value: number
  readonly half: number | null
  readonly isBaseline: boolean
  readonly error: number | null
}

/**
 * Forecasts of every product of the bulletin: for the weeks ahead, and daily by linear interpolation of log prices. Between weeks
 * the error variance grows linearly in time, a conservative assumption. A product with too few weeks or no recent prices has rows
 * with a reason and no price.
 */
export function predictFuel(prices: readonly WeekPrice[], served: Served): ForecastRow[] {
  const products = [...new Set(prices.map(({ product }) => product))].sort()
  const panels = products.map((product) => ({ product: fuelOf(product), panel: panelOf(product, prices) }))
  const newest = newestOf(panels.map(({ panel }) => panel))
  return panels.flatMap(({ product, panel }) => {
    const last = panel.days.at(-1)
    if (last === undefined) return []
    const absence = absenceOf(panel, newest)
    const rows = { product, panel, served }
    return absence === null ? known(rows) : aheadOf().map((days) => rowOf({ ...rows, days, step: null, ...absence }))
  })
}

/** Why there is no price: a code for callers, and a text for readers. */
export type Absence = Pick<ForecastRow, 'absence' | 'reason'>

function absenceOf(panel: Panel, newest: number): Absence | null {
  const { own, dates } = panel
  if (hasEnded(panel, newest)) return { absence: 'ENDED', reason: `no price since ${dates.at(-1)}` }
  const reason = `not enough data: ${own.length} weeks of prices, ${LEAST_WEEKS} are needed`
  return own.length < LEAST_WEEKS ? { absence: 'FEW_PRICES', reason } : null
}

const aheadOf = (): number[] => [...Array.from({ length: PATH_DAYS }, (_, at) => at + 1), 4 * WEEK_DAYS]

function known(of: { readonly product: string; readonly panel: Panel; readonly served: Served }): ForecastRow[] {
  const { product, panel, served } = of
  const last = panel.own.at(-1) as number
  const weeks = new Map(HORIZONS_WEEKS.map((horizon) => [horizon, stepOf(product, panel, { horizon, served })]))
  return aheadOf().map((days) => {
    const after = weeks.get((days <= WEEK_DAYS ? 1 : days <= 2 * WEEK_DAYS ? 2 : 4) as HorizonWeeks) as Step
    const before = days > WEEK_DAYS && days < 2 * WEEK_DAYS ? (weeks.get(1) as Step) : { value: last, half: 0 }
    const share = days <= 2 * WEEK_DAYS ? (((days - 1) % WEEK_DAYS) + 1) / WEEK_DAYS : 1
    const half =
      after.half === null || before.half === null ? null : Math.sqrt(before.half ** 2 + share * (after.half ** 2 - before.half ** 2))
    const step = { ...after, value: before.value + share * (after.value - before.value), half }
    return rowOf({ ...of, days, step, absence: null, reason: half === null ? 'too few past errors for an interval' : null })
  })
}

function stepOf(product: string, panel: Panel, { horizon, served }: { readonly horizon: HorizonWeeks; readonly served: Served }): Step {
  const name = `${product} ${horizonOf(horizon)}`
  const state = walk(panel, horizon).at(-1) as Forecast
  const { isBaseline, error } = served.of[name] ?? { isBaseline: true, error: null }
  const coefficients = served.parameters.of[name]
  const value = coefficients ? valueBy(coefficients.weights, panel, state.origin) : null
  if (isBaseline || value === null || !coefficients) return { value: state.last, half: state.lastHalf, isBaseline: true, error }
  return { value, half: coefficients.rank === null ? null : coefficients.rank * state.scale, isBaseline, error }
}

function rowOf(of: {
  readonly product: string
  readonly panel: Panel
  readonly served: Served
  readonly days: number
  readonly step: Step | null
  readonly absence: Absence['absence']
  readonly reason: string | null
}): ForecastRow {
  const { product, panel, served, days, step, absence, reason } = of
  const { model_version, made_at } = served
  const date = new Date(((panel.days.at(-1) as number) + days) * DAY_MS).toISOString().slice(0, 10)
  const euros = (log: number | null): number | null => (log === null ? null : Math.round(priceOf(panel.product, log) * 1e6) / 1e6)
  const half = step?.half ?? null
  return {
    ...{ model: 'fuel', model_version, made_at, series: 'BULLETIN', area_kind: 'NATION', area: 'ES', product, horizon: `P${days}D` },
    ...{
      date,
      period_start: dayBounds(date).start,
      price_unit: unitOf(panel.product),
      price: euros(step?.value ?? null),
      interval_level: LEVEL,
    },
    interval_low: step && half !== null ? euros(step.value - half) : null,
    interval_high: step && half !== null ? euros(step.value + half) : null,
    ...{ baseline: euros(panel.own.at(-1) as number), baseline_date: panel.dates.at(-1) as string },
    forecast_kind: step === null ? null : step.isBaseline ? 'BASELINE' : 'MODEL',
    recent_error: step?.error === null || step === null ? null : Math.round(step.error * 1e6) / 1e6,
    ...{ absence, reason },
  }
}
