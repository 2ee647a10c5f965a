import { type Figure, figureOf, type Limit, type Window } from '../figures.ts'
import { type Board, boardOf } from './board.ts'
import { calendarDay, dateOf } from './calendar.ts'
import { HORIZONS_HOURS } from './features.ts'
import { LEAST_TYPICAL_DAYS } from './fit.ts'
import type { Grid } from './grid.ts'
import { type Made, typically } from './predict.ts'
import { jointScales, noiseScales } from './scales.ts'
import { type Typical, typicalOf } from './typical.ts'
import { walk } from './walk.ts'

/** The default windows. */
export const WINDOWS: readonly Window[] = [
  { from: '2023-03-01', to: '2023-05-31' },
  { from: '2023-06-01', to: '2023-08-31' },
]
/** Required results, by horizon in hours. */
const WAPE: readonly Limit[] = [{ max: 0.071 }, { max: 0.08 }, { max: 0.084 }, { max: 0.086 }]
const HOLIDAY_WAPE: Limit = { max: 0.135 }
const COVERAGE: Limit = { min: 0.77, max: 0.83 }
const NIGHT_COVERAGE: Limit = { min: 0.75 }
const WIDTH: readonly (Limit | null)[] = [{ max: 0.2 }, null, null, { max: 0.24 }]
/** Metrics reported for series outside the fit. */
const UNSEEN_METRICS = ['wape', 'coverage_80', 'width_80']
/** Night hours are those before this one. */
const MORNING = 6
const WEEK_DAYS = 7
const DAY_MS = 86_400_000

/** Sums over outcomes. */
interface Sums {
  points: number
  vehicles: number
  error: number
  typicalError: number
  lastError: number
  lastVehicles: number
  weekError: number
  weekVehicles: number
  inside: number
  width: number
}

/**
 * Forecast errors for hours in each window, of all counts except copies, with those of the last count before the origin, of the
 * same hour a week before (if it exists) and of the typical value; by horizon, and for holidays and nights.
 */
export function evaluate(board: Board, typical: Typical, windows: readonly Window[] = WINDOWS): Figure[] {
  const run = (report: Report): unknown => walk(board, typical, { scales: jointScales(board, typical), hasOwn: true }, report)
  return measured(board, windows, run).flatMap(({ sums, horizon, window }) => figuresOf(sums, horizon, window))
}

/**
 * The same for series outside the fit, by a model of the others (`panel`, which also gives the city's level, see `typical`): the
 * accuracy for live sensors without a model fit. Without limits.
 */
export function evaluateUnseen(board: Board, typical: Typical, panel: ReadonlySet<string>, windows: readonly Window[] = WINDOWS): Figure[] {
  const isUnseen = ({ target }: Made): boolean => !panel.has(board.series[target.series] as string)
  const run = (report: Report): unknown =>
    walk(board, typical, { scales: noiseScales(board, typical), hasOwn: false, learns: panel }, (made) => report(made.filter(isUnseen)))
  return measured(board, windows, run).flatMap((one) => withoutLimits('unseen', one))
}

/** Some figures of a window and horizon as those of a series without limits. */
function withoutLimits(series: string, { sums: { all }, horizon, window }: Measured): Figure[] {
  return figuresOf({ all, holidays: noSums(), night: noSums() }, horizon, window)
    .filter((figure) => figure.series === 'all' && UNSEEN_METRICS.includes(figure.metric))
    .map((figure) => ({ ...figure, series, limit: null, ok: true }))
}

/**
 * The same for typical values without a fit, as a service without an archive has them: from the data of the 28 days before each
 * window on. Without limits, and without windows before which there are fewer days.
 */
export function evaluateTypical(grid: Grid, windows: readonly Window[] = WINDOWS): Figure[] {
  return windows.flatMap((window) => {
    const begins = Date.parse(window.from) / DAY_MS - LEAST_TYPICAL_DAYS - grid.firstDay
    if (begins < 0 || begins >= grid.days) return []
    const counts = grid.counts.map((of) => of.slice(begins * 24))
    const board = boardOf({ ...grid, counts, firstDay: grid.firstDay + begins, days: grid.days - begins })
    const typical = typicalOf(board)
    const of = { scales: noiseScales(board, typical), hasOwn: false, isTypical: true }
    const run = (report: Report): unknown => walk(board, typical, of, (made) => report(made.map(typically)))
    return measured(board, [window], run).flatMap((one) => withoutLimits('typical', one))
  })
}

type Report = (forecasts: readonly Made[]) => void

