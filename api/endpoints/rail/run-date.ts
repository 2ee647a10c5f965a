import { LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import type { DayStops } from '../transit/day-stops.ts'
import type { TimetableDay } from './timetable-day.ts'

const DAY_MS = 86_400_000
/** A run that is planned to be over for longer, or to begin later, is another one, ms. */
export const LATEST_MS = DAY_MS / 4

/** What is said of a train that runs. */
interface Said {
  readonly network: string
  readonly train_number: string | null
  /** The service date (YYYY-MM-DD) that its feed gives it by the clock. */
  readonly service_date: string
  /** When it is due where it is, ms since the epoch: when it was spoken of, less its delay. */
  readonly due_at: number
}

/**
 * The service date of the run that a train is on. Ids of long distance do not tell it, and by the clock a train that is due in the morning
 * is one of the new day: of the runs of its number on the days around, as the timetable has them, it is the one that goes on at that time.
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

/** Stops of a trip: of all those of a day, from `first` up to `end`, not included. */
interface Run {
  readonly stops: DayStops
  readonly first: number
  readonly end: number
}

/** How far an instant (ms) lies outside of the time for which a trip is planned to run, ms. */
export function awayFrom({ stops, first, end }: Run, at: number): number {
  if (end === first) return Number.MAX_SAFE_INTEGER
  const begin = stops.departureAt(first) ?? stops.arrivalAt(first) ?? at
  const over = stops.arrivalAt(end - 1) ?? stops.departureAt(end - 1) ?? at
  return Math.max(0, begin - at, at - over)
}
