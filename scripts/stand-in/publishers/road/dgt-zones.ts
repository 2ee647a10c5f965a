import { dgtZones, zoneIndex } from '../../formats/dgt-zones.ts'
import { type FeedStandIn, keptOf, newestStamp } from '../../publisher.ts'
import { zoneFiles } from '../../world/low-emission-zones.ts'

const FOLDER = '/datex2/v3/dgt/zbe/ControledZonePublication/'
const DAY = 86_400_000
const INDEX = 'index'

/** The low-emission zones: a directory of one file for each municipality, which rarely changes. */
export const lowEmissionZones: FeedStandIn = {
  feed: 'dgt_zones',
  hosts: ['infocar.dgt.es'],
  path: FOLDER,
  route: (path) => {
    if (!path.startsWith(FOLDER)) return null
    return { kind: 'document', resource: decodeURIComponent(path.slice(FOLDER.length)) || INDEX }
  },
  publishedAt: newestStamp(DAY, (_seed, day) => day * DAY),
  contentType: 'application/xml',
  contentTypes: { [INDEX]: 'text/html;charset=UTF-8' },
  validators: 'etag',
  headers: {},
  blocks: { known: /^[\p{L}]+\.xml$/u, usual: ['Madrid.xml'] },
  hasOldLayout: false,
  write(world, { resource, stampedAt, variant }) {
    const files = zoneFiles(world).filter(({ name }) => !variant.missingBlocks.includes(name))
    if (resource === INDEX) return zoneIndex(keptOf(files, variant))
    const zones = files.find(({ name }) => name === resource)?.zones ?? []
    return dgtZones(zones, { publishedAt: stampedAt, hasUnknownCodes: variant.hasUnknownCodes })
  },
  // The publisher's bytes are not held.
  captures: { folder: 'dgt-zbe', capturedAt: () => null },
}
