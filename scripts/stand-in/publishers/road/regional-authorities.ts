import { defineStandIn } from '../../define.ts'
import { formerSituations } from '../../formats/former-situations.ts'
import { type FeedStandIn, keptOf, newestStamp, type Publisher } from '../../publisher.ts'
import { chance } from '../../random.ts'
import { catalanIncidentsAt } from '../../world/catalan-incidents.ts'
import { type RegionIncident, type RegionOfIncidents, regionIncidentsAt } from '../../world/region-incidents.ts'
import { roadNetwork } from '../../world/road-network.ts'
import type { World } from '../../world/world.ts'
import { asSituation } from './sct-situation.ts'

const EVERY_MS = 120_000
const BASQUE: RegionOfIncidents = {
  ...{ prefix: 'EUS', share: 1, located: 0.64 },
  provinces: [
    ['20', 5],
    ['48', 6],
    ['01', 3],
  ],
}
/** Those of Catalonia that the GML lacks. */
const CATALAN: RegionOfIncidents = {
  ...{ prefix: 'SCT', share: 0.4, located: 0.86 },
  provinces: [
    ['08', 6],
    ['17', 2],
    ['25', 1],
    ['43', 2],
  ],
}

interface FormerPublication {
  readonly blocks: FeedStandIn['blocks']
  readonly style: Pick<Parameters<typeof formerSituations>[1], 'creator' | 'provinces' | 'namesRoadAtPoint'>
  incidentsAt(world: World, instant: number): readonly RegionIncident[]
}

function formerStandIn(feed: string, { blocks, style, incidentsAt }: FormerPublication): FeedStandIn {
  return defineStandIn(feed, {
    publishedAt: newestStamp(EVERY_MS, (seed, period) => period * EVERY_MS + Math.floor(chance(seed, `${feed} stamp`, period) * 20_000)),
    blocks,
    write(world, { publishedAt, stampedAt, variant }) {
      const all = incidentsAt(world, publishedAt).filter(({ from }) => !variant.missingBlocks.includes(from.municipality.province))
      return formerSituations(keptOf(all, variant), { publishedAt: stampedAt, hasUnknownCodes: variant.hasUnknownCodes, ...style })
    },
  })
}

const basque = formerStandIn('trafikoa_incidents', {
  blocks: { known: /^(01|20|48)$/, usual: ['01'] },
  style: { creator: 'dt', provinces: { '01': 'ARABA', '20': 'GIPUZKOA', '48': 'Bizkaia' }, namesRoadAtPoint: false },
  incidentsAt: (world, instant) => regionIncidentsAt(world.part(roadNetwork), world.seed, instant, BASQUE),
})

const catalan = formerStandIn('sct_situations', {
  blocks: { known: /^(08|17|25|43)$/, usual: ['43'] },
  style: { creator: 'sct', provinces: { '08': 'BARCELONA', '17': 'Girona', '25': 'LLEIDA', '43': 'TARRAGONA' }, namesRoadAtPoint: true },
  incidentsAt(world, instant) {
    const network = world.part(roadNetwork)
    const own = catalanIncidentsAt(network, world.seed, instant).map((one) => asSituation(one, network))
    return [...own, ...regionIncidentsAt(network, world.seed, instant, CATALAN)]
  },
})

/** Regional authorities on the national access point, every two minutes. */
export const regionalAuthorities: Publisher = { name: 'Gobierno Vasco and Servei Català de Trànsit', feeds: [basque, catalan] }
