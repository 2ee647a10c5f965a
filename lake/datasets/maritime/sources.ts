import { defineSource } from '../../schema/sources.ts'

/** Spain's National Access Point: GTFS timetables of ferries. The Mobility Database keeps a copy. */
export const nap = defineSource({
  id: 'nap',
  publisher: 'Ministerio de Transportes y Movilidad Sostenible, Punto de Acceso Nacional de Transporte Multimodal',
  url: 'https://nap.transportes.gob.es/',
  licence: 'Licencia de uso de datos del Punto de Acceso Nacional',
  licence_url: 'https://nap.transportes.gob.es/licencia-datos',
  attribution: 'Powered by MITRAMS',
  commercial_use: 'yes',
})

/** The World Port Index of the US government. */
export const worldPortIndex = defineSource({
  id: 'world_port_index',
  publisher: 'National Geospatial-Intelligence Agency (Pub. 150)',
  url: 'https://msi.nga.mil/Publications/WPI',
  licence: 'Public domain (US government work)',
  licence_url: 'https://www.usa.gov/government-works',
  attribution: 'National Geospatial-Intelligence Agency, World Port Index',
  commercial_use: 'yes',
})

/** Spanish ports missing from the World Port Index, and official names of others: a list of facts in this repository. */
export const portList = defineSource({
  id: 'port_list',
  publisher: 'Traffic Intelligence, list of ports kept by hand',
  url: 'https://www.puertos.es/',
  licence: 'CC0 1.0',
  licence_url: 'https://creativecommons.org/publicdomain/zero/1.0/',
  attribution: 'None required',
  commercial_use: 'yes',
})

/** Vessel broadcasts received by the operator's own AIS receivers. */
export const aisReceivers = defineSource({
  id: 'ais_receivers',
  publisher: "Own AIS receivers of this service's operator",
  url: 'https://www.itu.int/rec/R-REC-M.1371',
  licence: "Operator's own observations of public broadcasts",
  licence_url: 'https://www.itu.int/rec/R-REC-M.1371',
  attribution: 'None required',
  commercial_use: 'yes',
})

/** The AIS stream of aisstream.io: free of charge, no licence to resell. */
export const aisstream = defineSource({
  id: 'aisstream',
  publisher: 'aisstream.io',
  url: 'https://aisstream.io/documentation',
  licence: 'none stated',
  licence_url: 'https://aisstream.io/documentation',
  attribution: 'AIS data by aisstream.io',
  commercial_use: 'no',
})