/** The sums of a window and horizon. */
interface Measured {
  readonly sums: { readonly all: Sums; readonly holidays: Sums; readonly night: Sums }
  readonly horizon: number
  readonly window: Window
}

function measured(board: Board, windows: readonly Window[], run: (report: Report) => unknown): Measured[] {
  const sums = windows.map(() => HORIZONS_HOURS.map(() => ({ all: noSums(), holidays: noSums(), night: noSums() })))
  const { hours, days, vehicles, isCopied, dayAt, clockAt, slots, firstDay } = board
  const dates = Array.from({ length: days }, (_, day) => dateOf(firstDay + day))
  run((forecasts) => {
    for (const { target, value, low, high, typical: usual } of forecasts) {
      const { series, slot, horizon } = target
      const count = vehicles[series * hours + slot] as number
      const day = dayAt[slot] as number
      if (Number.isNaN(count) || isCopied[series * days + day] === 1) continue
      const date = dates[day] as string
      const clock = clockAt[slot] as number
      const weekSlot = slots[(day - WEEK_DAYS) * 24 + clock] ?? -1
      const last = vehicles[series * hours + slot - horizon] as number
      const week = weekSlot < 0 ? Number.NaN : (vehicles[series * hours + weekSlot] as number)
      for (const [nth, window] of windows.entries()) {
        if (date < window.from || date > window.to) continue
        const of = (sums[nth] as (typeof sums)[number])[horizon - 1] as { all: Sums; holidays: Sums; night: Sums }
        const into = [of.all]
        if (calendarDay(firstDay + day).isHoliday) into.push(of.holidays)
        if (clock < MORNING) into.push(of.night)
        for (const sum of into) {
          sum.points++
          sum.vehicles += count
          sum.error += Math.abs(value - count)
          sum.typicalError += Math.abs(usual - count)
          sum.inside += low <= count && count <= high ? 1 : 0
          sum.width += high - low
          if (!Number.isNaN(last)) {
            sum.lastError += Math.abs(last - count)
            sum.lastVehicles += count
          }
          if (!Number.isNaN(week)) {
            sum.weekError += Math.abs(week - count)
            sum.weekVehicles += count
          }
        }
      }
    }
  })
  return windows.flatMap((window, nth) =>
    HORIZONS_HOURS.flatMap((horizon) => {
      const of = (sums[nth] as (typeof sums)[number])[horizon - 1] as Measured['sums']
      return of.all.points === 0 ? [] : [{ sums: of, horizon, window }]
    }),
  )
}

function figuresOf({ all, holidays, night }: { all: Sums; holidays: Sums; night: Sums }, horizon: number, window: Window): Figure[] {
  const about = { model: 'traffic', window: `${window.from}:${window.to}`, horizon: `${horizon}h` } as const
  const figure = (series: string, metric: string, of: Parameters<typeof figureOf>[2]): Figure => figureOf({ ...about, series }, metric, of)
  const wape = ({ error, vehicles }: Sums): number => error / vehicles
  const typical = ({ typicalError, vehicles }: Sums): number => typicalError / vehicles
  const coverage = ({ inside, points }: Sums): number => inside / points
  const width = ({ width, vehicles }: Sums): number => width / vehicles
  const { points } = all
  return [
    figure('all', 'wape', { value: wape(all), baseline: typical(all), limit: WAPE[horizon - 1] ?? null, points }),
    figure('all', 'wape_last_value', { value: all.lastError / all.lastVehicles, points }),
    figure('all', 'wape_week_before', { value: all.weekError / all.weekVehicles, points }),
    figure('all', 'coverage_80', { value: coverage(all), limit: COVERAGE, points }),
    figure('all', 'width_80', { value: width(all), limit: WIDTH[horizon - 1] ?? null, points }),
    figure('night', 'wape', { value: wape(night), baseline: typical(night), points: night.points }),
    figure('night', 'coverage_80', { value: coverage(night), limit: NIGHT_COVERAGE, points: night.points }),
    ...(holidays.points === 0
      ? []
      : [
          figure('holidays', 'wape', { value: wape(holidays), baseline: typical(holidays), limit: HOLIDAY_WAPE, points: holidays.points }),
          figure('holidays', 'coverage_80', { value: coverage(holidays), points: holidays.points }),
        ]),
  ]
}

function noSums(): Sums {
  return {
    ...{ points: 0, vehicles: 0, error: 0, typicalError: 0, lastError: 0, lastVehicles: 0 },
    ...{ weekError: 0, weekVehicles: 0, inside: 0, width: 0 },
  }
}
