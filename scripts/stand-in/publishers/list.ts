import type { FeedStandIn } from '../publisher.ts'
import { publishers as air } from './air/index.ts'
import { publishers as aviation } from './aviation/index.ts'
import { publishers as fuel } from './fuel/index.ts'
import { publishers as maritime } from './maritime/index.ts'
import { publishers as mobility } from './mobility/index.ts'
import { publishers as rail } from './rail/index.ts'
import { publishers as road } from './road/index.ts'
import { publishers as safety } from './safety/index.ts'
import { publishers as weather } from './weather/index.ts'

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
].flatMap(({ feeds }) => feeds)
