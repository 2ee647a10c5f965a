import { defineStandIn, monthlyOn } from '../../define.ts'
import { imdSectionPage } from '../../formats/imd-map.ts'
import { keptOf, type Publisher } from '../../publisher.ts'
import { imdSections } from '../../world/imd.ts'

/** First and last year of the service's maps. */
const [FIRST, LAST] = [2015, 2019]
/** Most features in one answer. */
const PAGE = 1000

const sections = defineStandIn('mitma_imd', {
  route(path, query) {
    const [, year] = /^\/arcgis\/rest\/services\/MapaTrafico\/Mapa(\d{4})web\/MapServer\/2\/query$/.exec(path) ?? []
    if (Number(year) >= FIRST && Number(year) <= LAST) return { kind: 'document', resource: `${year}/${offsetOf(query)}` }
    return null
  },
  // Some sections are corrected at the first of a month.
  publishedAt: monthlyOn(1),
  contentType: 'application/json;charset=utf-8',
  // Not recorded with the capture; a map server computes the answer to each query.
  validators: 'none',
  write(world, { resource, publishedAt, variant }) {
    const [year = LAST, offset = 0] = resource.split('/').map(Number)
    const kept = keptOf(world.part(imdSections), variant)
    const { seed } = world
    return imdSectionPage(
      { seed, year, sections: kept, edition: publishedAt, hasUnknownCodes: variant.hasUnknownCodes },
      { offset, most: PAGE },
    )
  },
})

/** The ministry's traffic map of the state roads, as layers of an ArcGIS server. */
export const trafficMap: Publisher = { name: 'Ministerio de Transportes y Movilidad Sostenible, mapa de tráfico', feeds: [sections] }

const offsetOf = (query: URLSearchParams): number => {
  const offset = Number(query.get('resultOffset') ?? 0)
  return Number.isInteger(offset) && offset > 0 ? offset : 0
}
