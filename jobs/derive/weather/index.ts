import type { Derived } from '../define.ts'
import { weatherDaysDerived } from './days.ts'
import { weatherRoadDaysDerived, weatherStationRoadsDerived } from './roads.ts'

/** Derivations about the weather. */
export const derivations: readonly Derived[] = Object.freeze([weatherDaysDerived, weatherStationRoadsDerived, weatherRoadDaysDerived])
