import { defineStandIn } from '../../define.ts'
import { formerSituations } from '../../formats/former-situations.ts'
import { everyPeriod, type FeedStandIn, keptOf } from '../../publisher.ts'
import { regionIncidentsAt } from '../../world/region-incidents.ts'

/** Incidents in the national access point's former format, DATEX II 1.0. */
function formerStandIn(
  feed: string,
  region: 'EUS' | 'SCT',
  { usual, ...style }: Parameters<typeof formerSituations>[1]['style'] & { readonly usual: string },
): FeedStandIn {
  return defineStandIn(feed, {
    publishedAt: everyPeriod(120_000, 0, 20),
    blocks: { known: new RegExp(`^(${Object.keys(style.provinces).join('|')})$`), usual: [usual] },
    write(world, { publishedAt, stampedAt, variant }) {
      const all = regionIncidentsAt(world, publishedAt, region).filter(
        ({ from }) => !variant.missingBlocks.includes(from.municipality.province),
      )
      return formerSituations(keptOf(all, variant), { publishedAt: stampedAt, hasUnknownCodes: variant.hasUnknownCodes, style })
    },
  })
}

const basque = formerStandIn('trafikoa_incidents', 'EUS', {
  ...{ creator: 'dt', provinces: { '01': 'ARABA', '20': 'GIPUZKOA', '48': 'Bizkaia' }, namesRoadAtPoint: false, usual: '01' },
})

const catalan = formerStandIn('sct_situations', 'SCT', {
  provinces: { '08': 'BARCELONA', '17': 'Girona', '25': 'LLEIDA', '43': 'TARRAGONA' },
  ...{ creator: 'sct', namesRoadAtPoint: true, usual: '43' },
})

/** Regional authorities on the national access point, every two minutes. */
export const regionalAuthorities: readonly FeedStandIn[] = [basque, catalan]
