import { DETECTOR_SOURCE, LIVE_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSectionStates } from '../../../lake/datasets/road/traffic-section-states.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import type { State } from '../../kernel/endpoint.ts'
import { meaning, nested, pick, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { integerParam, listOf, oneOf } from '../../kernel/params/params.ts'
import { columnFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { field } from '../../kernel/reply-fields.ts'
import { originFields, provinceField, provinceName, stateFields } from '../common-fields.ts'
import { serviceField } from './levels.ts'
import { deviationFields, typicalFields } from './typical.ts'

const { columns } = trafficSensors

/** Fields of a sensor. */
export const sensorFields = {
  id: columns.sensor_id,
  ...pick(columns, 'city', 'sensor_type', 'name', 'centre_code', 'district', 'subarea', 'access_code', 'capacity_veh_h'),
  road: meaning(
    columns.road,
    'Road of the sensor; null if the publisher does not state it. Madrid names streets only, and its type M30 also includes sensors on the accesses of the M-30.',
  ),
  ...pick(columns, 'km', 'direction', 'destination', 'site_kind', 'source_site_kind', 'source_direction', 'position'),
  province: provinceField(columns.province_code),
  province_code: columns.province_code,
  municipality_code: columns.municipality_code,
  listings: field.list('Origin of its description: CATALOGUE, LIVE or both.', field.text('Name of a listing.'), ['CATALOGUE', 'LIVE']),
  ...originFields(columns, { source_id: columns.sensor_id }),
} as const

/** A sensor. */
export const sensor = record('TrafficSensor', 'A traffic sensor.', sensorFields)

export type Sensor = ValueOf<typeof sensorFields>

const r = trafficReadings.columns
const state = stateFields(r.observed_at)

/** A reading, without its sensor. */
export const readingFields = {
  intensity_veh_h: r.intensity_veh_h,
  occupancy_pct: r.occupancy_pct,
  load_pct: r.load_pct,
  level_of_service: serviceField,
  speed_kmh: r.speed_kmh,
  headway_m: r.headway_m,
  long_vehicles_pct: r.long_vehicles_pct,
  quality: r.quality,
  period_s: r.period_s,
  observed_at: r.observed_at,
  updated_at: state.updated_at,
  is_stale: state.is_stale,
} as const

const lastReadingFields = { ...readingFields, level: trafficSectionStates.columns.level } as const

/** A sensor with its last reading. */
export const sensorDetail = record('TrafficSensorDetail', 'A traffic sensor with its last reading and the typical values of its hour.', {
  ...sensorFields,
  last_reading: nested.maybe('Its last reading; null without one.', lastReadingFields),
  typical: nested.object(
    'Typical values for the hour and kind of day of the last reading or, without one, of the newest publication.',
    typicalFields,
  ),
  deviation: nested.maybe(
    'Difference between the last reading and the typical value; null without either, or if the publisher marks the reading as wrong.',
    deviationFields,
  ),
})

type SensorRow = StateRow<typeof trafficSensors> & { readonly is_stale: boolean }

/** The parameter `source` of sensors and their readings. */
export const sensorSourceParam = oneOf(
  'Publisher of the sensors: the city of Madrid (madrid), or DGT for lanes of interurban roads (dgt).',
  [LIVE_SOURCE, DETECTOR_SOURCE],
  { example: LIVE_SOURCE },
)

/** The parameter `district`. */
export const districtFilter = columnFilter(
  'district',
  listOf(integerParam('Number of the city district.', { min: 1, max: 99, example: '4' })),
  'district',
)

/** The sensors of a state by source and id. The catalogue takes precedence, and the live feed fills gaps. */
export const sensorsOf = memo((state: State<typeof trafficSensors>): ReadonlyMap<string, Sensor> => {
  const listed = Map.groupBy(state.rows, (row) => sensorKey(row.source, row.sensor_id))
  return new Map([...listed].map(([key, rows]) => [key, merged(rows)]))
})

/** Key of `sensorsOf`. */
export function sensorKey(source: string, id: string): string {
  return `${source}/${id}`
}

function merged(rows: readonly SensorRow[]): Sensor {
  const [first, ...others] = rows.toSorted((one, other) => (one.listing < other.listing ? -1 : 1)) as [SensorRow, ...SensorRow[]]
  const fill = <K extends keyof SensorRow>(name: K): SensorRow[K] =>
    first[name] ?? others.find((row) => row[name] !== null)?.[name] ?? first[name]
  const municipality_code = fill('municipality_code')
  const province_code = fill('province_code') ?? municipality_code?.slice(0, 2) ?? null
  return {
    id: first.sensor_id,
    city: first.city,
    sensor_type: first.sensor_type,
    name: fill('name'),
    centre_code: fill('centre_code'),
    district: fill('district'),
    subarea: fill('subarea'),
    access_code: fill('access_code'),
    capacity_veh_h: fill('capacity_veh_h'),
    road: fill('road'),
    km: fill('km'),
    direction: fill('direction'),
    destination: fill('destination'),
    site_kind: fill('site_kind'),
    source_site_kind: fill('source_site_kind'),
    source_direction: fill('source_direction'),
    position: fill('position'),
    province: provinceName(province_code),
    province_code,
    municipality_code,
    listings: [first, ...others].map((row) => row.listing),
    source: first.source,
    source_id: first.sensor_id,
    observed_at: Math.max(...rows.map((row) => row.observed_at)),
    updated_at: Math.max(...rows.map((row) => row.updated_at)),
    status: rows.some((row) => row.status === 'ACTIVE') ? 'ACTIVE' : first.status,
    is_stale: rows.every((row) => row.is_stale),
  }
}
