import { STOP_USES } from '../../../lake/datasets/transit/codes.ts'
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
