import type { Point } from '../../../lake/schema/columns.ts'
import type { Diagnostics } from '../define.ts'

/** A train's stated position; null, with a count, for latitude and longitude 0, which mean "no fix". */
export function trainFix(stated: Point | null, diagnostics: Diagnostics): Point | null {
  if (stated?.lat !== 0 || stated.lon !== 0) return stated
  diagnostics.warn('implausible position of a train')
  return null
}
