import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { sct } from '../../../lake/datasets/road/sources.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { featureOf } from '../../formats/gml.ts'
import type { XmlElement } from '../../formats/xml.ts'
import type { RawRecord } from '../kit/binder.ts'
import { xmlFeed } from '../kit/formats.ts'
import type { RecordReader } from '../kit/reader.ts'
import { lookUp } from '../look-up.ts'
import { type PlainIncident, plainIncident } from './plain-incident.ts'
import { CAUSES, DIRECTIONS, DIVERTED, EFFECTS, LEVELS, REPORTERS, TRAFFIC, TRAFFIC_CAUSES, TYPES, typeOfUnknown } from './sct-codes.ts'
import { type Heading, readHeading } from './sct-heading.ts'

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
