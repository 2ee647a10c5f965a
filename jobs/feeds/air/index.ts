import type { Feed } from '../define.ts'
import { barcelonaAir } from './barcelona-air.ts'
import { madridAir } from './madrid-air.ts'
import { mitecoIca } from './miteco-ica.ts'

/** Feeds about the quality of the air. */
export const feeds: readonly Feed[] = Object.freeze([mitecoIca, madridAir, barcelonaAir])
