import { metresAway } from '../../../../lake/places/lines.ts'
import type { Line } from '../../../../lake/schema/columns.ts'

/** Length of a line, m. */
export function lengthM(line: Line): number {
  return line.slice(1).reduce((sum, here, nth) => sum + metresAway(here, line[nth] as Line[0], line[nth] as Line[0]), 0)
}

/** How many of the places, from the first on, a line passes in order within a bound (metres). */
export function stopsInOrder(line: Line, places: Line, within_m: number): number {
  // By steps of 10 m at most: where the line has come by one place it may be at the next one, too.
  let passed = 0
  for (const [nth, to] of line.entries()) {
    const from = line[nth - 1] ?? to
    const steps = Math.max(1, Math.ceil(metresAway(from, to, to) / 10))
    for (let step = 0; step <= steps; step++) {
      const here = [from[0] + ((to[0] - from[0]) * step) / steps, from[1] + ((to[1] - from[1]) * step) / steps] as const
      while (passed < places.length && metresAway(places[passed] as Line[0], here, here) <= within_m + 10) passed++
    }
  }
  return passed
}
