import { madridHolidays } from '../../lake/places/holidays.ts'
import { type Figure, figureOf, type Limit, type Window } from '../figures.ts'
import { deviance } from './evaluate.ts'
import { HOURS, smoothed } from './profile.ts'
import type { CityAccident } from './rows.sql.ts'

/** Kinds of days: Monday to Thursday, Friday, Saturday, Sunday and holidays. */
const DAY_TYPES = 4
const DAY_MS = 86_400_000
/** Standard deviation, in hours, of the smoothing kernel over the hours of a kind of day. */
const HOUR_WIDTH = 0.7
/** Candidate prior weights of a cell's expectation, in accidents; the likeliest is used. */
const PRIORS = [0.5, 1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 400] as const
/** Count of a cell without accidents in the baselines, so that its probability is not zero. */
const FLOOR = 0.5
const BELOW_BASELINE: Limit = { max: 0.9999 }

/** Accidents, and all days that they cover. */
export interface CityDays {
  readonly accidents: readonly CityAccident[]
  /** Days since 1970-01-01. */
  readonly days: readonly number[]
}

/** The kind of a day (since 1970-01-01) in Madrid: 0 Monday to Thursday, 1 Friday, 2 Saturday, 3 Sunday or holiday. */
export function dayType(day: number): number {
  const date = new Date(day * DAY_MS)
  const weekday = date.getUTCDay()
  if (weekday === 0 || madridHolidays(date.getUTCFullYear()).includes(date.toISOString().slice(0, 10))) return 3
  return weekday === 6 ? 2 : weekday === 5 ? 1 : 0
}

/**
 * Expected accidents of each cell (district × kind of day × hour) over some days, by the model and by plain means of earlier
 * days.
 */
export interface CityForecast {
  readonly districts: readonly string[]
  readonly model: Float64Array
  /** The mean of the same cell. */
  readonly cellMean: Float64Array
  /** The mean of the district's hour over all kinds of days. */
  readonly hourMean: Float64Array
}

/**
 * Predicts the accidents of every district, kind of day and hour over some days from earlier days: the cell's count shrunk
 * (gamma-Poisson, empirical Bayes) to the district's share of the smoothed city-wide count of that hour and kind of day. The
 * shrinkage is the likeliest of some candidates.
 */
export function forecastCity({ accidents, days }: CityDays, ahead: readonly number[]): CityForecast {
  const districts = [...new Set(accidents.map(({ district }) => district))].sort()
  const counts = cellCounts(accidents, districts)
  const [had, will] = [daysByType(days), daysByType(ahead)]
  const byCity = new Float64Array(DAY_TYPES * HOURS)
  const byDistrict = new Float64Array(districts.length)
  for (let cell = 0; cell < counts.length; cell++) {
    const [district, slot] = [Math.floor(cell / byCity.length), cell % byCity.length]
    byCity[slot] = (byCity[slot] as number) + (counts[cell] as number)
    byDistrict[district] = (byDistrict[district] as number) + (counts[cell] as number)
  }
  const by = { rows: DAY_TYPES, width: HOUR_WIDTH, along: 'columns' } as const
  const [above, under] = [smoothed(byCity, by), smoothed(new Float64Array(byCity.length).fill(1), by)]
  const prior = Float64Array.from(counts, (_, cell) => {
    const slot = cell % byCity.length
    const city = (above[slot] as number) / (under[slot] as number)
    return (Math.max(city, FLOOR) * (byDistrict[Math.floor(cell / byCity.length)] as number)) / accidents.length
  })
  const shape = likeliestShape(counts, prior)
  const scale = (cell: number): number => {
    const type = Math.floor((cell % byCity.length) / HOURS)
    return (had[type] as number) === 0 ? 0 : (will[type] as number) / (had[type] as number)
  }
  const each = (of: (cell: number) => number): Float64Array => Float64Array.from(counts, (_, cell) => of(cell))
  return {
    districts,
    model: each((cell) => {
      const mean = prior[cell] as number
      return ((mean * ((counts[cell] as number) + shape)) / (mean + shape)) * scale(cell)
    }),
    cellMean: each((cell) => Math.max(FLOOR, counts[cell] as number) * scale(cell)),
    hourMean: each((cell) => {
      const first = Math.floor(cell / byCity.length) * byCity.length + (cell % HOURS)
      let sum = 0
      for (let type = 0; type < DAY_TYPES; type++) sum += counts[first + type * HOURS] as number
      return (Math.max(FLOOR, sum) / days.length) * (will[Math.floor((cell % byCity.length) / HOURS)] as number)
    }),
  }
}

function cellCounts(accidents: readonly CityAccident[], districts: readonly string[]): Float64Array {
  const counts = new Float64Array(districts.length * DAY_TYPES * HOURS)
  for (const { district, local_date, hour_local } of accidents) {
    const place = districts.indexOf(district)
    if (place < 0) continue
    const cell = (place * DAY_TYPES + dayType(Date.parse(local_date) / DAY_MS)) * HOURS + hour_local
    counts[cell] = (counts[cell] as number) + 1
  }
  return counts
}

function daysByType(days: readonly number[]): number[] {
  const numbers = new Array<number>(DAY_TYPES).fill(0)
  for (const day of days) numbers[dayType(day)] = (numbers[dayType(day)] as number) + 1
  return numbers
}

/** The gamma shape with the greatest likelihood of the counts around their means (negative binomial). */
function likeliestShape(counts: Float64Array, means: Float64Array): number {
  let [best, most]: [number, number] = [PRIORS[0], Number.NEGATIVE_INFINITY]
  for (const shape of PRIORS) {
    let sum = 0
    for (let cell = 0; cell < counts.length; cell++) {
      const [count, mean] = [counts[cell] as number, means[cell] as number]
      for (let step = 0; step < count; step++) sum += Math.log(shape + step)
      sum += shape * Math.log(shape / (shape + mean)) + count * Math.log(mean / (shape + mean))
    }
    if (sum > most) [best, most] = [shape, sum]
  }
  return best
}

/**
 * Errors of predicting the accidents of `after` from those of `before`: Poisson deviance of the cells, with that of both means.
 */
export function evaluateCity(before: CityDays, after: CityDays, window: Window): Figure[] {
  const { districts, model, cellMean, hourMean } = forecastCity(before, after.days)
  const counts = cellCounts(after.accidents, districts)
  const ours = deviance(counts, model)
  const about = { model: 'risk', series: 'madrid_accidents', window: `${window.from}:${window.to}`, horizon: 'window' }
  const figure = (metric: string, value: number, baseline: number, limit: Limit | null): Figure =>
    figureOf(about, metric, { value, baseline, limit, points: counts.length })
  const sum = (values: Float64Array): number => values.reduce((all, value) => all + value, 0)
  return [
    figure('deviance_to_mean_of_cell', ours / deviance(counts, cellMean), 1, BELOW_BASELINE),
    figure('deviance_to_mean_of_district_and_hour', ours / deviance(counts, hourMean), 1, BELOW_BASELINE),
    figure('calibration', sum(model) / sum(counts), sum(cellMean) / sum(counts), null),
  ]
}
