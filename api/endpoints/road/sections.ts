import type { trafficSectionStates } from '../../../lake/datasets/road/traffic-section-states.ts'
import type { trafficSections } from '../../../lake/datasets/road/traffic-sections.ts'
import type { State } from '../../kernel/endpoint.ts'
import { nulls, pick, type StateRow } from '../../kernel/fields.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { provinceName } from '../common-fields.ts'
import { knownLevel } from './levels.ts'
import { readingFields, type Sensor, sensorFields } from './sensor.ts'

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
export const statesById = memo(
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
