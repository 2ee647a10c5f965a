import { TRAFFIC_LEVELS } from '../../../lake/datasets/road/codes.ts'
import { LIVE_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { defineEndpoint, keyedList, type State, type StatesOf } from '../../kernel/endpoint.ts'
import { joined, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter, provinceFilter, roadFilter } from '../../kernel/filters.ts'
import { booleanParam, codeParam, listOf, withDefault } from '../../kernel/params/params.ts'
import { columnFilter } from '../../kernel/reads/filter.ts'
import { stateFields } from '../common-fields.ts'
import { serviceOf } from './levels.ts'
import { districtFilter, readingFields, type Sensor, sensorFields, sensorKey, sensorSourceParam, sensorsOf } from './sensors.ts'

const { columns } = trafficReadings

/** What a reading shows of its sensor. */
const placeFields = pick(
  sensorFields,
  ...(['name', 'city', 'district', 'road', 'km', 'direction', 'site_kind', 'province', 'province_code', 'position'] as const),
)

/** The last reading of a sensor, with the sensor's place. */
export const reading = record('TrafficReading', 'The last reading of a traffic sensor.', {
  id: columns.sensor_id,
  ...pick(placeFields, 'name', 'city', 'district'),
  sensor_type: columns.sensor_type,
  ...pick(readingFields, 'intensity_veh_h', 'occupancy_pct', 'load_pct', 'level_of_service', 'speed_kmh', 'headway_m'),
  ...pick(readingFields, 'long_vehicles_pct', 'quality', 'period_s'),
  ...pick(placeFields, 'road', 'km', 'direction', 'site_kind', 'province', 'province_code', 'position'),
  source: columns.source,
  source_id: sensorFields.source_id,
  observed_at: columns.observed_at,
  ...stateFields(columns.observed_at),
})

export type Reading = ValueOf<typeof reading.fields>
type ReadingRow = State<typeof trafficReadings>['rows'][number]

const toReading = joined<typeof reading.fields, [ReadingRow, Sensor | undefined]>([trafficReadings, { columns: placeFields }], reading, {
  level_of_service: (row) => serviceOf(row.level_of_service),
  source_id: (row) => row.sensor_id,
})

/** The last readings of all sensors, in the order of the state. */
export function readingsOf([readings, sensors]: StatesOf<readonly [typeof trafficReadings, typeof trafficSensors]>): Reading[] {
  const byKey = sensorsOf(sensors)
  // A sensor outside the catalogues belongs to the city of its source's other sensors.
  const cities = new Map(sensors.rows.map(({ source, city }) => [source, city]))
  return readings.rows.map((row) => {
    const made = toReading(row, byKey.get(sensorKey(row.source, row.sensor_id)))
    return { ...made, city: made.city ?? cities.get(row.source) ?? null }
  })
}

/** Fields that sort readings, of all sensors or of a city. */
export const READING_SORTS = ['id', 'intensity_veh_h', 'occupancy_pct', 'load_pct', 'speed_kmh', 'updated_at'] as const

/** The parameter `level_of_service`. */
export const levelFilter = columnFilter(
  'level_of_service',
  listOf(codeParam('State of traffic.', TRAFFIC_LEVELS, { example: 'CONGESTED' })),
  'level_of_service',
)

/** Live readings. */
export const trafficIntensity = defineEndpoint({
  path: '/api/trafico/intensidad',
  plan: 'FREE',
  summary: 'Live traffic intensity at the sensors of Madrid and of interurban roads',
  summary_es: 'Intensidad del tráfico en directo en los sensores de Madrid y de carreteras',
  about:
    'Vehicles per hour, occupancy, load and level of service of the sensors of Madrid; with `source=dgt`, which states no level, vehicles per hour, speed, occupancy, headway and share of long vehicles of each lane with a detector of DGT. A detector whose measurement is older than 30 minutes is `is_stale`. Where a publication lacks a block of sensors, their last readings stay, marked `is_stale`.',
  filters: [
    columnFilter('source', withDefault(sensorSourceParam, LIVE_SOURCE), 'source'),
    areaFilter,
    districtFilter,
    levelFilter,
    provinceFilter,
    roadFilter,
    columnFilter('is_stale', booleanParam('Only stale readings, or only those that are not.'), 'is_stale'),
  ],
  returns: keyedList('readings', reading, ['id', 'source', 'period_s'], { sorts: READING_SORTS }),
  read: {
    kind: 'memory',
    from: [trafficReadings, trafficSensors],
    records: readingsOf,
  },
  example: { limit: '5' },
})
