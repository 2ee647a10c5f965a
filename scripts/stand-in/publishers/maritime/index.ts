import type { Publisher } from '../../publisher.ts'
import { marineRegister } from './marine-fuel.ts'

/** Publishers of feeds about the sea. */
export const publishers: readonly Publisher[] = Object.freeze([marineRegister])
