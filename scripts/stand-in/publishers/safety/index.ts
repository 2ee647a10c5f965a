import type { Publisher } from '../../publisher.ts'
import { accidents } from './accidents.ts'

/** Publishers of feeds about road safety. */
export const publishers: readonly Publisher[] = Object.freeze([accidents])
