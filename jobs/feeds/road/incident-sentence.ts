import { INCIDENT_TYPES } from '../../../lake/datasets/road/codes.ts'
import { INCIDENT_CAUSES, LANES, MEASURE_KINDS, VEHICLES } from '../../../lake/datasets/road/incident-codes.ts'
import { foldName, nameKeys } from '../../../lake/places/names.ts'
import type { CodeList } from '../../../lake/schema/codes.ts'
import { lookUp } from '../define.ts'
import type { Limit, Measure } from './incident-measure.ts'

/** The words of one language that sentences on incidents are made of. */
interface Phrases {
  readonly on: string
  readonly to: string
  readonly and: string
  readonly for: string
  readonly both: string
  readonly increasing: string
  readonly decreasing: string
  readonly towards: (place: string) => string
  readonly pass: (name: string) => string
  /** Kinds that can apply to lanes: the plain phrase, then the phrases for one and for several lanes. */
  readonly lanes: Readonly<Record<string, readonly [plain: string, one: string, many: string]>>
  /** The phrase for all lanes, if it differs from the plain phrase. */
  readonly allLanes: Readonly<Record<string, string>>
  /** Phrases for a part of the road other than its carriageway: that it is closed, and that a measure applies there. */
  readonly closed: Readonly<Record<string, string>>
  readonly within: Readonly<Record<string, string>>
  readonly over: Readonly<Record<Limit['kind'], (value: string) => string>>
  readonly overUnknown: Readonly<Record<Limit['kind'], string>>
  /** `vehicles` may be empty. */
  readonly noPassage: (lanes: readonly string[], vehicles: string) => string
  readonly anyVehicles: string
  readonly restriction: Readonly<Record<string, (value: string) => string>>
  readonly chains: Readonly<Record<string, string>>
}

/** Spanish. Lanes and hard shoulders are masculine (carril, arcén). */
const SPANISH: Phrases = {
  on: 'en la',
  to: 'a',
  and: 'y',
  for: 'para',
  both: 'ambos sentidos',
  increasing: 'sentido creciente',
  decreasing: 'sentido decreciente',
  towards: (place) => `sentido ${place}`,
  pass: (name) => (/^puerto\b/i.test(name) ? name.replace(/^puerto/i, 'puerto') : `puerto de ${name}`),
  lanes: {
    LANES_CLOSED: ['carriles cortados', 'cortado', 'cortados'],
    NARROW_LANES: ['carriles estrechados', 'estrechado', 'estrechados'],
    LANES_DEVIATED: ['carriles desviados', 'desviado', 'desviados'],
    OBSTRUCTION: ['calzada obstaculizada', 'obstaculizado', 'obstaculizados'],
    LANES_IN_USE: ['calzada habilitada', 'habilitado', 'habilitados'],
  },
  allLanes: { LANES_CLOSED: 'todos los carriles cortados', OBSTRUCTION: 'toda la calzada obstaculizada' },
  closed: {
    EXIT_SLIP_ROAD: 'ramal de salida cortado',
    ENTRY_SLIP_ROAD: 'ramal de entrada cortado',
    SLIP_ROAD: 'ramal cortado',
    SERVICE_ROAD: 'vía de servicio cortada',
    CONNECTING: 'calzada de enlace cortada',
    OPPOSITE: 'calzada contraria cortada',
  },
  within: {
    EXIT_SLIP_ROAD: 'en el ramal de salida',
    ENTRY_SLIP_ROAD: 'en el ramal de entrada',
    SLIP_ROAD: 'en el ramal',
    SERVICE_ROAD: 'en la vía de servicio',
    CONNECTING: 'en la calzada de enlace',
    OPPOSITE: 'en la calzada contraria',
  },
  over: {
    SPEED: (value) => `a más de ${value} km/h`,
    WEIGHT: (value) => `de más de ${value} t`,
    WIDTH: (value) => `de más de ${value} m de ancho`,
    LENGTH: (value) => `de más de ${value} m de largo`,
    HEIGHT: (value) => `de más de ${value} m de alto`,
  },
  overUnknown: {
    SPEED: 'rápidos',
    WEIGHT: 'de peso limitado',
    WIDTH: 'de ancho limitado',
    LENGTH: 'de largo limitado',
    HEIGHT: 'de alto limitado',
  },
  noPassage: (lanes, vehicles) =>
    `prohibido el paso${vehicles && ` de ${vehicles}`}${lanes.length > 0 ? ` por el ${lanes.join(' y el ')}` : ''}`,
  anyVehicles: 'vehículos',
  restriction: {
    SPEED: (value) => `velocidad limitada a ${value} km/h`,
    WEIGHT: (value) => `peso limitado a ${value} t`,
    HEIGHT: (value) => `altura limitada a ${value} m`,
  },
  chains: {
    MANDATORY: 'cadenas o neumáticos de invierno obligatorios',
    ADVISORY: 'cadenas o neumáticos de invierno recomendados',
  },
}

