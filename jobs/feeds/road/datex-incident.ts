import type { incidents } from '../../../lake/datasets/road/incidents.ts'
import { locate } from '../../../lake/places/locate.ts'
import { provinceByCode } from '../../../lake/places/provinces.ts'
import { type ResolvedPlace, resolvePlace } from '../../../lake/places/resolve.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import type { RoadPoint, Situation, SituationRecord, VehicleCharacteristic } from '../../formats/datex2.ts'
import { type Diagnostics, lookUp } from '../define.ts'
import {
  CARRIAGEWAY_CODES,
  CAUSES,
  type CauseMeaning,
  COMPASS,
  DIRECTIONS,
  EFFECTS,
  GRADES,
  KINDS,
  LANE_USAGES,
  RECORD_TYPES,
  SOURCES,
  VEHICLE_TYPES,
} from './dgt-codes.ts'
import { type Coordinates, delayOf, type Limit, type Measure } from './incident-measure.ts'
import { describe } from './incident-sentence.ts'
import { namedPlace } from './named-place.ts'

/** Lowest plausible speed limit: 1 and 2 km/h occur in the capture of January 2026. */
const LEAST_SPEED_KMH = 5
const LIMITS = { weight: ['WEIGHT', 't'], width: ['WIDTH', 'm'], length: ['LENGTH', 'm'], height: ['HEIGHT', 'm'] } as const
/** Operators that make a bound one that vehicles exceed. */
const EXCEEDS: ReadonlySet<string> = new Set(['greaterThan', 'greaterThanOrEqualTo'])
const GRADE_ORDER = Object.keys(GRADES)

/**
 * Sorts a situation's records, leading one first: highest severity, then widest effect (road, carriageway, lanes closed,
 * other), then lowest id.
 */
export function byLead(records: readonly SituationRecord[]): readonly [SituationRecord, ...SituationRecord[]] {
  return [...records].sort(
    (a, b) => gradeRank(a.severity) - gradeRank(b.severity) || effectRank(a) - effectRank(b) || compareIds(a.id, b.id),
  ) as [SituationRecord, ...SituationRecord[]]
}

/** A situation's severity: its own, else the highest of its records (the first one's), else UNKNOWN. */
function severityOf(situation: Situation, lead: SituationRecord): string {
  const grade = situation.overallSeverity ?? lead.severity ?? 'unknown'
  return lookUp(GRADES, grade) ?? grade
}

/** The code of a record's kind; the source's own code if the table lacks it. */
function kindOf(record: SituationRecord): string {
  if (!record.kind) return 'OTHER'
  return lookUp(KINDS, `${record.kind.element}/${record.kind.code}`) ?? record.kind.code
}

/** The meaning of a record's cause: by its detail, else by its family; undefined if both are unknown. */
function meaningOf({ cause }: SituationRecord): CauseMeaning | undefined {
  return lookUp(CAUSES, causeText(cause)) ?? lookUp(CAUSES, cause.type)
}

/** The source's cause and detail, `roadMaintenance/roadworks`; null if it states none. */
function causeText({ type, detail }: SituationRecord['cause']): string | null {
  if (!type) return null
  return detail ? `${type}/${detail}` : type
}

/** What a publisher's records are known to have, and the prefix of its lists of unknown codes. */
interface KnownRecords {
  readonly prefix: string
  readonly types: ReadonlySet<string>
  readonly probabilities: ReadonlySet<string>
}

const OF_DGT: KnownRecords = { prefix: 'dgt', types: RECORD_TYPES, probabilities: new Set(['certain']) }

