import type { INCIDENT_TYPES, ROAD_DIRECTIONS, SEVERITIES } from '../../../lake/datasets/road/codes.ts'
import type { INCIDENT_CAUSES, MEASURE_KINDS } from '../../../lake/datasets/road/incident-codes.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { sct } from '../../../lake/datasets/road/sources.ts'
import { foldName } from '../../../lake/places/names.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { featureOf } from '../../formats/gml.ts'
import type { XmlElement } from '../../formats/xml.ts'
import { lookUp } from '../define.ts'
import type { RawRecord } from '../kit/binder.ts'
import type { RecordReader } from '../kit/reader.ts'
import { xmlFeed } from '../kit/record-feed.ts'
import { type PlainIncident, plainIncident } from './datex-incident.ts'

type CodeOf<L extends { readonly codes: object }> = keyof L['codes'] & string
type Table<L extends { readonly codes: object }> = Readonly<Record<string, CodeOf<L>>>
type IncidentType = CodeOf<typeof INCIDENT_TYPES>

/** Incident types by `tipus`. Used only if the cause implies no type: floods and landslides are published as works. */
const TYPES: Table<typeof INCIDENT_TYPES> = { '2': 'CONGESTION', '3': 'ROADWORKS', '4': 'RESTRICTION', '5': 'WEATHER' }

/**
 * The cause of a `causa` text, and the type it implies; null if `tipus` decides. Covers the 37 texts of the capture of
 * February 2026 and those known from other months. Works are as detailed as our code list.
 */
export const CAUSES: Readonly<Record<string, readonly [cause: CodeOf<typeof INCIDENT_CAUSES>, type: IncidentType | null]>> = {
  Accident: ['ACCIDENT', 'ACCIDENT'],
  Avaria: ['BROKEN_DOWN_VEHICLE', 'BREAKDOWN'],
  'Retirada de vehicle': ['STOPPED_VEHICLE', 'BREAKDOWN'],
  'Regulació trànsit': ['TRAFFIC_MANAGEMENT', null],
  // The traffic state is in `descripcio`: see EFFECTS.
  Circulació: ['ABNORMAL_TRAFFIC', null],
  'Cancel·lació carril ràpid': ['TRAFFIC_MANAGEMENT', 'RESTRICTION'],
  Despreniments: ['ROCKFALL', 'OBSTACLE'],
  Esllavissada: ['LANDSLIDE', 'OBSTACLE'],
  Inundacions: ['FLOODING', 'OBSTACLE'],
  Neu: ['SNOW', 'WEATHER'],
  Obres: ['ROADWORKS', 'ROADWORKS'],
  'Obres en general': ['ROADWORKS', 'ROADWORKS'],
  'Canalització de fibra': ['ROADWORKS', 'ROADWORKS'],
  // Spelt so.
  'Insatal·lació i/o desmuntatge de pòrtics': ['ROADWORKS', 'ROADWORKS'],
  'Instal·lació de pòrtics': ['ROADWORKS', 'ROADWORKS'],
  "Treballs d'enllumenat": ['MAINTENANCE', 'ROADWORKS'],
  'Col·locació o substitució barrera': ['ROADWORKS', 'ROADWORKS'],
  'Encreuament subterrani': ['ROADWORKS', 'ROADWORKS'],
  'Estabilització de talús': ['ROADWORKS', 'ROADWORKS'],
  "Instal·lació d'espires": ['ROADWORKS', 'ROADWORKS'],
  'Millora de senyalització': ['ROADWORKS', 'ROADWORKS'],
  'Senyalització vertical': ['ROADWORKS', 'ROADWORKS'],
  Sondejos: ['ROADWORKS', 'ROADWORKS'],
  'Ampliació al tercer carril': ['CONSTRUCTION', 'ROADWORKS'],
  'Ampliació calçada': ['CONSTRUCTION', 'ROADWORKS'],
  'Carril BICI': ['CONSTRUCTION', 'ROADWORKS'],
  'Carril BUS': ['CONSTRUCTION', 'ROADWORKS'],
  'Construcció de rotonda': ['CONSTRUCTION', 'ROADWORKS'],
  'Construcció i reparació de mur': ['CONSTRUCTION', 'ROADWORKS'],
  'Grans obres': ['CONSTRUCTION', 'ROADWORKS'],
  'Millora de la rotonda': ['CONSTRUCTION', 'ROADWORKS'],
  'Millora de traçat': ['CONSTRUCTION', 'ROADWORKS'],
  Reasfaltat: ['RESURFACING', 'ROADWORKS'],
  'Reforçament de ferm': ['RESURFACING', 'ROADWORKS'],
  'Reparació de barrera de seguretat': ['REPAIR', 'ROADWORKS'],
  'Reparació de biona': ['REPAIR', 'ROADWORKS'],
  'Reparació de ferm': ['REPAIR', 'ROADWORKS'],
  'Reparació de juntes de dilatació': ['REPAIR', 'ROADWORKS'],
  'Senyalització horitzontal': ['ROAD_MARKING', 'ROADWORKS'],
  'Manteniment de ponts': ['MAINTENANCE', 'ROADWORKS'],
  'Manteniment de túnel': ['MAINTENANCE', 'ROADWORKS'],
  Neteja: ['MAINTENANCE', 'ROADWORKS'],
  'Treballs de manteniment': ['MAINTENANCE', 'ROADWORKS'],
  'Treballs de jardineria': ['VEGETATION_CUTTING', 'ROADWORKS'],
}

