import type { Derived } from './define.ts'
import { fuelDaysDerived } from './fuel/days.ts'
import { timetableChanges } from './rail/timetable-changes.ts'

/** Every derivation of the service, in the order in which they are made: what is derived from a derived dataset comes after it. */
export const derivations: readonly Derived[] = Object.freeze([timetableChanges, fuelDaysDerived])
