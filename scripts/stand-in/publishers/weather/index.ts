import type { Publisher } from '../../publisher.ts'
import { aemet } from './aemet.ts'

/** Publishers of feeds about the weather. */
export const publishers: readonly Publisher[] = Object.freeze([aemet])
