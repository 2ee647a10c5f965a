import { isCancelled } from '../../../lake/datasets/rail/codes.ts'
import type { LiveTrips, TripUpdate } from './live-trips.ts'
import type { DayTrip, TimetableDay } from './timetable-day.ts'

/** The request for a board. */
export interface BoardAsk {
  readonly side: 'DEPARTURES' | 'ARRIVALS'
  readonly stop_id: string
  /** The moment of the board, and the present, ms since the epoch. */
  readonly at: number
  readonly now: number
  /** Possible service dates of trains on the board, in order. */
  readonly days: readonly TimetableDay[]
  readonly live: LiveTrips
}

/** A stop of a trip on a service date. */
export interface Place {
  readonly day: TimetableDay
  readonly trip: DayTrip
  readonly row: number
}

/** Live data of a train at a stop. */
export interface CallStatus {
  readonly status: string
  readonly expected_at: number | null
  readonly delay_s: number | null
  readonly delay_source: string | null
  readonly platform: string | null
}

/** A trip update of a train: for the trip shown, or for its duplicate in another network. */
export interface Spoken {
  readonly update: TripUpdate
  /** True if the trip of the update also makes this stop. */
  readonly isHere: boolean
}

/** A delay is not applied to stops farther ahead than this, ms. */
export const LIVE_AHEAD_MS = 4 * 3_600_000

/**
 * Live data of a train at a stop, from its trip first, then its duplicates; null without any. It is cancelled if one of those
 * that stop here is and none of them is known to run: feeds count for each other's parts only where these run together.
 * Position, delay and platform come from any that runs.
 */
export function statusOf(
  ask: BoardAsk,
  place: Place,
  { spoken, scheduled_at }: { readonly spoken: readonly Spoken[]; readonly scheduled_at: number },
): CallStatus | null {
  const here = spoken.filter(({ isHere }) => isHere)
  if (here.length > 0 && here.every(({ update }) => isCancelled(update))) return withStatus('CANCELLED')
  const running = spoken.flatMap(({ update }) => (isCancelled(update) ? [] : [update]))
  if (running.length === 0) return null
  if (running.some((update) => update.skipped_stop_ids.includes(ask.stop_id))) return withStatus('SKIPPED')
  if (running.some((update) => nextRow(place, update) > place.row)) return withStatus(ask.side === 'DEPARTURES' ? 'DEPARTED' : 'ARRIVED')
  const platform = running.map(({ trip_id }) => ask.live.platformOf(trip_id, ask.stop_id)).find((one) => one !== null) ?? null
  const late = scheduled_at > ask.now + LIVE_AHEAD_MS ? undefined : running.find((update) => believed(update) !== null)
  if (!late) return { ...withStatus('SCHEDULED'), platform }
  const delay_s = believed(late) as number
  // An early train waits for its planned time.
  const late_s = ask.side === 'DEPARTURES' ? Math.max(0, delay_s) : delay_s
  return {
    status: 'SCHEDULED',
    expected_at: scheduled_at + late_s * 1000,
    delay_s,
    delay_source: late.is_stale ? 'LAST_KNOWN' : 'TRIP_UPDATE',
    platform,
  }
}

/** A credible delay, s. */
export function believed({ delay_s, delay_quality }: TripUpdate): number | null {
  return delay_quality === 'DOUBTFUL' ? null : delay_s
}

/** The status alone. */
export function withStatus(status: string): CallStatus {
  return { status, expected_at: null, delay_s: null, delay_source: null, platform: null }
}

/** True if a train that is due has not passed yet: by its delay or, for boards of the present, by its next stop. */
export function isWaitedFor(
  ask: BoardAsk,
  place: Place,
  { spoken, callStatus }: { readonly spoken: readonly Spoken[]; readonly callStatus: CallStatus },
): boolean {
  if (callStatus.status !== 'SCHEDULED') return false
  if (callStatus.expected_at !== null && callStatus.expected_at >= ask.at) return true
  return (
    ask.at <= ask.now &&
    spoken.some(({ update }) => {
      const next = isCancelled(update) ? -1 : nextRow(place, update)
      return next !== -1 && next <= place.row
    })
  )
}

/** The stop of a trip where it is or that it runs to; -1 if unknown. Of two stops at one station, the nearer in time. */
function nextRow({ day, trip }: Place, { next_stop_id, expected_arrival_at, delay_s }: TripUpdate): number {
  if (next_stop_id === null) return -1
  const { first, end } = trip
  const { stops } = day
  const planned = expected_arrival_at === null ? null : expected_arrival_at - 1000 * (delay_s ?? 0)
  let best = -1
  let least = Number.POSITIVE_INFINITY
  for (let row = first; row < end; row++) {
    if (stops.stopId(row) !== next_stop_id) continue
    const away = planned === null ? row - first : Math.abs((stops.arrivalAt(row) ?? stops.departureAt(row) ?? 0) - planned)
    if (away >= least) continue
    best = row
    least = away
  }
  return best
}
