import { TRAFFIC_LEVELS } from '../../../lake/datasets/road/codes.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSectionStates, trafficSections } from '../../../lake/datasets/road/traffic-sections.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { defineEndpoint, keyedList, type StatesOf } from '../../kernel/endpoint.ts'
import { meaning, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter } from '../../kernel/filters.ts'
import { codeParam, listOf } from '../../kernel/params/params.ts'
import { columnFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { CITIES, cityId, liveDataOf, noCityData } from './cities.ts'
import { readingOfState, sectionId, sectionsById } from './sensors.ts'
import { levelFilter, READING_SORTS, reading, readingsOf } from './traffic-intensity.ts'

const states = trafficSectionStates.columns
const sections = trafficSections.columns

/** The current reading of a sensor or street section of a city. */
const cityReading = record('CityReading', 'The last reading of a traffic sensor, or the state of a street section.', {
  ...pick(reading.fields, 'id', 'name', 'city', 'district', 'sensor_type', 'intensity_veh_h', 'occupancy_pct', 'load_pct'),
  ...pick(reading.fields, 'level_of_service', 'speed_kmh', 'quality', 'period_s', 'position', 'source', 'source_id'),
  ...pick(reading.fields, 'observed_at', 'updated_at', 'status', 'is_stale'),
  city: meaning(sections.city, 'City of the sensor or section.'),
  id: meaning(reading.fields.id, "The publisher's sensor id; for a street section, the city and the publisher's id."),
  source_id: meaning(reading.fields.source_id, "The publisher's id."),
  level: states.level,
  level_basis: optional(states.level_basis, 'Basis of the level; null if it is UNKNOWN.'),
  source_state: states.source_state,
  forecast_15min_level: states.forecast_15min_level,
  source_forecast_state: states.source_forecast_state,
  reported_at: states.reported_at,
  length_m: sections.length_m,
  is_underpass: sections.is_underpass,
  geometry: optional(sections.line, 'Line of the section; null for sensors, for sections with an area, and if not known.'),
  area: sections.area,
})

type CityReading = ValueOf<typeof cityReading.fields>
type States = StatesOf<readonly [typeof trafficReadings, typeof trafficSensors, typeof trafficSectionStates, typeof trafficSections]>

/** The current readings of the sensors or sections of a city. */
function readingsOfCity([readings, sensors, live, catalogue]: States, city: string): readonly CityReading[] {
  const known = CITIES.get(city)
  if (known?.kind === 'SECTIONS') return ofSections(live, catalogue).get(city) ?? []
  return ofSensors(readings, sensors).filter((one) => one.source === known?.source)
}

/** The readings of sensors, cached per state of the datasets. */
const ofSensors = memo((readings: States[0], sensors: States[1]): readonly CityReading[] =>
  readingsOf([readings, sensors]).map((one) => {
    const level = one.level_of_service ?? 'UNKNOWN'
    return { ...one, ...NO_SECTION, city: one.city ?? '', level, level_basis: level === 'UNKNOWN' ? null : 'PUBLISHED' }
  }),
)

const NO_SECTION = {
  ...{ source_state: null, forecast_15min_level: null, source_forecast_state: null, reported_at: null },
  ...{ length_m: null, is_underpass: null, geometry: null, area: null },
} as const

/** The states of sections by city, cached per state of the datasets. */
const ofSections = memo((live: States[2], catalogue: States[3]): ReadonlyMap<string, readonly CityReading[]> => {
  const byId = sectionsById(catalogue)
  const made = live.rows.map((row): CityReading => {
    const id = sectionId(row)
    const at = byId.get(id)
    const { level, level_basis, source_state, forecast_15min_level, source_forecast_state, reported_at, source, section_id } = row
    return {
      ...{ id, name: at?.name ?? null, city: row.city, district: null, sensor_type: 'SECTION', position: at?.position ?? null },
      ...{ source, source_id: section_id, ...readingOfState(row), level_basis: level === 'UNKNOWN' ? null : level_basis },
      ...{ source_state, forecast_15min_level, source_forecast_state, reported_at, status: row.status },
      ...{ length_m: at?.length_m ?? null, is_underpass: at?.is_underpass ?? null, geometry: at?.line ?? null, area: at?.area ?? null },
    }
  })
  return Map.groupBy(made, ({ city }) => city)
})

/** The current sensors or street sections of a city. */
export const citySensors = defineEndpoint({
  path: '/api/trafico/ciudades/{ciudad}',
  plan: 'PRO',
  summary: 'Live traffic at the sensors or street sections of a city',
  summary_es: 'Tráfico en directo en los sensores o tramos de una ciudad',
  about:
    'Madrid has sensors; Barcelona, València and Bilbao have street sections with geometry. GeoJSON by default: lines, or areas in Bilbao. `level` and `level_of_service` are one vocabulary for all traffic; `source_state` is the published state. Areas select by `lat` and `lon`, the middle of a section. Sections without geometry are normal in Barcelona.',
  params: { ciudad: cityId },
  filters: [
    areaFilter,
    levelFilter,
    columnFilter('level', listOf(codeParam('State of traffic.', TRAFFIC_LEVELS, { example: 'CONGESTED' })), 'level'),
  ],
  returns: keyedList('readings', cityReading, ['id', 'source', 'period_s'], { sorts: READING_SORTS, prefers: 'geojson' }),
  read: {
    kind: 'memory',
    from: [trafficReadings, trafficSensors, trafficSectionStates, trafficSections],
    isOfAny: true,
    answer: async ({ states: given }, p) => {
      if (!CITIES.has(p.ciudad)) return null
      const records = readingsOfCity(given, p.ciudad)
      if (records.length === 0) throw noCityData(p.ciudad)
      return { records, counts: {}, restsOn: [liveDataOf(p.ciudad)] }
    },
  },
  example: { ciudad: 'madrid', limit: '5' },
})
