import { conformal, makeRidge, predicted } from '../fuel/ridge.ts'
import type { StationMeans } from './days.sql.ts'

/** Days ahead that are forecast. */
export const DAYS_AHEAD = 7
/** Minimum number of known days of an area. */
export const LEAST_DAYS = 120
/** Nominal coverage of intervals. */
export const LEVEL = 0.8

const DAY_MS = 86_400_000
/** Days of price changes used by forecasts. */
const BACK_DAYS = 14
const FEATURES = 4
/** Ridge penalty: a few thousandths of the squared price changes, which are tiny. */
const PENALTY = 0.001
/** Maximum and minimum number of errors for an interval. */
const ERRORS = 120
const LEAST_ERRORS = 40
/**
 * Half-lives of the volatility, in days: of changes over one day, and over the forecast horizon; and a constant that is added.
 */
const HALF_LIFE_DAYS = 14
const HALF_LIFE_AHEAD_DAYS = 5
const LEAST_SCALE = 0.0005

/** The prices of a product by area, as logarithms by day from the first known day on; NaN if unknown. */
export interface DayPanel {
  readonly product: string
  /** First day (days since 1970), and number of days. */
  readonly first: number
  readonly days: number
  readonly areas: readonly { readonly area_kind: string; readonly area: string; readonly known: number; readonly logs: Float64Array }[]
}

/** The panel of a product from its means; the nation is the first area if present. */
export function dayPanel(product: string, means: readonly StationMeans[]): DayPanel {
  const own = means.filter((one) => one.product === product)
  const numbers = own.map(({ dates }) => dates.map((date) => Date.parse(date) / DAY_MS))
  const first = Math.min(...numbers.map((ofArea) => Math.min(...ofArea)))
  const days = Math.max(...numbers.map((ofArea) => Math.max(...ofArea))) - first + 1
  const areas = own.map(({ area_kind, area, prices }, at) => {
    const logs = new Float64Array(days).fill(Number.NaN)
    for (const [nth, day] of (numbers[at] as number[]).entries()) logs[day - first] = Math.log(prices[nth] as number)
    return { area_kind, area, known: prices.length, logs }
  })
  return { product, first, days, areas: areas.sort((one, other) => (one.area_kind < other.area_kind ? -1 : 1)) }
}

/**
 * Features of an area on a day: its change over a week, the week before and a day, and the nation's change over the week minus
 * its own; null if a needed day is unknown.
 */
function featuresOf(logs: Float64Array, nation: Float64Array | null, day: number): number[] | null {
  if (day < BACK_DAYS) return null
  const at = (back: number): number => logs[day - back] as number
  const week = at(0) - at(7)
  const beyond = nation ? (nation[day] as number) - (nation[day - 7] as number) - week : 0
  const features = [week, at(7) - at(14), at(0) - at(1), Number.isNaN(beyond) ? 0 : beyond]
  return features.some(Number.isNaN) ? null : features
}

/** Result of a walk for an area and a number of days ahead: the forecast change by forecast day, NaN for none. */
export interface DayWalk {
  readonly ahead: number
  readonly weights: readonly number[]
  readonly changes: readonly Float64Array[]
}

/**
 * Forecasts of a price change over `ahead` days, made on each day with the data known then. The coefficients, shared by all areas
 * of a product, are fitted only to outcomes until that day.
 */
export function walkDays({ days, areas }: DayPanel, ahead: number): DayWalk {
  const nation = nationOf(areas)
  const changes = areas.map(() => new Float64Array(days).fill(Number.NaN))
  const ridge = makeRidge(FEATURES, PENALTY)
  let weights: number[] = Array(FEATURES).fill(0)
  for (let day = BACK_DAYS; day < days; day++) {
    for (const { logs } of areas) {
      const features = featuresOf(logs, logs === nation ? null : nation, day - ahead)
      const change = (logs[day] as number) - (logs[day - ahead] as number)
      if (features && !Number.isNaN(change)) ridge.add(features, change)
    }
    weights = [...ridge.fit()]
    for (const [at, { logs }] of areas.entries()) {
      const features = featuresOf(logs, logs === nation ? null : nation, day)
      if (features) (changes[at] as Float64Array)[day] = predicted(weights, features)
    }
  }
  return { ahead, weights, changes }
}

/** The forecast change of an area on a day; null if a needed day is missing. */
export function changeOn(
  weights: readonly number[],
  { areas }: DayPanel,
  { area, day }: { readonly area: number; readonly day: number },
): number | null {
  const nation = nationOf(areas)
  const logs = (areas[area] as DayPanel['areas'][number]).logs
  const features = featuresOf(logs, logs === nation ? null : nation, day)
  return features && predicted(weights, features)
}

function nationOf(areas: DayPanel['areas']): Float64Array | null {
  return areas.find(({ area_kind }) => area_kind === 'NATION')?.logs ?? null
}

/**
 * Volatility of an area's price up to each day, for a number of days ahead: the decaying mean of daily changes, scaled as for a
 * random walk, and that of changes over the whole horizon, which are greater if changes persist.
 */
export function restless(logs: Float64Array, ahead: number): Float64Array {
  const single = fadingChange(logs, 1, HALF_LIFE_DAYS)
  const whole = fadingChange(logs, ahead, HALF_LIFE_AHEAD_DAYS)
  return single.map((mean, day) => LEAST_SCALE + mean * Math.sqrt(ahead) + (whole[day] as number))
}

function fadingChange(logs: Float64Array, over: number, half_life_days: number): Float64Array {
  const share = 1 - 0.5 ** (1 / half_life_days)
  const means = new Float64Array(logs.length)
  let mean = 0
  for (let day = over; day < logs.length; day++) {
    const change = Math.abs((logs[day] as number) - (logs[day - over] as number))
    if (!Number.isNaN(change)) mean += share * (change - mean)
    means[day] = mean
  }
  return means
}

/**
 * Half the interval width of a forecast made on a day (split conformal, scaled by volatility): from errors of the area's earlier
 * forecasts that are due; null if there are too few. `said` has forecast changes by forecast day.
 */
export function halfOn(
  of: { readonly logs: Float64Array; readonly scale: Float64Array; readonly said: (day: number) => number; readonly ahead: number },
  day: number,
): number | null {
  const { logs, scale, said, ahead } = of
  const errors: number[] = []
  for (let made = day - ahead; made >= 0 && errors.length < ERRORS; made--) {
    const error = Math.abs((logs[made + ahead] as number) - (logs[made] as number) - said(made)) / (scale[made] as number)
    if (!Number.isNaN(error)) errors.push(error)
  }
  return errors.length < LEAST_ERRORS ? null : conformal(errors, LEVEL) * (scale[day] as number)
}
