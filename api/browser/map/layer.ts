import type { ExpressionSpecification } from 'maplibre-gl'

export type Language = 'es' | 'en'
export type Properties = Readonly<Record<string, unknown>>
export type Plan = 'FREE' | 'PRO' | 'ENTERPRISE'
type Text = Readonly<Record<Language, string>>

/** The display of a message sign: pages of lines, and the speed limit that it shows. */
export interface Board {
  readonly pages: readonly (readonly string[])[]
  readonly limit_kmh: number | null
}

/**
 * Where the past of a layer comes from: LIVES are what has ended, and what is there now with its begin; TRACKS are the places of
 * what moves; LEVELS are those of the sensors in the list of now, step by step.
 */
export interface PastList {
  readonly kind: 'LIVES' | 'TRACKS' | 'LEVELS'
  readonly plan: Plan
  /** The list of the past, which takes `from`. */
  readonly then: string
  /** The present list that completes it. */
  readonly now?: string
}

/** A layer of live data. */
export interface DataLayer {
  readonly id: string
  readonly name: Text
  readonly plan: Plan
  /** The list that it shows, without `bbox`. */
  readonly path: string
  /** Seconds between two requests of the list. */
  readonly every_s: number
  /** True for a list that is requested for the visible area. */
  readonly isByArea?: boolean
  /** First zoom that shows it. */
  readonly from?: number
  /** How it is drawn: points or symbols turned by a property, lines, areas. */
  readonly colour: string | ExpressionSpecification
  readonly radius?: number | ExpressionSpecification
  /** A sign instead of a circle, turned by a property: where it goes, or where it comes from. */
  readonly sign?: { readonly shape: 'arrow' | 'plane'; readonly turned: string; readonly isFrom?: boolean }
  readonly isArea?: boolean
  readonly isDashed?: boolean
  /** A circle below each feature, such as for rain at a station. */
  readonly under?: { readonly colour: string; readonly radius: ExpressionSpecification }
  /** Size of the sign; 0.5 by default. */
  readonly signSize?: ExpressionSpecification
  /** True if its features move between two lists. */
  readonly moves?: boolean
  /** True if it is shown at first. */
  readonly isShown?: boolean
  /** Title and lines of a feature's card. */
  readonly title: (of: Properties) => string
  readonly lines: (of: Properties, language: Language) => readonly string[]
  /** The path of one thing by its id; null if there is none. */
  readonly detail: string | null
  /** Further lists of the same kind that it shows. */
  readonly also?: readonly string[]
  /** Makes features of a reply that has no GeoJSON form. */
  readonly featuresOf?: (reply: Properties) => GeoJSON.Feature[]
  /** Topic of `/api/stream` whose events change it. */
  readonly topic?: string
  /** What a message sign shows, as the driver reads it; null if it shows nothing. */
  readonly board?: (of: Properties) => Board | null
  /** Path of the track of one thing in GeoJSON, by its id. */
  readonly track?: (id: string) => string
  /** The recent values of one thing, as the API's history has them, in the plan PRO; drawn in its card. */
  readonly course?: { readonly path: (id: string) => string; readonly value: string; readonly unit: string; readonly name: Text }
  /** True for a price to be compared in the visible area. */
  readonly hasPrice?: boolean
  /** What its past is read from, and the plan that needs; null if the API has no list of its past. */
  readonly past?: PastList
}

export const AMBER = '#f0a21b'
export const BLUE = '#2f7ce0'
export const RED = '#d8323f'
export const GREEN = '#24a05a'
export const GREY = '#8593a0'
export const VIOLET = '#8a5cd6'

export const match = (property: string, colours: Readonly<Record<string, string>>, other: string): ExpressionSpecification =>
  ['match', ['get', property], ...Object.entries(colours).flat(), other] as unknown as ExpressionSpecification
export const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value))
export const joined = (...parts: readonly unknown[]): string => parts.map(text).filter(Boolean).join(' ')
export const place = ({ road, km }: Properties): string => joined(road, km === null || km === undefined ? '' : `km ${text(km)}`)
export const number = (value: unknown, unit: string, language: Language): string =>
  typeof value === 'number' ? `${new Intl.NumberFormat(language, { maximumFractionDigits: 3 }).format(value)} ${unit}` : ''
/** A duration in s as hours and minutes. */
export const hours = (value: unknown, language: Language): string => {
  if (typeof value !== 'number') return ''
  const minutes = Math.round(value / 60)
  return joined(
    minutes >= 60 ? number(Math.floor(minutes / 60), 'h', language) : '',
    minutes % 60 ? number(minutes % 60, 'min', language) : '',
  )
}
/** An instant, in ISO 8601 or ms, as weekday and time in Madrid. */
export const clock = (value: unknown, language: Language): string =>
  new Intl.DateTimeFormat(language, { weekday: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'Europe/Madrid' }).format(
    new Date(typeof value === 'number' ? value : String(value)),
  )
export const whole = (value: unknown, unit: string, language: Language): string =>
  typeof value === 'number' ? number(Math.round(value), unit, language) : ''
/** The words of a code in a language: those of the API's list where the map has them, else the code in lower case. */
export const words = (code: unknown, language: Language): string =>
  CODES[language][text(code)] ?? text(code).toLowerCase().replaceAll('_', ' ')

const CODES: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  es: {
    ...{ ACCIDENT: 'accidente', CONGESTION: 'retención', ROADWORKS: 'obras', CLOSURE: 'corte', OBSTACLE: 'obstáculo' },
    ...{ BREAKDOWN: 'avería', WEATHER: 'meteorología', EVENT: 'evento', RESTRICTION: 'restricción', OTHER: 'otra' },
    ...{ LOW: 'baja', MEDIUM: 'media', HIGH: 'alta', CRITICAL: 'crítica', UNKNOWN: '' },
    ...{ FREE: 'fluido', DENSE: 'denso', VERY_DENSE: 'muy denso', CONGESTED: 'congestionado', CLOSED: 'cortado' },
    ...{ YELLOW: 'amarillo', ORANGE: 'naranja', RED: 'rojo', GREEN: 'verde' },
    ...{ GOOD: 'buena', FAIRLY_GOOD: 'razonablemente buena', MODERATE: 'regular', POOR: 'desfavorable' },
    ...{ VERY_POOR: 'muy desfavorable', EXTREMELY_POOR: 'extremadamente desfavorable' },
    ...{ FIXED: 'fijo', AVERAGE_SPEED: 'de tramo', SECTION: 'de tramo' },
  },
  en: { UNKNOWN: '' },
}
