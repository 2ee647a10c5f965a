import type { FeedStandIn } from '../../publisher.ts'
import { barcelonaAir, madridAir, mitecoIca } from './air-quality.ts'

/** Publishers of air quality feeds. */
export const standIns: readonly FeedStandIn[] = Object.freeze([mitecoIca, madridAir, barcelonaAir])
