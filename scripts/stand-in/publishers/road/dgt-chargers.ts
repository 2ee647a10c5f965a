import { capturesNamed, defineStandIn } from '../../define.ts'
import { dgtChargers } from '../../formats/dgt-chargers.ts'
import { chargingSitesAt } from '../../world/charging-sites.ts'
import { fillingStations } from '../../world/stations.ts'

/** The register of charging points: once a day, too large for memory. */
export const chargers = defineStandIn('dgt_chargers', {
  headers: { 'Content-Encoding': 'gzip' },
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
    capturedAt: capturesNamed(/_\d{8}T\d{6}\+0200/),
  },
})