/** First words of texts about works. */
const WORKS =
  /^(ampliacio|canalitzacio|col locacio|conservacio|construccio|desmuntatge|estabilitzacio|insatal lacio|instal lacio|manteniment|millora|neteja|obres|reforcament|reparacio|reposicio|senyalitzacio|substitucio|treballs)( |$)/

/** The type of an unlisted cause: works if its first word says so, else OTHER. */
function typeOfUnknown(causa: string): IncidentType {
  return WORKS.test(foldName(causa.replaceAll('·', ' '))) ? 'ROADWORKS' : 'OTHER'
}

/** The `causa` that only means traffic. */
const TRAFFIC = 'Circulació'

/** Effects on the road by `descripcio`, before any `. Desviaments`; if it names traffic, that is the cause. */
const EFFECTS: Readonly<Record<string, CodeOf<typeof MEASURE_KINDS> & string>> = {
  'Calçada restringida': 'CARRIAGEWAY_RESTRICTED',
  'Calçada tallada': 'CARRIAGEWAY_CLOSED',
  'Circulació intensa': 'HEAVY_TRAFFIC',
  'Circulació amb retencions': 'QUEUING_TRAFFIC',
  'Circulació amb congestió': 'STATIONARY_TRAFFIC',
}

/** Effects that are also causes, with the same code. */
const TRAFFIC_CAUSES: ReadonlySet<string> = new Set(['HEAVY_TRAFFIC', 'QUEUING_TRAFFIC', 'STATIONARY_TRAFFIC'])

/** The suffix of `descripcio` for diverted traffic. */
const DIVERTED = 'Desviaments'

/** Grades of `nivell`: in the capture 5 always is a closed carriageway. */
const LEVELS: Table<typeof SEVERITIES> = { '5': 'CRITICAL', '4': 'HIGH', '3': 'MEDIUM', '2': 'LOW', '1': 'LOW' }

/** Directions along the road; `Ambdos` is spelt so. */
const DIRECTIONS: Table<typeof ROAD_DIRECTIONS> = { 'Ambdos sentits': 'BOTH', Creixent: 'POSITIVE', Decreixent: 'NEGATIVE' }

/** Who reports. */
const REPORTERS: ReadonlySet<string> = new Set(['SCT'])

/** The content of `cap_a` ("towards"): the destination of the affected direction, a remark, or both in this order. */
interface Heading {
  readonly destination: string | null
  /** In the source's own words, truncated where the source did. */
  readonly remark: string | null
}

