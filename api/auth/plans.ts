import { PLANS, type Plan } from '../../lake/schema/dataset.ts'
import { FORMATS, type Format } from '../kernel/formats.ts'
import { PROMISE_PCT } from '../kernel/promise.ts'
import { type Policy, perDay, perMinute } from './limits/policy.ts'

/** The tier that limits a request: the plan of its key, or ANONYMOUS for its address. */
export type Tier = 'ANONYMOUS' | Plan

/** Every tier, lowest first. */
export const TIERS: readonly Tier[] = ['ANONYMOUS', ...PLANS]

/** The features of plans, by code, as people read them, and their paths. Without a path they are terms of the operator. */
export const FEATURES = Object.freeze({
  LIVE_INCIDENTS: { es: 'Incidencias en directo', en: 'Live incidents', path: '/api/incidents' },
  FUEL_PRICES: { es: 'Precios de carburantes', en: 'Fuel prices', path: '/api/gas-stations' },
  WEATHER_ALERTS: { es: 'Avisos meteorológicos', en: 'Weather alerts', path: '/api/weather/alerts' },
  RAIL_ALERTS: { es: 'Avisos ferroviarios', en: 'Rail alerts', path: '/api/trenes/alertas' },
  SEARCH: { es: 'Búsqueda', en: 'Search', path: '/api/search' },
  HISTORY: { es: 'Datos históricos', en: 'Historical data', path: '/api/incidents/history' },
  TRENDS: { es: 'Análisis de tendencias', en: 'Trend analysis', path: '/api/combustible/tendencia' },
  MOBILITY: { es: 'Movilidad origen-destino', en: 'Origin-destination mobility', path: '/api/movilidad' },
  ACCIDENT_MICRODATA: { es: 'Microdatos de accidentes', en: 'Accident microdata', path: '/api/accidentes/microdata' },
  CLIMATE: { es: 'Datos climáticos', en: 'Climate data', path: '/api/clima/historico' },
  WEATHER_FORECAST: { es: 'Predicción meteorológica en carretera', en: 'Weather forecast along roads', path: '/api/weather/forecast' },
  FLEET_TRACKING: { es: 'Seguimiento de flotas', en: 'Fleet tracking', path: '/api/trenes/posiciones' },
  FORECASTS: { es: 'Predicciones', en: 'Predictions and forecasts', path: '/api/trafico/prediccion' },
  CITY_TRAFFIC: { es: 'Tráfico urbano', en: 'City traffic', path: '/api/trafico/ciudades' },
  AVIATION: { es: 'Posiciones de aeronaves y aeropuertos', en: 'Aviation positions and airports', path: '/api/aviacion/aeropuertos' },
  VESSELS: { es: 'Posiciones de buques', en: 'Vessel positions', path: '/api/maritimo/buques' },
  EVENT_STREAM: { es: 'Flujo de eventos en directo', en: 'Live event stream', path: '/api/stream' },
  AIR_QUALITY: { es: 'Calidad del aire', en: 'Air quality', path: '/api/calidad-aire' },
  BULK_EXPORT: { es: 'Exportación masiva', en: 'Bulk export', path: '/api/export' },
  WEBHOOKS: { es: 'Webhooks', en: 'Push webhooks', path: '/api/webhooks' },
  PRIORITY_SUPPORT: { es: 'Soporte prioritario', en: 'Priority support' },
  SLA: { es: `Disponibilidad garantizada del ${String(PROMISE_PCT).replace('.', ',')} %`, en: `${PROMISE_PCT} % uptime SLA` },
  MONTHLY_INVOICE: { es: 'Factura mensual', en: 'Monthly invoice' },
  DEDICATED_IP: { es: 'IP dedicada bajo petición', en: 'Dedicated IP on request' },
} as const satisfies Readonly<Record<string, { readonly es: string; readonly en: string; readonly path?: string }>>)
export type Feature = keyof typeof FEATURES

/** Returns the path of a feature that is data; null for one that the operator provides by other means. */
export function featurePath(feature: Feature): string | null {
  const known: { readonly es: string; readonly path?: string } = FEATURES[feature]
  return known.path ?? null
}

/** True if the service has a feature; `hasPath` reports whether a path exists. */
export function isAvailable(feature: Feature, hasPath: (path: string) => boolean): boolean {
  const path = featurePath(feature)
  return path === null || hasPath(path)
}

