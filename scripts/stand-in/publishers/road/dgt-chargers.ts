import { parseInstant } from '../../../../lake/schema/time.ts'
import { dgtChargers } from '../../formats/dgt-chargers.ts'
import { type FeedStandIn, newestStamp } from '../../publisher.ts'
import { chargingSitesAt } from '../../world/charging-sites.ts'
import { fillingStations } from '../../world/stations.ts'

const PATH = '/datex2/v3/miterd/EnergyInfrastructureTablePublication/electrolineras.xml'
const DAY = 86_400_000

/** The register of charging points: once a day, too large for memory. */
export const chargers: FeedStandIn = {
  feed: 'dgt_chargers',
  hosts: ['infocar.dgt.es'],
  path: PATH,
  route: (path) => (path === PATH ? { kind: 'document', resource: 'national' } : null),
  publishedAt: newestStamp(DAY, (_seed, day) => day * DAY),
  contentType: 'application/xml',
  validators: 'etag',
  headers: { 'Content-Encoding': 'gzip' },
  blocks: { known: /^(?!)/, usual: [] },
  hasOldLayout: false,
  write(world, { publishedAt, stampedAt, variant }) {
    const sites = chargingSitesAt(world, publishedAt)
    const count = Math.floor(world.part(fillingStations).length * variant.share)
    return {
      text: dgtChargers(variant.share < 1 ? sites.take(count) : sites, {
        publishedAt: stampedAt,
        hasUnknownCodes: variant.hasUnknownCodes,
      }),
    }
  },
  captures: {
    folder: 'dgt-electrolineras',
    // electrolineras_20260728T101816+0200.excerpt3.xml
    capturedAt(file) {
      const [, year, month, day, hour, minute, second] = /_(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\+0200/.exec(file) ?? []
      return year === undefined ? null : parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}+02:00`)
    },
  },
}
