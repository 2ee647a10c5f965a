import { STOP_USES } from '../../../lake/datasets/transit/timetable.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { readGtfs } from '../../formats/gtfs.ts'
import type { Batch } from '../define.ts'
import { refuse, type Timetable } from './timetable.ts'

/** Ids that trips and their stops may refer to; null if not read. */
export interface Known {
  readonly stops: ReadonlySet<string> | null
  readonly routes: ReadonlySet<string> | null
  readonly shapes: ReadonlySet<string> | null
}

/** A stop of a trip, as every timetable has it. */
export interface StopTimeRow {
  network: string
  timetable_version: string
  valid_from: number
  trip_id: string
  stop_sequence: number
  stop_id: string
  arrival: number | null
  departure: number | null
  pickup_type: string | null
  drop_off_type: string | null
}

const USES: ReadonlyMap<string, string> = new Map(STOP_USES.map((use, at) => [String(at), use]))

/** Later times are mistakes: no train or ferry runs for three days. */
const LATE_S = 72 * 3600

const STOP_TIME_COLUMNS = {
  requires: ['trip_id', 'arrival_time', 'departure_time', 'stop_id', 'stop_sequence'],
  takes: ['pickup_type', 'drop_off_type'],
}

/** The target of the rows of stop_times.txt, and the archive's known ids. */
export interface StopTimeTarget {
  readonly dataset: Dataset
  readonly batchOf: (rows: readonly StopTimeRow[]) => Batch
  readonly known: Known
  /** Null if trips were not read; otherwise it counts the stops of each. */
  readonly trips: Map<string, number> | null
  /** True for a row that is left out, or kept by the caller for later. */
  readonly divert?: (row: StopTimeRow) => boolean
}

/** Rows of stop_times.txt. */
export async function* stopTimeRows(timetable: Timetable, target: StopTimeTarget): AsyncGenerator<Batch> {
  const { dataset, batchOf, known, trips, divert = () => false } = target
  const { zip, diagnostics } = timetable
  const { network, timetable_version, valid_from } = timetable.version
  // The trip of the previous record, usually the same, and how many of its stops were read.
  let trip: string | null = null
  let stops: number | undefined
  for await (const records of readGtfs(zip, 'stop_times.txt', STOP_TIME_COLUMNS)) {
    const rows: StopTimeRow[] = []
    while (records.next()) {
      const [trip_id, stop_id, stop_sequence] = [records.text(0), records.text(3), records.whole(4)]
      if (!records.isWhole || trip_id === null || stop_id === null || stop_sequence === null) {
        refuse(timetable, dataset, records)
        continue
      }
      if (known.stops && !known.stops.has(stop_id)) diagnostics.warn('stop_id of a stop time is not in stops.txt')
      if (trip_id !== trip) {
        if (trip !== null && stops !== undefined) trips?.set(trip, stops)
        trip = trip_id
        stops = trips?.get(trip_id)
      }
      if (stops !== undefined) stops++
      else if (trips) diagnostics.warn('trip_id of a stop time is not in trips.txt')
      // Member by member: these are 1.9 million.
      const row: StopTimeRow = {
        network,
        timetable_version,
        valid_from,
        trip_id,
        stop_sequence,
        stop_id,
        arrival: records.time(1),
        departure: records.time(2),
        pickup_type: stopUse(records.text(5)),
        drop_off_type: stopUse(records.text(6)),
      }
      if (row.arrival !== null && row.departure !== null && row.departure < row.arrival)
        diagnostics.warn('a stop time has its departure before its arrival')
      if (((row.departure ?? row.arrival) as number) > LATE_S)
        diagnostics.warn(`a stop time is more than ${LATE_S / 3600} hours after its service day began`)
      if (!divert(row)) rows.push(row)
    }
    yield batchOf(rows)
  }
  if (trip !== null && stops !== undefined) trips?.set(trip, stops)
  for (const count of trips?.values() ?? []) {
    if (count === 0) diagnostics.warn('trip without stop times')
    else if (count === 1) diagnostics.warn('trip with a single stop')
  }
}

function stopUse(code: string | null): string | null {
  return code === null ? null : (USES.get(code) ?? code)
}

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
