import type { Derived } from './define.ts'
import { timetableChanges } from './rail/timetable-changes.ts'

/** Every derivation of the service. */
export const derivations: readonly Derived[] = Object.freeze([timetableChanges])
