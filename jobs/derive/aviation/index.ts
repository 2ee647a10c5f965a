import type { Derived } from '../define.ts'
import { airportDaysDerived, airportObservedDaysDerived } from './airport-days.ts'

/** Derivations about aviation. */
export const derivations: readonly Derived[] = Object.freeze([airportDaysDerived, airportObservedDaysDerived])
