import { madridDate, offsetAt } from '../../../lake/schema/time.ts'

/** What a trip's id says by rule. Null where ids of its network, or of its form, do not say it. */
export interface TripParts {
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
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The parts of a trip's id, of either network; all null for an id of no known form. */
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

/** Núcleo and line inside a commuter route's id; null for an id of another form. */
export function routeParts(routeId: string): { readonly nucleo_code: string; readonly line: string } | null {
  const [, nucleo_code, line] = COMMUTER_ROUTE.exec(routeId) ?? []
  return nucleo_code === undefined || line === undefined ? null : { nucleo_code, line }
}

/**
 * The service day (YYYY-MM-DD) of a trip that is spoken of at an instant (ms): yesterday, today or tomorrow by Madrid's calendar, whichever
 * is of its day of the week; where its id names none of those, the date four hours ago, for trains of the evening run past midnight.
 */
export function serviceDate(weekday: number | null, instant: number): string {
  const local = instant + offsetAt(instant)
  for (const days of [0, -1, 1]) {
    const day = new Date(local + days * DAY)
    if (day.getUTCDay() === weekday) return day.toISOString().slice(0, 10)
  }
  return new Date(local - 4 * HOUR).toISOString().slice(0, 10)
}

/** Clock times of Madrid between which the ids of a night are taken over: from the begin of the service day on, ms. */
const [OVER_FROM, OVER_TO] = [4 * HOUR, 7.5 * HOUR]
/** Validity start at the end of a long-distance trip id. */
const VALID_FROM = /(\d{4}-\d{2}-\d{2})$/

/**
 * The service day of a cancelled long-distance trip that is spoken of at an instant (ms). Those of yesterday are stated until the ids of the
 * night are taken over, about 04:00 UTC (on 2026-03-28 eleven trains, seven of which ran that afternoon): an id that was not made in this
 * night, whose trips begin to be valid the day before it, is of yesterday.
 */
export function cancelledDate(tripId: string, instant: number): string {
  const local = instant + offsetAt(instant)
  const clock = local % DAY
  const [, validFrom = ''] = VALID_FROM.exec(tripId) ?? []
  const yesterday = madridDate(instant, -1)
  const isOld = validFrom !== '' && validFrom < yesterday
  return isOld && clock >= OVER_FROM && clock < OVER_TO ? yesterday : serviceDate(null, instant)
}
