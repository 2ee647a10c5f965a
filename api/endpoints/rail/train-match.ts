import { LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import type { MemoryAsk } from '../../kernel/endpoint.ts'
import type { DayStop } from '../transit/service-day.ts'
import { type DayTrip, idleTrips, LATEST_MS, type TimetableDay, timetableDay } from './timetable-day.ts'

const HOUR_MS = 3_600_000
/** How long after midnight a train may run for the day before, and how long before midnight one may wait for the next. */
const EVENING_MS = 8 * HOUR_MS
const EARLY_MS = HOUR_MS

/** The timetable of a service date: the trips that run, and those that do not but may be in live feeds. */
export interface MatchDay {
  readonly day: TimetableDay
  readonly idle: TimetableDay
}

/** Properties of a train used to find it in the timetable. */
interface StatedTrain {
  readonly network: string
  readonly trip_id: string | null
  readonly train_number: string | null
  readonly stop_id: string | null
  /** Its due time at the current place, ms since the epoch: the observation time less the delay. */
  readonly due_at: number
}

/** The trip of a train on a service date, and how it was found. */
export interface Match {
  readonly by: 'BY_TRIP' | 'BY_TRAIN_NUMBER'
  readonly day: TimetableDay
  readonly trip: DayTrip
  /** True if the trip runs on that day by its calendar. */
  readonly isPlanned: boolean
}

/** The timetables of the possible service dates of trains at an instant (ms). */
export async function matchDaysAt(instant: number, cached: MemoryAsk<readonly []>['cached']): Promise<MatchDay[]> {
  const dates = new Set([madridDate(instant), madridDate(instant - EVENING_MS), madridDate(instant + EARLY_MS)])
  return Promise.all([...dates].map(async (date) => ({ day: await cached(timetableDay, date), idle: await cached(idleTrips, date) })))
}

/**
 * Matches a train to a trip of the timetable. Long-distance trip ids change every night and live feeds follow hours later, so a
 * train with an older id matches by number: yesterday's timetable may have that id for another run.
 */
export function matchTrain(train: StatedTrain, days: readonly MatchDay[]): Match | null {
  const { network, trip_id, train_number } = train
  const found: Match[] = []
  for (const { day, idle } of days)
    for (const timetable of [day, idle]) {
      const about = { day: timetable, isPlanned: timetable === day }
      const trip = trip_id === null ? null : timetable.tripOf(network, trip_id)
      if (trip) found.push({ ...about, by: 'BY_TRIP', trip })
      if (network !== LONG_DISTANCE || train_number === null) continue
      for (const other of timetable.tripsOfTrain(network, train_number))
        if (other !== trip) found.push({ ...about, by: 'BY_TRAIN_NUMBER', trip: other })
    }
  return found.length > 1 ? likeliest(found, train) : (found[0] ?? null)
}

/** Trips in other networks that are the same train; empty without a match. */
export function duplicatesOf(match: Match | null): readonly DayTrip[] {
  return match ? match.day.duplicatesOf(match.trip) : []
}

/** First and last stop of a train; null for a trip without stops. */
export function endsOf({ day, trip }: Match): { readonly origin: DayStop; readonly destination: DayStop } | null {
  return trip.end > trip.first ? { origin: day.stops.stop(trip.first), destination: day.stops.stop(trip.end - 1) } : null
}

/**
 * Of runs under way at about that time, one that calls where the train is (parts of a train have their own ids); then the one
 * with its id, then one planned for the day, then the nearest in time.
 */
function likeliest(matches: readonly Match[], { stop_id, due_at }: StatedTrain): Match | null {
  const ranked = matches.map((match) => {
    const away_ms = match.day.awayFrom(match.trip, due_at)
    const isOther = [away_ms > LATEST_MS, !callsAt(match, stop_id), match.by !== 'BY_TRIP', !match.isPlanned]
    return { match, ranks: [...isOther.map(Number), away_ms] }
  })
  ranked.sort((one, other) => {
    const at = one.ranks.findIndex((rank, place) => rank !== other.ranks[place])
    return at === -1 ? 0 : (one.ranks[at] as number) - (other.ranks[at] as number)
  })
  return ranked[0]?.match ?? null
}

function callsAt({ day, trip }: Match, stop_id: string | null): boolean {
  if (stop_id === null) return true
  for (let row = trip.first; row < trip.end; row++) if (day.stops.stopId(row) === stop_id) return true
  return false
}
