import type { Point } from '../../../lake/schema/columns.ts'
import type { Notes } from '../define.ts'

/** A train's stated position; null, with a count, for latitude and longitude 0, which mean "no fix". */
export function trainFix(stated: Point | null, notes: Notes): Point | null {
  if (stated?.lat !== 0 || stated.lon !== 0) return stated
  notes.warn('implausible position of a train')
  return null
}
