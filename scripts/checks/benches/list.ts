import { aisStream, aisStreamMemory } from './ais-stream.ts'
import { analyticReadings } from './analytic.ts'
import { FEED_MEMORY } from './feed-memory.ts'
import { growth } from './growth.ts'
import { limits } from './limits.ts'
import { LISTS } from './lists.ts'
import { MAP } from './map.ts'
import type { AnyBench } from './measure.ts'
import { mitmaOd } from './mitma-od.ts'
import { PARSING } from './parsing.ts'
import { RESTART } from './restart.ts'
import { route, routeSlowest } from './route.ts'
import { SCALE } from './scale.ts'
import { SEARCH } from './search.ts'

/** Every bench, in the order they run; those of `scale` with `--lake` only. */
export const BENCHES: readonly AnyBench[] = [
  ...PARSING,
  ...[aisStream, aisStreamMemory, mitmaOd, analyticReadings],
  ...LISTS,
  ...[route, routeSlowest, limits, ...SEARCH, ...MAP],
  ...FEED_MEMORY,
  growth,
  ...RESTART,
  ...SCALE,
]
