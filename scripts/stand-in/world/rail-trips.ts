import { chance } from '../random.ts'
import type { CommuterLine, LongDistanceTrain, Nucleo, RailPattern } from './rail-parts.ts'
import type { LongDistance } from './rail-trains.ts'

/**
 * A trip of a commuter train on its day. Its time at stop `n` is `startsAt` plus that stop's seconds, after the start of the
 * service day.
 */
export interface CommuterTrip {
  readonly id: string
  readonly serviceId: string
  readonly trainNumber: string
  readonly line: CommuterLine
  readonly pattern: RailPattern
  /** Seconds since the service day began. */
  readonly startsAt: number
  /** Number of stops in the timetable: all, one or none. */
  readonly listed: number
  readonly isAccessible: boolean
  readonly isExpress: boolean
}

/** A trip of the long-distance timetable: a train in a part of its year. */
export interface LongDistanceTrip {
  readonly id: string
  readonly serviceId: string
  readonly train: LongDistanceTrain
  /** First and last day of validity, days since 1970. */
  readonly from: number
  readonly to: number
}

const DAY_LETTERS = 'DLMXJVS'
/** Days that the commuter timetable covers. */
export const COMMUTER_DAYS = 30
/** Days that the long-distance timetable covers, and days for which an id of a train is valid. */
const HORIZON_DAYS = 110
const VALID_DAYS = 17
/** One train in four has two parts, each with its own trip. */
const IN_TWO_PARTS = 0.25
/**
 * Minutes of the service day at which night trains start. Those after midnight at both ends leave no gap on a day of 25 hours.
 */
const NIGHT_MINUTES = [10, 40, 70, 100, 130, 160, 190, 220, 250, 280, 1420, 1450, 1475]

/** Day of the week of a day since 1970, 0 for Sunday. */
export function weekdayOf(day: number): number {
  return (day + 4) % 7
}

/** The service of a network on a day (days since 1970): the counter repeats every hundred days. */
export function commuterService(nucleo: Nucleo, day: number): string {
  return `${nucleo.code}${String(day % 100).padStart(2, '0')}${DAY_LETTERS.charAt(weekdayOf(day))}`
}

/** The trips of a commuter network on a day, line by line. */
export function* commuterTrips(seed: number, nucleo: Nucleo, day: number): Generator<CommuterTrip> {
  const serviceId = commuterService(nucleo, day)
  const weekday = weekdayOf(day)
  for (const line of nucleo.lines) {
    const trips = Math.round(line.trips * (weekday === 0 ? 0.72 : weekday === 6 ? 0.8 : 1.1))
    // From 05:10 on; the last ones start after midnight.
    for (let nth = 0; nth < trips; nth++)
      yield commuterTrip(seed, { line, nth, minute: 310 + Math.round((nth * 19.2 * 60) / trips), day, serviceId })
    for (const [nth, minute] of line.isOnWorks ? NIGHT_MINUTES.entries() : [])
      yield commuterTrip(seed, { line, nth: trips + nth, minute, day, serviceId })
  }
}

function commuterTrip(
  seed: number,
  of: {
    readonly line: CommuterLine
    readonly nth: number
    /** Minutes of the service day at which it starts. */
    readonly minute: number
    readonly day: number
    readonly serviceId: string
  },
): CommuterTrip {
  const { line, nth, minute, day, serviceId } = of
  const network = Number(line.nucleo)
  const trainNumber = String(line.firstNumber + nth)
  const draw = chance(seed, 'commuter trip', network, line.index, nth)
  const pattern = line.patterns[(nth % 2) + (draw < 0.3 ? 2 : 0)] as RailPattern
  const whim = line.isOnWorks ? 1 : chance(seed, 'commuter day', network, line.index, nth, day)
  return {
    id: `${serviceId}${trainNumber}${line.name}`,
    serviceId,
    trainNumber,
    line,
    pattern,
    startsAt: minute * 60,
    listed: whim < 0.0029 ? 0 : whim < 0.0048 ? 1 : pattern.stops.length,
    isAccessible: draw > 0.42,
    isExpress: line.nucleo === '10' && line.index === 0 && nth % 6 === 5,
  }
}

/** The long-distance timetable of a night: current trips get new ids, valid from that day. */
export function* longDistanceTrips(seed: number, { trains }: Pick<LongDistance, 'trains'>, night: number): Generator<LongDistanceTrip> {
  for (const [nth, train] of trains.entries()) {
    const shift = (nth * 7) % VALID_DAYS
    for (let part = Math.floor((night + shift) / VALID_DAYS); part * VALID_DAYS - shift < night + HORIZON_DAYS; part++) {
      const from = Math.max(night, part * VALID_DAYS - shift)
      const to = (part + 1) * VALID_DAYS - shift - 1
      const [start, end] = [isoDay(from), isoDay(to)]
      const variants = chance(seed, 'variants', Number(train.number)) < IN_TWO_PARTS ? [part, part + 1] : [part]
      for (const variant of variants.map((serial) => 1 + (serial % 6)))
        yield { id: `${train.number}${variant}${start}`, serviceId: `${start}${end}${train.number}${variant}`, train, from, to }
    }
  }
}

/** Days of a trip's validity on which it does not run. */
export function restDaysOf({ train, from, to }: LongDistanceTrip): number[] {
  const days = Array.from({ length: to - from + 1 }, (_, at) => from + at)
  return days.filter((day) => train.restDays.includes(weekdayOf(day)))
}

/** YYYY-MM-DD of a day since 1970. */
export function isoDay(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10)
}
