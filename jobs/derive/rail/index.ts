import type { Derived } from '../define.ts'
import { timetableChanges } from './timetable-changes.ts'

/** Derivations about rail. */
export const derivations: readonly Derived[] = Object.freeze([timetableChanges])
