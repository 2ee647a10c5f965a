import type { FeedStandIn, Publisher } from '../publisher.ts'
import { accidents } from './accidents.ts'
import { aemet } from './aemet.ts'
import { dgt } from './dgt.ts'
import { gencat } from './gencat.ts'
import { madrid } from './madrid.ts'
import { madridArchive } from './madrid-archive.ts'
import { ministry } from './ministry.ts'
import { mitmaMobility } from './mitma.ts'
import { oilBulletin } from './oil-bulletin.ts'
import { renfe } from './renfe.ts'
import { renfeCatalogues } from './renfe-catalogues.ts'
import { renfeRealtime } from './renfe-realtime.ts'
import { renfeVisor } from './renfe-visor.ts'
import { trafficMap } from './traffic-map.ts'

/** Every publisher. A new one is a file beside this and a line here. */
const PUBLISHERS: readonly Publisher[] = [
  accidents,
  aemet,
  dgt,
  gencat,
  madrid,
  madridArchive,
  ministry,
  mitmaMobility,
  oilBulletin,
  renfe,
  renfeCatalogues,
  renfeRealtime,
  renfeVisor,
  trafficMap,
]

/** Every feed's stand-in. */
export const STAND_INS: readonly FeedStandIn[] = PUBLISHERS.flatMap((publisher) => publisher.feeds)
