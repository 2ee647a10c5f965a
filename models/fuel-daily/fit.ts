import { dayBounds } from '../../lake/schema/time.ts'
import type { Window } from '../figures.ts'
import { drawChart } from '../run/chart.ts'
import type { CardChart, Check, Fit, Score } from '../run/run.ts'
import type { StationMeans } from './days.sql.ts'
import { changeOn, DAYS_AHEAD, type DayPanel, type DayWalk, dayPanel, halfOn, restless, walkDays } from './walk.ts'

/** Days of outcomes that a fit is evaluated on: the last scored window. */
const WINDOW_DAYS = 90
const DAY_MS = 86_400_000
/** Days ahead for which the coverage of intervals is measured. */
const COVERED: readonly number[] = [1, DAYS_AHEAD]
/** Kinds of areas with separate errors. */
export const AREA_KINDS = ['NATION', 'PROVINCE'] as const

/**
 * The parameters of a version: coefficients by product and days ahead (`DIESEL_A P3D`), and the first and last day of the
 * training data.
 */
export type DailyParameters = {
  /** Missing in old versions. */
  readonly data_from?: string
  readonly data_to: string
  readonly of: { readonly [productAndHorizon: string]: readonly number[] }
}

/** The series of a product's errors: for Spain, or for all provinces together. */
export const seriesOf = (product: string, area_kind: string): string => `${product}.${area_kind}`
/** The date, YYYY-MM-DD, of days since 1970. */
export const dateOfDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

const dayNumber = (date: string): number => Date.parse(date) / DAY_MS

/** The panels of all products, ordered by product. */
export function panelsOf(means: readonly StationMeans[]): DayPanel[] {
  return [...new Set(means.map(({ product }) => product))].sort().map((product) => dayPanel(product, means))
}

/**
 * Fits the model to all days, and evaluates it on the outcomes of the last 90 with walk-forward forecasts. The champion is
 * evaluated on the same outcomes, as in `fitFuel`. Throws if there is no price.
 */
export function fitDaily(means: readonly StationMeans[], standing: DailyParameters | null): Fit<DailyParameters> {
  const panels = panelsOf(means)
  if (panels.length === 0) throw new Error('no prices to fit to')
  const of: Record<string, readonly number[]> = {}
  const checks: Check[] = []
  const scores: Score[] = []
  for (const panel of panels)
    for (let ahead = 1; ahead <= DAYS_AHEAD; ahead++) {
      const walk = walkDays(panel, ahead)
      const before = walkBefore(panel, walk, standing)
      const name = `${panel.product} P${ahead}D`
      of[name] = walk.weights
      for (const area_kind of AREA_KINDS) {
        const series = seriesOf(panel.product, area_kind)
        const result = outcomesOf(panel, walk, { area_kind, weights: standing?.of[name], until: standing?.data_to, before })
        if (result.points === 0) continue
        const { error, baseline, points, coverage, held, ...window } = result
        checks.push({ series, horizon: `P${ahead}D`, error, baseline, standing: result.standing, points })
        const about = { series, horizon: `P${ahead}D`, subset: 'ALL', window_from: window.window_from, window_to: window.window_to }
        scores.push({ ...about, metric: 'MAE', metric_unit: 'EUR/L', value: error, baseline, baseline_kind: 'LAST_VALUE', points })
        const covered = { ...about, metric: 'COVERAGE_80', metric_unit: '1', baseline: null, baseline_kind: null, points: held } as const
        if (coverage !== null) scores.push({ ...covered, value: coverage })
      }
    }
  const data_from = dateOfDay(Math.min(...panels.map(({ first }) => first)))
  const data_to = dateOfDay(Math.max(...panels.map(({ first, days }) => first + days - 1)))
  const made_at = dayBounds(data_to).end
  return { data_from, data_to, made_at, parameters: { data_from, data_to, of }, checks, scores, charts: chartsOf(checks) }
}

/**
 * The model's forecasts while the champion was current: a walk over the days that it had, since archives may add earlier days
 * later.
 */
