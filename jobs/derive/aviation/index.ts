import type { Derived } from '../define.ts'
import { airportDaysDerived } from './airport-days.ts'
import { airportObservedDaysDerived } from './airport-observed-days.ts'

/** Derivations about aviation. */
export const derivations: readonly Derived[] = Object.freeze([airportDaysDerived, airportObservedDaysDerived])
