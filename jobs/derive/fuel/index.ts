import type { Derived } from '../define.ts'
import { fuelDaysDerived } from './days.ts'
import { fuelForecastsDerived } from './forecasts.ts'

/** Derivations about fuel. */
export const derivations: readonly Derived[] = Object.freeze([fuelDaysDerived, fuelForecastsDerived])
