import type { Publisher } from '../../publisher.ts'
import { ministry } from './ministry.ts'
import { oilBulletin } from './oil-bulletin.ts'

/** Publishers of feeds about fuel. */
export const publishers: readonly Publisher[] = Object.freeze([ministry, oilBulletin])
