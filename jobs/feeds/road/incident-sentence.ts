import { INCIDENT_TYPES } from '../../../lake/datasets/road/codes.ts'
import { INCIDENT_CAUSES, LANES, MEASURE_KINDS, VEHICLES } from '../../../lake/datasets/road/incident-codes.ts'
import { foldName, nameKeys } from '../../../lake/places/names.ts'
import type { CodeList } from '../../../lake/schema/codes.ts'
import { lookUp } from '../look-up.ts'
import type { Limit, Measure } from './incident-measure.ts'
import { ENGLISH, type Phrases, SPANISH } from './incident-phrases.ts'

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
