import { railCalendar } from '../../../lake/datasets/rail/calendar.ts'
import { railRoutes } from '../../../lake/datasets/rail/routes.ts'
import { railShapes } from '../../../lake/datasets/rail/shapes.ts'
import { railStations } from '../../../lake/datasets/rail/stations.ts'
import { railStopTimes } from '../../../lake/datasets/rail/stop-times.ts'
import { railTrips } from '../../../lake/datasets/rail/trips.ts'
import type { Dataset, FeedRow } from '../../../lake/schema/dataset.ts'
import { openZip } from '../../formats/zip.ts'
import { type Band, type Batch, batch, type FeedBody, type FeedClock, type FeedRequest, type Notes } from '../define.ts'
import { readCalendar } from './gtfs-calendar.ts'
import type { NetworkIds, Timetable } from './timetable-context.ts'
import { routeRows, shapeRows, stationRows } from './timetable-places.ts'
import { type Known, stopTimeRows, tripRows } from './timetable-trips.ts'

/** Bytes that an archive may unpack to: the largest has 305 MB. */
const MOST_UNPACKED = 1_000_000_000
/** Rows of the calendar that are given at once. */
const BATCH = 4096
/** Days since its first one after which a timetable is not expected to be the newest any more. */
const OLD_DAYS = 7
const DAY_MS = 86_400_000

/** How long a night's timetable is expected to be like the one before, s: after that, one that has shrunk for good is taken. */
export const ALIKE_S = 5 * 86_400
/** Share of the rows of the one before that a timetable has at least after that; in 13 months of archives none had less than 0.6 of it. */
const LEAST_LATER = 0.2

/** The band of a dataset of a timetable that is made anew every night; it may grow without bound. `share` is what the next has at least. */
export function nightlyBand(atLeast: number, share: number): Band {
  return { atLeast, minRatio: LEAST_LATER, maxRatio: 1000, soon: [{ within_s: ALIKE_S, minRatio: share }] }
}

/** The request of an archive. */
export function archiveRequest(url: string): FeedRequest {
  return {
    name: 'timetable',
    url,
    accept: 'application/zip',
    maxBytes: 64_000_000,
    maxDecodedBytes: MOST_UNPACKED,
    timeout_ms: 240_000,
    expects: 'zip',
  }
}

/** Reads GTFS archives into the datasets that are asked for, all unless told; what none of them needs is not unpacked. */
export async function* readTimetable(
  ids: NetworkIds,
  given: {
    readonly bodies: readonly FeedBody[]
    readonly clock: FeedClock
    readonly notes: Notes
    readonly wanted: ReadonlySet<Dataset> | undefined
  },
): AsyncGenerator<Batch> {
  const { notes, wanted } = given
  const wants = (...some: readonly Dataset[]): boolean => wanted === undefined || some.some((dataset) => wanted.has(dataset))
  for (const { bytes } of given.bodies) {
    const zip = await openZip(bytes, { maxBytes: MOST_UNPACKED })
    const calendar = await readCalendar(zip, ids)
    const { first, validFrom } = calendar
    const version = { network: ids.network, timetable_version: `${ids.prefix}-${first}`, valid_from: validFrom }
    const timetable: Timetable = { ids, zip, calendar, version, notes }
    if (given.clock.fetched_at - validFrom > (OLD_DAYS + 1) * DAY_MS)
      notes.warn(`the timetable begins on ${first}, more than ${OLD_DAYS} days before it was fetched`)
    if (wants(railCalendar)) yield* calendarRows(timetable)

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
    if (wants(railStopTimes)) yield* stopTimeRows(timetable, known, wants(railTrips) ? trips : null)
  }
}

function* calendarRows({ calendar, version, ids, notes }: Timetable): Generator<Batch> {
  const { bad, days } = calendar
  for (let count = 0; count < bad.count; count++)
    notes.quarantine(railCalendar, 'a service or exception without sensible dates', bad.sample)
  for (let count = 0; count < calendar.early; count++) notes.warn(`a service runs before ${calendar.first}, when the timetable begins`)
  for (let count = 0; count < calendar.offWeekday; count++) notes.warn('weekdays of a service leave out its only day')
  let rows: FeedRow<typeof railCalendar>[] = []
  for (const [service_id, dates] of days) {
    const nucleo_code = ids.nucleoOf(service_id)
    for (const service_date of dates) rows.push({ ...version, service_id, service_date, nucleo_code })
    if (rows.length < BATCH) continue
    yield batch(railCalendar, rows)
    rows = []
  }
  yield batch(railCalendar, rows)
}
