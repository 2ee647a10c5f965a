import { madridDate } from '../../../lake/schema/time.ts'

/** The parts of a trip's id. Null if ids of its network, or its form, do not contain the part. */
interface TripParts {
  readonly train_number: string | null
  readonly line: string | null
  readonly nucleo_code: string | null
  /** Day of the week of the service, 0 = Sunday … 6 = Saturday. */
  readonly weekday: number | null
}

/** Service (núcleo, counter, letter of the day), train number, line: `1032S19799C1`. */
const COMMUTER_TRIP = /^(\d{2})\d{2}([LMXJVSD])(\d{5})([A-Za-z0-9]+)$/
/** A train that was added to the timetable: `SPECIAL_10_91944C4A`. */
const ADDED_TRIP = /^SPECIAL_(\d{2})_(\d{5})([A-Za-z0-9]+)$/
/** Train number, variant, start of validity: `0019012026-08-22`. */
const LONG_DISTANCE_TRIP = /^(\d{5})\d(\d{4}-\d{2}-\d{2})$/
/** Núcleo, `T`, serial, line: `10T0001C1`. */
const COMMUTER_ROUTE = /^(\d{2})T\d{4}([A-Za-z0-9]+)$/
const DAY_LETTERS = 'DLMXJVS'
const UNKNOWN: TripParts = Object.freeze({ train_number: null, line: null, nucleo_code: null, weekday: null })

/** The parts of a trip's id, of either network; all null for an unknown form. */
export function tripParts(tripId: string | null): TripParts {
  if (tripId === null) return UNKNOWN
  const commuter = COMMUTER_TRIP.exec(tripId)
  if (commuter) {
    const [, nucleo, letter, train, line] = commuter as unknown as string[]
    return partsOf({ nucleo, train, line, weekday: DAY_LETTERS.indexOf(letter as string) })
  }
  const added = ADDED_TRIP.exec(tripId)
  if (added) {
    const [, nucleo, train, line] = added as unknown as string[]
    return partsOf({ nucleo, train, line, weekday: null })
  }
  const train = LONG_DISTANCE_TRIP.exec(tripId)?.[1]
  return train === undefined ? UNKNOWN : { ...UNKNOWN, train_number: train }
}

function partsOf(found: {
  readonly nucleo: string | undefined
  readonly train: string | undefined
  readonly line: string | undefined
  readonly weekday: number | null
}): TripParts {
  return { train_number: found.train ?? null, line: found.line ?? null, nucleo_code: found.nucleo ?? null, weekday: found.weekday }
}

/** Núcleo and line in a commuter route's id; null for another form. */
export function routeParts(routeId: string): { readonly nucleo_code: string; readonly line: string } | null {
  const [, nucleo_code, line] = COMMUTER_ROUTE.exec(routeId) ?? []
  return nucleo_code === undefined || line === undefined ? null : { nucleo_code, line }
}

/**
 * Before this clock time of Madrid (in days) a long-distance train belongs to the day before: none is due between 01:07 and
 * 04:00 (timetables of 2022-06-30, 2026-03-28 and 2026-08-21). Wrong for one of 26,820 trips: 10155 on 2026-04-15.
 */
const DUE_FROM = 3 / 24
/**
 * Clock time of Madrid (in days) at which yesterday's cancellations are replaced by today's: 05:05 on 2026-03-28 (winter time)
 * and 2026-03-29 (summer time). An hour later new trip ids apply.
 */
const CANCELLED_FROM = 5 / 24 + 10 / 1440

/**
 * The service day (YYYY-MM-DD) of a trip due at an instant (ms; report time minus delay): yesterday, today or tomorrow in
 * Madrid, whichever has the weekday of its id. If none has, the day whose service includes the instant.
 */
export function serviceDate(weekday: number | null, due: number): string {
  for (const days of [0, -1, 1]) {
    const date = madridDate(due, days)
    if (new Date(date).getUTCDay() === weekday) return date
  }
  return madridDate(due, -DUE_FROM)
}

/** The service day (YYYY-MM-DD) of a cancelled trip reported at an instant (ms), if its id has no weekday. */
export function cancelledDate(instant: number): string {
  return madridDate(instant, -CANCELLED_FROM)
}
