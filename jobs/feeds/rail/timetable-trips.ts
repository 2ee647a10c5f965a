import { railTrips } from '../../../lake/datasets/rail/timetable.ts'
import type { Batch } from '../define.ts'
import type { Known } from '../transit/stop-times.ts'
import { accessOf, memberRows } from '../transit/timetable.ts'
import type { RailTimetable } from './network-ids.ts'

/** Kinds of service that the publisher writes in place of a destination. */
const SERVICE_MARKS: ReadonlySet<string> = new Set(['CIVIS'])
/** Days between a commuter network's last trips and the timetable's end from which a warning is logged. */
const SHORT_DAYS = 7
const DAY_MS = 86_400_000

const TRIP_COLUMNS = {
  member: 'trips.txt',
  requires: ['trip_id', 'route_id', 'service_id'],
  takes: ['trip_short_name', 'trip_headsign', 'direction_id', 'block_id', 'shape_id', 'wheelchair_accessible'],
}

/** Rows of trips.txt; their ids are added to `trips`, without stops yet. */
export async function* tripRows(timetable: RailTimetable, known: Known, trips: Map<string, number>): AsyncGenerator<Batch> {
  const { diagnostics, ids, calendar } = timetable
  const { network, timetable_version, valid_from } = timetable.version
  const lastDays = new Map<string, string>()
  yield* memberRows(timetable, railTrips, {
    ...TRIP_COLUMNS,
    row(records) {
      const [trip_id, route_id, service_id] = [records.text(0), records.text(1), records.text(2)]
      if (trip_id === null || route_id === null || service_id === null) return null
      const shape_id = records.text(7)
      const days = calendar.days.get(service_id)
      if (known.routes && !known.routes.has(route_id)) diagnostics.warn('route_id of a trip is not in routes.txt')
      if (!days) diagnostics.warn('service_id of a trip is not in calendar.txt')
      if (known.shapes && shape_id !== null && !known.shapes.has(shape_id)) diagnostics.warn('shape_id of a trip is not in shapes.txt')
      trips.set(trip_id, 0)
      const nucleo_code = ids.nucleoOf(trip_id)
      const last = days?.at(-1) ?? ''
      if (nucleo_code !== null && last > (lastDays.get(nucleo_code) ?? '')) lastDays.set(nucleo_code, last)
      const sign = records.text(4)
      const isMark = sign !== null && SERVICE_MARKS.has(sign)
      const { train_number, variant, validity_start } = ids.trainOf(trip_id, records.text(3))
      return {
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
        is_wheelchair_accessible: accessOf(records.text(8), diagnostics),
        headway_s: null,
      }
    },
  })
  warnOfShortOnes(timetable, lastDays)
}

/**
 * Warns if a commuter network has no trips in the timetable's last weeks, like Rodalies in October 2026: a gap, not the end of
 * its trains.
 */
function warnOfShortOnes({ calendar, diagnostics }: RailTimetable, lastDays: ReadonlyMap<string, string>): void {
  const end = [...calendar.days.values()].reduce((latest, days) => ((days.at(-1) ?? '') > latest ? (days.at(-1) as string) : latest), '')
  for (const [nucleo, last] of lastDays)
    if (Date.parse(end) - Date.parse(last) >= SHORT_DAYS * DAY_MS)
      diagnostics.warn(`commuter network ${nucleo} has no trips after ${last}; the timetable goes on to ${end}`)
}
