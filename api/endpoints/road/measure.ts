import { ROAD_DIRECTIONS, SEVERITIES } from '../../../lake/datasets/road/codes.ts'
import {
  CARRIAGEWAYS,
  COMPASS_DIRECTIONS,
  INCIDENT_CAUSES,
  LANES,
  MEASURE_KINDS,
  VEHICLES,
} from '../../../lake/datasets/road/incident-codes.ts'
import type { CodeList } from '../../../lake/schema/codes.ts'
import { type Column, col, type Json } from '../../../lake/schema/columns.ts'
import { parseInstant } from '../../../lake/schema/time.ts'
import { type Nested, nested, type ValueOf } from '../../kernel/fields.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'

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