function walkBefore(panel: DayPanel, walk: DayWalk, standing: DailyParameters | null): DayWalk {
  const began = standing?.data_from === undefined ? 0 : dayNumber(standing.data_from) - panel.first
  if (began <= 0) return walk
  const areas = panel.areas.map((area) => ({ ...area, logs: area.logs.map((log, day) => (day < began ? Number.NaN : log)) }))
  return walkDays({ ...panel, areas }, walk.ahead)
}

/**
 * Walk-forward results for areas of a kind, over outcomes in a window (the last 90 days by default): mean absolute errors in
 * EUR/L of the model, the last value and the champion (null if it cannot forecast all), and how many outcomes were within
 * intervals. Meaningless if `points` is 0.
 */
export function outcomesOf(
  panel: DayPanel,
  { ahead, changes }: DayWalk,
  of: {
    readonly area_kind: string
    readonly weights?: readonly number[] | undefined
    readonly until?: string | undefined
    /** Its forecasts until then; those of the walk by default. */
    readonly before?: DayWalk
    readonly window?: Window | null
  },
) {
  const { first, days, areas } = panel
  const [from, to] = of.window
    ? [Math.max(ahead, dayNumber(of.window.from) - first), Math.min(days - 1, dayNumber(of.window.to) - first)]
    : [Math.max(ahead, days - WINDOW_DAYS), days - 1]
  const sums = { error: 0, last: 0, standing: 0 }
  let [points, held, inside] = [0, 0, 0]
  let canStand = of.weights !== undefined
  const until = of.until ?? ''
  for (const [area, { area_kind, logs }] of areas.entries()) {
    if (area_kind !== of.area_kind) continue
    const said = changes[area] as Float64Array
    const saidBefore = of.before?.changes[area] ?? said
    const scale = restless(logs, ahead)
    for (let day = from - ahead; day + ahead <= to; day++) {
      const [now, actual, change] = [logs[day], logs[day + ahead], said[day]] as [number, number, number]
      if (Number.isNaN(actual) || Number.isNaN(change)) continue
      points += 1
      sums.error += Math.abs(Math.exp(now + change) - Math.exp(actual))
      sums.last += Math.abs(Math.exp(now) - Math.exp(actual))
      const theirs =
        dateOfDay(first + day) <= until ? (saidBefore[day] as number) : of.weights ? changeOn(of.weights, panel, { area, day }) : null
      if (theirs === null || Number.isNaN(theirs)) canStand = false
      else sums.standing += Math.abs(Math.exp(now + theirs) - Math.exp(actual))
      if (!COVERED.includes(ahead)) continue
      const half = halfOn({ logs, scale, said: (at) => said[at] as number, ahead }, day)
      if (half === null) continue
      held += 1
      if (Math.abs(now + change - actual) <= half) inside += 1
    }
  }
  return {
    ...{ points, held, coverage: held === 0 ? null : inside / held },
    ...{ error: sums.error / points, baseline: sums.last / points, standing: canStand ? sums.standing / points : null },
    ...{ window_from: dateOfDay(first + from), window_to: dateOfDay(first + to) },
  }
}

/** Errors of the best-selling products by days ahead, as shares of the last value's. */
function chartsOf(checks: readonly Check[]): CardChart[] {
  const labels = Array.from({ length: DAYS_AHEAD }, (_, at) => `P${at + 1}D`)
  const shown = ['GASOLINE_95_E5', 'DIESEL_A'].flatMap((product) => AREA_KINDS.map((kind) => seriesOf(product, kind)))
  const figures = shown.flatMap((series) => {
    const own = new Map(checks.flatMap((one) => (one.series === series ? [[one.horizon, one.error / one.baseline] as const] : [])))
    return own.size === 0 ? [] : [{ name: series, values: labels.map((label) => own.get(label) ?? null) }]
  })
  if (figures.length === 0) return []
  const title = 'Mean absolute error by days ahead, as a share of that of the last value'
  return [drawChart({ name: 'errors', title, unit: '1', kind: 'lines', labels, figures, level: { name: 'Last value', value: 1 } })]
}
