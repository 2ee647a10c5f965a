const DAY_MS = 86_400_000

/** Minimum days for which a deprecated path still works: a year, as for every breaking change. */
export const OVERLAP_DAYS = 365

/** The deprecation of an endpoint: announced first, then answered with 410. The declaration stays until the 410 may end. */
export interface Deprecation {
  /** The first day of the deprecation and the last day on which the path works, in UTC: `2026-11-22`. */
  readonly since: string
  readonly sunset: string
  /** The path that replaces it, if any. */
  readonly replacement?: string
  /** Why it is removed and what to use instead, for people. */
  readonly why: { readonly es: string; readonly en: string }
}

/** The instant from which an endpoint is deprecated, in ms since the epoch. */
export function deprecatedFrom({ since }: Deprecation): number {
  return dayStart(since)
}

/** The instant from which it answers 410, in ms since the epoch. */
export function goneFrom({ sunset }: Deprecation): number {
  return dayStart(sunset) + DAY_MS
}

/** Throws if a deprecation has an invalid date, too short a notice, itself as replacement, or no reason in both languages. */
export function checkDeprecation(path: string, deprecation: Deprecation): void {
  const { since, sunset, replacement, why } = deprecation
  for (const day of [since, sunset]) if (!isDay(day)) throw new Error(`${path}: ${day} is not a day, such as 2026-11-22`)
  const days = Math.round((dayStart(sunset) - dayStart(since)) / DAY_MS)
  if (days < OVERLAP_DAYS) throw new Error(`${path}: it must work for ${OVERLAP_DAYS} days after its deprecation, not ${days}`)
  if (replacement === path) throw new Error(`${path}: it cannot replace itself`)
  if (!why.es.trim() || !why.en.trim()) throw new Error(`${path}: the reason is required in both languages`)
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(dayStart(text)) && new Date(dayStart(text)).toISOString().startsWith(text)
}

function dayStart(day: string): number {
  return Date.parse(`${day}T00:00:00Z`)
}
