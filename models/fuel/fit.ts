import { BULLETIN_FUELS } from '../../lake/datasets/fuel/codes.ts'
import { dayBounds } from '../../lake/schema/time.ts'
import { SEASONS, seasonOf } from '../figures.ts'
import type { Check, Fit, Score } from '../run/run.ts'
import { fuelCharts } from './charts.ts'
import { type Forecast, HORIZONS_WEEKS, LEAST_WEEKS, valueBy, walk } from './forecast.ts'
import { coverageOf, meanError, type Outcome } from './outcomes.ts'
import { hasEnded, newestOf, type Panel, panelOf, priceOf, unitOf } from './panel.ts'
import type { WeekPrice } from './weeks.sql.ts'

/** Weeks of outcomes that a fit is evaluated on: the last scored window. */
const WINDOW_WEEKS = 104
const WEEK_DAYS = 7
/** Minimum outcomes of a season for a reported error. */
const LEAST_POINTS = 8

/** Parameters for forecasting one product and horizon: coefficients, and the interval width relative to the volatility. */
type Coefficients = {
  readonly weights: readonly number[]
  readonly rank: number | null
}

/**
 * The parameters of a version: coefficients by product and horizon (`GASOLINE_95_E5 P7D`), and the first and last week of the
 * training data.
 */
export type FuelParameters = {
  /** Missing in old versions. */
  readonly data_from?: string
  readonly data_to: string
  readonly of: { readonly [seriesAndHorizon: string]: Coefficients }
}

/** A horizon in weeks as an ISO 8601 duration. */
export const horizonOf = (weeks: number): string => `P${weeks * WEEK_DAYS}D`
/** The forecast code of a bulletin product. */
export const fuelOf = (product: string): string => BULLETIN_FUELS[product] ?? product

/** The panels of all products with enough weeks that the country still reports, by forecast code, in order. */
function panelsOf(prices: readonly WeekPrice[]): Map<string, Panel> {
  const products = [...new Set(prices.map(({ product }) => product))].sort()
  const panels = products.map((product) => [fuelOf(product), panelOf(product, prices)] as const)
  const newest = newestOf(panels.map(([, panel]) => panel))
  return new Map(panels.filter(([, panel]) => panel.own.length >= LEAST_WEEKS && !hasEnded(panel, newest)))
}

/**
 * Fits the model to all weeks, and evaluates it on the outcomes of two years with walk-forward forecasts. The champion is
 * evaluated on the same: until it was fitted by a walk over its weeks (its coefficients saw those outcomes), then by its
 * coefficients. Throws if no product has enough weeks or outcomes.
 */
export function fitFuel(prices: readonly WeekPrice[], standing: FuelParameters | null): Fit<FuelParameters> {
  if (prices.length === 0) throw new Error('no prices to fit to')
  const panels = panelsOf(prices)
  const checks: Check[] = []
  const scores: Score[] = []
  const of: Record<string, Coefficients> = {}
  const byLabel = new Map<string, readonly Outcome[]>()
  const days = prices.map(({ date }) => date).sort()
  const [data_from, data_to] = [days[0] as string, days.at(-1) as string]
  // An archive may have added earlier weeks since.
  const since = standing?.data_from ?? data_from
  const former = since > data_from ? prices.filter(({ date }) => date >= since) : prices
  for (const [series, panel] of panels)
    for (const weeks of HORIZONS_WEEKS) {
      const horizon = horizonOf(weeks)
      const made = walk(panel, weeks)
      const newest = made.at(-1) as Forecast
      if (![...newest.weights].every(Number.isFinite)) throw new Error(`${series} at ${horizon}: coefficients that are not numbers`)
      of[`${series} ${horizon}`] = { weights: [...newest.weights], rank: newest.rank }
      const saidBefore = former === prices ? made : walk(panelOf(panel.product, former), weeks)
      const outcomes = outcomesOf(panel, made, {
        weights: standing?.of[`${series} ${horizon}`]?.weights,
        until: standing?.data_to,
        saidBefore,
      })
      if (outcomes.length === 0) continue
      byLabel.set(`${series} ${horizon}`, outcomes)
      const window = { window_from: (outcomes[0] as Outcome).date, window_to: (outcomes.at(-1) as Outcome).date }
      checks.push(checkOf(series, horizon, outcomes))
      scores.push(...scoresOf(outcomes, unitOf(panel.product)).map((score) => ({ series, horizon, ...window, ...score })))
    }
  const made_at = dayBounds(data_to).end
  return { data_from, data_to, made_at, parameters: { data_from, data_to, of }, checks, scores, charts: fuelCharts(byLabel) }
}

function outcomesOf(
  panel: Panel,
  made: readonly Forecast[],
  standing: {
    readonly weights: readonly number[] | undefined
    readonly until: string | undefined
    readonly saidBefore: readonly Forecast[]
  },
): Outcome[] {
  const saidFor = new Map(standing.saidBefore.map(({ day, value }) => [day, value]))
  const since = (panel.days.at(-1) as number) - WINDOW_WEEKS * WEEK_DAYS
  const euros = (log: number): number => priceOf(panel.product, log)
  return made.flatMap((one): Outcome[] => {
    if (one.target === null || one.day <= since) return []
    const { weights, until } = standing
    const wasThere = until !== undefined && (panel.dates[one.origin] as string) <= until
    const theirs =
      weights === undefined || weights.length !== one.weights.length
        ? null
        : wasThere
          ? (saidFor.get(one.day) ?? null)
          : valueBy(weights, panel, one.origin)
    return [
      {
        ...{ date: panel.dates[one.target] as string, actual: euros(panel.own[one.target] as number) },
        ...{ value: euros(one.value), last: euros(one.last), standing: theirs === null ? null : euros(theirs) },
        low: one.half === null ? null : euros(one.value - one.half),
        high: one.half === null ? null : euros(one.value + one.half),
      },
    ]
  })
}

function checkOf(series: string, horizon: string, outcomes: readonly Outcome[]): Check {
  const standing = outcomes.some((one) => one.standing === null) ? null : meanError(outcomes, (one) => one.standing as number)
  const error = meanError(outcomes, ({ value }) => value)
  return { series, horizon, error, baseline: meanError(outcomes, ({ last }) => last), standing, points: outcomes.length }
}

type OutcomeScore = Omit<Score, 'series' | 'horizon' | 'window_from' | 'window_to'>

function scoresOf(outcomes: readonly Outcome[], unit: Score['metric_unit']): OutcomeScore[] {
  const errors = (subset: string, some: readonly Outcome[]): OutcomeScore => ({
    ...{ metric: 'MAE', subset, metric_unit: unit, baseline_kind: 'LAST_VALUE', points: some.length },
    ...{ value: meanError(some, ({ value }) => value), baseline: meanError(some, ({ last }) => last) },
  })
  const seasonal = SEASONS.flatMap((season) => {
    const theirs = outcomes.filter(({ date }) => seasonOf(date) === season)
    return theirs.length < LEAST_POINTS ? [] : [errors(season, theirs)]
  })
  const { share, points } = coverageOf(outcomes)
  const covered = { metric: 'COVERAGE_80', subset: 'ALL', metric_unit: '1', baseline: null, baseline_kind: null, points } as const
  return [errors('ALL', outcomes), ...seasonal, ...(share === null ? [] : [{ ...covered, value: share }])]
}
