import { provinceFile } from '../../../../jobs/feeds/road/ign-roads.ts'
import { provinceByCode, provinces } from '../../../../lake/places/provinces.ts'
import { defineStandIn } from '../../define.ts'
import { writeGeoPackage } from '../../formats/geopackage.ts'
import { networkLayers } from '../../formats/road-network.ts'
import { packZip } from '../../formats/zip.ts'
import { keptOf, type Publisher } from '../../publisher.ts'
import { chance } from '../../random.ts'
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
    return resource === undefined ? null : { kind: 'document', resource }
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

const HEADER =
  'COD_INE;ID_REL;COD_GEO;COD_PROV;PROVINCIA;NOMBRE_ACTUAL;POBLACION_MUNI;SUPERFICIE;PERIMETRO;COD_INE_CAPITAL;CAPITAL;' +
  'POBLACION_CAPITAL;HOJA_MTN25_ETRS89;LONGITUD_ETRS89;LATITUD_ETRS89;ORIGENCOOR;ALTITUD;ORIGENALTITUD'

const register = defineStandIn('ign_municipalities', {
  publishedAt: (_seed, now) => Date.UTC(new Date(now).getUTCFullYear(), 0, 1),
  write(world, { publishedAt, variant }) {
    const lines = keptOf(readGazetteer().municipalities, variant).map((one) => registerLine(one, world.seed, publishedAt))
    const header = variant.hasUnknownCodes ? `${HEADER};CATASTRO` : HEADER
    return Buffer.from([header, ...lines.map((line) => (variant.hasUnknownCodes ? `${line};1` : line)), ''].join('\r\n'), 'latin1')
  },
})

/** Instituto Geográfico Nacional: the road network, a file for each province, and the register of municipalities, once a year. */
export const ign: Publisher = { name: 'Instituto Geográfico Nacional', feeds: [roads, register] }

/** A municipality's line; it has a little more inhabitants each year. */
function registerLine({ code, name, province, centre }: Municipality, seed: number, publishedAt: number): string {
  const population = Math.round(inhabitantsOf(code, seed) * (1 + 0.004 * (new Date(publishedAt).getUTCFullYear() - 2023)))
  const degrees = (value: number): string => value.toFixed(8).replace('.', ',')
  const { ine_name } = provinceByCode(province) as NonNullable<ReturnType<typeof provinceByCode>>
  const area_ha = (500 + 20_000 * chance(seed, 'area', Number(code))).toFixed(4).replace('.', ',')
  return [
    ...[`${code}000000`, `1${code}7`, code, province, ine_name, name, population, area_ha, 35_069, `${code}000101`, name],
    ...[
      Math.round(0.9 * population),
      '0559-2',
      degrees(centre.lon),
      degrees(centre.lat),
      'Mapa',
      Math.round(900 * chance(seed, 'altitude', Number(code))),
      'MDT',
    ],
  ].join(';')
}
