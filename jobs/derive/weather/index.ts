import type { Derived } from '../define.ts'
import { weatherDaysDerived, weatherRoadDaysDerived, weatherStationRoadsDerived } from './days.ts'

/** Derivations about the weather. */
export const derivations: readonly Derived[] = Object.freeze([weatherDaysDerived, weatherStationRoadsDerived, weatherRoadDaysDerived])
