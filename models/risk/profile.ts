import { zoneOf } from '../../lake/places/clocks.ts'
import { offsetAt } from '../../lake/schema/time.ts'
import { dayOf, type SectionAccident, WEEKS, weekOf } from './accidents.ts'
import { centreOf, type SunTimes, sunClock, sunTimes } from './sun.ts'

/** Radius of the kernel, in standard deviations. */
const REACH = 4

/** Parameters of smoothing a grid of values, stored row by row. */
interface Smoothing {
  readonly rows: number
  /** Standard deviation of the kernel, in rows or columns. */
  readonly width: number
  readonly along: 'rows' | 'columns'
}

/** Kernel sums of the values (Gaussian with 1 at its centre) along rows or columns, which are cyclic. */
export function smoothed(grid: Float64Array, { rows, width, along }: Smoothing): Float64Array {
  const columns = grid.length / rows
  const around = along === 'rows' ? rows : columns
  const reach = Math.min(Math.ceil(REACH * width), Math.floor((around - 1) / 2))
  const kernel = Array.from({ length: 2 * reach + 1 }, (_, at) => Math.exp(-0.5 * ((at - reach) / width) ** 2))
  const sums = new Float64Array(grid.length)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      let sum = 0
      for (let step = -reach; step <= reach; step++) {
        const at =
          along === 'rows' ? ((row + step + around) % around) * columns + column : row * columns + ((column + step + around) % around)
        sum += (kernel[step + reach] as number) * (grid[at] as number)
      }
      sums[row * columns + column] = sum
    }
  return sums
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
export const HOURS = 24
const WEEKDAYS = 7
/** Parts of an hour for which the Sun is computed. */
const PARTS = 4
const PARTS_DAY = HOURS * PARTS
/** Bins of solar time, each a quarter of an hour when day and night are equal. */
const BINS = 96
/** Standard deviations of the smoothing kernels: over solar bins, and over weeks of the year. */
const BIN_WIDTH = 2
const WEEK_WIDTH = 1.5
/** The same for a province's season, and the weight of the common season in it, in accidents. */
const SEASON_WIDTH = 3
const SEASON_PRIOR = 300
/** Iterations of fitting the two factors, each given the other. */
const TURNS = 6
/** Position for the Sun if the atlas lacks the province. */
const MIDDLE = { lat: 40.4, lon: -3.7 }

/**
 * Distribution of a kind's accidents over year and day: a rate by week and solar time, times one by local hour, times the season
 * of the province. Plain numbers, so that it can be stored.
 */
export type Profile = {
  /** By week × solar bin. */
  readonly bySun: readonly number[]
  /** By local hour: 24 for all days, or 168 for a week starting on Monday. */
  readonly byHour: readonly number[]
  /** Factor by province, then week; a province's weeks average 1 over those of the fit. */
  readonly season: Readonly<Record<string, readonly number[]>>
}

/** Input of a profile fit. */
interface ProfileGiven {
  readonly accidents: readonly SectionAccident[]
  /** All days (since 1970-01-01) covered by the accidents. */
  readonly days: readonly number[]
  /** Provinces of the profile, with or without accidents of the kind. */
  readonly provinces: readonly string[]
  /** True if the hours of each weekday have their own rate. */
  readonly byWeekday: boolean
}

/** Solar bins of every part of an hour of some days, computed once per province. */
type SunTable = (province_code: string) => Uint8Array

/** Offset of a province's local time from UTC at an instant (ms), in ms. */
export function provinceOffset(at: number, province_code: string): number {
  return offsetAt(at, zoneOf(province_code))
}

/** Sunrise and sunset of a day (since 1970-01-01) in the middle of a province, in local hours. */
export function localSun(day: number, province_code: string): SunTimes {
  const { rise_h, set_h } = sunTimes(day, centreOf(province_code) ?? MIDDLE)
  const offset_h = provinceOffset(day * DAY_MS + DAY_MS / 2, province_code) / HOUR_MS
  return { rise_h: rise_h + offset_h, set_h: set_h + offset_h }
}

function binOf(hour: number, times: SunTimes): number {
  return Math.floor((sunClock(hour, times) / 24) * BINS) % BINS
}