/** The rights of a tier, and its price. */
export interface PlanTerms {
  /** Price of a month without commitment, in EUR; null if there is nothing to buy. */
  readonly price_eur_month: number | null
  /** Requests in any 60 s. */
  readonly minute: number
  /** Requests in any 24 h. */
  readonly day: number
  /** Lake queries under way at once. */
  readonly concurrency: number
  /** Streams of events that a key may have open at once. */
  readonly streams: number
  readonly formats: readonly Format[]
  /** The features of the tier beyond those of the tier below. */
  readonly features: readonly Feature[]
}

/** The terms of every tier. */
export type PlanTable = { readonly [T in Tier]: PlanTerms }

const QUOTA_MAX = 1_000_000_000
const PRICE_MAX = 1_000_000

/** The check of each term, and the text of its error. */
const TERMS: { readonly [K in keyof PlanTerms]: { readonly is: (value: unknown) => boolean; readonly words: string } } = {
  price_eur_month: {
    is: (value) => value === null || (isBetween(value, 0, PRICE_MAX) && Math.abs(value * 100 - Math.round(value * 100)) < 1e-6),
    words: 'EUR with at most two decimals, or null',
  },
  minute: { is: (value) => isCount(value), words: `a whole number, 1 to ${QUOTA_MAX}` },
  day: { is: (value) => isCount(value), words: `a whole number, 1 to ${QUOTA_MAX}` },
  concurrency: { is: (value) => isCount(value), words: `a whole number, 1 to ${QUOTA_MAX}` },
  streams: { is: (value) => value === 0 || isCount(value), words: `a whole number, 0 to ${QUOTA_MAX}` },
  formats: {
    is: (value) => isListOf(value, FORMATS) && value.includes('json'),
    words: `a list of ${FORMATS.join(', ')}, json among them`,
  },
  features: { is: (value) => isListOf(value, Object.keys(FEATURES)), words: 'a list of codes of features' },
}

/** Terms by their names in the list of plans. */
const SHOWN_AS: Readonly<Record<string, keyof PlanTerms>> = { requests_per_minute: 'minute', requests_per_day: 'day' }

const JSON_FORMATS: readonly Format[] = ['json', 'geojson']

/** Returns the public name of a term. */
const shownName = (term: string): string => Object.keys(SHOWN_AS).find((shown) => SHOWN_AS[shown] === term) ?? term
const TERM_NAMES = Object.keys(TERMS).map(shownName).join(', ')

/** The terms by default. */
export const DEFAULT_PLANS: PlanTable = checkedPlans({
  ANONYMOUS: { price_eur_month: null, minute: 5, day: 100, concurrency: 1, streams: 0, formats: JSON_FORMATS, features: [] },
  FREE: {
    price_eur_month: 0,
    minute: 10,
    day: 1000,
    concurrency: 1,
    streams: 0,
    formats: JSON_FORMATS,
    features: ['LIVE_INCIDENTS', 'FUEL_PRICES', 'WEATHER_ALERTS', 'RAIL_ALERTS', 'SEARCH'],
  },
  PRO: {
    price_eur_month: 49,
    minute: 60,
    day: 100_000,
    concurrency: 2,
    streams: 2,
    formats: FORMATS,
    features: [
      ...(['HISTORY', 'TRENDS', 'MOBILITY', 'ACCIDENT_MICRODATA', 'CLIMATE', 'FLEET_TRACKING', 'FORECASTS'] as const),
      ...(['CITY_TRAFFIC', 'AVIATION', 'VESSELS', 'AIR_QUALITY', 'WEATHER_FORECAST', 'EVENT_STREAM'] as const),
    ],
  },
  ENTERPRISE: {
    price_eur_month: 149,
    minute: 300,
    day: 500_000,
    concurrency: 6,
    streams: 10,
    formats: FORMATS,
    features: ['BULK_EXPORT', 'WEBHOOKS', 'PRIORITY_SUPPORT', 'SLA', 'MONTHLY_INVOICE', 'DEDICATED_IP'],
  },
})

/**
 * Returns the plan table with changes: JSON of tiers with the terms that differ, such as `{"PRO": {"price_eur_month": 59}}`.
 * Throws one error that lists all mistakes, one per line.
 */