/** Counts the record's codes that our tables lack; the row keeps them as published. */
export function countUnknown(record: SituationRecord, diagnostics: Diagnostics, { prefix, types, probabilities } = OF_DGT): void {
  const { cause, kind, location } = record
  const check = (list: string, code: string | null, isKnown: boolean): void => {
    if (code !== null && !isKnown) diagnostics.unknownCode(`${prefix}_${list}`, code)
  }
  const text = causeText(cause)
  check('cause', text, text !== null && Object.hasOwn(CAUSES, text))
  check('kind', kind ? `${kind.element}/${kind.code}` : record.type, kind !== null && Object.hasOwn(KINDS, `${kind.element}/${kind.code}`))
  check('record_type', record.type, types.has(record.type))
  check('source', record.source, SOURCES.has(record.source ?? ''))
  check('severity', record.severity, Object.hasOwn(GRADES, record.severity ?? ''))
  check('validity', record.validity, record.validity === 'active')
  check('probability', record.probability, probabilities.has(record.probability ?? ''))
  check('direction', location.direction, Object.hasOwn(DIRECTIONS, location.direction ?? ''))
  check('compass', location.compass, location.compass === 'unknown' || Object.hasOwn(COMPASS, location.compass ?? ''))
  check('compliance', record.compliance, record.compliance === 'mandatory' || record.compliance === 'advisory')
  check('descriptor', location.descriptor, location.descriptor === 'onPass')
  for (const lane of location.lanes) check('lane', lane, Object.hasOwn(LANE_USAGES, lane))
  for (const part of location.carriageways)
    check('carriageway', part, part === 'unspecifiedCarriageway' || Object.hasOwn(CARRIAGEWAY_CODES, part))
  for (const type of record.vehicles.types) check('vehicle', type, type === 'anyVehicle' || Object.hasOwn(VEHICLE_TYPES, type))
  for (const { operator } of record.vehicles.characteristics) check('operator', operator, EXCEEDS.has(operator ?? ''))
}

/** The direction along the road; UNKNOWN if absent, the source's own code if unlisted. */
export function directionOf({ location }: Pick<SituationRecord, 'location'>): string {
  return location.direction === null ? 'UNKNOWN' : (lookUp(DIRECTIONS, location.direction) ?? location.direction)
}

/** The compass direction; null if unknown. */
export function compassOf({ location }: SituationRecord): string | null {
  return location.compass === null || location.compass === 'unknown' ? null : (lookUp(COMPASS, location.compass) ?? location.compass)
}

/** A road point's stated position, unchecked; null if it states none. */
export function statedPosition(point: RoadPoint | null): Point | null {
  return point && point.lat !== null && point.lon !== null ? { lat: point.lat, lon: point.lon } : null
}

/** The checked position of a road point; problems are reported to `notes`. */
function positionOf(point: RoadPoint | null, diagnostics: Diagnostics): Coordinates | null {
  const stated = statedPosition(point)
  if (!stated) return null
  const { position, problem } = locate(stated)
  if (problem) diagnostics.warn(problem)
  return position
}

/** A record as a measure. */
function measureOf(record: SituationRecord, diagnostics: Diagnostics): Measure {
  const { location } = record
  return {
    record_id: record.id,
    version: record.version,
    record_type: record.type,
    kind: kindOf(record),
    cause: meaningOf(record)?.[0] ?? causeText(record.cause),
    severity: lookUp(GRADES, record.severity) ?? record.severity,
    reported_by: record.source,
    road: location.road,
    destination: location.destination,
    direction: directionOf(record),
    compass_direction: compassOf(record),
    carriageways: mapped(location.carriageways, CARRIAGEWAY_CODES, 'unspecifiedCarriageway'),
    lanes: mapped(location.lanes, LANE_USAGES),
    from_km: location.from?.km ?? null,
    to_km: location.to?.km ?? null,
    from: positionOf(location.from, diagnostics),
    to: positionOf(location.to, diagnostics),
    municipality: location.from?.municipality ?? null,
    province: location.from?.province ?? null,
    place_name: location.placeName,
    vehicles: mapped(record.vehicles.types, VEHICLE_TYPES, 'anyVehicle'),
    limits: limitsOf(record, diagnostics),
    compliance: record.compliance?.toUpperCase() ?? null,
    created_at: isoOrNull(record.createdAt),
    starts_at: isoOrNull(record.startsAt),
    ends_at: isoOrNull(record.endsAt),
  }
}

