import type { trafficSectionStates } from '../../../lake/datasets/road/traffic-section-states.ts'
import type { trafficSections } from '../../../lake/datasets/road/traffic-sections.ts'
import type { State } from '../../kernel/endpoint.ts'
import type { StateRow } from '../../kernel/fields.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { provinceName } from '../common-fields.ts'
import { knownLevel } from './levels.ts'
import type { Sensor } from './sensor.ts'

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
  const { city, name, position, municipality_code, source, section_id, observed_at, updated_at, status, is_stale } = row
  return {
    ...{ id: sectionId(row), city, sensor_type: 'SECTION', name, centre_code: null, district: null, subarea: null, access_code: null },
    ...{ capacity_veh_h: null, road: null, km: null, direction: null, destination: null, site_kind: null, source_site_kind: null },
    ...{ source_direction: null, position, municipality_code, listings: ['CATALOGUE'] },
    ...{ province: provinceName(municipality_code.slice(0, 2)), province_code: municipality_code.slice(0, 2) },
    ...{ source, source_id: section_id, observed_at, updated_at, status, is_stale },
  }
}

/** The current state of a section in the fields of a sensor's reading. */
export function readingOfState(row: StateOfSection) {
  const { level, intensity_veh_h, occupancy_pct, speed_kmh, period_s, observed_at, updated_at, is_stale } = row
  return {
    ...{ intensity_veh_h, occupancy_pct, load_pct: null, level_of_service: knownLevel(level), level, speed_kmh },
    ...{ headway_m: null, long_vehicles_pct: null },
    ...{ quality: 'UNKNOWN', period_s, observed_at, updated_at, is_stale },
  }
}
