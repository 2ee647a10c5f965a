import { dayBounds } from '../../lake/schema/time.ts'
import type { Window } from '../figures.ts'
import { drawChart } from '../run/chart.ts'
import type { CardChart, Check, Fit, Score } from '../run/run.ts'
import type { StationMeans } from './days.sql.ts'
import { changeOn, DAYS_AHEAD, type DayPanel, type DayWalk, dayPanel, halfOn, restless, walkDays } from './walk.ts'

/** Days whose outcomes the model is held against: the last scored window. */
const WINDOW_DAYS = 90
const DAY_MS = 86_400_000
/** Days ahead at which it is looked at how many outcomes the intervals held. */
const COVERED: readonly number[] = [1, DAYS_AHEAD]
/** Kinds of areas whose errors are told apart. */
export const AREA_KINDS = ['NATION', 'PROVINCE'] as const

/** What a version of the model is: coefficients by product and days ahead (`DIESEL_A P3D`), and the first and the last day that they have learnt from. */
export type DailyParameters = {
  /** Not known of versions from before it was told. */
  readonly data_from?: string
  readonly data_to: string
  readonly of: { readonly [productAndHorizon: string]: readonly number[] }
}

/** The series of a product's errors: of Spain, or of all provinces together. */
export const seriesOf = (product: string, area_kind: string): string => `${product}.${area_kind}`
/** The day of a number of days since 1970, YYYY-MM-DD. */
export const dateOfDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

const dayNumber = (date: string): number => Date.parse(date) / DAY_MS

/** The panels of all products, in order of these. */
export function panelsOf(means: readonly StationMeans[]): DayPanel[] {
  return [...new Set(means.map(({ product }) => product))].sort().map((product) => dayPanel(product, means))
}

/**
 * Fits the model to all days, and holds it against the outcomes of the last 90: each by the forecast that was made with what was known before
 * it. The standing version is held against the same, as in `fitFuel`. Throws where there is no price.
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
        const told = outcomesOf(panel, walk, { area_kind, weights: standing?.of[name], until: standing?.data_to, before })
        if (told.points === 0) continue
        const { error, baseline, points, coverage, held, ...window } = told
        checks.push({ series, horizon: `P${ahead}D`, error, baseline, standing: told.standing, points })
        const about = { series, horizon: `P${ahead}D`, subset: 'ALL', window_from: window.window_from, window_to: window.window_to }
        scores.push({ ...about, metric: 'MAE', metric_unit: 'EUR/L', value: error, baseline, baseline_kind: 'LAST_VALUE', points })
        if (coverage !== null)
          scores.push({
            ...about,
            metric: 'COVERAGE_80',
            metric_unit: '1',
            value: coverage,
            baseline: null,
            baseline_kind: null,
            points: held,
          })
      }
    }
  const data_from = dateOfDay(Math.min(...panels.map(({ first }) => first)))
  const data_to = dateOfDay(Math.max(...panels.map(({ first, days }) => first + days - 1)))
  return {
    data_from,
    data_to,
    made_at: dayBounds(data_to).end,
    parameters: { data_from, data_to, of },
    checks,
    scores,
    charts: chartsOf(checks),
  }
}

/** What the model said while a standing version was fitted: a walk over the days that this had, for archives bring former ones later. */
function walkBefore(panel: DayPanel, walk: DayWalk, standing: DailyParameters | null): DayWalk {
  const began = standing?.data_from === undefined ? 0 : dayNumber(standing.data_from) - panel.first
  if (began <= 0) return walk
  const areas = panel.areas.map((area) => ({ ...area, logs: area.logs.map((log, day) => (day < began ? Number.NaN : log)) }))
  return walkDays({ ...panel, areas }, walk.ahead)
}

/**
 * How a walk came out for areas of a kind, of outcomes within a window (the last 90 days unless told): mean absolute errors in EUR/L of it, of the
 * last value, and of a standing version with these weights, which has learnt until a day (null where it cannot forecast all of it); and how many
 * outcomes its intervals held. Errors are of no meaning where `points` is 0.
 */
export function outcomesOf(
  panel: DayPanel,
  { ahead, changes }: DayWalk,
  of: {
    readonly area_kind: string
    readonly weights?: readonly number[] | undefined
    readonly until?: string | undefined
    /** What it said until then; what the walk did unless told. */
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

/** How the errors of the products that most drivers buy grow with the days ahead, as shares of the last value's. */
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