function limitsOf(record: SituationRecord, diagnostics: Diagnostics): Limit[] {
  const limits: Limit[] = []
  const { speedLimitKmh } = record
  if (speedLimitKmh !== null) {
    const isMeant = speedLimitKmh >= LEAST_SPEED_KMH
    if (!isMeant) diagnostics.warn(`speed limit below ${LEAST_SPEED_KMH} km/h taken as unknown`)
    limits.push({ kind: 'SPEED', value: isMeant ? speedLimitKmh : null, unit: 'km/h' })
  }
  for (const one of record.vehicles.characteristics) limits.push(limitOf(one, diagnostics))
  return limits
}

function limitOf({ dimension, operator, value }: VehicleCharacteristic, diagnostics: Diagnostics): Limit {
  const [kind, unit] = LIMITS[dimension]
  // Another operator would reverse the meaning: it is counted as an unknown code, and the limit is null.
  if (value === null || !EXCEEDS.has(operator ?? '')) return { kind, value: null, unit }
  if (value > 0) return { kind, value, unit }
  diagnostics.warn(`${dimension} limit of 0 taken as unknown`)
  return { kind, value: null, unit }
}

function mapped(codes: readonly string[], table: Readonly<Record<string, string>>, none?: string): string[] {
  return [...new Set(codes.filter((code) => code !== none).map((code) => lookUp(table, code) ?? code))]
}

function gradeRank(severity: string | null): number {
  const rank = severity === null ? -1 : GRADE_ORDER.indexOf(severity)
  return rank < 0 ? GRADE_ORDER.length : rank
}

function effectRank(record: SituationRecord): number {
  const kind = kindOf(record)
  const rank = EFFECTS.findIndex((kinds) => kinds.includes(kind))
  return rank < 0 ? EFFECTS.length : rank
}

/** Ids are numeric texts; other ids sort as text. */
function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : a > b ? 1 : 0
}

function isoOrNull(instant: number | null): string | null {
  return instant === null ? null : isoInstant(instant)
}

const CLOSURES: ReadonlySet<string> = new Set(EFFECTS.slice(0, 2).flat())
const CONGESTION: ReadonlySet<string> = new Set(['SLOW_TRAFFIC', 'HEAVY_TRAFFIC', 'QUEUING_TRAFFIC', 'STATIONARY_TRAFFIC'])

/** The incident of a situation of a source: `records` with the leading one first, `created_at` in ms. */
export function incidentOf(
  situation: Situation,
  records: readonly [SituationRecord, ...SituationRecord[]],
  { source, created_at }: { readonly source: string; readonly created_at: number },
  diagnostics: Diagnostics,
): FeedRow<typeof incidents> {
  const [lead] = records
  const { location } = lead
  const measures = records.map((record) => measureOf(record, diagnostics))
  // The measures' positions have been checked and counted: not twice.
  const { from = null, to = null } = measures[0] ?? {}
  const place = placeOf(lead, from, diagnostics)
  const type = typeOf(lead)
  const facts = {
    type,
    cause: meaningOf(lead)?.[0] ?? null,
    road: location.road,
    km: location.from?.km ?? null,
    km_to: location.to?.km ?? null,
    direction: directionOf(lead),
    destination: location.destination,
    place_name: location.placeName,
    municipality: location.from?.municipality ?? null,
    province: place.province_code === null ? null : (provinceByCode(place.province_code)?.spanish ?? null),
    measures,
  }
  const description = describe(facts)
  return {
    source,
    source_id: situation.id,
    type,
    source_type: causeText(lead.cause) ?? lead.type,
    severity: severityOf(situation, lead),
    road: facts.road,
    km: facts.km,
    km_to: facts.km_to,
    direction: facts.direction,
    destination: facts.destination,
    province_code: place.province_code,
    municipality_code: place.municipality_code,
    municipality: facts.municipality ?? namedPlace(place).municipality,
    position: place.position,
    to,
    description: description.es,
    description_en: description.en,
    ...delayOf(statedDelay(records), measures),
    measures,
    created_at,
    starts_at: lead.startsAt,
    expected_end_at: lead.endsAt,
    remark: null,
    reported_at: null,
  }
}

