import type { FeedStandIn } from '../../publisher.ts'
import { aemet } from './aemet.ts'

/** Publishers of feeds about the weather. */
export const standIns: readonly FeedStandIn[] = Object.freeze([...aemet])