/** True if a profile has a rate for every week and bin, and for every hour: a stored one may be from another revision. */
export function isWhole({ bySun, byHour }: Profile): boolean {
  return bySun.length === WEEKS * BINS && (byHour.length === HOURS || byHour.length === WEEKDAYS * HOURS)
}

/** Index in `byHour` of the first hour of a day (since 1970-01-01, a Thursday). */
function hoursBegin(day: number, { length }: { readonly length: number }): number {
  return length === HOURS ? 0 : ((day + 3) % WEEKDAYS) * HOURS
}

/** Creates the table of some days. */
export function sunTable(days: readonly number[]): SunTable {
  const known = new Map<string, Uint8Array>()
  return (province_code) => {
    const before = known.get(province_code)
    if (before) return before
    const bins = new Uint8Array(days.length * PARTS_DAY)
    for (const [at, day] of days.entries()) {
      const times = localSun(day, province_code)
      for (let part = 0; part < PARTS_DAY; part++) bins[at * PARTS_DAY + part] = binOf((part + 0.5) / PARTS, times)
    }
    known.set(province_code, bins)
    return bins
  }
}

/**
 * Fits the profile of one kind of accident. Weeks without days in the fit use the weeks around them. A province without accidents
 * of the kind has the common season.
 */
export function fitProfile({ accidents, days, provinces: codes, byWeekday }: ProfileGiven, table: SunTable): Profile {
  const groups = Map.groupBy(accidents, ({ province_code }) => province_code)
  const provinces = codes.map((code) => [code, groups.get(code) ?? []] as const)
  const weeks = days.map(weekOf)
  const counts = new Float64Array(WEEKS * BINS)
  const countsByHour = new Float64Array(byWeekday ? WEEKDAYS * HOURS : HOURS)
  for (const { local_date, hour_local, minute, province_code } of accidents) {
    const day = dayOf(local_date)
    const cell = weekOf(day) * BINS + binOf(hour_local + minute / 60, localSun(day, province_code))
    counts[cell] = (counts[cell] as number) + 1
    const slot = hoursBegin(day, countsByHour) + hour_local
    countsByHour[slot] = (countsByHour[slot] as number) + 1
  }
  const smooth = (grid: Float64Array): Float64Array =>
    smoothed(smoothed(grid, { rows: WEEKS, width: BIN_WIDTH, along: 'columns' }), { rows: WEEKS, width: WEEK_WIDTH, along: 'rows' })
  const happened = smooth(counts)
  const byHour = new Float64Array(countsByHour.length).fill(1)
  const begins = days.map((day) => hoursBegin(day, byHour))
  const bySun = new Float64Array(WEEKS * BINS)
  /**
   * Calls back with every part of an hour of all days and provinces: its cell, its hour, and the number of accidents in the
   * province.
   */
  const each = (take: (cell: number, hour: number, weight: number) => void): void => {
    for (const [province_code, { length }] of provinces) {
      const bins = table(province_code)
      for (let part = 0; part < bins.length; part++) {
        const at = Math.floor(part / PARTS_DAY)
        take((weeks[at] as number) * BINS + (bins[part] as number), (begins[at] as number) + Math.floor((part % PARTS_DAY) / PARTS), length)
      }
    }
  }
  for (let turn = 0; turn < TURNS; turn++) {
    const exposed = new Float64Array(WEEKS * BINS)
    each((cell, hour, weight) => {
      exposed[cell] = (exposed[cell] as number) + weight * (byHour[hour] as number)
    })
    const under = smooth(exposed)
    for (let cell = 0; cell < bySun.length; cell++)
      bySun[cell] = (under[cell] as number) > 0 ? (happened[cell] as number) / (under[cell] as number) : 0
    const expected = new Float64Array(byHour.length)
    each((cell, hour, weight) => {
      expected[hour] = (expected[hour] as number) + weight * (byHour[hour] as number) * (bySun[cell] as number)
    })
    for (let hour = 0; hour < byHour.length; hour++)
      byHour[hour] = ((byHour[hour] as number) * ((countsByHour[hour] as number) + 1)) / ((expected[hour] as number) + 1)
  }
  // A kind without accidents has uniform hours.
  if (accidents.length === 0) bySun.fill(1)
  const plain: Profile = { bySun: [...bySun], byHour: [...byHour], season: {} }
  const season = provinces.map(
    ([province_code, theirs]) => [province_code, seasonOf(plain, theirs, { days, table, province_code })] as const,
  )
  return { ...plain, season: Object.fromEntries(season) }
}

