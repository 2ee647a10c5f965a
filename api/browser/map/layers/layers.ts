import type { DataLayer } from './layer.ts'
import { LIVE } from './layers-live.ts'
import { PLACES } from './layers-places.ts'

/** Everything the map can show, in the reverse order of its panel; the last is drawn on top. */
export const LAYERS: readonly DataLayer[] = [...PLACES, ...LIVE]