/** English. */
const ENGLISH: Phrases = {
  on: 'on',
  to: 'to',
  and: 'and',
  for: 'for',
  both: 'both directions',
  increasing: 'towards increasing km',
  decreasing: 'towards decreasing km',
  towards: (place) => `towards ${place}`,
  pass: (name) => `${name.replace(/^puerto (de )?/i, '')} pass`,
  lanes: {
    LANES_CLOSED: ['lanes closed', 'closed', 'closed'],
    NARROW_LANES: ['narrow lanes', 'narrowed', 'narrowed'],
    LANES_DEVIATED: ['lanes diverted', 'diverted', 'diverted'],
    OBSTRUCTION: ['road obstructed', 'obstructed', 'obstructed'],
    LANES_IN_USE: ['carriageway open', 'open', 'open'],
  },
  allLanes: { LANES_CLOSED: 'all lanes closed', OBSTRUCTION: 'whole carriageway obstructed' },
  closed: {
    EXIT_SLIP_ROAD: 'exit slip road closed',
    ENTRY_SLIP_ROAD: 'entry slip road closed',
    SLIP_ROAD: 'slip road closed',
    SERVICE_ROAD: 'service road closed',
    CONNECTING: 'connecting carriageway closed',
    OPPOSITE: 'opposite carriageway closed',
  },
  within: {
    EXIT_SLIP_ROAD: 'on the exit slip road',
    ENTRY_SLIP_ROAD: 'on the entry slip road',
    SLIP_ROAD: 'on the slip road',
    SERVICE_ROAD: 'on the service road',
    CONNECTING: 'on the connecting carriageway',
    OPPOSITE: 'on the opposite carriageway',
  },
  over: {
    SPEED: (value) => `over ${value} km/h`,
    WEIGHT: (value) => `over ${value} t`,
    WIDTH: (value) => `over ${value} m wide`,
    LENGTH: (value) => `over ${value} m long`,
    HEIGHT: (value) => `over ${value} m high`,
  },
  overUnknown: {
    SPEED: 'too fast',
    WEIGHT: 'over a weight limit',
    WIDTH: 'over a width limit',
    LENGTH: 'over a length limit',
    HEIGHT: 'over a height limit',
  },
  noPassage: (lanes, vehicles) =>
    lanes.length > 0 ? `${lanes.join(' and ')} closed${vehicles && ` to ${vehicles}`}` : `no passage${vehicles && ` for ${vehicles}`}`,
  anyVehicles: 'vehicles',
  restriction: {
    SPEED: (value) => `speed limit ${value} km/h`,
    WEIGHT: (value) => `weight limit ${value} t`,
    HEIGHT: (value) => `height limit ${value} m`,
  },
  chains: { MANDATORY: 'snow chains or winter tyres required', ADVISORY: 'snow chains or winter tyres advised' },
}

/** The parts of a sentence; `measures` with the leading one first. */
export interface IncidentFacts {
  readonly type: string
  readonly cause: string | null
  readonly road: string | null
  readonly km: number | null
  readonly km_to: number | null
  readonly direction: string
  readonly destination: string | null
  readonly place_name: string | null
  readonly municipality: string | null
  /** Name of the province as a Spanish sentence has it. */
  readonly province: string | null
  readonly measures: readonly Measure[]
}

type Language = 'es' | 'en'

