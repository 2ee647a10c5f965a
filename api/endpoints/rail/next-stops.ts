import { isCancelled } from '../../../lake/datasets/rail/codes.ts'
import { nulls, pick } from '../../kernel/fields.ts'
import type { DayStop, DayStops } from '../transit/service-day.ts'
import { type NextStop, nextStop, type Train, type TripUpdateRow } from './train.ts'
import type { Match } from './train-match.ts'

/** A train and its inputs. */
export interface RunningTrain {
  readonly train: Train
  readonly match: Match | null
  /** Trip updates of its own trip, then those of its duplicate in another network. */
  readonly said: readonly TripUpdateRow[]
  /** Stops ahead by the publisher of the position, without times; null if it states none. */
  readonly ahead: readonly StatedStop[] | null
}

/** A stop that a publisher names. */
export interface StatedStop {
  readonly stop_id: string
  /** By the timetable of the day. */
  readonly name: string | null
}

/** A running train of which the next stop is not known yet. */
export type Underway = Omit<RunningTrain, 'train'> & { readonly train: Omit<Train, 'next_stop'> }

/** The remaining stops of a train, in order; for a train outside the timetable those that its publisher states. */
export function nextStopsOf({ train, match, said, ahead }: Underway): NextStop[] {
  const skipped = new Set(said.flatMap(({ skipped_stop_ids }) => skipped_stop_ids))
  const [expected = null] = said.flatMap(({ next_stop_id, expected_arrival_at }) =>
    next_stop_id === null ? [] : [{ stop_id: next_stop_id, at: expected_arrival_at }],
  )
  if (!match && ahead) return ahead.map(({ stop_id, name }) => ({ ...unplanned({ stop_id, at: null }, skipped), name }))
  if (!match) return expected === null ? [] : [unplanned(expected, skipped)]
  const stops = match.day.stopsOf(match.trip)
  const delay_ms = train.delay_s === null || train.delay_quality === 'DOUBTFUL' ? null : 1000 * train.delay_s
  const begin = placeOf(stops, [train.stop_id, expected?.stop_id ?? null], train.observed_at - (delay_ms ?? 0))
  return stops.slice(begin).map((stop, at) => {
    const is_skipped = skipped.has(stop.stop_id)
    const isMade = !is_skipped && !isCancelled(train)
    const stated = isMade && at <= 1 && stop.stop_id === expected?.stop_id ? expected.at : null
    const arrival = stated ?? (isMade ? later(stop.arrival_at, delay_ms) : null)
    return {
      ...pick(stop, 'stop_id', 'name', 'stop_sequence', 'arrival_at', 'departure_at'),
      expected_arrival_at: arrival,
      expected_departure_at: isMade && delay_ms !== null ? departure(stop, delay_ms, arrival) : null,
      is_skipped,
    }
  })
}

/** Index of a train in its trip: at a stop that it names (if passed twice, the nearest in time), else by the clock. */
function placeOf(stops: readonly DayStop[], named: readonly (string | null)[], planned: number): number {
  for (const stop_id of named) {
    if (stop_id === null) continue
    let best = -1
    for (const [at, stop] of stops.entries())
      if (stop.stop_id === stop_id && (best === -1 || away(stop, planned) < away(stops[best] as DayStop, planned))) best = at
    if (best !== -1) return best
  }
  const ahead = stops.findIndex((stop) => (stop.departure_at ?? stop.arrival_at ?? 0) >= planned)
  return ahead === -1 ? stops.length : ahead
}

function away({ arrival_at, departure_at }: DayStop, at: number): number {
  return Math.abs((arrival_at ?? departure_at ?? at) - at)
}

function later(planned: number | null, delay_ms: number | null): number | null {
  return planned === null || delay_ms === null ? null : planned + delay_ms
}

/** A train leaves a stop neither before its planned time nor before its arrival. */
function departure({ departure_at }: DayStop, delay_ms: number, arrival: number | null): number | null {
  return departure_at === null ? null : Math.max(departure_at + Math.max(0, delay_ms), arrival ?? 0)
}

function unplanned({ stop_id, at }: { readonly stop_id: string; readonly at: number | null }, skipped: ReadonlySet<string>): NextStop {
  const is_skipped = skipped.has(stop_id)
  return { ...nulls(nextStop), stop_id, expected_arrival_at: is_skipped ? null : at, is_skipped }
}

/** The stop that a train goes to or, while it stands at one, goes to next, with its place by the timetable; null if unknown. */
export function nextStopOf(one: Underway, timetable: DayStops | null): Train['next_stop'] {
  const stops = nextStopsOf(one)
  const stands = one.train.vehicle_status === 'STOPPED_AT' && stops[0]?.stop_id === one.train.stop_id
  const next = stops.slice(stands ? 1 : 0).find(({ is_skipped }) => !is_skipped)
  if (!next) return null
  const place = timetable?.positionOf(next.stop_id)
  return {
    ...pick(next, 'stop_id', 'expected_arrival_at'),
    name: next.name ?? timetable?.nameOf(next.stop_id) ?? null,
    lat: place?.lat ?? null,
    lon: place?.lon ?? null,
  }
}
