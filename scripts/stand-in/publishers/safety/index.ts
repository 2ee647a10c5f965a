import type { FeedStandIn } from '../../publisher.ts'
import { accidents } from './accidents.ts'

/** Publishers of feeds about road safety. */
export const standIns: readonly FeedStandIn[] = Object.freeze([...accidents])
