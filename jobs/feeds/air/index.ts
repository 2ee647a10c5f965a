import type { Feed } from '../define.ts'
import { barcelonaAir, madridAir } from './day-file.ts'
import { mitecoIca } from './miteco-ica.ts'

/** Feeds about the quality of the air. */
export const feeds: readonly Feed[] = Object.freeze([mitecoIca, madridAir, barcelonaAir])
