import type { FeedStandIn } from '../../publisher.ts'
import { barcelonaTraffic, bilbaoTraffic, valenciaTraffic } from './cities.ts'
import { dgt } from './dgt.ts'
import { gencat } from './gencat.ts'
import { ign } from './ign.ts'
import { madrid } from './madrid.ts'
import { madridArchive } from './madrid-archive.ts'
import { mallorca } from './mallorca.ts'
import { regionalAuthorities } from './regional-authorities.ts'

/** Publishers of feeds about roads. */
export const standIns: readonly FeedStandIn[] = Object.freeze([
  ...dgt,
  ...gencat,
  ...regionalAuthorities,
  mallorca,
  ...madrid,
  ...madridArchive,
  ...barcelonaTraffic,
  valenciaTraffic,
  bilbaoTraffic,
  ...ign,
])
