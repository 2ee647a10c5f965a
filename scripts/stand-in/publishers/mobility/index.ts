import type { Publisher } from '../../publisher.ts'
import { mitmaMobility } from './mitma.ts'
import { trafficMap } from './traffic-map.ts'

/** Publishers of feeds about mobility. */
export const publishers: readonly Publisher[] = Object.freeze([mitmaMobility, trafficMap])
