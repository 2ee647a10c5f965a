import { renfe } from '../../../lake/datasets/rail/sources.ts'
import { railCalendar, railRoutes, railShapes, railStations, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { defineFeed } from '../define.ts'
import { archiveRequest } from '../transit/timetable.ts'
import type { NetworkIds } from './network-ids.ts'
import { ALIKE_S, nightlyBand, readTimetable } from './timetable.ts'

/** Service (núcleo, counter, day letter), train number, line: `1032S19799C1`. */
const TRIP_ID = /^\d{4}[A-Z](\d{5})[A-Za-z0-9]+$/
const NUCLEO = /^\d\d/

const IDS: NetworkIds = {
  network: 'CERCANIAS',
  prefix: 'cercanias',
  needsExceptions: false,
  needsRanges: true,
  products: null,
  nucleoOf: (id) => NUCLEO.exec(id)?.[0] ?? null,
  terminiOf: () => ({ origin_stop_id: null, destination_stop_id: null }),
  trainOf: (id) => ({ train_number: TRIP_ID.exec(id)?.[1] ?? null, variant: null, validity_start: null }),
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
  rows: (bodies, clock, diagnostics, wanted) => readTimetable(IDS, { bodies, clock, diagnostics, wanted }),
})
