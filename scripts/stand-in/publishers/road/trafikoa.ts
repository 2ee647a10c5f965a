import { trafikoaSituations } from '../../formats/trafikoa-datex.ts'
import { type FeedStandIn, keptOf, newestStamp, type Publisher } from '../../publisher.ts'
import { chance } from '../../random.ts'
import { basqueIncidentsAt } from '../../world/basque-incidents.ts'
import { roadNetwork } from '../../world/road-network.ts'

const PATH = '/datex2/dt-gv/SituationPublication/all/content.xml'
const EVERY_MS = 120_000

const incidents: FeedStandIn = {
  feed: 'trafikoa_incidents',
  hosts: ['nap.dgt.es'],
  path: PATH,
  route: (path) => (path === PATH ? { kind: 'document', resource: 'basque-country' } : null),
  publishedAt: newestStamp(EVERY_MS, (seed, period) => period * EVERY_MS + Math.floor(chance(seed, 'trafikoa stamp', period) * 20_000)),
  contentType: 'application/xml',
  validators: 'etag',
  headers: {},
  blocks: { known: /^(01|20|48)$/, usual: ['01'] },
  hasOldLayout: false,
  write(world, { publishedAt, stampedAt, variant }) {
    const all = basqueIncidentsAt(world.part(roadNetwork), world.seed, publishedAt).filter(
      ({ from }) => !variant.missingBlocks.includes(from.municipality.province),
    )
    return trafikoaSituations(keptOf(all, variant), { publishedAt: stampedAt, hasUnknownCodes: variant.hasUnknownCodes })
  },
  captures: { folder: 'trafikoa', capturedAt: () => null },
}

/** Gobierno Vasco: incidents of the Basque Country on the national access point, every two minutes. */
export const trafikoa: Publisher = { name: 'Gobierno Vasco', feeds: [incidents] }
