import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { sct } from '../../../lake/datasets/road/sources.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import { provinceByCode } from '../../../lake/places/provinces.ts'
import { resolvePlace } from '../../../lake/places/resolve.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { httpDate } from '../../formats/dates.ts'
import { type GmlFeature, readFeatures } from '../../formats/gml.ts'
import { pointNumber } from '../../formats/numbers.ts'
import { type Batch, batch, defineFeed, type FeedBody, FormatError, type Notes } from '../define.ts'
import { lookUp } from '../look-up.ts'
import { watchPresence } from '../presence.ts'
import { delayOf, type Measure } from './incident-measure.ts'
import { describe } from './incident-sentence.ts'
import { CAUSES, DIRECTIONS, DIVERTED, EFFECTS, LEVELS, REPORTERS, RETENTION, TRAFFIC, TRAFFIC_CAUSES, TYPES } from './sct-codes.ts'
import { type Heading, readHeading } from './sct-heading.ts'

/** Local name of the features. */
const FEATURE = 'mct2_v_afectacions_data'

/**
 * The incidents of the Servei Català de Trànsit: WFS 1.0 with GML 2 points, all that is active now. The document states no time of its
 * own: the newest report in it is gone as soon as that incident is, so that the time of the fetch stands.
 */
export const sctIncidentsFeed = defineFeed({
  id: 'sct_incidents',
  domain: 'road',
  source: sct,
  into: [incidents],
  every_s: 60,
  plans: [
    {
      requests: [
        {
          name: 'incidents',
          url: 'http://www.gencat.cat/transit/opendata/incidenciesGML.xml',
          accept: 'application/xml, text/xml;q=0.9',
          maxBytes: 8_000_000,
          maxDecodedBytes: 16_000_000,
          timeout_ms: 30_000,
          expects: 'xml',
        },
      ],
    },
  ],
  // Of the 152 of February 2026 12 are retentions: a minute changes a few. 13 had not been reported on for half a year, so that ten are
  // always there. Growth has no bound: ids are unique, and where too little was once taken for the whole, the next one has to put it right.
  bands: { incidents: { atLeast: 10, minRatio: 0.6, maxRatio: 1000 } },
  freshBy: 'fetch',
  rows,
})

type Incident = FeedRow<typeof incidents>

/** What all 152 features of February 2026 have of what is read here; `descripcio` may be absent by the notes, `cap_a` mostly is. */
const ALWAYS = ['identificador', 'tipus', 'descripcio_tipus', 'causa', 'carretera', 'pk_inici', 'pk_fi', 'data', 'nivell', 'sentit']

function* rows(bodies: readonly FeedBody[], _clock: unknown, notes: Notes): Generator<Batch> {
  const body = bodies[0]
  if (!body) throw new FormatError('sct_incidents: there is no body')
  const presence = watchPresence<GmlFeature>('incidents', {
    ...Object.fromEntries(ALWAYS.map((name) => [name, ({ text }: GmlFeature) => text(name) !== null])),
    'a position': ({ point }) => point !== null,
  })
  for (const features of readFeatures(body.bytes)) {
    const found: Incident[] = []
    for (const feature of features) {
      presence.see(feature)
      const id = feature.text('identificador')
      if (feature.type !== FEATURE) notes.unknownCode('sct_feature', feature.type)
      if (id === null) notes.quarantine(incidents, 'no identificador', feature.fid ?? '')
      else found.push(incidentOf(id, feature, notes))
    }
    if (found.length > 0) yield batch(incidents, found)
  }
  presence.end()
}

function incidentOf(id: string, feature: GmlFeature, notes: Notes): Incident {
  const said = readFields(feature, notes)
  const { type, cause, severity, direction, heading, road, km, km_to, reported_at } = said
  const place = resolvePlace({ position: feature.point }, (problem) => notes.warn(problem))
  const measures = said.kinds.map((kind): Measure => measureOf(id, kind, { said, position: place.position }))
  const municipality = place.municipality_code === null ? null : (municipalityByCode(place.municipality_code)?.name ?? null)
  const description = describe({
    type,
    cause,
    road,
    km,
    km_to,
    direction,
    destination: heading.destination,
    place_name: null,
    municipality,
    province: place.province_code === null ? null : (provinceByCode(place.province_code)?.spanish ?? null),
    measures,
  })
  return {
    source: 'sct',
    source_id: id,
    type,
    source_type: said.source_type,
    severity,
    road,
    km,
    km_to,
    direction,
    destination: heading.destination,
    province_code: place.province_code,
    municipality_code: place.municipality_code,
    // The source names none.
    municipality: null,
    position: place.position,
    to: null,
    description: description.es,
    description_en: description.en,
    ...delayOf(null, measures),
    measures,
    created_at: null,
    starts_at: null,
    expected_end_at: null,
    remark: heading.remark,
    reported_at,
  }
}

