import { dayBounds } from '../../lake/schema/time.ts'
import type { Check, Fit, Score } from '../run/run.ts'
import { type Board, boardOf } from './board.ts'
import { dateOf } from './calendar.ts'
import { makeObserved, trafficCharts } from './charts.ts'
import { FEATURES, HORIZONS_HOURS } from './features.ts'
import type { Grid } from './grid.ts'
import {
  ALL_SERIES,
  countOf,
  horizonOf,
  type Made,
  ratioOf,
  type TrafficParameters,
  typically,
  type Weights,
  weightsOf,
} from './predict.ts'
import { jointScales, noiseScales } from './scales.ts'
import { makeSpread } from './spread.ts'
import { makeTally, SUBSETS, type Sums, type Tally } from './tally.ts'
import { type Typical, typicalOf } from './typical.ts'
import { FIRST_DAYS, WARM_DAYS, walk } from './walk.ts'

/** Minimum vehicles and outcomes of a reported error. */
const LEAST_POINTS = 100
const DAY_HOURS = 24
const HOUR_MS = 3_600_000
const DAY_MS = DAY_HOURS * HOUR_MS

/** Minimum days with counts of a fit: training days before the first forecast, and two weeks of evaluation. */
export const LEAST_DAYS = WARM_DAYS + FIRST_DAYS + 14
/** Minimum days of typical values with intervals: a week of errors. */
export const LEAST_TYPICAL_DAYS = WARM_DAYS + 7

/**
 * Scope of a model: the fitted series, each with its own scales; or, for a `panel`, any series of their kind, with scales from
 * recent data. `typical` is a panel of too few days for regressions: its typical values with their own errors.
 */
export type FittedTo = 'series' | 'panel' | 'typical'

/**
 * Fits the model to all days, and evaluates it on the outcomes of the last 28 with walk-forward forecasts. The champion is
 * evaluated on the same: until the day it was fitted by a walk over its days, then by its coefficients. Throws if there are too
 * few days.
 */
export function fitTraffic(grid: Grid, standing: TrafficParameters | null, to: FittedTo = 'series'): Fit<TrafficParameters> {
  const isPanel = to !== 'series'
  const isTypical = to === 'typical'
  // First, before memory fills up: for years of counts, each board is hundreds of megabytes.
  const walked = isTypical ? null : walkedBefore(grid, standing, !isPanel)
  const board = boardOf(grid)
  const typical = typicalOf(board)
  const scales = isPanel ? noiseScales(board, typical) : jointScales(board, typical)
  const { vehicles, hours, isCopied, days, dayAt, clockAt, firstDay } = board
  const tally = makeTally(board)
  const observed = makeObserved(board)
  const saidBefore = standingOf({ board, typical }, standing, { walked, isPanel })
  const learnt = walk(board, typical, { scales, hasOwn: !isPanel, isTypical }, (made) => {
    for (const forecast of made) {
      const one = isTypical ? typically(forecast) : forecast
      const { series, slot, horizon } = one.target
      const day = dayAt[slot] as number
      const count = vehicles[series * hours + slot] as number
      if (!tally.isScored(day) || Number.isNaN(count) || isCopied[series * days + day] === 1) continue
      const before = tally.isChecked(day) ? saidBefore(one) : null
      tally.add({ ...one, day, clock: clockAt[slot] as number, horizon, count, standing: before })
      observed.add(one, count)
    }
  })
  if (!learnt || (isTypical && days - 1 < LEAST_TYPICAL_DAYS))
    throw new Error(`not enough data: ${days - 1} days of counts, ${isTypical ? LEAST_TYPICAL_DAYS : LEAST_DAYS} are needed`)
  const short = (value: number): number => Number(value.toPrecision(7))
  const [data_from, data_to] = [dateOf(firstDay), dateOf(firstDay + days - 2)]
  return {
    ...{ data_from, data_to, made_at: dayBounds(data_to).end },
    parameters: {
      ...{ data_from, data_to, weights: learnt.weights.shared.map((of) => Array.from(of, short)), spread: learnt.spread },
      own: isPanel ? null : ownOf(board, learnt.weights, short),
      panel: isPanel ? board.series : null,
      ...(isTypical ? { isTypical } : {}),
    },
    checks: HORIZONS_HOURS.flatMap((hours) => checkOf(hours, tally)),
    scores: HORIZONS_HOURS.flatMap((hours) => scoresOf(hours, tally, firstDay)),
    charts: trafficCharts(tally, observed),
  }
}

