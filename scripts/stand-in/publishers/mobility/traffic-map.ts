import { monthlyOn } from '../../define.ts'
import { fixtureStandIn } from '../../fixture.ts'
import type { Edition, FeedStandIn } from '../../publisher.ts'
import { type ImdSection, imdSections, postText, vehiclesOf } from '../../world/imd.ts'

/** First and last year of the service's maps. */
const [FIRST, LAST] = [2015, 2019]
/** Most features in one answer. */
const PAGE = 1000

const yearOf = ({ resource }: Edition): number => Number(resource.split('/')[0])

interface CountedSection extends ImdSection {
  readonly total: number
  readonly heavy: number
}

/** Vehicle-km of a section in the year of its map. */
function vehicleKm(vehicles: number, { edition, item }: { readonly edition: Edition; readonly item: CountedSection }): number {
  return Math.floor(item.length_km * (yearOf(edition) % 4 === 0 ? 366 : 365) * vehicles)
}

const maps = fixtureStandIn<CountedSection>('mitma_imd', {
  file: '2018.json',
  element: 'features',
  items: (world, edition) =>
    world.part(imdSections).map((section) => {
      const total = vehiclesOf(world.seed, section, yearOf(edition))
      return { ...section, total, heavy: Math.round(total * section.heavyShare) }
    }),
  fields: {
    OBJECTID: (_id, { nth }) => nth + 1,
    provincia: (_province, { item }) => item.province,
    nombre: (_road, { item }) => item.road,
    tipo_carretera: (_type, { item }) => item.roadType,
    pk_inicio: (_post, { item }) => postText(item.road, item.from_m),
    pk_fin: (_post, { item }) => postText(item.road, item.to_m),
    longitud: (_km, { item }) => item.length_km,
    vh_km_total: (_km, place) => vehicleKm(place.item.total, place),
    vh_km_ligeros: (_km, place) => vehicleKm(place.item.total - place.item.heavy, place),
    vh_km_pesados: (_km, place) => vehicleKm(place.item.heavy, place),
    imd_total: (_imd, { item }) => item.total,
    imd_ligeros: (_imd, { item }) => item.total - item.heavy,
    imd_pesados: (_imd, { item }) => item.heavy,
  },
  route(path, query) {
    const [, year] = /^\/arcgis\/rest\/services\/MapaTrafico\/Mapa(\d{4})web\/MapServer\/2\/query$/.exec(path) ?? []
    if (Number(year) >= FIRST && Number(year) <= LAST) return `${year}/${offsetOf(query)}`
    return null
  },
  publishedAt: monthlyOn(1),
  contentType: 'application/json;charset=utf-8',
  // Not recorded with the capture; a map server computes the answer to each query.
  validators: 'none',
})

/** The ministry's traffic map of the state roads, as layers of an ArcGIS server. */
export const trafficMap: FeedStandIn = {
  ...maps,
  write(world, edition) {
    const map = JSON.parse(String(maps.write(world, edition))) as { readonly features: readonly object[] }
    const offset = Number(edition.resource.split('/')[1])
    const isPartial = offset + PAGE < map.features.length
    return JSON.stringify({
      ...map,
      features: map.features.slice(offset, offset + PAGE),
      ...(isPartial && { exceededTransferLimit: true }),
    })
  },
}

const offsetOf = (query: URLSearchParams): number => {
  const offset = Number(query.get('resultOffset') ?? 0)
  return Number.isInteger(offset) && offset > 0 ? offset : 0
}
