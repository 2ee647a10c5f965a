import { capturesNamed, defineStandIn } from '../../define.ts'
import { fixtureStandIn } from '../../fixture.ts'
import { stationsCsv } from '../../formats/renfe-stations.ts'
import type { Publisher } from '../../publisher.ts'
import { railNetwork } from '../../world/rail-network.ts'

const WEEK = 7 * 86_400_000

const stations = defineStandIn('renfe_estaciones', {
  publishedAt: (_seed, now) => Math.floor(now / WEEK) * WEEK,
  write: (world, { publishedAt, variant: { share, hasUnknownCodes } }) =>
    stationsCsv({ network: world.part(railNetwork), seed: world.seed, edition: publishedAt / WEEK, share, hasUnknownCodes }),
  captures: {
    folder: 'renfe-estaciones',
    // estaciones_2026-06-24.csv; the lists of 2022 have other URLs.
    capturedAt: capturesNamed(/^estaciones_[\d-]+\.csv$/),
  },
})

const models = fixtureStandIn('renfe_material', {
  file: 'list.csv',
  records: 17,
  fields: {},
  captures: {
    folder: 'renfe-material',
    // 2022-07-03_informacion-trenes.csv
    capturedAt: capturesNamed(/_informacion-trenes\.csv$/),
  },
})

/** Renfe's static catalogues: its stations and its models of trains. */
export const renfeCatalogues: Publisher = { name: 'Renfe Viajeros, catálogos', feeds: [stations, models] }
