import { distanceM } from '../../../../lake/places/distance.ts'
import { longestRoadM } from '../../../../lake/places/lines.ts'
import type { Line } from '../../../../lake/schema/columns.ts'
import type { Posts } from '../posts.ts'

/** The line of a journey on a road, with the stretches that are not located: it crosses them straight. */
export interface StretchLine {
  readonly line: Line
  /** Kilometres in the order of travel. */
  readonly gaps: readonly (readonly [from: number, to: number])[]
}

/** The ends of a journey on a road, in the order of travel. */
interface Journey {
  readonly road: string
  readonly km_from: number
  readonly km_to: number
  readonly province_code: string | null
}

/** Length of the pieces that a journey with gaps is made of, km. */
const STEP_KM = 0.5
/** A longer gap, km, is none: the way is not known. */
const MAX_GAP_KM = 10

/** The line of a journey; null if an end is not located, or a gap is longer than 10 km. */
export function stretchLine(posts: Posts, { road, km_from, km_to, province_code }: Journey): StretchLine | null {
  const whole = posts.line(road, { km_from, km_to, province_code })
  if (whole) return { line: whole.line, gaps: [] }
  const sign = Math.sign(km_to - km_from)
  const line: Line[0][] = []
  const gaps: (readonly [number, number])[] = []
  let missing: number | null = null
  for (let km = km_from; sign * (km_to - km) > 0; ) {
    const next = sign * (km_to - km) <= STEP_KM ? km_to : Math.round(1000 * (km + sign * STEP_KM)) / 1000
    const part = posts.line(road, { km_from: km, km_to: next, province_code })?.line
    if (part && missing !== null) {
      const [last, first] = [line.at(-1), part[0]] as [Line[0] | undefined, Line[0]]
      const gap_km = Math.abs(km - missing)
      const apart_m = last ? distanceM({ lon: last[0], lat: last[1] }, { lon: first[0], lat: first[1] }) : Number.POSITIVE_INFINITY
      if (gap_km > MAX_GAP_KM || apart_m > longestRoadM(gap_km)) return null
      gaps.push([missing, km])
      missing = null
    }
    if (part) line.push(...part)
    else missing ??= km
    km = next
  }
  return missing === null && line.length > 1 ? { line, gaps } : null
}
