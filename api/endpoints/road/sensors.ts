import { SENSOR_TYPES } from '../../../lake/datasets/road/codes.ts'
import { DETECTOR_SOURCE, LIVE_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSectionStates, trafficSections } from '../../../lake/datasets/road/traffic-sections.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { startOf } from '../../../lake/query/intervals.ts'
import { defineEndpoint, keyedList, type State, type StatesOf } from '../../kernel/endpoint.ts'
import { field, meaning, nested, nulls, pick, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter, provinceFilter, roadFilter } from '../../kernel/filters.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { codeParam, integerParam, listOf, oneOf, required, textParam } from '../../kernel/params/params.ts'
import { columnFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { originFields, provinceField, provinceName, stateFields } from '../common-fields.ts'
import { mergedListings } from '../listings.ts'
import { knownLevel, levelOf, serviceField, serviceOf } from './levels.ts'
import { deviationFields, deviationOf, momentOf, NOT_TYPICAL, sensorProfile, TYPICAL_PAGE, typicalAt, typicalFields } from './typical.ts'

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
const sensor = record('TrafficSensor', 'A traffic sensor.', sensorFields)

export type Sensor = ValueOf<typeof sensorFields>

const r = trafficReadings.columns

/** A reading, without its sensor. */
export const readingFields = {
  ...pick(r, 'intensity_veh_h', 'occupancy_pct', 'load_pct'),
  level_of_service: serviceField,
  ...pick(r, 'speed_kmh', 'headway_m', 'long_vehicles_pct', 'quality', 'period_s', 'observed_at'),
  ...pick(stateFields(r.observed_at), 'updated_at', 'is_stale'),
} as const

const lastReadingFields = { ...readingFields, level: trafficSectionStates.columns.level } as const

/** A sensor with its last reading. */
const sensorDetail = record('TrafficSensorDetail', 'A traffic sensor with its last reading and the typical values of its hour.', {
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
  const one = mergedListings(rows)
  const province_code = one.province_code ?? one.municipality_code?.slice(0, 2) ?? null
  return { ...one, id: one.sensor_id, province: provinceName(province_code), province_code, source_id: one.sensor_id }
}

type SectionRow = State<typeof trafficSections>['rows'][number]
type StateOfSection = State<typeof trafficSectionStates>['rows'][number]

/** The public id of a section, because publishers' ids are not unique across cities. */
export function sectionId({ city, section_id }: Pick<StateRow<typeof trafficSections>, 'city' | 'section_id'>): string {
  return `${city}-${section_id}`
}

/** The sections of the catalogues, by public id. */
export const sectionsById = memo(
  (state: State<typeof trafficSections>): ReadonlyMap<string, SectionRow> => new Map(state.rows.map((row) => [sectionId(row), row])),
)

/** The current states of sections, by public id. */
const statesById = memo(
  (state: State<typeof trafficSectionStates>): ReadonlyMap<string, StateOfSection> =>
    new Map(state.rows.map((row) => [sectionId(row), row])),
)

/** The sections of the catalogues as entries of the sensor catalogue. */
export const sectionSensors = memo((state: State<typeof trafficSections>): readonly Sensor[] => state.rows.map(toSensor))

function toSensor(row: SectionRow): Sensor {
  const { municipality_code, section_id } = row
  const province_code = municipality_code.slice(0, 2)
  return {
    ...nulls(sensorFields),
    ...pick(row, 'city', 'name', 'position', 'municipality_code', 'source', 'observed_at', 'updated_at', 'status', 'is_stale'),
    ...{ id: sectionId(row), sensor_type: 'SECTION', listings: ['CATALOGUE'], source_id: section_id },
    ...{ province: provinceName(province_code), province_code },
  }
}

/** The current state of a section in the fields of a sensor's reading. */
export function readingOfState(row: StateOfSection) {
  const { level } = row
  return {
    ...nulls(readingFields),
    ...pick(row, 'intensity_veh_h', 'occupancy_pct', 'level', 'speed_kmh', 'period_s', 'observed_at', 'updated_at', 'is_stale'),
    ...{ level_of_service: knownLevel(level), quality: 'UNKNOWN' },
  }
}

/** The page about traffic sensors and their series. */
export const SENSORS_PAGE = defineMethodPage('traffic-sensors', new URL('./traffic-sensors.md', import.meta.url))

/** Cities in the catalogue of traffic sensors. */
const SENSOR_CITIES = ['madrid', 'barcelona', 'valencia', 'bilbao'] as const

/** The sensor id as a path parameter. */
export const sensorId = required(textParam("The publisher's id of the sensor.", { max: 40, example: '3840' }))

/** Sensors and street sections, cached per state of the catalogues. */
const allSensors = memo(
  ([sensors, sections]: StatesOf<readonly [typeof trafficSensors, typeof trafficSections]>): readonly Sensor[] => [
    ...sensorsOf(sensors).values(),
    ...sectionSensors(sections),
  ],
  (states) => [...states],
)

/** The catalogue of sensors. */
export const sensorList = defineEndpoint({
  path: '/api/trafico/sensores',
  plan: 'FREE',
  summary: 'Catalogue of traffic sensors and street sections',
  summary_es: 'Catálogo de sensores de tráfico de ciudades y carreteras',
  about:
    "Sensors of Madrid, and street sections of Barcelona, València and Bilbao (`sensor_type` SECTION). DGT's detectors (`source=dgt`) are one per lane of interurban roads, without a city; none is in Catalonia or the Basque Country. The geometry of sections is in /api/trafico/ciudades/{ciudad}.",
  explained: SENSORS_PAGE,
  filters: [
    columnFilter('source', sensorSourceParam, 'source'),
    columnFilter(
      'city',
      oneOf('City whose traffic centre operates the sensor or publishes the section.', SENSOR_CITIES, { example: 'madrid' }),
      'city',
    ),
    columnFilter('type', listOf(codeParam('Kind of sensor.', SENSOR_TYPES, { example: 'M30' })), 'sensor_type'),
    districtFilter,
    provinceFilter,
    roadFilter,
    areaFilter,
  ],
  returns: keyedList('sensors', sensor, ['id', 'source'], { sorts: ['id', 'capacity_veh_h', 'district', 'road', 'km', 'updated_at'] }),
  read: {
    kind: 'memory',
    from: [trafficSensors, trafficSections],
    isOfAny: true,
    records: allSensors,
  },
  example: { city: 'madrid', limit: '5' },
})

/** One sensor. */
export const sensorById = defineEndpoint({
  path: '/api/trafico/sensores/{id}',
  plan: 'FREE',
  summary: 'One traffic sensor or street section, compared with typical values',
  summary_es: 'Un sensor de tráfico: última lectura y comparación con lo habitual',
  about:
    'The last reading, the typical value of its hour and kind of day, and the deviation. Street sections have typical values only for their city. The dataset `traffic_sensor_editions` has former sensors and positions.',
  explained: TYPICAL_PAGE,
  params: { id: sensorId },
  returns: { kind: 'one', record: sensorDetail },
  read: {
    kind: 'memory',
    from: [trafficSensors, trafficReadings, trafficSections, trafficSectionStates],
    isOfAny: true,
    lake: [trafficHours],
    needs: [],
    answer: async ({ states: [sensors, readings, sections, sectionStates], optional: extra }, { id }) => {
      const found = [...sensorsOf(sensors).values()].find((one) => one.id === id)
      if (!found) return sectionDetail(sections, sectionStates, id)
      const last = readings.rows.find((row) => row.sensor_id === id && row.source === found.source) ?? null
      const moment = momentOf(last ? startOf(trafficReadings, last) : (newestOf(readings) ?? found.observed_at))
      const typical = typicalAt(await extra(sensorProfile, JSON.stringify([found.source, id, moment.date])), moment)
      const isMeasured = last !== null && last.quality !== 'ERROR' && typical.absence === null
      return {
        ...found,
        last_reading: last && { ...last, level_of_service: serviceOf(last.level_of_service), level: levelOf(last.level_of_service) },
        typical,
        deviation: isMeasured ? deviationOf(last, typical) : null,
      }
    },
  },
  example: { id: '3840' },
})

/** Time of the newest publication of readings, ms; null without one. */
function newestOf({ parts }: State<typeof trafficReadings>): number | null {
  return parts.length === 0 ? null : Math.max(...parts.map(({ data_time }) => data_time))
}

/** A street section with its current state; null for an unknown id. */
function sectionDetail(
  sections: State<typeof trafficSections>,
  states: State<typeof trafficSectionStates>,
  id: string,
): ValueOf<typeof sensorDetail.fields> | null {
  const found = sectionSensors(sections).find((one) => one.id === id)
  if (!found) return null
  const last = statesById(states).get(id)
  const { day_type, hour_local } = momentOf(last ? startOf(trafficSectionStates, last) : found.observed_at, found.city ?? undefined)
  const typical = { ...NOT_TYPICAL, day_type, hour_local, absence: 'BY_CITY_ONLY' }
  return { ...found, last_reading: last ? readingOfState(last) : null, typical, deviation: null }
}
