import type { ExpressionSpecification } from 'maplibre-gl'
import type { Place } from '../geometry.ts'
import type { SIGNS } from './signs.ts'

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

/** A sign instead of a circle. */
interface Sign {
  readonly shape: keyof typeof SIGNS
  /** Size by 32 pixels; it grows with the zoom by default. */
  readonly size?: ExpressionSpecification
  /** The first zoom that has it, for many things; circles stand for it below. */
  readonly from?: number
  /** The property that turns it, degrees: where it goes, or where it comes from. */
  readonly turned?: string
  readonly isFrom?: boolean
}

/** A parameter of a list, and the values that a person chooses from. */
interface Choice {
  readonly param: string
  readonly name: Text
  readonly values: Readonly<Record<string, Text>>
}

/** Groups of points, in the colour of their least or greatest value of a property. */
interface Groups {
  readonly until: number
  readonly by: string
  readonly best: 'min' | 'max'
  readonly unit: string
  /** What a group has several of. */
  readonly of: Text
}

/** A layer of live data. */
export interface DataLayer {
  readonly id: string
  readonly name: Text
  readonly plan: Plan
  /** The list that it shows, without `bbox`. */
  readonly path: string
  /** True if its records have texts in several languages. */
  readonly hasTexts?: boolean
  /** Seconds between two requests of the list. */
  readonly every_s: number
  /** True for a list that is requested for the visible area. */
  readonly isByArea?: boolean
  /** First zoom that shows it. */
  readonly from?: number
  /** How it is drawn: points or symbols turned by a property, lines, areas. */
  readonly colour: string | ExpressionSpecification
  readonly radius?: number | ExpressionSpecification
  /** The list of the codes that `colour` is chosen by. */
  readonly codes?: string
  /** What the numbers of `colour` are: their name and unit, and how many of the property's units are one. */
  readonly scale?: { readonly name?: Text; readonly unit: string; readonly per?: number }
  readonly sign?: Sign
  readonly isArea?: boolean
  readonly isDashed?: boolean
  /** A circle below each feature, such as for rain at a station. */
  readonly under?: { readonly colour: string; readonly radius: ExpressionSpecification; readonly name: Text }
  /** True if its features move between two lists. */
  readonly moves?: boolean
  /** Where a feature that was reported at a place is expected at an instant, ms; null if unknown. */
  readonly expected?: (of: Properties, reported: Place, at: number) => Place | null
  /** True if it is shown at first. */
  readonly isShown?: boolean
  /** Title and lines of a feature's card. */
  readonly title: (of: Properties, language: Language) => string
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
  readonly course?: {
    readonly path: (id: string) => string
    readonly value: string
    readonly unit: string
    readonly name: Text
    /** What a person without the plan reads. */
    readonly history: Text
  }
  /** How points that are near to each other are one, up to a zoom. */
  readonly groups?: Groups
  /** A parameter of the list whose value a person chooses; the path has the first. */
  readonly choice?: Choice
  /** True for a price to be compared in the visible area. */
  readonly hasPrice?: boolean
  /** What its past is read from, and the plan that needs; null if the API has no list of its past. */
  readonly past?: PastList
}

/** The chosen values, by parameter. */
const chosen = new Map<string, string>()

/** Chooses a value of a parameter; what is none of its values is ignored. */
export function choose({ param, values }: Choice, value: string | null): void {
  if (value !== null && value in values) chosen.set(param, value)
}

/** The chosen value of a choice: the first until a person chooses. */
export function chosenOf({ param, values }: Choice): string {
  return chosen.get(param) ?? (Object.keys(values)[0] as string)
}

/** The property of a group in which no point has a value. */
export const NO_VALUE: Readonly<Record<Groups['best'], number>> = { min: 1e9, max: -1e9 }

/** What a group of points says, by its properties: how many there are and, if known, the best of them. */
export function groupTitle({ by, best, unit, of }: Groups, group: Properties, language: Language): string {
  const value = group[by] === NO_VALUE[best] ? '' : number(group[by], unit, language)
  const range = { min: { es: 'desde', en: 'from' }, max: { es: 'hasta', en: 'up to' } }[best][language]
  return [number(group['point_count'], of[language], language), value && `${range} ${value}`].filter(Boolean).join(', ')
}

export const AMBER = '#f0a21b'
export const BLUE = '#2f7ce0'
export const RED = '#d8323f'
export const GREEN = '#24a05a'
export const GREY = '#8593a0'
export const VIOLET = '#8a5cd6'

export const match = (property: string, colours: Readonly<Record<string, string>>, other: string): ExpressionSpecification =>
  ['match', ['get', property], ...Object.entries(colours).flat(), other] as unknown as ExpressionSpecification
/** A colour by a property, grey without a value. */
export const known = (property: string, colour: ExpressionSpecification): ExpressionSpecification =>
  ['case', ['==', ['get', property], null], GREY, colour] as unknown as ExpressionSpecification
