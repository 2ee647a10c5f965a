import type { FeedStandIn } from '../../publisher.ts'
import { barcelonaAir, madridAir } from './cities.ts'
import { mitecoIca } from './miteco-ica.ts'

/** Publishers of air quality feeds. */
export const standIns: readonly FeedStandIn[] = Object.freeze([mitecoIca, madridAir, barcelonaAir])
