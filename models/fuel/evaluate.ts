import { type Figure, figureOf, type Limit, type Window } from '../figures.ts'
import { type Forecast, HORIZONS_WEEKS, type HorizonWeeks, walk } from './forecast.ts'
import { type Panel, panelOf, priceOf, unitOf } from './panel.ts'
import type { WeekPrice } from './weeks.sql.ts'

/** Required results, by product and horizon. */
const LIMITS: Readonly<Record<HorizonWeeks, { readonly ratio: Limit; readonly coverage: Limit | null }>> = {
  1: { ratio: { max: 0.62 }, coverage: { min: 0.75, max: 0.85 } },
  2: { ratio: { max: 0.76 }, coverage: { min: 0.75, max: 0.85 } },
  4: { ratio: { max: 0.95 }, coverage: null },
}
const LIMITED = new Set(['EURO_SUPER_95', 'AUTOMOTIVE_GAS_OIL'])
/** Below 1: no worse than the last value when little can be gained. */
const CALM: Limit = { max: 0.9999 }
/** In a calm week the price moves by less than half a per cent. */
const CALM_CHANGE = 0.005
/** Number of changes whose mean is the drift. */
const DRIFT_WEEKS = 52
/** Weeks of the window by default. */
const WINDOW_WEEKS = 104
const DAY_MS = 86_400_000

/**
 * Forecast errors of every product with enough weeks, over outcomes in a window (the last 104 weeks by default), with those of
 * the last value and of a drift. Walk-forward: see `walk`.
 */
export function evaluate(prices: readonly WeekPrice[], window: Window | null): Figure[] {
  const products = [...new Set(prices.map(({ product }) => product))].sort()
  return products.flatMap((product) => {
    const panel = panelOf(product, prices)
    const asked = window ?? lastWeeks(panel)
    return asked === null ? [] : HORIZONS_WEEKS.flatMap((horizon) => figuresOf(panel, horizon, asked))
  })
}

function lastWeeks({ days }: Panel): Window | null {
  const last = days.at(-1)
  if (last === undefined) return null
  const date = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)
  return { from: date(last - 7 * (WINDOW_WEEKS - 1)), to: date(last) }
}

/** A forecast with a known outcome. */
interface Outcome extends Forecast {
  readonly actual: number
  readonly drift: number
  readonly isCalm: boolean
}

function figuresOf(panel: Panel, horizon: HorizonWeeks, window: Window): Figure[] {
  const { own, dates } = panel
  const outcomes = walk(panel, horizon).flatMap((one): Outcome[] => {
    const date = one.target === null ? '' : (dates[one.target] as string)
    if (one.target === null || date < window.from || date > window.to) return []
    const [now, before, longBefore] = [own[one.origin], own[one.origin - 1], own[one.origin - DRIFT_WEEKS]] as [number, number, number]
    const drift = now + (horizon * (now - longBefore)) / DRIFT_WEEKS
    return [{ ...one, actual: own[one.target] as number, drift, isCalm: Math.abs(now - before) < CALM_CHANGE }]
  })
  if (outcomes.length === 0) return []
  const isLimited = LIMITED.has(panel.product)
  const about = { model: 'fuel', series: panel.product, window: `${window.from}:${window.to}`, horizon: `${horizon}w` } as const
  const figure = (metric: string, of: Parameters<typeof figureOf>[2]): Figure =>
    figureOf(about, metric, isLimited ? of : { ...of, limit: null })
  const calm = outcomes.filter(({ isCalm }) => isCalm)
  const held = outcomes.filter(({ half }) => half !== null)
  const inside = held.filter(({ actual, value, half }) => Math.abs(actual - value) <= (half as number))
  const points = outcomes.length
  const { ratio, coverage } = LIMITS[horizon]
  const errorOf = (some: readonly Outcome[], said: (one: Outcome) => number): number => meanErrorOf(panel.product, some, said)
  const last = errorOf(outcomes, ({ last }) => last)
  return [
    figure(unitOf(panel.product) === 'EUR/t' ? 'mae_eur_t' : 'mae_eur_l', {
      value: errorOf(outcomes, ({ value }) => value),
      baseline: last,
      points,
    }),
    figure('mae_to_last_value', { value: errorOf(outcomes, ({ value }) => value) / last, baseline: 1, limit: ratio, points }),
    figure('drift_to_last_value', { value: errorOf(outcomes, ({ drift }) => drift) / last, baseline: 1, points }),
    ...(calm.length === 0
      ? []
      : [
          figure('mae_to_last_value_after_calm_week', {
            value: errorOf(calm, ({ value }) => value) / errorOf(calm, ({ last }) => last),
            ...{ baseline: 1, limit: CALM, points: calm.length },
          }),
        ]),
    ...(held.length === 0 ? [] : [figure('coverage_80', { value: inside.length / held.length, limit: coverage, points: held.length })]),
  ]
}

/** Mean absolute error, in the product's forecast unit, of the log prices returned by `said`. */
function meanErrorOf(product: string, outcomes: readonly Outcome[], said: (one: Outcome) => number): number {
  return outcomes.reduce((sum, one) => sum + Math.abs(priceOf(product, said(one)) - priceOf(product, one.actual)), 0) / outcomes.length
}