export const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value))
/** Size of a sign that grows with the zoom, from 7 to 20 px, times a factor. */
export const growing = (factor: unknown = 1): ExpressionSpecification =>
  [
    'interpolate',
    ['linear'],
    ['zoom'],
    ...[4, ['*', 0.28, factor], 6, ['*', 0.4, factor], 12, ['*', 0.8, factor]],
  ] as unknown as ExpressionSpecification
export const joined = (...parts: readonly unknown[]): string => parts.map(text).filter(Boolean).join(' ')
/** A kilometre of a road to one decimal. */
export const kilometre = (value: unknown, language: Language): string =>
  typeof value === 'number' ? new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value) : ''
export const place = ({ road, km }: Properties, language: Language): string =>
  joined(road, typeof km === 'number' ? `km ${kilometre(km, language)}` : '')
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
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const
/** An instant, in ISO 8601 or ms, as weekday and time in Madrid. */
export const clock = (value: unknown, language: Language): string =>
  new Intl.DateTimeFormat(language, { weekday: 'short', ...CLOCK, timeZone: 'Europe/Madrid' }).format(
    new Date(typeof value === 'number' ? value : String(value)),
  )
/** A length of time in s. */
export function span(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return seconds < 129_600 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}
/** Since when something is there, by its begin in ISO 8601: the time in Madrid, with an earlier day, and how long ago. */
export function since(begin: unknown, language: Language, now = Date.now()): string {
  const at = Date.parse(text(begin))
  if (Number.isNaN(at)) return ''
  const day = now - at < 86_400_000 ? {} : ({ day: 'numeric', month: 'short' } as const)
  const time = new Intl.DateTimeFormat(language, { ...CLOCK, ...day, hour12: false, timeZone: 'Europe/Madrid' }).format(at)
  if (at > now) return `${language === 'es' ? 'a partir de' : 'from'} ${time}`
  return `${language === 'es' ? 'desde' : 'since'} ${time} (${span((now - at) / 1000)})`
}
export const whole = (value: unknown, unit: string, language: Language): string =>
  typeof value === 'number' ? number(Math.round(value), unit, language) : ''
/** Labels of codes by list and code, in the language of the page's texts. */
export type Labels = Readonly<Record<string, Readonly<Record<string, string>>>>
let labels: Labels = {}
/** Sets the labels that `words` uses: those that the page brings. */
export function setLabels(own: Labels): void {
  labels = own
}
/** The label of a code of a list, as it is within a line; the code in lower case if the list lacks it, nothing for UNKNOWN. */
export const words = (list: string, code: unknown): string => {
  if (code === 'UNKNOWN') return ''
  const label = labels[list]?.[text(code)]
  if (label === undefined) return text(code).toLowerCase().replaceAll('_', ' ')
  return /^\p{Lu}{2}/u.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1)
}

/** A colour of a layer and what it means. */
interface Meaning {
  readonly colour: string
  readonly text: string
}

const OTHER = { es: 'otro o sin dato', en: 'other or unknown' }

/** What the colours of a layer mean, by the expression that paints it: words of codes or numbers; none for one colour. */
export function meaningsOf(layer: Pick<DataLayer, 'colour' | 'scale' | 'under' | 'codes'>, into: Language): Meaning[] {
  const { colour, scale, under, codes = '' } = layer
  if (typeof colour === 'string') return []
  const [kind, ...rest] = colour as readonly unknown[]
  if (kind === 'case') {
    const stated = meaningsOf({ colour: rest[2] as ExpressionSpecification, codes, ...(scale ? { scale } : {}) }, into)
    return [
      ...stated,
      { colour: rest[1] as string, text: OTHER[into] },
      ...(under ? [{ colour: under.colour, text: under.name[into] }] : []),
    ]
  }
  const numbers = new Intl.NumberFormat(into)
  const made: Meaning[] = []
  const number = (value: unknown): string => numbers.format(Number(value) / (scale?.per ?? 1))
  const withUnit = (value: string): string => joined(made.length === 0 ? scale?.name?.[into] : '', value, scale?.unit)
  if (kind === 'match') {
    // A colour of several codes has the words of all.
    const texts = new Map<string, string[]>()
    for (let at = 1; at + 1 < rest.length; at += 2) {
      const of = rest[at + 1] as string
      texts.set(of, [...(texts.get(of) ?? []), words(codes, rest[at])])
    }
    for (const [of, all] of texts) made.push({ colour: of, text: all.join(', ') })
    made.push({ colour: rest.at(-1) as string, text: OTHER[into] })
  } else if (kind === 'step') {
    for (let at = 1; at < rest.length; at += 2) {
      const [from, to] = [at === 1 ? null : number(rest[at - 1]), at + 1 < rest.length ? number(rest[at + 1]) : null]
      const range = from === null ? `< ${to}` : to === null ? `≥ ${from}` : `${from}–${to}`
      made.push({ colour: rest[at] as string, text: withUnit(range) })
    }
  } else
    for (let at = 2; at < rest.length; at += 2) {
      const of = rest[at + 1] as string
      made.push({ colour: of, text: of === GREY ? OTHER[into] : withUnit(number(rest[at])) })
    }
  if (under) made.push({ colour: under.colour, text: under.name[into] })
  return made
}
