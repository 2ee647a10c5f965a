import { defineStandIn } from '../../define.ts'
import { dgtZones, zoneIndex } from '../../formats/dgt-zones.ts'
import { keptOf } from '../../publisher.ts'
import { zoneFiles } from '../../world/low-emission-zones.ts'

const FOLDER = '/datex2/v3/dgt/zbe/ControledZonePublication/'
const INDEX = 'index'

/** The low-emission zones: a directory of one file for each municipality, which rarely changes. */
export const lowEmissionZones = defineStandIn('dgt_zones', {
  route: (path) => {
    if (!path.startsWith(FOLDER)) return null
    return { kind: 'document', resource: decodeURIComponent(path.slice(FOLDER.length)) || INDEX }
  },
  contentTypes: { [INDEX]: 'text/html;charset=UTF-8' },
  blocks: { known: /^[\p{L}]+\.xml$/u, usual: ['Madrid.xml'] },
  write(world, { resource, stampedAt, variant }) {
    const files = zoneFiles(world).filter(({ name }) => !variant.missingBlocks.includes(name))
    if (resource === INDEX) return zoneIndex(keptOf(files, variant))
    const zones = files.find(({ name }) => name === resource)?.zones ?? []
    return dgtZones(zones, { publishedAt: stampedAt, hasUnknownCodes: variant.hasUnknownCodes })
  },
})