/** The season of a province by week: its accidents relative to the profile, shrunk if there are few. */
function seasonOf(
  plain: Profile,
  accidents: readonly SectionAccident[],
  { days, table, province_code }: { readonly days: readonly number[]; readonly table: SunTable; readonly province_code: string },
): number[] {
  const cells = weekHours(plain, province_code, days, table)
  const [expected, happened] = [new Float64Array(WEEKS), new Float64Array(WEEKS)]
  for (let cell = 0; cell < cells.length; cell++) {
    const week = Math.floor(cell / HOURS)
    expected[week] = (expected[week] as number) + (cells[cell] as number)
  }
  const own = expected.slice()
  const total = own.reduce((sum, value) => sum + value, 0)
  for (let week = 0; week < WEEKS; week++) expected[week] = ((expected[week] as number) * accidents.length) / total
  for (const { local_date } of accidents) {
    const week = weekOf(dayOf(local_date))
    happened[week] = (happened[week] as number) + 1
  }
  const by = { rows: WEEKS, width: SEASON_WIDTH, along: 'rows' } as const
  const [under, over] = [smoothed(expected, by), smoothed(happened, by)]
  const prior = (SEASON_PRIOR * under.reduce((sum, value) => sum + value, 0)) / (WEEKS * accidents.length)
  const factors = Array.from(over, (value, week) => (accidents.length === 0 ? 1 : (value + prior) / ((under[week] as number) + prior)))
  const sum = factors.reduce((all, factor, week) => all + factor * (own[week] as number), 0)
  // A week has seven days: the last, of one day or two, has proportionally less.
  return factors.map((factor) => (factor * days.length) / 7 / sum)
}

/** The profile's values for the hours of a day in a province; a week adds up to 1 on average. */
export function dayHours(profile: Profile, province_code: string, day: number): Float64Array {
  return weekHours(profile, province_code, [day], sunTable([day])).slice(weekOf(day) * HOURS, (weekOf(day) + 1) * HOURS)
}

/** The profile's values of some days, summed by week × hour. `table` covers those days. */
export function weekHours(profile: Profile, province_code: string, days: readonly number[], table: SunTable): Float64Array {
  const season = profile.season[province_code]
  const bins = table(province_code)
  const cells = new Float64Array(WEEKS * HOURS)
  for (const [at, day] of days.entries()) {
    const week = weekOf(day)
    const begin = hoursBegin(day, profile.byHour)
    for (let part = 0; part < PARTS_DAY; part++) {
      const hour = Math.floor(part / PARTS)
      const cell = week * HOURS + hour
      const rate =
        (profile.bySun[week * BINS + (bins[at * PARTS_DAY + part] as number)] as number) * (profile.byHour[begin + hour] as number)
      cells[cell] = (cells[cell] as number) + rate * (season?.[week] ?? 1)
    }
  }
  return cells
}

/** An hour's share of the expectation of a mean week in a province, by kind; null if the profiles lack it. */
export type HourShares = (province_code: string, at: number) => readonly number[] | null

/**
 * The hourly shares from profiles of kinds, in their order. An hour is given by an instant (ms), in the province's local time.
 * Days are cached, so that many sections of a province cost one lookup.
 */
export function hourShares(profiles: readonly Profile[]): HourShares {
  const known = new Map<string, readonly Float64Array[]>()
  const areWhole = profiles.length > 0 && profiles.every(isWhole)
  return (province_code, at) => {
    if (!areWhole) return null
    const local = at + provinceOffset(at, province_code)
    const day = Math.floor(local / DAY_MS)
    const key = `${province_code} ${day}`
    const days = known.get(key) ?? profiles.map((profile) => dayHours(profile, province_code, day))
    known.set(key, days)
    const hour = Math.floor((local - day * DAY_MS) / HOUR_MS)
    return days.map((hours) => hours[hour] as number)
  }
}
