import type { FeedStandIn } from '../../publisher.ts'
import { mitmaMobility } from './mitma.ts'
import { trafficMap } from './traffic-map.ts'

/** Publishers of feeds about mobility. */
export const standIns: readonly FeedStandIn[] = Object.freeze([...mitmaMobility, trafficMap])
