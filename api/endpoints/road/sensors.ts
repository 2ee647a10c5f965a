import { SENSOR_TYPES } from '../../../lake/datasets/road/codes.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-hours.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { defineEndpoint, type State } from '../../define/endpoint.ts'
import { columnFilter } from '../../define/filter.ts'
import { codeParam, listOf, oneOf, required, textParam } from '../../define/params.ts'
import { areaFilter } from '../../filters/area.ts'
import { districtFilter, sensor, sensorDetail, sensorsOf } from './sensor.ts'
import { deviationOf, momentOf, sensorProfile, TYPICAL_PAGE, typicalAt } from './typical.ts'

/** Cities whose traffic sensors are in the catalogue. */
const CITIES = ['madrid'] as const

/** The id of a sensor, as a path has it. */
export const sensorId = required(textParam("The publisher's id of the sensor.", { max: 40, example: '3840' }))

/** The catalogue of sensors. */
export const sensorList = defineEndpoint({
  path: '/api/trafico/sensores',
  domain: 'road',
  plan: 'FREE',
  summary: 'Catalogue of traffic sensors',
  about: 'What the published catalogue says of a sensor goes first; what only the live feed says fills in.',
  params: {},
  filters: [
    columnFilter('city', oneOf('City whose traffic centre runs the sensor.', CITIES, { example: 'madrid' }), 'city'),
    columnFilter('type', listOf(codeParam('Kind of sensor.', SENSOR_TYPES, { example: 'M30' })), 'sensor_type'),
    districtFilter,
    areaFilter,
  ],
  returns: {
    kind: 'list',
    name: 'sensors',
    record: sensor,
    key: ['id', 'source'],
    id: 'id',
    sorts: ['id', 'capacity_veh_h', 'district', 'updated_at'],
    order: 'id',
    limit: { default: 100, max: 20_000 },
  },
  read: {
    kind: 'memory',
    from: [trafficSensors],
    records: ([state]) => [...sensorsOf(state).values()],
  },
  example: { city: 'madrid', limit: '5' },
})

/** One sensor. */
export const sensorById = defineEndpoint({
  path: '/api/trafico/sensores/{id}',
  domain: 'road',
  plan: 'FREE',
  summary: 'One traffic sensor with its last reading, compared with what is typical',
  about:
    'The last reading, the typical value of its hour and kind of day, and the deviation from it. The dataset `traffic_sensor_editions` has former sensors and former positions.',
  explained: TYPICAL_PAGE,
  params: { id: sensorId },
  returns: { kind: 'one', record: sensorDetail },
  read: {
    kind: 'memory',
    from: [trafficSensors, trafficReadings],
    lake: [trafficHours],
    needs: [],
    answer: async ({ states: [sensors, readings], extra }, { id }) => {
      const found = [...sensorsOf(sensors).values()].find((one) => one.id === id)
      if (!found) return null
      const last = readings.rows.find((row) => row.sensor_id === id && row.source === found.source) ?? null
      const moment = momentOf(last?.observed_at ?? newestOf(readings) ?? found.observed_at)
      const typical = typicalAt(await extra(sensorProfile, JSON.stringify([found.source, id, moment.date])), moment)
      const isMeasured = last !== null && last.quality !== 'ERROR' && typical.absence === null
      return { ...found, last_reading: last, typical, deviation: isMeasured ? deviationOf(last, typical) : null }
    },
  },
  example: { id: '3840' },
})

/** When the newest publication of readings was made, ms; null where there was none. */
function newestOf({ parts }: State<typeof trafficReadings>): number | null {
  return parts.length === 0 ? null : Math.max(...parts.map(({ data_time }) => data_time))
}
