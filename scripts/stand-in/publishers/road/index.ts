import type { Publisher } from '../../publisher.ts'
import { barcelonaTraffic, bilbaoTraffic, valenciaTraffic } from './cities.ts'
import { dgt } from './dgt.ts'
import { gencat } from './gencat.ts'
import { ign } from './ign.ts'
import { madrid } from './madrid.ts'
import { madridArchive } from './madrid-archive.ts'
import { trafikoa } from './trafikoa.ts'

/** Publishers of feeds about roads. */
export const publishers: readonly Publisher[] = Object.freeze([
  dgt,
  gencat,
  trafikoa,
  madrid,
  madridArchive,
  barcelonaTraffic,
  valenciaTraffic,
  bilbaoTraffic,
  ign,
])
