import { dayBounds, madridDate, offsetAt } from '../../lake/schema/time.ts'
import { dateOf } from './calendar.ts'
import type { Grid } from './grid.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Added to a count before its logarithm is taken, so that small counts are not far from zero. */
export const OFFSET = 4
/** Days back in which copies are searched: the source repeats days of the same month or the one before. */
const COPY_DAYS = 62
/** Minimum vehicles of a day for a copy; below, two equal days may be chance. */
const LEAST_COPIED = 100

/** Counts of all series on an axis of elapsed hours. Missing values are NaN. */
export interface Board {
  /** Station and direction, such as `ES01 1`, in order. */
  readonly series: readonly string[]
  /** The series of the station's other direction; the series itself if there is none. */
  readonly opposite: readonly number[]
  /** Number of hours on the axis. */
  readonly hours: number
  /** Start of the first hour, ms since the epoch. */
  readonly begins: number
  /** First day, as days since 1970, and number of days: the last one is the day after the last counts. */
  readonly firstDay: number
  readonly days: number
  /** By hour of the axis: index of the day, and local hour. */
  readonly dayAt: Int32Array
  readonly clockAt: Int8Array
  /** By day and local hour: the hour of the axis; -1 for a skipped hour, the first one of a repeated hour. */
  readonly slots: Int32Array
  /** Vehicles, by series and hour of the axis, including copied days. */
  readonly vehicles: Float64Array
  /** Logarithm of vehicles + `OFFSET`, without days known to be copies at the end of the day. */
  readonly logs: Float64Array
  /** By series and day: 1 for a day that repeats another or is repeated, as known by now. For scores only. */
  readonly isCopied: Uint8Array
}

/** Puts counts on a board: of all series, or of an index range. */
export function boardOf(grid: Grid, from = 0, to = grid.series.length): Board {
  const { firstDay, days } = grid
  const series = grid.series.slice(from, to)
  const numbers = new Map(series.map((name, at) => [name, at]))
  const axis = axisOf(firstDay, firstDay + days)
  const vehicles = new Float64Array(series.length * axis.hours).fill(Number.NaN)
  const logs = new Float64Array(vehicles.length).fill(Number.NaN)
  const isCopied = new Uint8Array(series.length * axis.days)
  for (let at = 0; at < series.length; at++) {
    const counts = grid.counts[from + at] as Grid['counts'][number]
    const copies = copiesOf(counts, days)
    for (let day = 0; day < days; day++) {
      const copy = copies.get(day)
      if (copy) isCopied[at * axis.days + day] = 1
      for (let hour = 0; hour < 24; hour++) {
        const slot = axis.slots[day * 24 + hour] as number
        const count = counts[day * 24 + hour] as number
        if (slot < 0 || Number.isNaN(count)) continue
        vehicles[at * axis.hours + slot] = count
        if (copy !== 'repeats') logs[at * axis.hours + slot] = Math.log(count + OFFSET)
      }
    }
  }
  const opposite = series.map((name, at) => numbers.get(`${name.slice(0, -1)}${name.endsWith('1') ? '2' : '1'}`) ?? at)
  return { series, opposite, firstDay, ...axis, vehicles, logs, isCopied }
}

/**
 * Copied days of a series: days with the same 24 counts as an earlier one repeat it and are ignored from their end on. The
 * earlier one is repeated, which was not known at its time, so only scores exclude it.
 */
function copiesOf(counts: Float32Array<ArrayBuffer>, days: number): Map<number, 'repeats' | 'repeated'> {
  const seen = new Map<number, number>()
  const copies = new Map<number, 'repeats' | 'repeated'>()
  // Days are compared by their bits, since NaN is not equal to NaN.
  const bits = new Uint32Array(counts.buffer, counts.byteOffset, counts.length)
  for (let day = 0; day < days; day++) {
    let [sum, hash] = [0, 0]
    for (let at = day * 24; at < (day + 1) * 24; at++) {
      const count = counts[at] as number
      if (count > 0) sum += count
      hash = (Math.imul(hash, 31) + (bits[at] as number)) | 0
    }
    if (sum < LEAST_COPIED) continue
    const former = seen.get(hash)
    if (former !== undefined && day - former <= COPY_DAYS && areSame(bits, day, former)) {
      copies.set(day, 'repeats')
      if (!copies.has(former)) copies.set(former, 'repeated')
    }
    seen.set(hash, day)
  }
  return copies
}

function areSame(bits: Uint32Array, one: number, other: number): boolean {
  for (let hour = 0; hour < 24; hour++) if (bits[one * 24 + hour] !== bits[other * 24 + hour]) return false
  return true
}

/** The hours of some days, including the last one. */
function axisOf(firstDay: number, lastDay: number) {
  const begins = dayBounds(dateOf(firstDay)).start
  const hours = (dayBounds(dateOf(lastDay)).end - begins) / HOUR_MS
  const days = lastDay - firstDay + 1
  const dayAt = new Int32Array(hours)
  const clockAt = new Int8Array(hours)
  const slots = new Int32Array(days * 24).fill(-1)
  for (let slot = 0; slot < hours; slot++) {
    const instant = begins + slot * HOUR_MS
    const day = Date.parse(madridDate(instant)) / DAY_MS - firstDay
    const clock = new Date(instant + offsetAt(instant)).getUTCHours()
    dayAt[slot] = day
    clockAt[slot] = clock
    if (slots[day * 24 + clock] === -1) slots[day * 24 + clock] = slot
  }
  return { begins, hours, days, dayAt, clockAt, slots }
}
