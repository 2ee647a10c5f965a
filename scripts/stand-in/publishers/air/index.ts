import type { Publisher } from '../../publisher.ts'
import { barcelonaAir, madridAir } from './cities.ts'
import { mitecoIca } from './miteco-ica.ts'

/** Publishers of air quality feeds. */
export const publishers: readonly Publisher[] = Object.freeze([mitecoIca, madridAir, barcelonaAir])
