import { zoneOf } from '../../lake/places/clocks.ts'
import { offsetAt } from '../../lake/schema/time.ts'
import { dayOf, type SectionAccident, WEEKS, weekOf } from './accidents.ts'
import { smoothed } from './smooth.ts'
import { centreOf, type SunTimes, sunClock, sunTimes } from './sun.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
export const HOURS = 24
const WEEKDAYS = 7
/** Parts of an hour that the Sun is looked up for. */
const PARTS = 4
const PARTS_DAY = HOURS * PARTS
/** Bins of the Sun's clock, a quarter of an hour each where day and night are equally long. */
const BINS = 96
/** Standard deviations of the kernels that rates are smoothed with: by the Sun's clock, and by week of the year. */
const BIN_WIDTH = 2
const WEEK_WIDTH = 1.5
/** The same of a province's own season, and how many accidents the season of all provinces counts for in it. */
const SEASON_WIDTH = 3
const SEASON_PRIOR = 300
/** Turns in which the two factors are fitted, each given the other. */
const TURNS = 6
/** Where the Sun is looked up for a province that the atlas lacks. */
const MIDDLE = { lat: 40.4, lon: -3.7 }

/**
 * How the accidents of a kind spread over year and day: a rate by week of the year and the Sun's clock, times one by the hour of people's clock,
 * times the season of the province. Plain numbers, so that they can be kept.
 */
export type Profile = {
  /** By week × bin of the Sun's clock. */
  readonly bySun: readonly number[]
  /** By hour of the local clock: 24 of every day alike, or the 168 of a week from Monday on. */
  readonly byHour: readonly number[]
  /** By province, then week: to be multiplied with; a week of a province has 1 on average over those of the fit. */
  readonly season: Readonly<Record<string, readonly number[]>>
}

/** What a profile is fitted to. */
export interface ProfileGiven {
  readonly accidents: readonly SectionAccident[]
  /** The days (since 1970-01-01) that the accidents are all of. */
  readonly days: readonly number[]
  /** Provinces that the profile is for, with accidents of the kind or without. */
  readonly provinces: readonly string[]
  /** True where the hours of each weekday have a rate of their own. */
  readonly byWeekday: boolean
}

/** Bins of the Sun's clock of every part of an hour of some days, looked up once for each province. */
type SunTable = (province_code: string) => Uint8Array

/** Offset of a province's clock from UTC at an instant (ms), in ms. */
export function provinceOffset(at: number, province_code: string): number {
  return offsetAt(at, zoneOf(province_code))
}

/** Sunrise and sunset of a day (since 1970-01-01) in the middle of a province, in hours of its own clock. */
export function localSun(day: number, province_code: string): SunTimes {
  const { rise_h, set_h } = sunTimes(day, centreOf(province_code) ?? MIDDLE)
  const offset_h = provinceOffset(day * DAY_MS + DAY_MS / 2, province_code) / HOUR_MS
  return { rise_h: rise_h + offset_h, set_h: set_h + offset_h }
}

function binOf(hour: number, times: SunTimes): number {
  return Math.floor((sunClock(hour, times) / 24) * BINS) % BINS
}

/** True where a profile has a rate for every week and bin, and for every hour: one that is kept may be of another revision. */
export function isWhole({ bySun, byHour }: Profile): boolean {
  return bySun.length === WEEKS * BINS && (byHour.length === HOURS || byHour.length === WEEKDAYS * HOURS)
}

/** Where the rates of the hours of a day (since 1970-01-01, a Thursday) begin among those of `byHour`. */
function hoursBegin(day: number, { length }: { readonly length: number }): number {
  return length === HOURS ? 0 : ((day + 3) % WEEKDAYS) * HOURS
}

/** Makes a table of some days. */
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
 * Fits the profile of the accidents of one kind. A week that has no days in the fit takes what the weeks around it have. A province without
 * accidents of the kind has the season of all others.
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
  /** Calls with every part of an hour of all days and provinces: its cell, its hour, and how many accidents the province has. */
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
  // Of a kind without accidents nothing is known of its hours.
  if (accidents.length === 0) bySun.fill(1)
  const plain: Profile = { bySun: [...bySun], byHour: [...byHour], season: {} }
  const season = provinces.map(
    ([province_code, theirs]) => [province_code, seasonOf(plain, theirs, { days, table, province_code })] as const,
  )
  return { ...plain, season: Object.fromEntries(season) }
}

/** The season of a province by week: its accidents over those that the profile has there, as far as there are enough of them. */
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
  // Seven days are a week: of the last, of one day or two, the profile then has as much less.
  return factors.map((factor) => (factor * days.length) / 7 / sum)
}

/** What a profile has for the hours of a day of a province, of which a week has 1 in all on average. */
export function dayHours(profile: Profile, province_code: string, day: number): Float64Array {
  return weekHours(profile, province_code, [day], sunTable([day])).slice(weekOf(day) * HOURS, (weekOf(day) + 1) * HOURS)
}

/** The same of some days, added up by week × hour. `table` is of those days. */
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