/** Destinations that are a place or a road; the field also has remarks, which a sentence should not repeat. */
const DESTINATION = /^[\p{L}][\p{L} '’-]{1,29}$|^[A-Z]{1,3}-\d{1,4}$/u
const REMARK = /sentido|ambos|cortad|desv[ií]o|salida|altura|obras/iu
const SMALL_WORDS = new Set(['de', 'del', 'la', 'las', 'el', 'los', 'y', 'e', 'i', 'a', 'o'])
const COMPASS_WORDS = new Set(['norte', 'sur', 'este', 'oeste'])

/**
 * An incident in one Spanish and one English sentence, composed from its codes:
 * `Obras en la GR-5202, km 18 a 19, ambos sentidos, Murtas (Granada): carril derecho cortado.`
 */
export function describe(facts: IncidentFacts): { readonly es: string; readonly en: string } {
  return { es: sentence(facts, 'es', SPANISH), en: sentence(facts, 'en', ENGLISH) }
}

function sentence(facts: IncidentFacts, language: Language, words: Phrases): string {
  const head = headOf(facts, language)
  const where = [
    facts.road ? `${head} ${words.on} ${facts.road}` : head,
    facts.place_name && words.pass(titleCase(facts.place_name)),
    kmPhrase(facts, language, words),
    directionPhrase(facts, words),
    placePhrase(facts),
  ]
  const said = new Set(facts.measures.map((measure) => measurePhrase(measure, language, words)))
  said.delete('')
  said.delete(lowerFirst(head))
  const effects = [...said].join(', ')
  return `${where.filter((part) => part).join(', ')}${effects && `: ${effects}`}.`
}

/** The cause; for management without another cause, the kind of incident. */
function headOf({ cause, type }: IncidentFacts, language: Language): string {
  const says = cause !== null && cause !== 'TRAFFIC_MANAGEMENT' && Object.hasOwn(INCIDENT_CAUSES.codes, cause)
  return says ? label(INCIDENT_CAUSES, cause, language) : label(INCIDENT_TYPES, type, language)
}

function kmPhrase({ km, km_to }: IncidentFacts, language: Language, words: Phrases): string | null {
  if (km === null) return null
  const from = decimal(km, language)
  const to = km_to === null ? from : decimal(km_to, language)
  return from === to ? `km ${from}` : `km ${from} ${words.to} ${to}`
}

function directionPhrase({ direction, destination }: IncidentFacts, words: Phrases): string | null {
  if (direction === 'BOTH') return words.both
  if (destination && DESTINATION.test(destination) && !REMARK.test(destination)) return words.towards(titleCase(destination))
  if (direction === 'POSITIVE') return words.increasing
  return direction === 'NEGATIVE' ? words.decreasing : null
}

/** Municipality and province; only once if they share a name (`Alacant/Alicante`, `Madrid`). */
function placePhrase({ municipality, province }: IncidentFacts): string | null {
  if (!municipality || !province) return municipality ?? province
  return nameKeys(municipality).includes(foldName(province)) ? province : `${municipality} (${province})`
}

/** The phrase of a measure, in lower case; empty if it only states that an incident exists. */
function measurePhrase(measure: Measure, language: Language, words: Phrases): string {
  const { kind, carriageways } = measure
  if (kind === 'INCIDENT' || kind === 'OTHER') return ''
  const parts = carriageways.filter((part) => part !== 'MAIN')
  const closed = parts.map((part) => lookUp(words.closed, part)).filter((phrase) => phrase !== undefined)
  if (kind === 'CARRIAGEWAY_CLOSED' && closed.length > 0) return closed.join(` ${words.and} `)
  const within = parts.map((part) => lookUp(words.within, part)).filter((phrase) => phrase !== undefined)
  return [effectPhrase(measure, language, words), ...within].join(' ')
}

function effectPhrase(measure: Measure, language: Language, words: Phrases): string {
  const { kind, limits, compliance } = measure
  const lanes = measure.lanes.filter((lane) => lane !== 'ALL').map((lane) => label(LANES, lane, language))
  const vehicles = vehiclePhrase(measure, language, words)
  if (kind === 'NO_PASSAGE') return words.noPassage(lanes, vehicles)
  if (kind === 'SNOW_CHAINS') return lookUp(words.chains, compliance) ?? lowerFirst(label(MEASURE_KINDS, kind, language))
  const own = limits.find((limit) => lookUp(OWN_LIMIT, kind) === limit.kind)
  const restriction = own && own.value !== null && lookUp(words.restriction, own.kind)
  if (own && restriction) return restriction(decimal(own.value as number, language))
  const plain = lanePhrase(measure, lanes, words) ?? lowerFirst(label(MEASURE_KINDS, kind, language))
  return vehicles && !own ? `${plain} ${words.for} ${vehicles}` : plain
}

/** Kinds whose phrase is the limit itself. */
const OWN_LIMIT: Readonly<Record<string, Limit['kind']>> = {
  SPEED_LIMIT: 'SPEED',
  WEIGHT_RESTRICTION: 'WEIGHT',
  HEIGHT_RESTRICTION: 'HEIGHT',
}

function lanePhrase({ kind, lanes: codes }: Measure, lanes: readonly string[], words: Phrases): string | null {
  const phrases = lookUp(words.lanes, kind)
  if (!phrases) return null
  const [plain, one, many] = phrases
  if (lanes.length > 0) return `${lanes.join(` ${words.and} `)} ${lanes.length > 1 ? many : one}`
  return codes.includes('ALL') ? (lookUp(words.allLanes, kind) ?? plain) : plain
}

/** The vehicles that a measure applies to: their kinds and limits; empty for all vehicles. */
function vehiclePhrase({ vehicles, limits }: Measure, language: Language, words: Phrases): string {
  const bounds = limits
    .filter((limit) => limit.kind !== 'SPEED')
    .map(({ kind, value }) => (value === null ? words.overUnknown[kind] : words.over[kind](decimal(value, language))))
  if (vehicles.length === 0 && bounds.length === 0) return ''
  const kinds = vehicles.map((vehicle) => label(VEHICLES, vehicle, language)).join(` ${words.and} `)
  return [kinds || words.anyVehicles, ...bounds].join(' ')
}

function label(list: CodeList, code: string, language: Language): string {
  return lookUp(list.codes, code)?.[language] ?? code
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** A number with at most one decimal, in the language's notation. */
function decimal(value: number, language: Language): string {
  const text = String(Math.round(value * 10) / 10)
  return language === 'es' ? text.replace('.', ',') : text
}

/** A place in usual spelling: the source has `VALENCIA`, `valencia` and `Valencia`. Road codes stay. */
function titleCase(text: string): string {
  if (/\d/.test(text) || (text !== text.toUpperCase() && text !== text.toLowerCase())) return text
  return text.toLowerCase().replace(/[\p{L}’']+/gu, (word, at: number) => (at > 0 && SMALL_WORDS.has(word) ? word : capital(word)))
}

function capital(word: string): string {
  return COMPASS_WORDS.has(word) ? word : word.charAt(0).toUpperCase() + word.slice(1)
}
