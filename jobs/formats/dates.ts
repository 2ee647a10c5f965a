import { instantOf } from '../../lake/schema/time.ts'

const DAY_FIRST = /^(\d{2})\/(\d{2})\/(\d{4}) (\d{1,2}:\d{2}(?::\d{2})?)$/

/**
 * The instant (ms) of a Spanish date and time, `dd/mm/yyyy H:MM[:SS]`, on Madrid's clock; `near` (the fetch time) tells the repeated
 * hour of October apart. NaN for any other text.
 */
export function dayFirstInstant(text: string, near: number): number {
  const match = DAY_FIRST.exec(text.trim())
  if (!match) return Number.NaN
  return instantOf(`${match[3]}-${match[2]}-${match[1]}`, match[4] as string, { near })
}
