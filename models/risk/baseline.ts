import { dayOf, type SectionAccident, WEEKS, weekOf } from './accidents.ts'
import type { Grid } from './grid.ts'
import { HOURS } from './profile.ts'

/** Weeks on either side that are averaged in the baseline's profile: two give a better baseline than one. */
const AROUND = 2

/**
 * The plain baseline: each section's count shrunk to the overall mean (gamma-Poisson, by moments), times the hourly shares of the
 * weeks around. Expected accidents by section × held-out week × hour, on sections in the training data.
 */
export function baseline(
  grid: Grid,
  accidents: readonly SectionAccident[],
  { days, heldDays, seenShare }: { readonly days: readonly number[]; readonly heldDays: readonly number[]; readonly seenShare: number },
): Float64Array {
  const counts = new Float64Array(grid.size)
  const byCell = new Float64Array(WEEKS * HOURS)
  for (const accident of accidents) {
    const [section, cell] = [grid.indexOf(accident), weekOf(dayOf(accident.local_date)) * HOURS + accident.hour_local]
    counts[section] = (counts[section] as number) + 1
    byCell[cell] = (byCell[cell] as number) + 1
  }
  const mean = accidents.length / grid.size
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / grid.size
  // If the variance does not exceed chance, all sections get the mean.
  const shape = variance > mean ? mean ** 2 / (variance - mean) : Number.POSITIVE_INFINITY
  const rates = counts.map((count) => (shape === Number.POSITIVE_INFINITY ? mean : (mean * (count + shape)) / (mean + shape)))

  const daysOf = (list: readonly number[]): Map<number, number> => {
    const numbers = new Map<number, number>()
    for (const day of list) numbers.set(weekOf(day), (numbers.get(weekOf(day)) ?? 0) + 1)
    return numbers
  }
  const [fitted, held] = [daysOf(days), [...daysOf(heldDays)]]
  const expected = new Float64Array(grid.size * held.length * HOURS)
  for (const [place, [week, itsDays]] of held.entries()) {
    const near = [...fitted].filter(([other]) => Math.min(Math.abs(other - week), WEEKS - Math.abs(other - week)) <= AROUND)
    const nearDays = near.reduce((sum, [, some]) => sum + some, 0)
    for (let hour = 0; hour < HOURS; hour++) {
      const happened = near.reduce((sum, [other]) => sum + (byCell[other * HOURS + hour] as number), 0)
      // Half an accident in hours without any, so that their probability is not zero.
      const share = (((happened + 0.5) / nearDays) * itsDays * seenShare) / accidents.length
      for (let section = 0; section < grid.size; section++)
        expected[(section * held.length + place) * HOURS + hour] = (rates[section] as number) * share
    }
  }
  return expected
}