/** The largest delay stated by a record, s; null if none does, as in all 670 of January 2026. */
function statedDelay(records: readonly SituationRecord[]): number | null {
  const stated = records.flatMap(({ delay_s }) => (delay_s !== null && delay_s >= 0 ? [delay_s] : []))
  return stated.length === 0 ? null : Math.max(...stated)
}

/** The type from the cause; for management without another cause, and for unknown causes, from the record's content. */
function typeOf(lead: SituationRecord): string {
  const meaning = meaningOf(lead)
  if (meaning?.[1]) return meaning[1]
  const kind = kindOf(lead)
  if (CLOSURES.has(kind)) return 'CLOSURE'
  if (CONGESTION.has(kind)) return 'CONGESTION'
  return meaning ? 'RESTRICTION' : 'OTHER'
}

/** Where a record is, by its own names and position; problems are counted. */
export function placeOf({ location }: SituationRecord, position: Point | null, diagnostics: Diagnostics): ResolvedPlace {
  const { from } = location
  const stated = { province: from?.province ?? null, municipality: from?.municipality ?? null, position }
  return resolvePlace(stated, (problem) => diagnostics.warn(problem))
}

/** An incident whose source has one record of it, mapped to our codes; times in ms. */
export interface PlainIncident {
  readonly source: string
  readonly source_id: string
  readonly type: string
  readonly cause: string | null
  readonly source_type: string
  readonly record_type: string
  readonly severity: string
  readonly direction: string
  /** Kinds of measure, the leading one first. */
  readonly kinds: readonly string[]
  readonly destination: string | null
  readonly road: string | null
  readonly km: number | null
  readonly km_to: number | null
  readonly place: ResolvedPlace
  readonly to?: Point | null
  readonly starts_at?: number | null
  readonly ends_at?: number | null
  readonly remark: string | null
  readonly reported_at: number | null
  readonly reported_by: string | null
}

/** The row of such an incident: a measure of each kind over its whole length. */
export function plainIncident(one: PlainIncident): FeedRow<typeof incidents> {
  const { source, source_id, type, source_type, cause, severity, direction, road, km, km_to, destination, place, reported_at } = one
  const { to = null, starts_at = null, ends_at = null } = one
  const measures = one.kinds.map((kind) => plainMeasure(one, kind))
  const { municipality } = namedPlace(place)
  const province = place.province_code === null ? null : (provinceByCode(place.province_code)?.spanish ?? null)
  const description = describe({
    ...{ type, cause, road, km, km_to, direction, destination, place_name: null, municipality, province, measures },
  })
  return {
    ...{ source, source_id, type, source_type, severity, road, km, km_to, direction, destination },
    ...{ ...place, municipality, to, description: description.es, description_en: description.en },
    ...delayOf(null, measures),
    ...{ measures, created_at: null, starts_at, expected_end_at: ends_at, remark: one.remark, reported_at },
  }
}

function plainMeasure(one: PlainIncident, kind: string): Measure {
  return {
    ...{ record_id: one.source_id, version: null, record_type: one.record_type, kind, cause: one.cause, severity: one.severity },
    ...{ reported_by: one.reported_by, road: one.road, destination: one.destination, direction: one.direction, compass_direction: null },
    ...{ carriageways: [], lanes: [], from_km: one.km, to_km: one.km_to, from: one.place.position, to: one.to ?? null },
    ...{ municipality: null, province: null, place_name: null, vehicles: [], limits: [], compliance: null, created_at: null },
    starts_at: one.starts_at == null ? null : isoInstant(one.starts_at),
    ends_at: one.ends_at == null ? null : isoInstant(one.ends_at),
  }
}
