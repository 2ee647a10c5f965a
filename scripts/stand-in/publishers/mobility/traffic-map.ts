import { instantOf } from '../../../../lake/schema/time.ts'
import { imdSectionPage } from '../../formats/imd-map.ts'
import { type FeedStandIn, keptOf, type Publisher } from '../../publisher.ts'
import { imdSections } from '../../world/imd.ts'
import { localTime } from '../../world/rhythm.ts'

/** First and last year of the service's maps. */
const [FIRST, LAST] = [2015, 2019]
/** Most features in one answer. */
const PAGE = 1000

const sections: FeedStandIn = {
  feed: 'mitma_imd',
  hosts: ['mapas.fomento.gob.es'],
  path: `/arcgis/rest/services/MapaTrafico/Mapa${LAST}web/MapServer/2/query`,
  route(path, query) {
    const [, year] = /^\/arcgis\/rest\/services\/MapaTrafico\/Mapa(\d{4})web\/MapServer\/2\/query$/.exec(path) ?? []
    if (Number(year) >= FIRST && Number(year) <= LAST) return { kind: 'document', resource: `${year}/${offsetOf(query)}` }
    return null
  },
  // Some sections are corrected at the first of a month.
  publishedAt(_seed, now) {
    const { year, month } = localTime(now)
    return instantOf(`${year}-${String(month).padStart(2, '0')}-01`, '00:00')
  },
  contentType: 'application/json;charset=utf-8',
  // Not recorded with the capture; a map server computes the answer to each query.
  validators: 'none',
  headers: {},
  blocks: { known: /^(?!)/, usual: [] },
  hasOldLayout: false,
  write(world, { resource, publishedAt, variant }) {
    const [year = LAST, offset = 0] = resource.split('/').map(Number)
    const kept = keptOf(world.part(imdSections), variant)
    const { seed } = world
    return imdSectionPage(
      { seed, year, sections: kept, edition: publishedAt, hasUnknownCodes: variant.hasUnknownCodes },
      { offset, most: PAGE },
    )
  },
  // A map of one of the years 2015 to 2018; which one was not recorded.
  captures: { folder: 'imd', capturedAt: () => null },
}

/** The ministry's traffic map of the state roads, as layers of an ArcGIS server. */
export const trafficMap: Publisher = { name: 'Ministerio de Transportes y Movilidad Sostenible, mapa de tráfico', feeds: [sections] }

const offsetOf = (query: URLSearchParams): number => {
  const offset = Number(query.get('resultOffset') ?? 0)
  return Number.isInteger(offset) && offset > 0 ? offset : 0
}
