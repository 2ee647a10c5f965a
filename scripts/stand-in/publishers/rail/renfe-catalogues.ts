import { fixtureStandIn } from '../../fixture.ts'
import { stationsCsv } from '../../formats/renfe-stations.ts'
import type { FeedStandIn, Publisher } from '../../publisher.ts'
import { railNetwork } from '../../world/rail-network.ts'

const WEEK = 7 * 86_400_000

const stations: FeedStandIn = {
  feed: 'renfe_estaciones',
  hosts: ['ssl.renfe.com'],
  path: '/ftransit/Fichero_estaciones/estaciones.csv',
  route: (path) => (path === '/ftransit/Fichero_estaciones/estaciones.csv' ? { kind: 'document', resource: 'stations' } : null),
  publishedAt: (_seed, now) => Math.floor(now / WEEK) * WEEK,
  contentType: 'text/csv',
  // Not recorded with the captures; assumed to be those of a file on a plain web server.
  validators: 'etag',
  headers: {},
  blocks: { known: /^(?!)/, usual: [] },
  hasOldLayout: false,
  write: (world, { publishedAt, variant: { share, hasUnknownCodes } }) =>
    stationsCsv({ network: world.part(railNetwork), seed: world.seed, edition: publishedAt / WEEK, share, hasUnknownCodes }),
  captures: {
    folder: 'renfe-estaciones',
    // estaciones_2026-06-24.csv; the lists of 2022 have other URLs.
    capturedAt(file) {
      const [, day] = /^estaciones_(\d{4}-\d\d-\d\d)\.csv$/.exec(file) ?? []
      return day === undefined ? null : Date.parse(day)
    },
  },
}

const models = fixtureStandIn('renfe_material', {
  file: 'list.csv',
  records: 17,
  fields: {},
  captures: {
    folder: 'renfe-material',
    // 2022-07-03_informacion-trenes.csv
    capturedAt(file) {
      const [, day] = /^(\d{4}-\d\d-\d\d)_informacion-trenes\.csv$/.exec(file) ?? []
      return day === undefined ? null : Date.parse(day)
    },
  },
})

/** Renfe's static catalogues: its stations and its models of trains. */
export const renfeCatalogues: Publisher = { name: 'Renfe Viajeros, catálogos', feeds: [stations, models] }
