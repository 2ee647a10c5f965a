import type { Language } from './layers/layer.ts'
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
    ...now.map((feature) => ({ feature, from: time(feature, 'first_seen_at', 'starts_at'), to: Number.POSITIVE_INFINITY })),
  ]
}

/** What a list of the past shows at an instant, ms. */
export type At = (at: number) => Collection

/** The last place of a train serves for this long, and between two places farther apart in time nothing is known. */
const LOST_MS = 900_000

/**
 * What moved, at an instant: between two published positions on the straight line between them, as nothing else is known of it.
 * `tracks` are lines with `times`.
 */
export function placesAt(tracks: readonly GeoJSON.Feature[]): At {
  const known = tracks.flatMap(({ id, geometry, properties }) =>
    geometry?.type === 'LineString'
      ? [{ id, properties, line: geometry.coordinates, times: (properties?.['times'] as readonly string[]).map(Date.parse) }]
      : [],
  )
  return (at) => ({
    type: 'FeatureCollection',
    features: known.flatMap(({ id, properties, line, times }): GeoJSON.Feature[] => {
      const next = times.findIndex((time) => time >= at)
      if (next === -1 || (next === 0 && times[0] !== at)) return []
      const [from, to] = [times[Math.max(0, next - 1)] as number, times[next] as number]
      if (to - from > LOST_MS) return []
      const [[lon0, lat0], [lon1, lat1]] = [line[Math.max(0, next - 1)], line[next]] as [[number, number], [number, number]]
      const share = to === from ? 0 : (at - from) / (to - from)
      const coordinates = [lon0 + share * (lon1 - lon0), lat0 + share * (lat1 - lat0)]
      return [{ ...{ type: 'Feature', properties }, ...(id === undefined ? {} : { id }), geometry: { type: 'Point', coordinates } }]
    }),
  })
}

/** The levels of a sensor in a period, as the API lists them. */
export interface LevelSteps {
  readonly id: string
  readonly starts_at: string
  readonly step_minutes: number
  readonly levels: readonly (string | null)[]
}

/** The sensors of a list with their levels at an instant; those without a level then are absent. */
export function levelsAt(sensors: readonly GeoJSON.Feature[], steps: readonly LevelSteps[]): At {
  const byId = new Map(steps.map((one) => [one.id, one]))
  return (at) => ({
    type: 'FeatureCollection',
    features: sensors.flatMap((sensor) => {
      const found = byId.get(String(sensor.properties?.['id']))
      const step = found ? Math.floor((at - Date.parse(found.starts_at)) / (60_000 * found.step_minutes)) : -1
      const level = found?.levels[step]
      return level ? [{ ...sensor, properties: { ...sensor.properties, level_of_service: level } }] : []
    }),
  })
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
