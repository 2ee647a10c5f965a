import { madridDate } from '../../../lake/schema/time.ts'

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
 * Long distance has a gap between 01:07, when the last train of an evening is due at its end, and 04:00, when the first of a morning leaves
 * (timetables of 2022-06-30, 2026-03-28 and 2026-08-21): what is due before this clock time of Madrid, in days, is of the day before. A feed is
 * read without timetables, so that this is the day that ids of alerts and punctuality go by. Of 26,820 trips it is wrong of one: 10155 ran from
 * 01:30 to 04:32 on 2026-04-15 alone, and was of the day before until 03:00.
 */
const DUE_FROM = 3 / 24
/**
 * Clock time of Madrid, in days, at which cancellations of the day before are taken out and those of the new day are stated: 05:05 on 2026-03-28 and
 * on 2026-03-29, the first a day of winter time and the second one of summer time. An hour later the ids of the night are taken over.
 */
const CANCELLED_FROM = 5 / 24 + 10 / 1440

/**
 * The service day (YYYY-MM-DD) of a trip that is due somewhere at an instant (ms), which is when it is spoken of less its delay: yesterday,
 * today or tomorrow by Madrid's calendar, whichever is of its day of the week; where its id names none of those, the one in whose service
 * that instant lies.
 */
export function serviceDate(weekday: number | null, due: number): string {
  for (const days of [0, -1, 1]) {
    const date = madridDate(due, days)
    if (new Date(date).getUTCDay() === weekday) return date
  }
  return madridDate(due, -DUE_FROM)
}

/** The service day (YYYY-MM-DD) of a cancelled trip that is spoken of at an instant (ms) and whose id does not tell its day of the week. */
export function cancelledDate(instant: number): string {
  return madridDate(instant, -CANCELLED_FROM)
}
