import { airMeasurements, airQualityIndex, airQualityStations } from '../../../lake/datasets/air/air-quality.ts'
import { AIR_STATION_TYPES } from '../../../lake/datasets/air/codes.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { nested, pick, record } from '../../kernel/fields.ts'
import { areaFilter, placeFilter } from '../../kernel/filters.ts'
import { codeParam, listOf } from '../../kernel/params/params.ts'
import { columnFilter } from '../../kernel/reads/filter.ts'
import {
  ABOUT_COMPUTED,
  AIR_PAGE,
  airStation,
  airStationId,
  categoryOf,
  computed,
  indexFields,
  recentIndex,
  recentMeasurements,
  stationFields,
  toStation,
} from './air-quality.ts'

/** Time range shown for one station, ms. */
const SHOWN_MS = 24 * 3_600_000

const typeFilter = columnFilter('type', listOf(codeParam('Stations of these types.', AIR_STATION_TYPES, { example: 'TRAFFIC' })), 'type')

/** The catalogue of stations. */
export const airStationList = defineEndpoint({
  path: '/api/calidad-aire/estaciones',
  plan: 'PRO',
  summary: 'Catalogue of air quality stations',
  summary_es: 'Catálogo de estaciones de calidad del aire',
  about: 'Stations of the national index, including inactive ones.',
  filters: [placeFilter, typeFilter, areaFilter],
  returns: listReturn('stations', airStation, { sorts: ['id', 'updated_at'] }),
  read: { kind: 'memory', from: [airQualityStations], records: ([state]) => state.rows.map(toStation) },
  example: { province: 'Madrid', limit: '5' },
})

const stationDetail = record('AirStationDetail', 'An air quality station with its last 24 hours.', {
  ...stationFields,
  hours: nested.objects('The index of the last 24 known hours, newest first.', {
    observed_at: airQualityIndex.columns.observed_at,
    ...indexFields,
  }),
  measurements: nested.objects('The measurements of the last 24 known hours, newest first.', {
    ...pick(airMeasurements.columns, 'hour_begins_at', 'pollutant', 'value', 'unit', 'validity'),
  }),
})

/** Rows at most 24 hours older than the newest, newest first. */
function lastDay<T>(rows: readonly T[], at: (row: T) => number): T[] {
  const newest = Math.max(...rows.map(at))
  return rows.filter((row) => at(row) > newest - SHOWN_MS).reverse()
}

/** One station. */
export const airStationById = defineEndpoint({
  path: '/api/calidad-aire/estaciones/{id}',
  plan: 'PRO',
  summary: 'One air quality station with its last 24 hours',
  summary_es: 'Una estación de calidad del aire con sus últimas 24 horas',
  about:
    'The index as published and as computed, and measurements where Madrid or Barcelona publishes them. From the lake, at most ten minutes behind the current state. Computed levels follow Orden TEC/351/2019.',
  explained: AIR_PAGE,
  statistic: {
    grain: 'One station, and one hour of its index and of each pollutant.',
    method: `The index as published. ${ABOUT_COMPUTED}`,
  },
  params: { id: airStationId },
  returns: { kind: 'one', record: stationDetail },
  read: {
    kind: 'memory',
    from: [airQualityStations],
    lake: [airQualityIndex, airMeasurements],
    needs: [],
    answer: async ({ states: [state], optional: extra }, { id }) => {
      const found = state.rows.find((row) => row.station_id === id)
      if (!found) return null
      const [index, recent] = [await extra(recentIndex, ''), await extra(recentMeasurements, '')]
      const measured = recent?.get(id)
      return {
        ...toStation(found),
        hours: lastDay(index?.get(id) ?? [], (row) => row.observed_at).map((hour) => ({
          ...{ ...hour, category: categoryOf(hour.level), ...computed(measured, hour.observed_at) },
        })),
        measurements: lastDay(measured?.measured ?? [], (row) => row.hour_begins_at),
      }
    },
  },
  example: { id: '28079004' },
})
