import { renfe } from '../../../lake/datasets/rail/sources.ts'
import { railCalendar, railRoutes, railStations, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { defineFeed } from '../define.ts'
import { archiveRequest } from '../transit/timetable.ts'
import type { NetworkIds } from './network-ids.ts'
import { TIMETABLE_PRODUCTS } from './products.ts'
import { nightlyBand, readTimetable } from './timetable.ts'

/** Train number, variant, first day of validity: `0019012026-08-22`. */
const TRIP_ID = /^(\d{5})(\d)(\d{4}-\d\d-\d\d)$/
/** Origin, destination, and a suffix of three to five characters: `1700037606GL023`. */
const ROUTE_ID = /^(\d{5})(\d{5})/

const IDS: NetworkIds = {
  network: 'AVLDMD',
  prefix: 'avldmd',
  needsExceptions: true,
  needsRanges: true,
  products: TIMETABLE_PRODUCTS,
  nucleoOf: () => null,
  terminiOf(id) {
    const match = ROUTE_ID.exec(id)
    return { origin_stop_id: match?.[1] ?? null, destination_stop_id: match?.[2] ?? null }
  },
  trainOf(id, shortName) {
    const match = TRIP_ID.exec(id)
    return { train_number: shortName ?? match?.[1] ?? null, variant: match?.[2] ?? null, validity_start: match?.[3] ?? null }
  },
}

/**
 * The timetable of high-speed, long and medium distance trains, rebuilt every night: existing trips get new ids each time. It
 * has no shapes, and each trip has its own service: a date range with exceptions.
 */
export const renfeGtfsAvldmd = defineFeed({
  id: 'renfe_gtfs_avldmd',
  source: renfe,
  into: [railStations, railRoutes, railTrips, railStopTimes, railCalendar],
  every_s: 3600,
  get: archiveRequest('https://ssl.renfe.com/gtransit/Fichero_AV_LD/google_transit.zip'),
  freshBy: 'fetch',
  // The horizon moves in jumps: there were 7,001 trips in March 2026 and 5,678 in August.
  bands: {
    rail_stations: nightlyBand(100, 0.9),
    rail_routes: nightlyBand(20, 0.7),
    rail_trips: nightlyBand(200, 0.6),
    rail_stop_times: nightlyBand(1000, 0.6),
    rail_calendar: nightlyBand(1000, 0.6),
  },
  rows: (bodies, clock, diagnostics, wanted) => readTimetable(IDS, { bodies, clock, diagnostics, wanted }),
})
