import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { mallorca as source } from '../../../lake/datasets/road/sources.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { instantOf } from '../../../lake/schema/time.ts'
import { dayFirstInstant } from '../../formats/dates.ts'
import { FormatError, type Get, lookUp } from '../define.ts'
import type { RecordReader } from '../kit/reader.ts'
import { rawRecord, recordFeed } from '../kit/record-feed.ts'
import { geoJsonFeatures, type ReadFeature } from './city-sections.ts'
import { plainIncident } from './datex-incident.ts'

/** The publisher's names; the last four come from the point and from the end of the line. */
const COLUMNS = {
  ...{ id: 'codi', type: 'tipoinc', from: 'inici', until: 'fin', reported_at: 'lastupd', road: 'carretera', km: 'pkinici', km_to: 'pkfin' },
  ...{
    sense: 'sentit',
    effect: 'restriccio',
    remark: 'observacions',
    lat: 'point_lat',
    lon: 'point_lon',
    to_lat: 'end_lat',
    to_lon: 'end_lon',
  },
} as const
/** `tipoinc`: the incident's type and cause. */
const TYPES: Readonly<Record<string, readonly [type: string, cause: string | null]>> = {
  Obres: ['ROADWORKS', 'ROADWORKS'],
  Manteniment: ['ROADWORKS', 'MAINTENANCE'],
  Altres: ['OTHER', null],
}
const DIRECTIONS: Readonly<Record<string, string>> = { '0': 'BOTH', '1': 'POSITIVE', '2': 'NEGATIVE' }
/** `restriccio`: free text, these seven in 17 records of July 2026. */
const EFFECTS: Readonly<Record<string, string>> = {
  ...{
    'Trànsit altern': 'ALTERNATE_ONE_WAY',
    'Tall de carril': 'LANES_CLOSED',
    Tancada: 'ROAD_CLOSED',
    'Estrenyiment de calçada': 'NARROW_LANES',
  },
  ...{ 'Desviament provisional': 'DIVERSION', 'Sense restriccions': 'INCIDENT', Precaució: 'INCIDENT' },
}
const YEAR_FIRST = /^(\d{4})\/(\d{2})\/(\d{2}) (\d{1,2}:\d{2})$/

/**
 * Works and restrictions on Mallorca's island roads: two layers of the Consell's map server, points with all properties and
 * lines, joined by `codi`. They state no licence, so it is off by default in live mode.
 */
export const mallorcaIncidents = recordFeed(
  {
    id: 'mallorca_incidents',
    source,
    into: incidents,
    every_s: 300,
    liveByDefault: false,
    plans: [{ requests: [layer('icon'), layer('tram')] }],
    // 17 in July 2026; in winter there may be few.
    band: { atLeast: 0, minRatio: 0 },
    freshBy: 'fetch',
    columns: COLUMNS,
    knows: ['icon', 'color', 'desinici', 'desfin', 'sentit_desc'],
    needs: ['id', 'type'],
    row: incidentOf,
  },
  ([points, lines], _diagnostics, { fetched_at }) => {
    if (!points || !lines) throw new FormatError('mallorca_incidents: a layer is missing')
    const ends = new Map(geoJsonFeatures(lines).map(({ properties, geometry }) => [properties.codi, pointsOf(geometry)] as const))
    // Works are published days before they begin; an incident is one that has begun.
    const begun = geoJsonFeatures(points).filter(({ properties }) => !(dayFirstInstant(String(properties.inici), fetched_at) > fetched_at))
    const records = begun.map(({ properties, geometry }) => {
      const [point = null] = pointsOf(geometry)
      const end = point && farthest(point, ends.get(properties.codi) ?? [])
      return rawRecord({ ...properties, point_lat: point?.lat, point_lon: point?.lon, end_lat: end?.lat, end_lon: end?.lon })
    })
    return [{ name: points.name, header: null, records }]
  },
)

/** The server answers `application/json` with GeoJSON, and has UTM metres unless degrees are requested. */
function layer(name: 'icon' | 'tram'): Get {
  const layer = `SIT:incidencies_${name}`
  const query = `service=WFS&version=2.0.0&request=GetFeature&typeNames=${layer}&outputFormat=application/json&srsName=EPSG:4326`
  return {
    name,
    url: `http://www.conselldemallorca.info/geoserver/SIT/incidencies_${name}/wfs?${query}`,
    maxBytes: 8_000_000,
    maxDecodedBytes: 16_000_000,
    timeout_ms: 30_000,
    expects: 'json',
  }
}

function incidentOf(r: RecordReader<keyof typeof COLUMNS, 'id' | 'type'>): ReturnType<typeof plainIncident> {
  const [source_id, tipus, sense, effect] = [r.text('id'), r.text('type'), r.text('sense'), r.text('effect')]
  const code = <T>(list: string, value: string | null, table: Readonly<Record<string, T>>): T | undefined => {
    const known = lookUp(table, value)
    if (value !== null && known === undefined) r.unknownCode(`mallorca_${list}`, value)
    return known
  }
  const [type, cause] = code('tipoinc', tipus, TYPES) ?? ['OTHER', null]
  const [starts_at, until] = [r.instant('from'), r.instant('until')]
  const isEndless = starts_at !== null && until !== null && until <= starts_at
  if (isEndless) r.warn('fin is not after inici: end taken as unknown')
  return plainIncident({
    ...{ source: source.id, source_id, type, cause, source_type: tipus, record_type: tipus, severity: 'UNKNOWN' },
    direction: code('sentit', sense, DIRECTIONS) ?? 'UNKNOWN',
    kinds: [code('restriccio', effect, EFFECTS) ?? 'INCIDENT'],
    ...{ destination: null, road: r.text('road'), km: r.number('km'), km_to: r.number('km_to') },
    place: r.place({ province: 'Illes Balears', position: r.position('lat', 'lon') }),
    ...{ to: r.position('to_lat', 'to_lon'), starts_at, ends_at: isEndless ? null : until, remark: r.text('remark') },
    reported_at: r.parsed('reported_at', 'time', reportedAt),
    reported_by: null,
  })
}

function reportedAt(text: string): number {
  const [, year, month, day, time] = YEAR_FIRST.exec(text) ?? []
  return time === undefined ? Number.NaN : instantOf(`${year}-${month}-${day}`, time.padStart(5, '0'), {})
}

/** All corners of a geometry, degrees. Throws `FormatError` for UTM metres: the server ignored the reference system. */
function pointsOf(geometry: ReadFeature['geometry']): readonly Point[] {
  if (!Array.isArray(geometry?.coordinates)) return []
  const { coordinates } = geometry
  if (coordinates.some(Array.isArray)) return coordinates.flatMap((part: unknown) => pointsOf({ coordinates: part }))
  const [lon, lat] = coordinates as readonly unknown[]
  if (!(typeof lon === 'number' && Math.abs(lon) <= 180 && typeof lat === 'number' && Math.abs(lat) <= 90))
    throw new FormatError(`position ${coordinates.join(', ')} is not in degrees`)
  return [{ lat, lon }]
}

/** The corner farthest from a point; null without corners. */
function farthest(from: Point, corners: readonly Point[]): Point | null {
  const away = ({ lat, lon }: Point): number => Math.hypot(lat - from.lat, (lon - from.lon) * Math.cos((from.lat * Math.PI) / 180))
  return corners.reduce<Point | null>((best, one) => (best === null || away(one) > away(best) ? one : best), null)
}
