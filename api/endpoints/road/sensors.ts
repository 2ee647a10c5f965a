import { SENSOR_TYPES } from '../../../lake/datasets/road/codes.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-hours.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSectionStates } from '../../../lake/datasets/road/traffic-section-states.ts'
import { trafficSections } from '../../../lake/datasets/road/traffic-sections.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { startOf } from '../../../lake/query/intervals.ts'
import { defineEndpoint, type State, type StatesOf } from '../../kernel/endpoint.ts'
import type { ValueOf } from '../../kernel/fields.ts'
import { areaFilter } from '../../kernel/filters/area.ts'
import { provinceFilter } from '../../kernel/filters/place.ts'
import { roadFilter } from '../../kernel/filters/road.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { codeParam, listOf, oneOf, required, textParam } from '../../kernel/params/params.ts'
import { columnFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { levelOf, serviceOf } from './levels.ts'
import { readingOfState, sectionSensors, statesById } from './sections.ts'
import { districtFilter, type Sensor, sensor, sensorDetail, sensorSourceParam, sensorsOf } from './sensor.ts'
import { deviationOf, momentOf, NOT_TYPICAL, sensorProfile, TYPICAL_PAGE, typicalAt } from './typical.ts'

/** The page about traffic sensors and their series. */
export const SENSORS_PAGE = defineMethodPage('traffic-sensors', new URL('./traffic-sensors.md', import.meta.url))

/** Cities in the catalogue of traffic sensors. */
const CITIES = ['madrid', 'barcelona', 'valencia', 'bilbao'] as const

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
  domain: 'road',
  plan: 'FREE',
  summary: 'Catalogue of traffic sensors and street sections',
  summary_es: 'Catálogo de sensores de tráfico de ciudades y carreteras',
  about:
    "Sensors of Madrid, and street sections of Barcelona, València and Bilbao (`sensor_type` SECTION). DGT's detectors (`source=dgt`) are one per lane of interurban roads, without a city; none is in Catalonia or the Basque Country. The geometry of sections is in /api/trafico/ciudades/{ciudad}.",
  explained: SENSORS_PAGE,
  params: {},
  filters: [
    columnFilter('source', sensorSourceParam, 'source'),
    columnFilter(
      'city',
      oneOf('City whose traffic centre operates the sensor or publishes the section.', CITIES, { example: 'madrid' }),
      'city',
    ),
    columnFilter('type', listOf(codeParam('Kind of sensor.', SENSOR_TYPES, { example: 'M30' })), 'sensor_type'),
    districtFilter,
    provinceFilter,
    roadFilter,
    areaFilter,
  ],
  returns: {
    kind: 'list',
    name: 'sensors',
    record: sensor,
    key: ['id', 'source'],
    id: 'id',
    sorts: ['id', 'capacity_veh_h', 'district', 'road', 'km', 'updated_at'],
    order: 'id',
    limit: { default: 100, max: 20_000 },
  },
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
  domain: 'road',
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
