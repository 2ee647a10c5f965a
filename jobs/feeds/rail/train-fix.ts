import type { Point } from '../../../lake/schema/columns.ts'
import type { Notes } from '../define.ts'

/** The position of a train as stated; null, and counted, for latitude and longitude 0, which say that there is no fix. */
export function trainFix(stated: Point | null, notes: Notes): Point | null {
  if (stated?.lat !== 0 || stated.lon !== 0) return stated
  notes.warn('position of a train cannot be right')
  return null
}
