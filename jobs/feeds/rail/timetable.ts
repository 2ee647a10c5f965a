import { railCalendar, railRoutes, railShapes, railStations, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { type Band, type Batch, batch, type Diagnostics, type FeedBody, type FeedClock } from '../define.ts'
import { type Known, stopTimeRows } from '../transit/stop-times.ts'
import { calendarRows, openTimetable } from '../transit/timetable.ts'
import type { NetworkIds, RailTimetable } from './network-ids.ts'
import { routeRows, shapeRows, stationRows } from './timetable-places.ts'
import { tripRows } from './timetable-trips.ts'

/** Days after its first one from which a timetable is not expected to be the newest. */
const OLD_DAYS = 7
const DAY_MS = 86_400_000

/** How long a nightly timetable must resemble the previous one, s: after that, a permanently smaller one is accepted. */
export const ALIKE_S = 5 * 86_400
/** Smallest share of the previous timetable's rows after that time; in 13 months of archives none had less than 0.6. */
const LEAST_LATER = 0.2

/** The band of a dataset of a nightly timetable; growth is unlimited. `share` is the smallest share of rows in the next one. */
export function nightlyBand(atLeast: number, share: number): Band {
  return { atLeast, minRatio: LEAST_LATER, maxRatio: 1000, soon: [{ within_s: ALIKE_S, minRatio: share }] }
}

/** Reads GTFS archives into the requested datasets, all by default; unused members are not decompressed. */
export async function* readTimetable(
  ids: NetworkIds,
  given: {
    readonly bodies: readonly FeedBody[]
    readonly clock: FeedClock
    readonly diagnostics: Diagnostics
    readonly wanted: ReadonlySet<Dataset> | undefined
  },
): AsyncGenerator<Batch> {
  const { diagnostics, wanted } = given
  const wants = (...some: readonly Dataset[]): boolean => wanted === undefined || some.some((dataset) => wanted.has(dataset))
  for (const body of given.bodies) {
    const timetable: RailTimetable = { ids, ...(await openTimetable(body, ids, diagnostics)) }
    const { zip, calendar, version } = timetable
    if (given.clock.fetched_at - calendar.validFrom > (OLD_DAYS + 1) * DAY_MS)
      diagnostics.warn(`the timetable begins on ${calendar.first}, more than ${OLD_DAYS} days before it was fetched`)
    if (wants(railCalendar))
      yield* calendarRows(timetable, railCalendar, (service_id, service_date) => ({
        ...version,
        service_id,
        service_date,
        nucleo_code: ids.nucleoOf(service_id),
      }))

    const [stops, routes, shapes] = [new Set<string>(), new Set<string>(), new Set<string>()]
    const hasShapes = zip.names.includes('shapes.txt')
    if (wants(railStations)) yield* stationRows(timetable, stops)
    if (wants(railRoutes)) yield* routeRows(timetable, routes)
    if (hasShapes && wants(railShapes)) yield* shapeRows(timetable, shapes)
    const known: Known = {
      stops: wants(railStations) ? stops : null,
      routes: wants(railRoutes) ? routes : null,
      shapes: hasShapes && wants(railShapes) ? shapes : null,
    }
    const trips = new Map<string, number>()
    if (wants(railTrips)) yield* tripRows(timetable, known, trips)
    if (wants(railStopTimes))
      yield* stopTimeRows(timetable, {
        dataset: railStopTimes,
        batchOf: (rows) => batch(railStopTimes, rows),
        known,
        trips: wants(railTrips) ? trips : null,
      })
  }
}
