import { POSITION_ABSENCES, ROAD_DIRECTIONS, SEVERITIES } from '../../../lake/datasets/road/codes.ts'
import {
  CARRIAGEWAYS,
  COMPASS_DIRECTIONS,
  INCIDENT_CAUSES,
  INCIDENT_LINE_ABSENCES,
  LANES,
  MEASURE_KINDS,
  VEHICLES,
} from '../../../lake/datasets/road/incident-codes.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { LOCATION_METHODS } from '../../../lake/datasets/safety/codes.ts'
import type { CodeList } from '../../../lake/schema/codes.ts'
import { type Column, col, type Json } from '../../../lake/schema/columns.ts'
import { parseInstant } from '../../../lake/schema/time.ts'
import type { ChangeOf } from '../../kernel/endpoint.ts'
import { field, maybe, type Nested, nested, pick, projection, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { changedMembers } from '../../kernel/reads/changed.ts'
import { originFields, provinceField } from '../common-fields.ts'
import { END_DEPENDS, END_FIELDS, endOf, withEnd } from '../lifecycle-fields.ts'

const codesOf = (about: string, codes: CodeList, example: readonly string[]): Column<readonly string[]> =>
  field.list(about, field.code('One of them.', codes), example)

const placeFields = {
  lat: col.float(0, 'Latitude, WGS84 decimal degrees.', { unit: 'deg', example: 36.905384, min: -90, max: 90 }),
  lon: col.float(0, 'Longitude, WGS84 decimal degrees.', { unit: 'deg', example: -3.116189, min: -180, max: 180 }),
}
const place = (about: string): Nested<ValueOf<typeof placeFields> | null> => nested.maybe(about, placeFields)

const text = (about: string, example: string | null): Column<string | null> => maybe.text(about, example)
const kilometre = (about: string, example: number): Column<number | null> => maybe.float(about, 'km', example)
const time = (about: string, example: string | null): Column<number | null> => maybe.instant(about, example)

/** One record of an incident: content, place, vehicles and times (made by jobs/feeds/road/incident-measure.ts). */
const measureFields = {
  record_id: field.text("The source's own id of the record.", '9454'),
  version: col.integer(0, "The source's version number; null without one.", { unit: '1', long: true, nullable: true, example: 1 }),
  record_type: field.text("The source's type of the record.", 'RoadOrCarriagewayOrLaneManagement'),
  kind: field.code('Measure in force, or condition on the road.', MEASURE_KINDS, 'LANES_CLOSED'),
  cause: maybe.code('Cause; null if the source states none.', INCIDENT_CAUSES, 'ROADWORKS'),
  severity: maybe.code('Severity as the source grades it; null if not graded.', SEVERITIES, 'LOW'),
  reported_by: text('Who reported it to the source.', 'DGT'),
  road: text('Road designation as published.', 'GR-5202'),
  destination: text('Destination of the affected direction, as published.', null),
  direction: field.code('Direction along the road.', ROAD_DIRECTIONS, 'BOTH'),
  compass_direction: maybe.code('Direction by the compass; null if unknown.', COMPASS_DIRECTIONS, null),
  carriageways: codesOf('Carriageways; empty if the source does not name them.', CARRIAGEWAYS, []),
  lanes: codesOf('Lanes; empty if the source does not name them.', LANES, ['RIGHT']),
  from_km: kilometre('Kilometre point where it begins.', 18),
  to_km: kilometre('Kilometre point where it ends.', 19),
  from: place('Its begin.'),
  to: place('Its end.'),
  municipality: text('Municipality as published.', 'Murtas'),
  province: text('Province as published.', 'Granada'),
  place_name: text('A named place, such as a mountain pass.', null),
  vehicles: codesOf('Vehicles that it applies to; empty for all.', VEHICLES, []),
  limits: nested.objects('Limits. SPEED is the maximum allowed; for the others, the record applies to vehicles above the limit.', {
    kind: field.text('SPEED, WEIGHT, WIDTH, LENGTH or HEIGHT.', 'SPEED'),
    value: col.float(0, 'The limit; null if the stated value is impossible.', { unitIn: 'unit', nullable: true, example: 80 }),
    unit: field.text('km/h, t or m.', 'km/h'),
  }),
  compliance: text('MANDATORY or ADVISORY.', 'MANDATORY'),
  created_at: time('When the record was made.', '2021-12-10T13:15:55.000Z'),
  starts_at: time('Start of its validity.', '2021-09-07T13:00:00.000Z'),
  ends_at: time('End of its validity.', null),
} as const

type Measure = ValueOf<typeof measureFields>

/** The records of an incident, as all endpoints of incidents show them. */
export const measuresField: Nested<readonly Measure[]> = nested.objects(
  'All records of the situation, the leading one first.',
  measureFields,
)

const INSTANTS = ['created_at', 'starts_at', 'ends_at'] as const

/** Parses the records of an incident from its row: JSON with ISO 8601 instants. Columns that an older row lacks are null. */
export function measuresOf(value: Json): readonly Measure[] {
  return (value as readonly { readonly [name: string]: Json }[]).map((held) => {
    const made: { [name: string]: unknown } = { limits: [], carriageways: [], lanes: [], vehicles: [], ...held }
    for (const name of Object.keys(measureFields)) made[name] ??= null
    for (const name of INSTANTS) made[name] = made[name] === null ? null : parseInstant(made[name] as string)
    return made as Measure
  })
}

const { columns } = incidents

/** Description of the geometry of an incident. */
export const ABOUT_PLACE =
  'Sources state two ends without a line. GeoJSON has the line along the road while it is known, otherwise a Point at the begin; `to_lat` and `to_lon` are the end.'

/** The page about incidents, for the endpoints that show them. */
export const INCIDENTS_PAGE = defineMethodPage('incidents', new URL('./incidents.md', import.meta.url))

/** Translates the sentence of an incident. */
export function localise<R extends { description: string; descriptions: { es: string; en: string } }>(incident: R, lang: string): R {
  return lang === 'en' ? { ...incident, description: incident.descriptions.en } : incident
}

/** The eleven fields of the specification in its order, then additional ones. */
const fields = {
  id: columns.incident_id,
  ...pick(columns, 'type', 'road', 'km'),
  province: provinceField(columns.province_code),
  ...pick(columns, 'severity', 'description', 'delay_minutes', 'position'),
  created_at: field.instant(
    'Creation time stated by the source, else the time it was reported or first seen, whichever was earlier.',
    '2021-12-10T13:15:55.000Z',
  ),
  ...pick(columns, 'km_to', 'direction', 'destination', 'province_code', 'municipality', 'municipality_code', 'to'),
  descriptions: nested.object('The description by language.', { es: columns.description, en: columns.description_en }),
  source_type: columns.source_type,
  measures: measuresField,
  ...pick(columns, 'starts_at', 'expected_end_at', 'first_seen_at'),
  ...originFields(columns, { source_id: columns.source_id }),
  remark: columns.remark,
  reported_at: columns.reported_at,
  location_method: maybe.code(
    'ROAD_KM for a position by road and kilometre, in lists of active incidents and by id; null for a published one, or none.',
    LOCATION_METHODS,
    null,
  ),
  location_error_m: maybe.integer('Maximum error of a position by road and kilometre; null for a published one.', 'm', null),
  position_absent: maybe.code(
    'Why there is no position; null if there is one, and in changes, events and ended incidents.',
    POSITION_ABSENCES,
    null,
  ),
  geometry: maybe.line('Line along the road between its two kilometres; null where the road is not located, and once it has ended.', {
    type: 'LineString',
    coordinates: [
      [-3.617702, 37.203214],
      [-3.612514, 37.209433],
    ],
  }),
  delay_source: columns.delay_source,
  geometry_absent: maybe.code(
    'Why there is no line between its two kilometres; null if there is one, or it is at a point.',
    INCIDENT_LINE_ABSENCES,
    null,
  ),
} as const

/** An incident, as lists show it. */
export const incident = record('Incident', 'An incident on a road.', fields, { localise })

/** An incident with its end, as its own path and the change feed show it. */
export const incidentDetail = record(
  'IncidentDetail',
  'An incident on a road, also after its end.',
  { ...fields, ...END_FIELDS },
  { localise },
)

/** Names of the changed members, from the changed columns. */
export const changedOf: (changed: readonly string[]) => string[] = changedMembers(incidents, incidentDetail.fields, {
  descriptions: ['description', 'description_en'],
  measures: ['measures'],
  created_at: ['created_at'],
  location_method: [],
  location_error_m: [],
  position_absent: [],
  geometry: [],
  geometry_absent: [],
  ...END_DEPENDS,
})

/** A row of the dataset, live or from its table. Only a row that records an end has `last_seen_at`. */
export type IncidentRow = StateRow<typeof incidents> & { readonly last_seen_at?: number | null }

/** True for an incident between two kilometres. */
export function isStretch({ km, km_to }: Pick<IncidentRow, 'km' | 'km_to'>): boolean {
  return km !== null && km_to !== null && km !== km_to
}

/** Fields that are no columns. The place is as published: always the same, `withPlace` adds what is known of the road. */
const computed = {
  descriptions: (row: IncidentRow) => ({ es: row.description, en: row.description_en }),
  measures: (row: IncidentRow) => measuresOf(row.measures),
  created_at: (row: IncidentRow) => row.created_at ?? Math.min(row.first_seen_at, row.reported_at ?? row.first_seen_at),
  location_method: () => null,
  location_error_m: () => null,
  position_absent: () => null,
  geometry: () => null,
  geometry_absent: () => 'AS_PUBLISHED' as const,
} as const

/** Converts rows of the dataset to incidents. */
export const toIncident: (row: IncidentRow) => ValueOf<typeof incident.fields> = projection(incidents, incident, computed)

/** Converts rows of the dataset to incidents with their end. */
export const toIncidentDetail: (row: IncidentRow) => ValueOf<typeof incidentDetail.fields> = projection(incidents, incidentDetail, {
  ...{ ...computed, ...endOf },
})

/** The incident of a change. */
export function changedIncident(change: ChangeOf<typeof incidents>): ValueOf<typeof incidentDetail.fields> {
  return withEnd(toIncidentDetail(change.row), change)
}
