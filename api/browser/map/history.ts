import type { Language } from './layer.ts'
import type { Collection } from './requests.ts'

/** A thing and the time in which it was there, ms since the epoch; without end while it is there. */
export interface Life {
  readonly feature: GeoJSON.Feature
  readonly from: number
  readonly to: number
}

export const STEP_MS = 300_000
/** Steps of the slider: the last 24 hours. */
export const STEPS = 288

/** The lives of what has ended (`began_at`, `last_seen_at`) and of what is there now (`starts_at` or `first_seen_at`). */
export function livesOf(ended: readonly GeoJSON.Feature[], now: readonly GeoJSON.Feature[]): Life[] {
  const time = ({ properties }: GeoJSON.Feature, ...names: readonly string[]): number =>
    names.map((name) => Date.parse(String(properties?.[name]))).find((at) => !Number.isNaN(at)) ?? Number.NaN
  const present = new Set(now.map(({ id }) => id))
  return [
    ...ended
      .filter(({ id }) => !present.has(id))
      .map((feature) => ({ feature, from: time(feature, 'began_at'), to: time(feature, 'last_seen_at') })),
    ...now.map((feature) => ({ feature, from: time(feature, 'starts_at', 'first_seen_at'), to: Number.POSITIVE_INFINITY })),
  ]
}

/** What was there at an instant. */
export function during(lives: readonly Life[], at: number): Collection {
  return { type: 'FeatureCollection', features: lives.flatMap(({ feature, from, to }) => (from <= at && at <= to ? [feature] : [])) }
}

/** Names an instant in Madrid by its day and time, such as "yesterday 17:40". */
export function nameOf(at: number, now: number, language: Language): string {
  const day = (instant: number): string => new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeZone: 'Europe/Madrid' }).format(instant)
  const time = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hour12: false, timeZone: 'Europe/Madrid' }).format(
    at,
  )
  const [today, yesterday] = { es: ['hoy', 'ayer'], en: ['today', 'yesterday'] }[language] as [string, string]
  return `${day(at) === day(now) ? today : yesterday} ${time}`
}
