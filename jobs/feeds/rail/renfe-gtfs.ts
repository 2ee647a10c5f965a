import { renfe } from '../../../lake/datasets/rail/sources.ts'
import { railCalendar, railRoutes, railShapes, railStations, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { defineFeed } from '../define.ts'
import { archiveRequest } from '../transit/timetable.ts'
import { TIMETABLE_PRODUCTS } from './products.ts'
import { ALIKE_S, type NetworkIds, nightlyBand, readTimetable } from './timetable.ts'

/** Service (núcleo, counter, day letter), train number, line: `1032S19799C1`. */
const COMMUTER_TRIP = /^\d{4}[A-Z](\d{5})[A-Za-z0-9]+$/
const NUCLEO = /^\d\d/

const COMMUTER_IDS: NetworkIds = {
  network: 'CERCANIAS',
  prefix: 'cercanias',
  needsExceptions: false,
  needsRanges: true,
  products: null,
  nucleoOf: (id) => NUCLEO.exec(id)?.[0] ?? null,
  terminiOf: () => ({ origin_stop_id: null, destination_stop_id: null }),
  trainOf: (id) => ({ train_number: COMMUTER_TRIP.exec(id)?.[1] ?? null, variant: null, validity_start: null }),
}

/** The timetable of commuter rail, rebuilt most nights for thirty days ahead; it does not state when it was made. */
export const renfeGtfsCercanias = defineFeed({
  id: 'renfe_gtfs_cercanias',
  source: renfe,
  into: [railStations, railRoutes, railShapes, railTrips, railStopTimes, railCalendar],
  every_s: 3600,
  get: archiveRequest('https://ssl.renfe.com/ftransit/Fichero_CER_FOMENTO/fomento_transit.zip'),
  freshBy: 'fetch',
  // Within nine months of 2026 routes grew from 514 to 852 in steps of up to a third, and shapes from 68 to 144 at once.
  bands: {
    rail_stations: nightlyBand(100, 0.9),
    rail_routes: nightlyBand(20, 0.7),
    rail_shapes: nightlyBand(20, 0.6),
    rail_trips: nightlyBand(1000, 0.6),
    rail_stop_times: nightlyBand(10_000, 0.6),
    rail_calendar: nightlyBand(100, 0.6),
  },
  // Stop times name no núcleo. A lost núcleo is at most a sixth of them, except for two núcleos. A version without it would
  // leave its stations without trains, although the previous one has them for four more weeks.
  groups: {
    rail_trips: { column: 'nucleo_code', refusedFor_s: ALIKE_S },
    rail_calendar: { column: 'nucleo_code' },
    rail_routes: { column: 'nucleo_code' },
  },
  rows: (bodies, clock, diagnostics, wanted) => readTimetable(COMMUTER_IDS, { bodies, clock, diagnostics, wanted }),
})

/** Train number, variant, first day of validity: `0019012026-08-22`. */
const LONG_DISTANCE_TRIP = /^(\d{5})(\d)(\d{4}-\d\d-\d\d)$/
/** Origin, destination, and a suffix of three to five characters: `1700037606GL023`. */
const LONG_DISTANCE_ROUTE = /^(\d{5})(\d{5})/

const LONG_DISTANCE_IDS: NetworkIds = {
  network: 'AVLDMD',
  prefix: 'avldmd',
  needsExceptions: true,
  needsRanges: true,
  products: TIMETABLE_PRODUCTS,
  nucleoOf: () => null,
  terminiOf(id) {
    const match = LONG_DISTANCE_ROUTE.exec(id)
    return { origin_stop_id: match?.[1] ?? null, destination_stop_id: match?.[2] ?? null }
  },
  trainOf(id, shortName) {
    const match = LONG_DISTANCE_TRIP.exec(id)
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
  rows: (bodies, clock, diagnostics, wanted) => readTimetable(LONG_DISTANCE_IDS, { bodies, clock, diagnostics, wanted }),
})
