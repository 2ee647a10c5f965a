import { readGtfs } from '../../formats/gtfs.ts'
import type { Batch } from '../define.ts'
import { type StopTimeRow, type StopTimeTarget, stopTimeRows } from './stop-times.ts'
import type { Timetable } from './timetable.ts'

/** A departure of a trip repeated at intervals. */
export interface FrequencyDeparture {
  readonly trip_id: string
  /** Seconds since the service day began. */
  readonly starts_at: number
  /** Seconds between departures with approximate times; null if times are exact. */
  readonly headway_s: number | null
}

const COLUMNS = { requires: ['trip_id', 'start_time', 'end_time', 'headway_secs'], takes: ['exact_times'] }
const DAY_S = 86_400
/** More departures than this in one line of frequencies.txt are a mistake: one a minute for two days. */
const MAX_DEPARTURES = 2880

/**
 * The departures of frequencies.txt, by the trip they repeat. A trip without a readable line has none, so it stays as published.
 */
export async function readFrequencies({ zip, diagnostics }: Timetable): Promise<ReadonlyMap<string, readonly FrequencyDeparture[]>> {
  const byTrip = new Map<string, FrequencyDeparture[]>()
  if (!zip.names.includes('frequencies.txt')) return byTrip
  for await (const records of readGtfs(zip, 'frequencies.txt', COLUMNS))
    while (records.next()) {
      const trip_id = records.text(0)
      const [start, stated, headway] = [records.time(1), records.time(2), records.whole(3)]
      // An end before its start is past midnight.
      const end = stated !== null && start !== null && stated < start ? stated + DAY_S : stated
      if (
        !records.isWhole ||
        trip_id === null ||
        start === null ||
        end === null ||
        !headway ||
        !(end >= start && (end - start) / headway <= MAX_DEPARTURES)
      ) {
        diagnostics.warn('a line of frequencies.txt is not readable')
        continue
      }
      const departures = byTrip.get(trip_id) ?? []
      byTrip.set(trip_id, departures)
      const headway_s = records.text(4) === '1' ? null : headway
      // A period without length is one departure.
      for (let starts_at = start; starts_at < Math.max(end, start + 1); starts_at += headway)
        departures.push({ trip_id: `${trip_id}@${clock(starts_at)}`, starts_at, headway_s })
    }
  return byTrip
}

/** A trip as published with exact times, or each of its departures by frequency. */
export function departuresOf<T extends { readonly trip_id: string }>(
  trip: T,
  frequencies: ReadonlyMap<string, readonly FrequencyDeparture[]>,
): (T & { readonly headway_s: number | null })[] {
  const departures = frequencies.get(trip.trip_id)
  if (!departures) return [{ ...trip, headway_s: null }]
  return departures.map(({ trip_id, headway_s }) => ({ ...trip, trip_id, headway_s }))
}

/** The stops of each departure: those of the repeated trip, shifted in time. */
function repeatedStops(stops: readonly StopTimeRow[], departures: readonly FrequencyDeparture[]): StopTimeRow[] {
  const ordered = stops.toSorted((one, other) => one.stop_sequence - other.stop_sequence)
  const first = ordered[0]?.departure ?? ordered[0]?.arrival ?? 0
  const moved = (seconds: number | null, by: number): number | null => (seconds === null ? null : seconds + by)
  return departures.flatMap(({ trip_id, starts_at }) =>
    ordered.map((stop) => ({
      ...stop,
      trip_id,
      arrival: moved(stop.arrival, starts_at - first),
      departure: moved(stop.departure, starts_at - first),
    })),
  )
}

/**
 * Rows of stop_times.txt, each trip by frequency once for every departure; without the trips of `leftOut`. Only `target.trips`
 * without an entry are unknown.
 */
export async function* repeatedStopTimes(
  timetable: Timetable,
  target: Omit<StopTimeTarget, 'divert'> & {
    readonly frequencies: ReadonlyMap<string, readonly FrequencyDeparture[]>
    readonly leftOut: ReadonlySet<string>
  },
): AsyncGenerator<Batch> {
  const { frequencies, leftOut, ...rest } = target
  const patterns = new Map<string, StopTimeRow[]>()
  for (const trip of leftOut) rest.trips?.set(trip, 1)
  yield* stopTimeRows(timetable, {
    ...rest,
    divert(row) {
      if (leftOut.has(row.trip_id)) return true
      if (!frequencies.has(row.trip_id)) return false
      const pattern = patterns.get(row.trip_id)
      if (pattern) pattern.push(row)
      else patterns.set(row.trip_id, [row])
      return true
    },
  })
  for (const [trip_id, pattern] of patterns) yield rest.batchOf(repeatedStops(pattern, frequencies.get(trip_id) ?? []))
}

/** `HHMMSS` of seconds since the service day began. */
function clock(seconds: number): string {
  return [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) => String(Math.floor(part)).padStart(2, '0')).join('')
}
