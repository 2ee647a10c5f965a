import type { Board } from './board.ts'
import { calendarDay, DAY_KINDS, holidaysBefore } from './calendar.ts'
import { NEXT_HOURS, type Typical } from './typical.ts'

const MONDAY = 0
const TUESDAY = 1
const FRIDAY = 4
const SATURDAY = 5
/** Number of past hours whose mean ratio is the level of the day. */
const LEVEL_HOURS = 8
const DAY_HOURS = 24
const LAG_DAYS = [1, 2, 3, 7, 14]
/** Working days between or near days off, and school holidays. */
const QUIET_KINDS = ['bridge', 'holy_week', 'christmas'] as const

/** Hours ahead that are forecast. */
export const HORIZONS_HOURS = [1, 2, 3, 4] as const
/** Number of features of counts, the first ones of `featuresOf`; the others describe the kind of day. */
export const COUNT_FEATURES = 31
export const FEATURES = COUNT_FEATURES + 13 + DAY_KINDS.length
/** A forecast target: a series, an hour of the axis, and the hours from the end of the last known hour to its end. */
export interface Target {
  readonly series: number
  readonly slot: number
  readonly horizon: number
}

/** Logarithm of the typical count of a target, as known at its origin; NaN if there is none. */
export function usualOf(board: Board, typical: Typical, { series, slot, horizon }: Target): number {
  const [day, clock] = [board.dayAt[slot] as number, board.clockAt[slot] as number]
  const isToday = board.dayAt[slot - horizon] === day
  return (
    isToday ? typical.today[(series * board.days + day) * 24 + clock] : typical.ahead[(series * board.days + day) * NEXT_HOURS + clock]
  ) as number
}

/**
 * Writes the features of a target into `into`, from data known at the end of hour `slot - horizon`: log ratios of the series, its
 * opposite direction and the city in the last hours and on earlier days, the typical value against the last half year's, the kind
 * of day, the course of earlier holidays. Unknown counts take the city's ratio.
 */
export function featuresOf(board: Board, typical: Typical, { series, slot, horizon }: Target, into: Float64Array): void {
  const { days, hours, dayAt, clockAt, slots, opposite } = board
  const origin = slot - horizon
  const [day, clock, originDay] = [dayAt[slot] as number, clockAt[slot] as number, dayAt[origin] as number]
  const usual = usualOf(board, typical, { series, slot, horizon })
  const knownOn = (at: number): Typical['live'] => (dayAt[at] === originDay ? typical.live : typical)
  const cityAt = (at: number): number => known(knownOn(at).city[at])
  const ratioOf = (of: number, at: number): number => {
    const ratio = at < 0 ? Number.NaN : (knownOn(at).ratios[of * hours + at] as number)
    return Number.isNaN(ratio) ? cityAt(at) : ratio
  }
  const own = (at: number): number => ratioOf(series, at)
  const slowOf = (profile: number, hour: number): number =>
    (typical.slow[profile] as Float64Array)[(series * days + originDay) * 24 + hour] as number
  /** The same local hour some days before. */
  const back = (of: number, hour: number, count: number): number => slots[(of - count) * 24 + hour] ?? -1

  let at = 0
  const put = (value: number): void => {
    into[at++] = value
  }
  put(1)
  put(own(origin))
  put(own(origin - 1))
  put(own(origin - 2))
  put((own(origin - 3) + own(origin - 4) + own(origin - 5)) / 3)
  put(own(origin) - cityAt(origin))
  put(ratioOf(opposite[series] as number, origin))
  for (const lag of [0, 1, 2, 3]) put(cityAt(origin - lag))
  for (const lag of LAG_DAYS) put(own(back(day, clock, lag)))
  const yesterday = back(day, clock, 1)
  put(own(yesterday + 1))
  put(own(yesterday - 1))
  const originClock = clockAt[origin] as number
  for (const lag of [1, 7]) put(own(back(originDay, originClock, lag)))
  for (const lag of [1, 7]) put(cityAt(back(day, clock, lag)))
  for (const lag of [1, 7]) put(cityAt(back(originDay, originClock, lag)))
  let [week, level, cityLevel] = [0, 0, 0]
  for (let lag = 1; lag <= 7; lag++) week += own(back(day, clock, lag))
  for (let lag = 0; lag < LEVEL_HOURS; lag++) {
    level += own(origin - lag)
    cityLevel += cityAt(origin - lag)
  }
  put(week / 7)
  put(level / LEVEL_HOURS)
  put(cityLevel / LEVEL_HOURS)
  put(cityAt(origin - DAY_HOURS + horizon) - cityAt(origin - DAY_HOURS))

  const calendar = calendarDay(board.firstDay + day)
  const slowAhead = known(slowOf(calendar.profile, clock) - usual)
  const slowNow = known(
    slowOf(calendarDay(board.firstDay + originDay).profile, originClock) -
      (typical.today[(series * days + originDay) * 24 + originClock] as number),
  )
  put(slowAhead)
  put(slowNow)
  put(slowAhead - slowNow)
  if (at !== COUNT_FEATURES) throw new Error(`${at} features of counts, not ${COUNT_FEATURES}`)
  const like = (is: boolean, profile: number): void => put(is ? known(slowOf(profile, clock) - usual) : 0)
  const { kinds, isHoliday } = calendar
  like(isHoliday, TUESDAY)
  like(isHoliday, SATURDAY)
  like(
    QUIET_KINDS.some((kind) => kinds.has(kind)),
    SATURDAY,
  )
  like(kinds.has('august'), SATURDAY)
  like(kinds.has('eve'), FRIDAY)
  like(kinds.has('day_after'), MONDAY)
  const wasOff = calendarDay(board.firstDay + day - 1).isHoliday ? 1 : 0
  put(wasOff * own(origin))
  put(isHoliday ? own(origin) : 0)
  put(isHoliday ? cityAt(origin) : 0)
  put(isHoliday ? level / LEVEL_HOURS : 0)
  put(isHoliday ? cityLevel / LEVEL_HOURS : 0)
  const turn = { day: originDay, clock, originClock }
  put(isHoliday ? holidayTurn(board, typical.city, turn) : 0)
  put(isHoliday ? holidayTurn(board, typical.ratios.subarray(series * hours, (series + 1) * hours), turn) : 0)
  for (const kind of DAY_KINDS) put(kinds.has(kind) ? 1 : 0)
  if (at !== FEATURES) throw new Error(`${at} features, not ${FEATURES}`)
}

/**
 * Mean change of the log ratio from one local hour to a later one on earlier holidays with both hours, slightly shrunk if they
 * are few; 0 without any, and beyond midnight.
 */
function holidayTurn(
  { firstDay, slots }: Board,
  ratios: Float64Array,
  { day, clock, originClock }: { readonly day: number; readonly clock: number; readonly originClock: number },
): number {
  if (clock < originClock) return 0
  let [sum, count] = [0, 0]
  for (const former of holidaysBefore(firstDay + day)) {
    const first = (former - firstDay) * 24
    const turn = (ratios[slots[first + clock] ?? -1] ?? Number.NaN) - (ratios[slots[first + originClock] ?? -1] ?? Number.NaN)
    if (Number.isNaN(turn)) continue
    sum += turn
    count++
  }
  return sum / (count + 1)
}

function known(value: number | undefined): number {
  return value === undefined || Number.isNaN(value) ? 0 : value
}