export function readPlans(changes: string): PlanTable {
  let read: unknown
  try {
    read = JSON.parse(changes)
  } catch (error) {
    throw new Error('the plans are not JSON', { cause: error })
  }
  const unknown = isRecord(read) ? Object.keys(read).filter((tier) => !(TIERS as readonly string[]).includes(tier)) : []
  if (!isRecord(read) || unknown.length > 0)
    throw new Error(`the plans are an object of ${TIERS.join(', ')}${unknown.length > 0 ? `, not of ${unknown.join(', ')}` : ''}`)
  const given = read
  return checkedPlans(Object.fromEntries(TIERS.map((tier) => [tier, merged(tier, given[tier])])))
}

/** The policies of a tier. */
export function policiesOf({ minute, day }: PlanTerms): readonly Policy[] {
  return Object.freeze([perMinute(minute), perDay(day)])
}

/** Returns the lowest plan with a representation; the highest if none has it. */
export function planOfFormat(plans: PlanTable, format: Format): Plan {
  return PLANS.find((plan) => plans[plan].formats.includes(format)) ?? 'ENTERPRISE'
}

/** Returns the requests that a plan's quotas together allow in 24 h: the daily quota, or 1,440 minutes' if that is less. */
export function reachablePerDay({ minute, day }: PlanTerms): number {
  return Math.min(day, minute * 1440)
}

/** Returns all features of a tier, those of lower tiers first. */
export function featuresOf(plans: PlanTable, tier: Tier): Feature[] {
  return TIERS.slice(0, TIERS.indexOf(tier) + 1).flatMap((one) => plans[one].features)
}

/** Merges changes into terms. A value that is not an object is left for the check to find. */
function merged(tier: Tier, changes: unknown): unknown {
  const terms = DEFAULT_PLANS[tier]
  if (changes === undefined) return terms
  if (!isRecord(changes)) return changes
  const named = Object.entries(changes).map(([name, value]) => [termOf(name), value] as const)
  const twice = named.find(([name], at) => named.findIndex(([other]) => other === name) < at)
  if (twice) throw new Error(`${tier}.${shownName(twice[0])} is given twice, also as ${twice[0]}`)
  return { ...terms, ...Object.fromEntries(named) }
}

function termOf(name: string): string {
  return Object.hasOwn(SHOWN_AS, name) ? (SHOWN_AS[name] as string) : name
}

function checkedPlans(table: Readonly<Record<string, unknown>>): PlanTable {
  const mistakes: string[] = []
  for (const tier of TIERS) {
    const terms = table[tier]
    if (!isRecord(terms)) {
      mistakes.push(`${tier}: expected an object of terms`)
      continue
    }
    for (const name of Object.keys(terms))
      if (!Object.hasOwn(TERMS, name)) mistakes.push(`${tier}.${name}: there is no such term; there are ${TERM_NAMES}`)
    for (const [name, { is, words }] of Object.entries(TERMS))
      if (!is(terms[name])) mistakes.push(`${tier}.${shownName(name)}=${JSON.stringify(terms[name])}: expected ${words}`)
  }
  if (mistakes.length === 0) mistakes.push(...lowered(table as unknown as PlanTable))
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  const plans = table as unknown as PlanTable
  for (const terms of Object.values(plans)) for (const part of [terms.formats, terms.features, terms]) Object.freeze(part)
  return Object.freeze(plans)
}

/** Returns where a tier allows less than the one below it. */
function lowered(plans: PlanTable): string[] {
  return TIERS.slice(1).flatMap((tier, n) => {
    const below = TIERS[n] as Tier
    const less = (['minute', 'day', 'concurrency', 'streams'] as const).filter((term) => plans[tier][term] < plans[below][term])
    const missing = plans[below].formats.some((format) => !plans[tier].formats.includes(format))
    return [...less, ...(missing ? ['formats'] : [])].map((term) => `${tier}.${shownName(term)}: less than ${below} has`)
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isBetween(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && value >= min && value <= max
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && isBetween(value, 1, QUOTA_MAX)
}

function isListOf(value: unknown, allowed: readonly string[]): value is readonly string[] {
  return Array.isArray(value) && new Set(value).size === value.length && value.every((one) => allowed.includes(one as string))
}
