import { defineStandIn } from '../../define.ts'
import { sctGml } from '../../formats/sct-gml.ts'
import { keptOf, newestStamp, type Publisher } from '../../publisher.ts'
import { chance } from '../../random.ts'
import { type CatalanIncident, catalanIncidentsAt } from '../../world/catalan-incidents.ts'
import { roadNetwork } from '../../world/road-network.ts'
import { catalanCameraLists } from './camera-lists.ts'

const MINUTE = 60_000

const incidents = defineStandIn('sct_incidents', {
  publishedAt: newestStamp(MINUTE, stamp),
  contentType: 'text/xml',
  blocks: { known: /^(08|17|25|43)$/, usual: ['43'] },
  write(world, { publishedAt, stampedAt, variant }) {
    const all = catalanIncidentsAt(world.part(roadNetwork), world.seed, publishedAt).filter(
      ({ from }) => !variant.missingBlocks.includes(from.municipality.province),
    )
    const kept = keptOf(all, variant)
    return sctGml(variant.hasUnknownCodes ? kept.map(withUnknownCodes) : kept, stampedAt)
  },
  captures: {
    folder: 'sct-incidencies',
    // incidenciesGML_20260203T19GMT.xml: the name has the hour only, so the minute after its newest report, 19:35:57, is used.
    capturedAt(file) {
      const match = /^incidenciesGML_(\d{4})(\d\d)(\d\d)T(\d\d)GMT\.xml/.exec(file)
      if (!match) return null
      const [year, month, day, hour] = match.slice(1).map(Number) as [number, number, number, number]
      return Date.UTC(year, month - 1, day, hour, 36)
    },
  },
})

/** Generalitat de Catalunya: the incidents of the Servei Català de Trànsit, every minute, its cameras and speed cameras. */
export const gencat: Publisher = { name: 'Generalitat de Catalunya', feeds: [incidents, ...catalanCameraLists] }

/** Each minute's publication is made some seconds into it. */
function stamp(seed: number, minute: number): number {
  return minute * MINUTE + Math.floor(chance(seed, 'sct stamp', minute) * 20_000)
}

/** One incident in forty has unknown codes. */
function withUnknownCodes(incident: CatalanIncident, at: number): CatalanIncident {
  if (at % 40 !== 7) return incident
  const kind = { ...incident.kind, type: [9, 'Astronomia'] as const }
  return { ...incident, kind, cause: { subtype: 99, text: 'Caiguda de meteorit' }, level: 7, effect: 'Calçada fosa' }
}
