import { type Board, OFFSET } from './board.ts'
import { calendarDay, HOLIDAY_DAYS, holidaysBefore } from './calendar.ts'

/** Days of history of the typical value, and its half-life. */
export const RECENT_DAYS = 70
const RECENT_HALF_LIFE = 21
/** The same for the slow typical value, which only uses days of the same weekday. */
export const SLOW_DAYS = 182
/** Days of history that forecasts need: of slow typical values, and of typical values on earlier holidays. */
export const LOOKED_BACK_DAYS = Math.max(SLOW_DAYS, HOLIDAY_DAYS + RECENT_DAYS) + 4
const SLOW_HALF_LIFE = 70
/** Weights of days of another weekday: from Tuesday to Thursday, among working days, on weekends. */
const MIDWEEK_WEIGHT = 0.3
const WORKDAY_WEIGHT = 0.15
const WEEKEND_WEIGHT = 0.15
const HOLIDAY_WEIGHT = 0.5
/** Hours of the next day that a day's forecasts reach. */
export const NEXT_HOURS = 4
/** Log ratios are clipped at this size. */
const MOST_RATIO = 1.2
/** A typical count above which zero vehicles mean an outage. */
const LEAST_BUSY = Math.log(20)
const NONE = Math.log(OFFSET)
const SUNDAY = 6

/**
 * Typical values as logarithms of vehicles + `OFFSET`, and the counts' distances from them. A day's values only use the days
 * before it.
 */
export interface Typical {
  /** By series, day and local hour. */
  readonly today: Float64Array
  /** The same for a day's first `NEXT_HOURS`, as known a day before. */
  readonly ahead: Float64Array
  /** By profile (weekday, Sunday and holiday), series, day and hour: over the last half year. */
  readonly slow: readonly Float64Array[]
  /** Log ratio of a count to its typical value, by series and hour of the axis; NaN if either is unknown. */
  readonly ratios: Float64Array
  /** Mean log ratio over all series, by hour of the axis, weighted by typical counts. */
  readonly city: Float64Array
  /** Both as known on the day itself, when copies are not yet recognizable. */
  readonly live: { readonly ratios: Float64Array; readonly city: Float64Array }
}

/**
 * The typical values of the days of a board: of all, or of those from index `since` on and of earlier holidays if the day at
 * `slowSince` or the next is one. Slow values start at `slowSince`.
 */
export function typicalOf(
  board: Board,
  { since = 1, slowSince = since }: { readonly since?: number; readonly slowSince?: number } = {},
): Typical {
  const { series, days } = board
  const today = new Float64Array(series.length * days * 24).fill(Number.NaN)
  const ahead = new Float64Array(series.length * days * NEXT_HOURS).fill(Number.NaN)
  const slow = Array.from({ length: 7 }, () => new Float64Array(series.length * days * 24).fill(Number.NaN))
  // Forecasts are made on the first day with slow values, for it and the next.
  const origin = board.firstDay + slowSince
  const nearHoliday = calendarDay(origin).isHoliday || calendarDay(origin + 1).isHoliday
  const holidays = nearHoliday ? holidaysBefore(origin).map((day) => day - board.firstDay) : []
  for (const day of holidays) if (day > 0 && day < since) meanOf(board, weightsOf(board, day, day), { into: today, day, clocks: 24 })
  for (let day = Math.max(1, since); day < days; day++) {
    meanOf(board, weightsOf(board, day, day), { into: today, day, clocks: 24 })
    meanOf(board, weightsOf(board, day, day - 1), { into: ahead, day, clocks: NEXT_HOURS })
    if (day < slowSince) continue
    for (const [profile, into] of slow.entries()) meanOf(board, slowWeights(board, profile, day), { into, day, clocks: 24 })
  }
  const live = board.vehicles.map((count) => Math.log(count + OFFSET))
  return { today, ahead, slow, ...ratiosOf(board, today, board.logs), live: ratiosOf(board, today, live) }
}

/** Typical values of some series with the city's level from others, on a board of the same days. */
export function inCityOf(typical: Typical, { city, live }: Pick<Typical, 'city' | 'live'>): Typical {
  return { ...typical, city, live: { ...typical.live, city: live.city } }
}

