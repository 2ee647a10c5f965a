import { ferryCalendar, ferryRoutes, ferryStops, ferryStopTimes, ferryTrips } from '../../../lake/datasets/maritime/ferry-timetable.ts'
import { nap } from '../../../lake/datasets/maritime/sources.ts'
import { type Band, defineFeed, type Feed } from '../define.ts'
import { archiveRequest } from '../transit/timetable.ts'
import { readFerries } from './ferry-timetable.ts'

/** Ports and routes are stable across seasons: an archive with far fewer is incomplete. */
const steady = (atLeast: number): Band => ({ atLeast, minRatio: 0.6, maxRatio: 1000 })
/** Sailings of summer and winter differ by more than half. */
const seasonal = (atLeast: number): Band => ({ atLeast, minRatio: 0.2, maxRatio: 1000 })

/** An operator's timetable in the Mobility Database. */
interface Operator {
  readonly id: string
  readonly network: string
  /** Its number there, and the name of its file. */
  readonly mdb: number
  readonly file: string
  /** Routes that it has at least. */
  readonly routes: number
}

/**
 * A ferry operator's timetable from the National Access Point, read from the Mobility Database's copy, which needs no key, at
 * either of its addresses.
 */
function ferryFeed({ id, network, mdb, file, routes }: Operator): Feed {
  const rules = { network, prefix: network.toLowerCase(), needsExceptions: false, needsRanges: false }
  return defineFeed({
    id,
    source: nap,
    into: [ferryStops, ferryRoutes, ferryTrips, ferryStopTimes, ferryCalendar],
    every_s: 86_400,
    get: [
      archiveRequest(`https://storage.googleapis.com/storage/v1/b/mdb-latest/o/${file}-${mdb}.zip?alt=media`),
      archiveRequest(`https://files.mobilitydatabase.org/mdb-${mdb}/latest.zip`),
    ],
    freshBy: 'fetch',
    bands: {
      ferry_stops: steady(2),
      ferry_routes: steady(routes),
      ferry_trips: seasonal(2 * routes),
      ferry_stop_times: seasonal(4 * routes),
      ferry_calendar: seasonal(7),
    },
    rows: (bodies, _clock, diagnostics) => readFerries(rules, bodies, diagnostics),
  })
}

/** Baleària: the Balearics, the Strait, Ceuta, Melilla, the Canaries and Morocco. */
export const ferriesBalearia = ferryFeed({
  ...{ id: 'ferries_balearia', network: 'BALEARIA', mdb: 2814, file: 'es-baelearic-islands-balearia-ferry-gtfs', routes: 3 },
})

/** Fred. Olsen Express: between the Canary Islands, and to Huelva. */
export const ferriesFredOlsen = ferryFeed({
  ...{ id: 'ferries_fred_olsen', network: 'FRED_OLSEN', mdb: 2722, file: 'es-tenerife-ferry-fred-olsen-gtfs', routes: 2 },
})

/** The transporter bridge between Portugalete and Getxo, published as a ferry. */
export const ferriesVizcayaBridge = ferryFeed({
  ...{ id: 'ferries_vizcaya_bridge', network: 'VIZCAYA_BRIDGE', mdb: 2789, file: 'es-biscay-bridge-ferry-gtfs', routes: 1 },
})
