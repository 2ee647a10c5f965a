import { chance } from '../random.ts'
import type { CommuterLine, LongDistanceTrain, Nucleo, RailNetwork, RailPattern } from './rail-network.ts'

/** A trip of a commuter train on its day. It is at stop `n` of its pattern `startsAt` plus that stop's seconds after the service day began. */
export interface CommuterTrip {
  readonly id: string
  readonly serviceId: string
  readonly trainNumber: string
  readonly pattern: RailPattern
  /** Seconds since the service day began. */
  readonly startsAt: number
  /** Stops that the timetable lists: all, or one, or none. */
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
/** Days that the commuter timetable goes ahead. */
export const COMMUTER_DAYS = 30
/** Days that the long-distance timetable goes ahead, and that one id of a train is valid for. */
const HORIZON_DAYS = 110
const VALID_DAYS = 17

/** Day of the week of a day since 1970, 0 for Sunday. */
export function weekdayOf(day: number): number {
  return (day + 4) % 7
}

/** The service of a network on a day (days since 1970): the counter comes round every hundred days. */
export function commuterService(nucleo: Nucleo, day: number): string {
  return `${nucleo.code}${String(day % 100).padStart(2, '0')}${DAY_LETTERS.charAt(weekdayOf(day))}`
}

/** The trips of a commuter network on a day, line by line. */
export function* commuterTrips(seed: number, nucleo: Nucleo, day: number): Generator<CommuterTrip> {
  const serviceId = commuterService(nucleo, day)
  const weekday = weekdayOf(day)
  for (const line of nucleo.lines) {
    const trips = Math.round(line.trips * (weekday === 0 ? 0.72 : weekday === 6 ? 0.8 : 1.1))
    for (let nth = 0; nth < trips; nth++) yield commuterTrip(seed, { nucleo, line, nth, trips, day, serviceId })
  }
}

function commuterTrip(
  seed: number,
  of: { nucleo: Nucleo; line: CommuterLine; nth: number; trips: number; day: number; serviceId: string },
): CommuterTrip {
  const { nucleo, line, nth, trips, day, serviceId } = of
  const network = Number(nucleo.code)
  const trainNumber = String(15_000 + line.index * 900 + nth + network * 11).slice(-5)
  const draw = chance(seed, 'commuter trip', network, line.index, nth)
  const pattern = line.patterns[(nth % 2) + (draw < 0.3 ? 2 : 0)] as RailPattern
  const whim = chance(seed, 'commuter day', network, line.index, nth, day)
  return {
    id: `${serviceId}${trainNumber}${line.name}`,
    serviceId,
    trainNumber,
    pattern,
    // From 05:10 on; the last ones set out after midnight.
    startsAt: 5 * 3600 + 600 + 60 * Math.round((nth * 19.2 * 60) / trips),
    listed: whim < 0.0029 ? 0 : whim < 0.0048 ? 1 : pattern.stops.length,
    isAccessible: draw > 0.42,
    isExpress: nucleo.code === '10' && line.index === 0 && nth % 6 === 5,
  }
}

/** The long-distance timetable of a night: trips in force are issued anew, with that day as the first of their validity. */
export function* longDistanceTrips({ trains }: RailNetwork, night: number): Generator<LongDistanceTrip> {
  for (const [nth, train] of trains.entries()) {
    const shift = (nth * 7) % VALID_DAYS
    for (let part = Math.floor((night + shift) / VALID_DAYS); part * VALID_DAYS - shift < night + HORIZON_DAYS; part++) {
      const from = Math.max(night, part * VALID_DAYS - shift)
      const to = (part + 1) * VALID_DAYS - shift - 1
      const variant = 1 + (part % 6)
      const start = isoDay(from)
      yield {
        id: `${train.number}${variant}${start}`,
        serviceId: `${start}${isoDay(to)}${train.number}${variant}`,
        train,
        from,
        to,
      }
    }
  }
}

/** Days of a trip's validity on which it does not run; the last one always stays. */
export function restDaysOf({ train, from, to }: LongDistanceTrip): number[] {
  const days = Array.from({ length: to - from + 1 }, (_, at) => from + at)
  return days.filter((day) => train.restDays.includes(weekdayOf(day)))
}

/** YYYY-MM-DD of a day since 1970. */
export function isoDay(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10)
}
