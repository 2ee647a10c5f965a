import type { Publisher } from '../../publisher.ts'
import { barcelonaAir, madridAir } from './cities.ts'
import { mitecoIca } from './miteco-ica.ts'

/** Publishers of feeds about the quality of the air. */
export const publishers: readonly Publisher[] = Object.freeze([mitecoIca, madridAir, barcelonaAir])
