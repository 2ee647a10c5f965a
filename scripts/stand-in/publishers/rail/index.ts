import type { FeedStandIn } from '../../publisher.ts'
import { fgc } from './fgc.ts'
import { metroNetworks } from './metro-networks.ts'
import { renfe } from './renfe.ts'
import { renfeCatalogues } from './renfe-catalogues.ts'
import { renfeRealtime } from './renfe-realtime.ts'
import { renfeVisor } from './renfe-visor.ts'

/** Publishers of feeds about rail. */
export const standIns: readonly FeedStandIn[] = Object.freeze([
  ...renfe,
  ...renfeCatalogues,
  ...renfeRealtime,
  ...renfeVisor,
  ...metroNetworks,
  fgc,
])
