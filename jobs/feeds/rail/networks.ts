import { archiveRequest } from '../transit/timetable.ts'
import { napArchive, networkFeed } from './network-feed.ts'

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