/** First words of remarks: working hours, days, closures, reasons. With accents as published, and as correct. */
const REMARK =
  /^(?:HORARI|PER|SORTID(?:A|ES)|ACC[ÉE]S(?:SOS)?|RESTRICCI(?:Ó|O|ONS)|TALL(?:S|AT|ADA|ATS|ADES)?|TANCA(?:T|DA|TS|DES)|DESVIAMENTS?|CIRCULACI[ÓO]|T[ÚU]NEL|CARRILS?|CAL[ÇC]ADA|PAS|OBRES|TREBALLS|NOCTURN|DI[ÜU]RN|NOM[ÉE]S|EXCLUSIU|DILLUNS|DIMARTS|DIMECRES|DIJOUS|DIVENDRES|DISSABTES?|DIUMENGES?|FESTIUS|FEINERS|CAPS? DE SETMANA|UN|DOS|TRES|\d)(?![\p{L}'’])/iu

/** The hyphen between destination and remark; the hyphen of a road (`A-2`, `N-II`) does not count. */
const HYPHEN = /(?<!(?<!\p{L})\p{Lu}{1,3})-|-(?!\d|[IVX]+(?!\p{L}))/u

/**
 * Parses `cap_a`. If one direction is affected, it is a place or a road, then possibly a hyphen and a remark. If both are, or
 * if it begins with a remark's words, the whole text is a remark.
 */
export function readHeading(text: string | null, direction: string): Heading {
  const whole = text?.trim() || null
  if (whole === null) return { destination: null, remark: null }
  const isOneWay = direction === 'POSITIVE' || direction === 'NEGATIVE'
  if (!isOneWay || REMARK.test(whole)) return { destination: null, remark: whole }
  const at = HYPHEN.exec(whole)?.index ?? whole.length
  return { destination: whole.slice(0, at).trim() || null, remark: whole.slice(at + 1).trim() || null }
}

/** Local name of the features. */
const FEATURE = 'mct2_v_afectacions_data'

/** The publisher's names; the last three come from the element itself and its point. */
const COLUMNS = {
  id: 'identificador',
  type: 'tipus',
  record_type: 'descripcio_tipus',
  cause: 'causa',
  road: 'carretera',
  from: 'pk_inici',
  to: 'pk_fi',
  reported_at: 'data',
  level: 'nivell',
  sense: 'sentit',
  effect: 'descripcio',
  towards: 'cap_a',
  reporter: 'font',
  feature: 'feature_type',
  lat: 'point_lat',
  lon: 'point_lon',
} as const

/**
 * The incidents of the Servei Català de Trànsit: WFS 1.0 with GML 2 points, everything active. The document has no usable
 * time: its newest report disappears with its incident, so the fetch time counts.
 */
export const sctIncidentsFeed = xmlFeed({
  id: 'sct_incidents',
  source: sct,
  into: incidents,
  every_s: 60,
  get: {
    name: 'incidents',
    url: 'http://www.gencat.cat/transit/opendata/incidenciesGML.xml',
    maxBytes: 8_000_000,
    maxDecodedBytes: 16_000_000,
    timeout_ms: 30_000,
  },
  // 12 of the 152 incidents of February 2026 are congestion: few change per minute. 13 had no report for half a year, so
  // there are always ten. Growth is unlimited: ids are unique, and after an incomplete publication the next complete one
  // must be accepted.
  band: { atLeast: 10, minRatio: 0.6 },
  freshBy: 'fetch',
  root: 'FeatureCollection',
  each: 'featureMember',
  records: (member) => member.children.map(recordOf),
  columns: COLUMNS,
  knows: ['subtipus', 'geom'],
  needs: ['id'],
  // Fields of all 152 features of February 2026; `descripcio` may be absent according to the notes, `cap_a` usually is.
  nonEmptyFields: ['type', 'record_type', 'cause', 'road', 'from', 'to', 'reported_at', 'level', 'sense'],
  requireAny: { 'a position': ({ position }) => position !== null },
  row: (r) => incidentOf(r.text('id'), r),
})

type Incident = FeedRow<typeof incidents>
type Reader = RecordReader<keyof typeof COLUMNS, 'id'>

/** The fields of a feature, with its type and point. */
function recordOf(element: XmlElement): RawRecord {
  const { type, point } = featureOf(element)
  const texts = element.children.map(({ name, text }) => [name, text] as const)
  const all = [...texts, ['feature_type', type], ['point_lat', point?.lat], ['point_lon', point?.lon]] as const
  return { names: all.map(([name]) => name), values: all.map(([, value]) => value) }
}

function incidentOf(id: string, r: Reader): Incident {
  const type = r.text('feature')
  if (type !== null && type !== FEATURE) r.unknownCode('sct_feature', type)
  const { heading, ...said } = readFields(r)
  const place = r.place({ position: r.position('lat', 'lon') })
  return plainIncident({ source: 'sct', source_id: id, ...said, destination: heading.destination, place, remark: heading.remark })
}

/** The fields of a feature, mapped to our codes. */
type Said = Omit<PlainIncident, 'source' | 'source_id' | 'destination' | 'place' | 'remark'> & { readonly heading: Heading }

function readFields(r: Reader): Said {
  const code = <T extends string>(list: string, value: string | null, table: Readonly<Record<string, T>>): T | undefined => {
    const known = lookUp(table, value)
    if (value !== null && known === undefined) r.unknownCode(list, value)
    return known
  }
  const [tipus, causa, sentit] = [r.text('type'), r.text('cause'), r.text('sense')]
  const [effect, more] = (r.text('effect') ?? '').split('.').map((part) => part.trim()) as [string, string?]
  if (more && more !== DIVERTED) r.unknownCode('sct_descripcio', more)
  const direction = code('sct_sentit', sentit, DIRECTIONS) ?? 'UNKNOWN'
  const said = effect === '' ? null : (code('sct_descripcio', effect, EFFECTS) ?? null)
  const kind = said === 'CARRIAGEWAY_CLOSED' && direction === 'BOTH' ? 'ROAD_CLOSED' : (said ?? 'INCIDENT')
  const meaning = lookUp(CAUSES, causa)
  if (causa !== null && !meaning) r.unknownCode('sct_causa', causa)
  const byTipus = code('sct_tipus', tipus, TYPES) ?? 'OTHER'
  const reporter = r.text('reporter')
  if (reporter !== null && !REPORTERS.has(reporter)) r.unknownCode('sct_font', reporter)
  const record_type = r.text('record_type') ?? tipus ?? 'unknown'
  return {
    type: meaning || causa === null ? (meaning?.[1] ?? byTipus) : typeOfUnknown(causa),
    cause: causa === TRAFFIC && TRAFFIC_CAUSES.has(kind) ? kind : (meaning?.[0] ?? null),
    source_type: causa === null ? record_type : `${record_type}/${causa}`,
    record_type,
    severity: code('sct_nivell', r.text('level'), LEVELS) ?? 'UNKNOWN',
    direction,
    kinds: more === DIVERTED ? [kind, 'DIVERSION'] : [kind],
    heading: readHeading(r.text('towards'), direction),
    road: r.text('road'),
    ...kilometres(r),
    reported_at: r.instant('reported_at'),
    reported_by: reporter,
  }
}

/**
 * Both ends as published, in their order. Zero is where a road begins or, as an end, leads back to; two zeros mean "not
 * stated".
 */
function kilometres(r: Reader): { km: number | null; km_to: number | null } {
  const [km, km_to] = (['from', 'to'] as const).map((field) => {
    const value = r.number(field)
    if (value === null || value >= 0) return value
    r.warn('kilometre below 0 taken as unknown')
    return null
  }) as [number | null, number | null]
  if (km !== 0 || km_to !== 0) return { km, km_to }
  r.warn('kilometres 0 to 0 taken as unknown')
  return { km: null, km_to: null }
}
