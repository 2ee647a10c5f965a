import { BULLETIN_FUELS } from '../../lake/datasets/fuel/codes.ts'
import { dayBounds } from '../../lake/schema/time.ts'
import type { Check, Fit, Score } from '../run/run.ts'
import { fuelCharts } from './charts.ts'
import { type Forecast, HORIZONS_WEEKS, LEAST_WEEKS, valueBy, walk } from './forecast.ts'
import { coverageOf, meanError, type Outcome } from './outcomes.ts'
import { hasEnded, newestOf, type Panel, panelOf } from './panel.ts'
import { priceOf, unitOf } from './units.ts'
import type { WeekPrice } from './weeks.sql.ts'

/** Weeks whose outcomes the model is held against: the last scored window. */
const WINDOW_WEEKS = 104
const WEEK_DAYS = 7
/** Fewest outcomes of a season that an error is told of. */
const LEAST_POINTS = 8
const SEASONS = ['WINTER', 'SPRING', 'SUMMER', 'AUTUMN'] as const

/** What forecasts are made with, of one product and horizon: coefficients, and the width of the interval by the scale of the time. */
type Coefficients = {
  readonly weights: readonly number[]
  readonly rank: number | null
}

/** What a version of the model is: coefficients by product and horizon (`GASOLINE_95_E5 P7D`), and the first and the newest week that they have learnt from. */
export type FuelParameters = {
  /** Not known of versions from before it was told. */
  readonly data_from?: string
  readonly data_to: string
  readonly of: { readonly [seriesAndHorizon: string]: Coefficients }
}

/** The horizon of some weeks as an ISO 8601 duration. */
export const horizonOf = (weeks: number): string => `P${weeks * WEEK_DAYS}D`
/** The code under which a product of the bulletin is forecast. */
export const fuelOf = (product: string): string => BULLETIN_FUELS[product] ?? product

/** The panels of all products that the country has enough weeks of and still reports, by the codes that they are forecast under, in order of these. */
function panelsOf(prices: readonly WeekPrice[]): Map<string, Panel> {
  const products = [...new Set(prices.map(({ product }) => product))].sort()
  const panels = products.map((product) => [fuelOf(product), panelOf(product, prices)] as const)
  const newest = newestOf(panels.map(([, panel]) => panel))
  return new Map(panels.filter(([, panel]) => panel.own.length >= LEAST_WEEKS && !hasEnded(panel, newest)))
}

/**
 * Fits the model to all weeks, and holds it against the outcomes of the last two years: each by the forecast that was made with what was known
 * before it; without a product that has enough weeks there is none. The standing version is held against the same: until the week that it was fitted in
 * it said what the model says that walks over the weeks that it had, for its coefficients have seen those outcomes; since then what they give. Throws where no product has enough weeks, or the bulletin no outcome to hold it against.
 */
export function fitFuel(prices: readonly WeekPrice[], standing: FuelParameters | null): Fit<FuelParameters> {
  if (prices.length === 0) throw new Error('no prices to fit to')
  const panels = panelsOf(prices)
  const checks: Check[] = []
  const scores: Score[] = []
  const of: Record<string, Coefficients> = {}
  const told = new Map<string, readonly Outcome[]>()
  const days = prices.map(({ date }) => date).sort()
  const [data_from, data_to] = [days[0] as string, days.at(-1) as string]
  // Weeks that an archive brought later had nothing to teach it then.
  const since = standing?.data_from ?? data_from
  const former = since > data_from ? prices.filter(({ date }) => date >= since) : prices
  for (const [series, panel] of panels)
    for (const weeks of HORIZONS_WEEKS) {
      const horizon = horizonOf(weeks)
      const made = walk(panel, weeks)
      const newest = made.at(-1) as Forecast
      if (![...newest.weights].every(Number.isFinite)) throw new Error(`${series} at ${horizon}: coefficients that are no numbers`)
      of[`${series} ${horizon}`] = { weights: [...newest.weights], rank: newest.rank }
      const saidBefore = former === prices ? made : walk(panelOf(panel.product, former), weeks)
      const outcomes = outcomesOf(panel, made, {
        weights: standing?.of[`${series} ${horizon}`]?.weights,
        until: standing?.data_to,
        saidBefore,
      })
      if (outcomes.length === 0) continue
      told.set(`${series} ${horizon}`, outcomes)
      const window = { window_from: (outcomes[0] as Outcome).date, window_to: (outcomes.at(-1) as Outcome).date }
      checks.push(checkOf(series, horizon, outcomes))
      scores.push(...scoresOf(outcomes, unitOf(panel.product)).map((score) => ({ series, horizon, ...window, ...score })))
    }
  return {
    data_from,
    data_to,
    made_at: dayBounds(data_to).end,
    parameters: { data_from, data_to, of },
    checks,
    scores,
    charts: fuelCharts(told),
  }
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

/** The season of a date by its month: winter is December to February. */
function seasonOf(date: string): (typeof SEASONS)[number] {
  const month = Number(date.slice(5, 7)) - 1
  return SEASONS[Math.floor(((month + 1) % 12) / 3)] as (typeof SEASONS)[number]
}
