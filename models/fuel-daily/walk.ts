import { makeRidge } from '../fuel/ridge.ts'
import type { StationMeans } from './days.sql.ts'

/** Days ahead that are forecast. */
export const DAYS_AHEAD = 7
/** Known days that an area needs. */
export const LEAST_DAYS = 120
/** Share of the outcomes that an interval is to hold. */
export const LEVEL = 0.8

const DAY_MS = 86_400_000
/** How far back the changes reach that forecasts are made of. */
const BACK_DAYS = 14
const FEATURES = 4
/** Penalty of the coefficients: of some thousandths of squared changes of prices that hardly move. */
const PENALTY = 0.001
/** Errors that an interval is made of, and fewest. */
const ERRORS = 120
const LEAST_ERRORS = 40
/** Half-lives of what tells how restless the price is, in days: of its changes of a day, and of as many days as are forecast, and what is added. */
const HALF_LIFE_DAYS = 14
const HALF_LIFE_AHEAD_DAYS = 5
const LEAST_SCALE = 0.0005

/** The prices of a product by area, as logarithms by day since the first that any of them has; NaN where none is known. */
export interface DayPanel {
  readonly product: string
  /** Days since 1970 of the first, and how many there are. */
  readonly first: number
  readonly days: number
  readonly areas: readonly { readonly area_kind: string; readonly area: string; readonly known: number; readonly logs: Float64Array }[]
}

/** The panel of a product, of all that is told of it; the nation is its first area where it is told of. */
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

/** What is known of an area on a day: its change of a week, of the week before and of a day, and that of the nation's week beyond its own; null where a day of them is not known. */
function featuresOf(logs: Float64Array, nation: Float64Array | null, day: number): number[] | null {
  if (day < BACK_DAYS) return null
  const at = (back: number): number => logs[day - back] as number
  const week = at(0) - at(7)
  const beyond = nation ? (nation[day] as number) - (nation[day - 7] as number) - week : 0
  const features = [week, at(7) - at(14), at(0) - at(1), Number.isNaN(beyond) ? 0 : beyond]
  return features.some(Number.isNaN) ? null : features
}

/** What a walk leaves of an area and a number of days ahead: by day that a forecast was made on, the change that was forecast, NaN for none. */
export interface DayWalk {
  readonly ahead: number
  readonly weights: readonly number[]
  readonly changes: readonly Float64Array[]
}

/**
 * Forecasts of the change of a price so many days ahead, made on each day with what was known by then: the coefficients, which all areas of a product
 * share, have only learnt from outcomes of days until then.
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
      if (features) (changes[at] as Float64Array)[day] = changeBy(weights, features)
    }
  }
  return { ahead, weights, changes }
}

/** The change that coefficients give for an area on a day; null where it lacks a day that they need. */
export function changeOn(
  weights: readonly number[],
  { areas }: DayPanel,
  { area, day }: { readonly area: number; readonly day: number },
): number | null {
  const nation = nationOf(areas)
  const logs = (areas[area] as DayPanel['areas'][number]).logs
  const features = featuresOf(logs, logs === nation ? null : nation, day)
  return features && changeBy(weights, features)
}

function nationOf(areas: DayPanel['areas']): Float64Array | null {
  return areas.find(({ area_kind }) => area_kind === 'NATION')?.logs ?? null
}

const changeBy = (weights: readonly number[], features: readonly number[]): number =>
  features.reduce((sum, feature, nth) => sum + feature * (weights[nth] as number), 0)

/**
 * How restless the price of an area was until each day, for forecasts so many days ahead: the fading mean of its changes of a day, as they would add
 * up by chance, and that of its changes of so many days, which are greater where changes go on.
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
 * Half the width of the interval of a forecast made on a day (split conformal, by the restlessness of the time): of the errors of what was said of
 * the area before and had come due; null of too few. `said` are changes by the day that they were said on.
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
  if (errors.length < LEAST_ERRORS) return null
  errors.sort((one, other) => one - other)
  return (errors[Math.min(errors.length, Math.ceil(LEVEL * (errors.length + 1))) - 1] as number) * (scale[day] as number)
}
