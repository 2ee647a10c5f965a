import type { FeedStandIn } from '../../publisher.ts'
import { ministry } from './ministry.ts'
import { oilBulletin } from './oil-bulletin.ts'

/** Publishers of feeds about fuel. */
export const standIns: readonly FeedStandIn[] = Object.freeze([...ministry, oilBulletin])