/** What the fields of a feature say, in our codes. */
interface Said {
  readonly type: string
  readonly cause: string | null
  readonly source_type: string
  readonly record_type: string
  readonly severity: string
  readonly direction: string
  /** Kinds of measure, the leading one first. */
  readonly kinds: readonly string[]
  readonly heading: Heading
  readonly road: string | null
  readonly km: number | null
  readonly km_to: number | null
  readonly reported_at: number | null
  readonly reported_by: string | null
}

function readFields({ text }: GmlFeature, notes: Notes): Said {
  const code = <T extends string>(list: string, value: string | null, table: Readonly<Record<string, T>>): T | undefined => {
    const known = lookUp(table, value)
    if (value !== null && known === undefined) notes.unknownCode(list, value)
    return known
  }
  const [tipus, causa, sentit] = [text('tipus'), text('causa'), text('sentit')]
  const [effect, more] = (text('descripcio') ?? '').split('.').map((part) => part.trim()) as [string, string?]
  if (more && more !== DIVERTED) notes.unknownCode('sct_descripcio', more)
  const direction = sentit === null ? 'UNKNOWN' : (code('sct_sentit', sentit, DIRECTIONS) ?? sentit)
  const said = effect === '' ? null : (code('sct_descripcio', effect, EFFECTS) ?? effect)
  const kind = said === 'CARRIAGEWAY_CLOSED' && direction === 'BOTH' ? 'ROAD_CLOSED' : (said ?? 'INCIDENT')
  const meaning = lookUp(CAUSES, causa)
  if (causa !== null && !meaning) notes.unknownCode('sct_causa', causa)
  const byTipus = code('sct_tipus', tipus, TYPES) ?? 'OTHER'
  const reporter = text('font')
  if (reporter !== null && !REPORTERS.has(reporter)) notes.unknownCode('sct_font', reporter)
  const record_type = text('descripcio_tipus') ?? tipus ?? 'unknown'
  return {
    type: tipus === RETENTION ? (meaning?.[1] ?? byTipus) : byTipus,
    cause: causa === TRAFFIC && TRAFFIC_CAUSES.has(kind) ? kind : (meaning?.[0] ?? causa),
    source_type: causa === null ? record_type : `${record_type}/${causa}`,
    record_type,
    severity: code('sct_nivell', text('nivell'), LEVELS) ?? 'UNKNOWN',
    direction,
    kinds: more === DIVERTED ? [kind, 'DIVERSION'] : [kind],
    heading: readHeading(text('cap_a'), direction),
    road: text('carretera'),
    ...kilometres(text('pk_inici'), text('pk_fi'), notes),
    reported_at: reportTime(text('data'), notes),
    reported_by: reporter,
  }
}

/** Both ends as published, whichever is greater. Zero is where a road begins or, as an end, leads back to: of two zeros nothing is meant. */
function kilometres(from: string | null, to: string | null, notes: Notes): { km: number | null; km_to: number | null } {
  const [km, km_to] = [from, to].map((text) => {
    const value = text === null ? null : pointNumber(text)
    if (value === null || !(value < 0 || Number.isNaN(value))) return value
    notes.warn('kilometre that is no number taken as unknown')
    return null
  }) as [number | null, number | null]
  if (km !== 0 || km_to !== 0) return { km, km_to }
  notes.warn('kilometres 0 to 0 taken as unknown')
  return { km: null, km_to: null }
}

function reportTime(text: string | null, notes: Notes): number | null {
  if (text === null) return null
  const instant = httpDate(text)
  if (Number.isNaN(instant)) notes.warn('time of the report cannot be read')
  return Number.isNaN(instant) ? null : instant
}

function measureOf(id: string, kind: string, { said, position }: { said: Said; position: Measure['from'] }): Measure {
  return {
    record_id: id,
    version: null,
    record_type: said.record_type,
    kind,
    cause: said.cause,
    severity: said.severity,
    reported_by: said.reported_by,
    road: said.road,
    destination: said.heading.destination,
    direction: said.direction,
    compass_direction: null,
    carriageways: [],
    lanes: [],
    from_km: said.km,
    to_km: said.km_to,
    from: position,
    to: null,
    municipality: null,
    province: null,
    place_name: null,
    vehicles: [],
    limits: [],
    compliance: null,
    created_at: null,
    starts_at: null,
    ends_at: null,
  }
}
