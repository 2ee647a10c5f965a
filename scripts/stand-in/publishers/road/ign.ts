import { provinceFile } from '../../../../jobs/feeds/road/ign-roads.ts'
import { provinces } from '../../../../lake/places/provinces.ts'
import { writeGeoPackage } from '../../formats/geopackage.ts'
import { networkLayers } from '../../formats/road-network.ts'
import { packZip } from '../../formats/zip.ts'
import { type FeedStandIn, keptOf, type Publisher } from '../../publisher.ts'
import { roadNetwork } from '../../world/road-network.ts'
import { networkOf } from '../../world/road-sections.ts'

/** Month of the yearly edition. */
const EDITION_MONTH = 6
const FOLDER = '/CentroDescargas/'
const FILES = new Map(provinces.map(({ code }) => [`${FOLDER}${provinceFile(code)}`, code]))

const roads: FeedStandIn = {
  feed: 'ign_roads',
  hosts: ['centrodedescargas.cnig.es'],
  path: `${FOLDER}${provinceFile('28')}`,
  route(path) {
    const resource = FILES.get(path)
    return resource === undefined ? null : { kind: 'document', resource }
  },
  publishedAt(_seed, now) {
    const year = new Date(now).getUTCFullYear()
    const newest = Date.UTC(year, EDITION_MONTH, 1)
    return newest <= now ? newest : Date.UTC(year - 1, EDITION_MONTH, 1)
  },
  contentType: 'application/zip',
  validators: 'etag',
  headers: {},
  blocks: { known: /^(?!)/, usual: [] },
  hasOldLayout: false,
  write(world, { resource, publishedAt, variant }) {
    const network = networkOf(world.part(roadNetwork), world.seed, resource)
    const kept = { sections: keptOf(network.sections, variant), posts: keptOf(network.posts, variant) }
    // Files with and without heights occur.
    const layers = networkLayers(kept, { hasHeights: Number(resource) % 2 === 0, hasUnknownCodes: variant.hasUnknownCodes })
    return packZip([{ name: 'red_viaria.gpkg', pieces: [writeGeoPackage(layers, publishedAt)] }], publishedAt)
  },
  // The download centre refuses scripts: no file was recorded.
  captures: { folder: 'ign-rt', capturedAt: () => null },
}

/** Instituto Geográfico Nacional: the road network, a file for each province, once a year. */
export const ign: Publisher = { name: 'Instituto Geográfico Nacional', feeds: [roads] }
