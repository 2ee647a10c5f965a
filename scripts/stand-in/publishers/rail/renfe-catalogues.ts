import { provinceByCode } from '../../../../lake/places/provinces.ts'
import { capturesNamed } from '../../define.ts'
import { fixtureStandIn } from '../../fixture.ts'
import type { FeedStandIn } from '../../publisher.ts'
import { readGazetteer } from '../../world/municipalities.ts'
import { type RailNetwork, railNetwork } from '../../world/rail-network.ts'
import type { RailStation } from '../../world/rail-parts.ts'

const WEEK = 7 * 86_400_000

const stations = fixtureStandIn<RailStation>('renfe_estaciones', {
  publishedAt: (_seed, now) => Math.floor(now / WEEK) * WEEK,
  file: 'stations-2026.csv',
  items: (world) => listedStations(world.part(railNetwork)),
  fields: {
    CODIGO: (_code, { item }) => item.code,
    DESCRIPCION: (_name, { item }) => item.name.toUpperCase(),
    LATITUD: (_lat, { item }) => String(item.lat).padEnd(10),
    LONGITUD: (_lon, { item }) => String(item.lon).padEnd(10),
    CP: (_code, { item }) => `${townOf(item)?.province ?? '28'}001`,
    POBLACION: (_town, { item }) => (townOf(item)?.name ?? '').toUpperCase(),
    PROVINCIA: (_province, { item }) => (provinceByCode(townOf(item)?.province ?? '')?.ine_name ?? '').toUpperCase(),
    PAIS: (_country, { nth, edition }) => (edition.variant.hasUnknownCodes && nth % 40 === 3 ? 'ANDORRA' : 'ESPAÑA'),
  },
  captures: {
    folder: 'renfe-estaciones',
    // estaciones_2026-06-24.csv; the lists of 2022 have other URLs.
    capturedAt: capturesNamed(/^estaciones_[\d-]+\.csv$/),
  },
})

/** All stations of both networks, by code. */
function listedStations({ longDistanceStations, commuterStations }: RailNetwork): readonly RailStation[] {
  const all = new Map([...longDistanceStations, ...commuterStations].map((station) => [station.code, station]))
  return [...all.values()].sort((one, other) => (one.code < other.code ? -1 : 1))
}

const townOf = ({ lon, lat }: RailStation) => readGazetteer().at(lon, lat)

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
export const renfeCatalogues: readonly FeedStandIn[] = [stations, models]