function ratiosOf(board: Board, today: Float64Array, logs: Float64Array): { readonly ratios: Float64Array; readonly city: Float64Array } {
  const { series, days, hours } = board
  const ratios = new Float64Array(series.length * hours).fill(Number.NaN)
  const city = new Float64Array(hours).fill(Number.NaN)
  for (let slot = 0; slot < hours; slot++) {
    const [day, clock] = [board.dayAt[slot] as number, board.clockAt[slot] as number]
    let [sum, weights] = [0, 0]
    for (let at = 0; at < series.length; at++) {
      const usual = today[(at * days + day) * 24 + clock] as number
      const log = logs[at * hours + slot] as number
      // Zero vehicles at a busy hour are not a count, whatever the publisher says.
      if (Number.isNaN(log - usual) || (log <= NONE && usual > LEAST_BUSY)) continue
      const ratio = clipped(log - usual)
      ratios[at * hours + slot] = ratio
      const weight = Math.exp(usual)
      sum += weight * ratio
      weights += weight
    }
    if (weights > 0) city[slot] = sum / weights
  }
  return { ratios, city }
}

/** A log ratio clipped to `MOST_RATIO`. */
export function clipped(ratio: number): number {
  return Math.max(-MOST_RATIO, Math.min(MOST_RATIO, ratio))
}

interface Weight {
  readonly day: number
  readonly weight: number
}

/** Weight of each earlier day, among those before `until`, for a day. */
function weightsOf(board: Board, day: number, until: number): Weight[] {
  const { profile, isHoliday } = calendarDay(board.firstDay + day)
  const weights: Weight[] = []
  for (let former = until - 1; former >= Math.max(0, until - RECENT_DAYS); former--) {
    const other = calendarDay(board.firstDay + former)
    if (other.isHoliday && !isHoliday) continue
    const weight = kinship(profile, other.profile) * (other.isHoliday ? HOLIDAY_WEIGHT : 1) * 0.5 ** ((until - former) / RECENT_HALF_LIFE)
    if (weight > 0) weights.push({ day: former, weight })
  }
  return weights
}

function slowWeights(board: Board, profile: number, until: number): Weight[] {
  const weights: Weight[] = []
  for (let former = until - 1; former >= Math.max(0, until - SLOW_DAYS); former--) {
    const other = calendarDay(board.firstDay + former)
    if (other.profile === profile && !other.isHoliday) weights.push({ day: former, weight: 0.5 ** ((until - former) / SLOW_HALF_LIFE) })
  }
  return weights
}

function kinship(one: number, other: number): number {
  if (one === other) return 1
  const isMidweek = (profile: number): boolean => profile >= 1 && profile <= 3
  if (isMidweek(one) && isMidweek(other)) return MIDWEEK_WEIGHT
  if (one < SUNDAY - 1 && other < SUNDAY - 1) return WORKDAY_WEIGHT
  return one >= SUNDAY - 1 && other >= SUNDAY - 1 ? WEEKEND_WEIGHT : 0
}

function meanOf(
  { series, days, hours, slots, logs }: Board,
  weights: readonly Weight[],
  { into, day, clocks }: { readonly into: Float64Array; readonly day: number; readonly clocks: number },
): void {
  const places = new Int32Array(weights.length)
  const shares = new Float64Array(weights.length)
  for (let clock = 0; clock < clocks; clock++) {
    let there = 0
    for (const { day: former, weight } of weights) {
      const slot = slots[former * 24 + clock] as number
      if (slot < 0) continue
      places[there] = slot
      shares[there++] = weight
    }
    for (let at = 0; at < series.length; at++) {
      let [sum, total] = [0, 0]
      for (let one = 0; one < there; one++) {
        const log = logs[at * hours + (places[one] as number)] as number
        if (Number.isNaN(log)) continue
        const weight = shares[one] as number
        sum += weight * log
        total += weight
      }
      if (total > 0) into[(at * days + day) * clocks + clock] = sum / total
    }
  }
}
