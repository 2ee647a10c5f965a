import type { FeedStandIn } from '../publisher.ts'
import { standIns as air } from './air/index.ts'
import { standIns as aviation } from './aviation/index.ts'
import { standIns as fuel } from './fuel/index.ts'
import { standIns as maritime } from './maritime/index.ts'
import { standIns as mobility } from './mobility/index.ts'
import { standIns as rail } from './rail/index.ts'
import { standIns as road } from './road/index.ts'
import { standIns as safety } from './safety/index.ts'
import { standIns as weather } from './weather/index.ts'

/** The stand-in of every feed, by domain. */
export const STAND_INS: readonly FeedStandIn[] = [
  ...road,
  ...fuel,
  ...mobility,
  ...rail,
  ...maritime,
  ...safety,
  ...weather,
  ...air,
  ...aviation,
]
