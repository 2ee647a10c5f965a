const DAY_MS = 86_400_000

/** Days for which a path at least answers on once it is deprecated: a year, as breaking changes have to leave. */
export const OVERLAP_DAYS = 365

/** How an endpoint goes: first it says that it will, then it answers 410. Its declaration stays as long as that should be said. */
export interface Deprecation {
  /** The day from which it should no longer be used, and the last one on which it answers, in UTC: `2026-11-22`. */
  readonly since: string
  readonly sunset: string
  /** The path that takes its place; none where nothing does. */
  readonly replacement?: string
  /** Why it goes and what to do instead, for people. */
  readonly why: { readonly es: string; readonly en: string }
}

/** The instant from which an endpoint is deprecated, in ms since the epoch. */
export function deprecatedFrom({ since }: Deprecation): number {
  return dayStart(since)
}

/** The instant from which it no longer answers, in ms since the epoch. */
export function goneFrom({ sunset }: Deprecation): number {
  return dayStart(sunset) + DAY_MS
}

/** Throws where an endpoint's way out is not one that can be told and kept to. */
export function checkDeprecation(path: string, deprecation: Deprecation): void {
  const { since, sunset, replacement, why } = deprecation
  for (const day of [since, sunset]) if (!isDay(day)) throw new Error(`${path}: ${day} is no day such as 2026-11-22`)
  const days = Math.round((dayStart(sunset) - dayStart(since)) / DAY_MS)
  if (days < OVERLAP_DAYS) throw new Error(`${path}: it has to answer for ${OVERLAP_DAYS} days after it is deprecated, not ${days}`)
  if (replacement === path) throw new Error(`${path}: it cannot take its own place`)
  if (!why.es.trim() || !why.en.trim()) throw new Error(`${path}: it is not said in both languages why it goes`)
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(dayStart(text)) && new Date(dayStart(text)).toISOString().startsWith(text)
}

function dayStart(day: string): number {
  return Date.parse(`${day}T00:00:00Z`)
}
