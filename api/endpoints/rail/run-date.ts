import { LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import type { DayStops } from '../transit/day-stops.ts'
import type { TimetableDay } from './timetable-day.ts'

const DAY_MS = 86_400_000
/** A run that is planned to end this long before, or to begin this long after, is a different one, ms. */
export const LATEST_MS = DAY_MS / 4

/** A running train in live data. */
interface Said {
  readonly network: string
  readonly train_number: string | null
  /** The service date (YYYY-MM-DD) that its feed derives from the clock. */
  readonly service_date: string
  /** Its due time at the current place, ms since the epoch: the time of the update less the delay. */
  readonly due_at: number
}

/**
 * The service date of a train's run. Long-distance ids do not state it. By the clock, a train due in the morning may be of
 * either day: of the timetabled runs of its number on adjacent days, the one under way at that time is taken.
 */
export function runDate({ network, train_number, service_date, due_at }: Said, days: readonly TimetableDay[]): string {
  if (network !== LONG_DISTANCE || train_number === null) return service_date
  let found = service_date
  let least = Number.POSITIVE_INFINITY
  for (const day of days) {
    if (Math.abs(Date.parse(day.date) - Date.parse(service_date)) > DAY_MS) continue
    for (const trip of day.tripsOfTrain(network, train_number)) {
      const away = awayFrom({ stops: day.stops, first: trip.first, end: trip.end }, due_at)
      if (away > least || (away === least && day.date !== service_date)) continue
      found = day.date
      least = away
    }
  }
  return least <= LATEST_MS ? found : service_date
}

/** The stops of a trip among those of a day: from `first` up to, not including, `end`. */
interface Run {
  readonly stops: DayStops
  readonly first: number
  readonly end: number
}

/** How far an instant (ms) is outside the planned time of a trip, ms. */
export function awayFrom({ stops, first, end }: Run, at: number): number {
  if (end === first) return Number.MAX_SAFE_INTEGER
  const begin = stops.departureAt(first) ?? stops.arrivalAt(first) ?? at
  const over = stops.arrivalAt(end - 1) ?? stops.departureAt(end - 1) ?? at
  return Math.max(0, begin - at, at - over)
}
