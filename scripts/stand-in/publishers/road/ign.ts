import { provinceFile } from '../../../../jobs/feeds/road/ign-roads.ts'
import { provinceByCode, provinces } from '../../../../lake/places/provinces.ts'
import { defineStandIn } from '../../define.ts'
import { fixtureStandIn } from '../../fixture.ts'
import { writeGeoPackage } from '../../formats/geopackage.ts'
import { networkLayers } from '../../formats/road-network.ts'
import { packZip } from '../../formats/zip.ts'
import { type FeedStandIn, keptOf } from '../../publisher.ts'
import { inhabitantsOf } from '../../world/inhabitants.ts'
import { type Municipality, readGazetteer } from '../../world/municipalities.ts'
import { roadNetwork } from '../../world/road-network.ts'
import { networkOf } from '../../world/road-sections.ts'

/** Month of the yearly edition. */
const EDITION_MONTH = 6
const FOLDER = '/CentroDescargas/'
const FILES = new Map(provinces.map(({ code }) => [`${FOLDER}${provinceFile(code)}`, code]))

const roads = defineStandIn('ign_roads', {
  route(path) {
    const resource = FILES.get(path)
    return resource === undefined ? null : resource
  },
  publishedAt(_seed, now) {
    const year = new Date(now).getUTCFullYear()
    const newest = Date.UTC(year, EDITION_MONTH, 1)
    return newest <= now ? newest : Date.UTC(year - 1, EDITION_MONTH, 1)
  },
  write(world, { resource, publishedAt, variant }) {
    const network = networkOf(world.part(roadNetwork), world.seed, resource)
    const kept = { sections: keptOf(network.sections, variant), posts: keptOf(network.posts, variant) }
    // Files with and without heights occur.
    const layers = networkLayers(kept, { hasHeights: Number(resource) % 2 === 0, hasUnknownCodes: variant.hasUnknownCodes })
    return packZip([{ name: 'red_viaria.gpkg', pieces: [writeGeoPackage(layers, publishedAt)] }], publishedAt)
  },
})

const degreesText = (value: number): string => value.toFixed(8).replace('.', ',')
const register = fixtureStandIn<Municipality & { readonly people: number }>('ign_municipalities', {
  publishedAt: (_seed, now) => Date.UTC(new Date(now).getUTCFullYear(), 0, 1),
  file: '2025.csv',
  // A municipality has a little more inhabitants each year.
  items: ({ seed }, { publishedAt }) => {
    const growth = 1 + 0.004 * (new Date(publishedAt).getUTCFullYear() - 2023)
    return readGazetteer().municipalities.map((one) => ({ ...one, people: Math.round(inhabitantsOf(one.code, seed) * growth) }))
  },
  fields: {
    COD_INE: (_code, { item }) => `${item.code}000000`,
    ID_REL: (_id, { item }) => `1${item.code}7`,
    COD_GEO: (_code, { item }) => item.code,
    COD_PROV: (_code, { item }) => item.province,
    PROVINCIA: (_name, { item }) => provinceByCode(item.province)?.ine_name ?? '',
    NOMBRE_ACTUAL: (_name, { item }) => item.name,
    POBLACION_MUNI: (_people, { item }) => item.people,
    COD_INE_CAPITAL: (_code, { item }) => `${item.code}000101`,
    CAPITAL: (_name, { item }) => item.name,
    POBLACION_CAPITAL: (_people, { item }) => Math.round(0.9 * item.people),
    LONGITUD_ETRS89: (_lon, { item }) => degreesText(item.centre.lon),
    LATITUD_ETRS89: (_lat, { item }) => degreesText(item.centre.lat),
  },
})

/** Instituto Geográfico Nacional, once a year: the road network by province, and the register of municipalities. */
export const ign: readonly FeedStandIn[] = [roads, register]
