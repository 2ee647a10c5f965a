import { railStopTimes } from '../../../lake/datasets/rail/stop-times.ts'
import { railTrips } from '../../../lake/datasets/rail/trips.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { readGtfs } from '../../formats/gtfs.ts'
import { type Batch, batch } from '../define.ts'
import { lookUp } from '../look-up.ts'
import { accessOf, refuse, type Timetable } from './timetable-context.ts'

/** What trips and their stops may name; null where that was not read. */
export interface Known {
  readonly stops: ReadonlySet<string> | null
  readonly routes: ReadonlySet<string> | null
  readonly shapes: ReadonlySet<string> | null
}

const STOP_USES: Readonly<Record<string, string>> = { '0': 'REGULAR', '1': 'NONE', '2': 'PHONE_AGENCY', '3': 'ASK_DRIVER' }
/** Kinds of service that the publisher writes where a destination belongs. */
const SERVICE_MARKS: ReadonlySet<string> = new Set(['CIVIS'])
/** Days between the last trips of a commuter network and the end of the timetable, from which on a person should know. */
const SHORT_DAYS = 7
const DAY_MS = 86_400_000

const TRIP_COLUMNS = {
  requires: ['trip_id', 'route_id', 'service_id'],
  takes: ['trip_short_name', 'trip_headsign', 'direction_id', 'block_id', 'shape_id', 'wheelchair_accessible'],
}

/** Rows of trips.txt; `trips` gets the ids, none of them with a stop yet. */
export async function* tripRows(timetable: Timetable, known: Known, trips: Map<string, number>): AsyncGenerator<Batch> {
  const { zip, notes, ids, calendar } = timetable
  const { network, timetable_version, valid_from } = timetable.version
  const lastDays = new Map<string, string>()
  for await (const records of readGtfs(zip, 'trips.txt', TRIP_COLUMNS)) {
    const rows: FeedRow<typeof railTrips>[] = []
    while (records.next()) {
      const [trip_id, route_id, service_id] = [records.text(0), records.text(1), records.text(2)]
      if (!records.isWhole || trip_id === null || route_id === null || service_id === null) {
        refuse(timetable, railTrips, records)
        continue
      }
      const shape_id = records.text(7)
      const days = calendar.days.get(service_id)
      if (known.routes && !known.routes.has(route_id)) notes.warn('route_id of a trip is not in routes.txt')
      if (!days) notes.warn('service_id of a trip is not in calendar.txt')
      if (known.shapes && shape_id !== null && !known.shapes.has(shape_id)) notes.warn('shape_id of a trip is not in shapes.txt')
      trips.set(trip_id, 0)
      const nucleo_code = ids.nucleoOf(trip_id)
      const last = days?.at(-1) ?? ''
      if (nucleo_code !== null && last > (lastDays.get(nucleo_code) ?? '')) lastDays.set(nucleo_code, last)
      const sign = records.text(4)
      const isMark = sign !== null && SERVICE_MARKS.has(sign)
      const { train_number, variant, validity_start } = ids.trainOf(trip_id, records.text(3))
      rows.push({
        network,
        timetable_version,
        valid_from,
        trip_id,
        route_id,
        service_id,
        nucleo_code,
        train_number,
        variant,
        validity_start,
        headsign: isMark ? null : sign,
        service_mark: isMark ? sign : null,
        direction: records.whole(5),
        block_id: records.text(6),
        shape_id,
        is_wheelchair_accessible: accessOf(records.text(8), notes),
      })
    }
    yield batch(railTrips, rows)
  }
  tellShortOnes(timetable, lastDays)
}

/** A timetable may have no trips of a commuter network in its last weeks, as Rodalies in October 2026: a gap, not the end of its trains. */
function tellShortOnes({ calendar, notes }: Timetable, lastDays: ReadonlyMap<string, string>): void {
  const end = [...calendar.days.values()].reduce((latest, days) => ((days.at(-1) ?? '') > latest ? (days.at(-1) as string) : latest), '')
  for (const [nucleo, last] of lastDays)
    if (Date.parse(end) - Date.parse(last) >= SHORT_DAYS * DAY_MS)
      notes.warn(`commuter network ${nucleo} has no trips after ${last}; the timetable goes on to ${end}`)
}

const STOP_TIME_COLUMNS = {
  requires: ['trip_id', 'arrival_time', 'departure_time', 'stop_id', 'stop_sequence'],
  takes: ['pickup_type', 'drop_off_type'],
}

/** Rows of stop_times.txt. `trips` is null where trips were not read; else it counts the stops of each. */
export async function* stopTimeRows(timetable: Timetable, known: Known, trips: Map<string, number> | null): AsyncGenerator<Batch> {
  const { zip, notes } = timetable
  const { network, timetable_version, valid_from } = timetable.version
  // The trip of the record before, which is mostly that of this one, and how many stops of it were read.
  let trip: string | null = null
  let stops: number | undefined
  for await (const records of readGtfs(zip, 'stop_times.txt', STOP_TIME_COLUMNS)) {
    const rows: FeedRow<typeof railStopTimes>[] = []
    while (records.next()) {
      const [trip_id, stop_id, stop_sequence] = [records.text(0), records.text(3), records.whole(4)]
      if (!records.isWhole || trip_id === null || stop_id === null || stop_sequence === null) {
        refuse(timetable, railStopTimes, records)
        continue
      }
      if (known.stops && !known.stops.has(stop_id)) notes.warn('stop_id of a stop time is not in stops.txt')
      if (trip_id !== trip) {
        if (trip !== null && stops !== undefined) trips?.set(trip, stops)
        trip = trip_id
        stops = trips?.get(trip_id)
      }
      if (stops !== undefined) stops++
      else if (trips) notes.warn('trip_id of a stop time is not in trips.txt')
      // Member by member: these are 1.9 million.
      rows.push({
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
      })
    }
    yield batch(railStopTimes, rows)
  }
  if (trip !== null && stops !== undefined) trips?.set(trip, stops)
  for (const count of trips?.values() ?? []) {
    if (count === 0) notes.warn('trip without stop times')
    else if (count === 1) notes.warn('trip with a single stop')
  }
}

function stopUse(code: string | null): string | null {
  return code === null ? null : (lookUp(STOP_USES, code) ?? code)
}
