import { capturesNamed, defineStandIn } from '../../define.ts'
import { dgtDatex } from '../../formats/dgt-datex.ts'
import { everyPeriod, type FeedStandIn, keptOf, type Variant } from '../../publisher.ts'
import { roadNetwork } from '../../world/road-network.ts'
import type { Situation } from '../../world/situation-types.ts'
import { situationsAt } from '../../world/situations.ts'
import { dgtPlaces } from './dgt-places.ts'

const FOLDER = '/datex2/v3/dgt/SituationPublication/'
const MINUTE = 60_000

/** The newest record is some seconds older than the publication. */
const DELAY = 12_000

const incidents = defineStandIn('dgt_incidents', {
  // Since July 2026 the older profile's path redirects to the newer one's.
  route: (path) => {
    if (path === `${FOLDER}datex2_v36.xml`) return { redirect: `${FOLDER}datex2_v37.xml` }
    return path === `${FOLDER}datex2_v37.xml` ? 'national' : null
  },
  publishedAt: everyPeriod(MINUTE, 20, 9),
  blocks: { known: /^(DGT|112|DGT3\.0|\d\d)$/, usual: ['112'] },
  write(world, { publishedAt, stampedAt, variant }) {
    const all = situationsAt(world.part(roadNetwork), world.seed, publishedAt - DELAY).filter((situation) => !isMissing(situation, variant))
    const kept = keptOf(all, variant)
    return dgtDatex(variant.hasUnknownCodes ? kept.map(withUnknownCodes) : kept, stampedAt)
  },
  captures: {
    folder: 'dgt-datex2',
    // situation_datex2_v36_20260102T132328+0100.xml.gz
    capturedAt: capturesNamed(/^situation_.*_\d{8}T\d{6}[+-]\d{4}\.xml/),
  },
})

/**
 * Dirección General de Tráfico: a DATEX II snapshot of situations each minute, its variable-message panels, its traffic
 * detectors, its cameras and speed cameras.
 */
export const dgt: readonly FeedStandIn[] = [incidents, ...dgtPlaces]

function isMissing(situation: Situation, variant: Variant): boolean {
  const province = situation.records[0]?.from.municipality.province ?? ''
  return variant.missingBlocks.includes(situation.source) || variant.missingBlocks.includes(province)
}

/** One situation in forty has unknown codes. */
function withUnknownCodes(situation: Situation, at: number): Situation {
  if (at % 40 !== 7) return situation
  const records = situation.records.map((record) => ({ ...record, measure: { ...record.measure, value: 'hoverLanesOnly' } }))
  return { ...situation, cause: ['solarFlare', 'solarFlareType', 'geomagneticStorm'], records }
}
