import { NETWORKS, type RailNetworkFacts, versionPrefix } from '../../../lake/datasets/rail/networks.ts'
import { railCalendar, railRoutes, railShapes, railStations, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { type Band, type DownloadStep, defineFeed, type Feed } from '../define.ts'
import type { Get } from '../request.ts'
import { archiveRequest } from '../transit/timetable.ts'
import { type NetworkRules, readNetwork } from './network-timetable.ts'

const NAP_HOST = 'nap.transportes.gob.es'

/** Stations and routes are stable: an archive with far fewer is incomplete. */
const steady = (atLeast: number): Band => ({ atLeast, minRatio: 0.6, maxRatio: 1000 })
/** Trips and days differ between summer and winter, and between timetables of a week and of a year. */
const seasonal = (atLeast: number): Band => ({ atLeast, minRatio: 0.05, maxRatio: 1000 })

/** The declaration of a network's timetable. Its network is in `lake/datasets/rail/networks.ts`. */
interface NetworkFeed extends Partial<Pick<NetworkRules, 'needsExceptions' | 'needsRanges' | 'cutsLong' | 'stationOf'>> {
  readonly network: string
  /** Where it is published, by precedence. */
  readonly from: readonly Get[]
  /** Fewest stations and routes of a complete archive. */
  readonly stations: number
  readonly routes: number
}

/** A network's timetable, published as GTFS; read once a day. */
function networkFeed({ network, from, stations, routes, ...dialect }: NetworkFeed): Feed {
  const rules: NetworkRules = {
    network,
    prefix: versionPrefix(network),
    needsExceptions: false,
    needsRanges: false,
    ...dialect,
  }
  const { feed, source } = NETWORKS[network] as RailNetworkFacts
  return defineFeed({
    id: feed,
    source,
    into: [railStations, railRoutes, railTrips, railStopTimes, railCalendar, railShapes],
    every_s: 86_400,
    get: from,
    freshBy: 'fetch',
    bands: {
      rail_stations: steady(stations),
      rail_routes: steady(routes),
      rail_trips: seasonal(2 * routes),
      rail_stop_times: seasonal(4 * routes),
      rail_calendar: seasonal(1),
      rail_shapes: seasonal(1),
    },
    rows: (bodies, clock, diagnostics) => readNetwork(rules, { bodies, clock, diagnostics }),
  })
}

/**
 * An archive at the National Access Point, by its number of data set. A first answer names the number of its file; both need
 * the key.
 */
export function napArchive(dataset: number): Get {
  return {
    ...archiveRequest(`https://${NAP_HOST}/api/Fichero/${dataset}`),
    accept: 'application/json, application/zip;q=0.9',
    secret: { env: 'NAP_API_KEY', header: 'apikey' },
    twoStep: { hosts: [NAP_HOST], to: readFileNumber, needsSecret: true },
  }
}

/** Reads the answer that names a data set's files: of several, the first of the type GTFS. No answer was recorded. */
export function readFileNumber(bytes: Buffer): DownloadStep {
  let answer: unknown
  try {
    answer = JSON.parse(bytes.toString('utf8'))
  } catch {
    return { refused: 'the first answer is not JSON, so it names no file', retryable: true }
  }
  const files = filesIn(answer)
  const file = files.find((one) => /gtfs/i.test(JSON.stringify(one))) ?? files[0]
  if (!file) return { refused: 'the first answer names no file (ficheroId)', retryable: false }
  return { url: `https://${NAP_HOST}/api/Fichero/download/${file.ficheroId}` }
}

interface NapFile {
  readonly ficheroId: number
}

/** All objects with a file number, however deep. */
function filesIn(value: unknown): NapFile[] {
  if (typeof value !== 'object' || value === null) return []
  if (Number.isInteger((value as NapFile).ficheroId)) return [value as NapFile]
  return Object.values(value).flatMap(filesIn)
}

const crtmItem = (id: string) => archiveRequest(`https://crtm.maps.arcgis.com/sharing/rest/content/items/${id}/data`)

/** Platforms `par_4_263` of station `est_4_263`: of most, only the number says so. */
const crtmStation = (stop_id: string): string => stop_id.replace(/^par_/, 'est_')

/** Ferrocarrils de la Generalitat de Catalunya: trains, metro and funiculars, with all days in calendar_dates.txt. */
export const fgcGtfs = networkFeed({
  network: 'FGC',
  from: [archiveRequest('https://www.fgc.cat/google/google_transit.zip')],
  stations: 60,
  routes: 8,
})

/** Metro de Madrid: frequencies without exact times, and editions that stay online after their last day. */
export const metroMadridGtfs = networkFeed({
  network: 'METRO_MADRID',
  from: [crtmItem('5c7f2951962540d69ffe8f640d94c246')],
  stationOf: crtmStation,
  stations: 150,
  routes: 8,
})

/** Madrid's light rail and the tram of Parla. */
export const metroLigeroGtfs = networkFeed({
  network: 'METRO_LIGERO',
  from: [crtmItem('aaed26cc0ff64b0c947ac0bc3e033196')],
  stationOf: crtmStation,
  stations: 30,
  routes: 2,
})

/** Metro de Málaga, with all days in calendar_dates.txt. */
export const metroMalagaGtfs = networkFeed({
  network: 'METRO_MALAGA',
  from: [napArchive(1296)],
  stations: 10,
  routes: 1,
})

/** Metrovalencia: weekdays are all 0, and only calendar_dates.txt has days; a route per pair of termini. */
export const metrovalenciaGtfs = networkFeed({
  network: 'METROVALENCIA',
  from: [archiveRequest('https://www.metrovalencia.es/google_transit_feed/google_transit.zip'), napArchive(967)],
  needsExceptions: true,
  stations: 80,
  routes: 10,
})

/** TRAM d'Alacant, in the same form. */
export const tramAlicanteGtfs = networkFeed({
  network: 'TRAM_ALICANTE',
  from: [napArchive(966)],
  needsExceptions: true,
  stations: 40,
  routes: 5,
})

/**
 * Trains and metro of Mallorca, in an archive that is mostly of buses, up to ten years ahead. The Mobility Database has a copy
 * that needs no key.
 */
export const mallorcaGtfs = networkFeed({
  network: 'SFM',
  from: [napArchive(1272), archiveRequest('https://files.mobilitydatabase.org/mdb-2766/latest.zip')],
  cutsLong: true,
  stations: 20,
  routes: 3,
})
