import { POSITION_ABSENCES } from '../../../lake/datasets/road/codes.ts'
import { INCIDENT_LINE_ABSENCES } from '../../../lake/datasets/road/incident-codes.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { LOCATION_METHODS } from '../../../lake/datasets/safety/codes.ts'
import type { ChangeOf } from '../../kernel/endpoint.ts'
import { nested, pick, projection, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { changedMembers } from '../../kernel/reads/changed.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { originFields, provinceField } from '../common-fields.ts'
import { END_DEPENDS, END_FIELDS, endOf, withEnd } from '../lifecycle-fields.ts'
import { measuresField, measuresOf } from './measure.ts'

const { columns } = incidents

/** Description of the place of an incident with a length. */
export const ABOUT_PLACE =
  'The source describes a stretch of road by its two ends, without a line between them. While it is active, `geometry` is its line along the road, where that is located, and a place that has only a road and a kilometre gets its position (`location_method` ROAD_KM). In GeoJSON the geometry is that line, else a Point: `lat` and `lon`, its begin; `to_lat` and `to_lon` are its end.'

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

const texts = (row: IncidentRow): { es: string; en: string } => ({ es: row.description, en: row.description_en })

/** True for an incident between two kilometres. */
export function isStretch({ km, km_to }: Pick<IncidentRow, 'km' | 'km_to'>): boolean {
  return km !== null && km_to !== null && km !== km_to
}

/** The place as published, always the same beside its position; `withPlace` adds what is known of the road. */
const PUBLISHED_PLACE = {
  location_method: () => null,
  location_error_m: () => null,
  position_absent: () => null,
  geometry: () => null,
  geometry_absent: () => 'AS_PUBLISHED' as const,
} as const

const createdAt = (row: IncidentRow): number => row.created_at ?? Math.min(row.first_seen_at, row.reported_at ?? row.first_seen_at)

/** Converts rows of the dataset to incidents. */
export const toIncident: (row: IncidentRow) => ValueOf<typeof incident.fields> = projection(incidents, incident, {
  descriptions: texts,
  measures: (row) => measuresOf(row.measures),
  created_at: createdAt,
  ...PUBLISHED_PLACE,
})

/** Converts rows of the dataset to incidents with their end. */
export const toIncidentDetail: (row: IncidentRow) => ValueOf<typeof incidentDetail.fields> = projection(incidents, incidentDetail, {
  descriptions: texts,
  measures: (row) => measuresOf(row.measures),
  created_at: createdAt,
  ...PUBLISHED_PLACE,
  ...endOf,
})

/** The incident of a change. */
export function changedIncident(change: ChangeOf<typeof incidents>): ValueOf<typeof incidentDetail.fields> {
  return withEnd(toIncidentDetail(change.row), change)
}