function ownOf({ series }: Board, { own }: Weights, short: (value: number) => number): TrafficParameters['own'] {
  const count = HORIZONS_HOURS.length
  const of = (at: number): number[][] => own.slice(at * count, (at + 1) * count).map((one) => Array.from(one ?? [], short))
  return Object.fromEntries(series.map((name, at) => [name, of(at)]))
}

/** A forecast of a target: its series, its hour in ms since the epoch, and hours ahead. */
type Said = (series: number, starts_at: number, horizon: number) => number | null

/**
 * The model's forecasts on the evaluation days while the champion was current, from the champion's counts only, since archives
 * add earlier days later. Null if it had all counts.
 */
function walkedBefore(grid: Grid, standing: TrafficParameters | null, hasOwn: boolean): Said | null {
  const began = standing?.data_from === undefined ? 0 : Date.parse(standing.data_from) / DAY_MS - grid.firstDay
  if (began <= 0 || standing?.isTypical) return null
  const counts = grid.counts.map((of) => of.slice(began * DAY_HOURS))
  const board = boardOf({ ...grid, counts, firstDay: grid.firstDay + began, days: grid.days - began })
  const { isChecked } = makeTally(board)
  const said = new Map<number, number>()
  const nameOf = (series: number, slot: number, horizon: number): number =>
    (series * board.hours + slot) * HORIZONS_HOURS.length + horizon - 1
  const typical = typicalOf(board)
  const scales = hasOwn ? jointScales(board, typical) : noiseScales(board, typical)
  walk(board, typical, { scales, hasOwn }, (made) => {
    for (const { target, value } of made)
      if (isChecked(board.dayAt[target.slot] as number)) said.set(nameOf(target.series, target.slot, target.horizon), value)
  })
  const { begins } = board
  return (series, starts_at, horizon) => said.get(nameOf(series, (starts_at - begins) / HOUR_MS, horizon)) ?? null
}

/** The champion's forecast of a target; null if its features differ, or it had too few days then. */
function standingOf(
  { board, typical }: { readonly board: Board; readonly typical: Typical },
  standing: TrafficParameters | null,
  { walked, isPanel }: { readonly walked: Said | null; readonly isPanel: boolean },
): (made: Made) => number | null {
  if (standing?.weights[0]?.length !== FEATURES) return () => null
  if (standing.isTypical) return ({ typical: value }) => value
  const { data_to } = standing
  const weights = weightsOf(standing, board)
  const scales = isPanel ? noiseScales(board, typical) : jointScales(board, typical, standing.spread.scales)
  const spread = makeSpread(board, scales, standing.spread.bounds)
  return ({ target, usual, value }) => {
    const origin = board.dayAt[target.slot - target.horizon] as number
    if (dateOf(board.firstDay + origin) <= data_to)
      return walked ? walked(target.series, board.begins + target.slot * HOUR_MS, target.horizon) : value
    return countOf(usual + ratioOf({ board, typical, weights }, target) + spread.interval(target, usual).middle)
  }
}

function checkOf(hours: number, { checked }: Tally): Check[] {
  const { points, vehicles, error, baseline, standing } = checked[hours - 1] as Sums
  if (points === 0 || vehicles === 0) return []
  const before = Number.isNaN(standing) ? null : standing / vehicles
  const about = { series: ALL_SERIES, horizon: horizonOf(hours) }
  return [{ ...about, error: error / vehicles, baseline: baseline / vehicles, standing: before, points }]
}

function scoresOf(hours: number, { scored, checked }: Tally, firstDay: number): Score[] {
  const ofSubset = scored[hours - 1] as Tally['scored'][number]
  const subsets = [...SUBSETS.map((subset) => [subset, ofSubset[subset]] as const), ['RECENT', checked[hours - 1] as Sums] as const]
  return subsets.flatMap(([subset, { points, vehicles, error, baseline, inside, first, last }]): Score[] => {
    if (points < LEAST_POINTS || vehicles < LEAST_POINTS) return []
    const about = { series: ALL_SERIES, horizon: horizonOf(hours), subset, metric_unit: '1', points } as const
    const window = { window_from: dateOf(firstDay + first), window_to: dateOf(firstDay + last) }
    return [
      { ...about, ...window, metric: 'WAPE', value: error / vehicles, baseline: baseline / vehicles, baseline_kind: 'TYPICAL_VALUE' },
      { ...about, ...window, metric: 'COVERAGE_80', value: inside / points, baseline: null, baseline_kind: null },
    ]
  })
}
