import { CITY_AVAILABILITIES, INDEX_ABSENCES } from '../../../lake/datasets/road/codes.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { nested, optional, record, type ValueOf } from '../../kernel/fields.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { deviationFields, usualFields } from './typical.ts'

const mean = (what: string, unit: string, example: number) =>
  maybe.decimal(`${what}, the mean of the reporting sensors or sections.`, unit, 1, example)
const level = (name: string, example: number) =>
  maybe.decimal(`Share of the sensors or sections with a level that have ${name}.`, '%', 1, example)
const usualLevel = (name: string, example: number) =>
  maybe.decimal(`Typical share of readings with ${name}; null for the archive of Madrid, which has no levels.`, '%', 1, example)
const levelApart = (name: string, example: number) =>
  maybe.decimal(`Share with ${name} now minus the typical share, in percentage points.`, '%', 1, example)

/** Typical values of a city. */
export const typicalFields = {
  ...usualFields,
  sensors: maybe.integer('Sensors or sections in these hours, median.', '1', 4871),
  slow_pct: usualLevel('DENSE', 9.1),
  queues_pct: usualLevel('VERY_DENSE', 3.2),
  congestion_pct: usualLevel('CONGESTED', 0.4),
  dense_or_worse_pct: usualLevel('one of these three', 12.7),
} as const

const cityDeviationFields = {
  ...deviationFields,
  slow_diff_pct: levelApart('DENSE', 1.2),
  queues_diff_pct: levelApart('VERY_DENSE', -0.3),
  congestion_diff_pct: levelApart('CONGESTED', 0.1),
} as const

/** Current figures of a city. */
export const nowFields = {
  sensors: maybe.integer('Sensors or street sections in the catalogue of the city.', '1', 6117),
  sensors_reporting: maybe.integer(
    'Sensors with a reading confirmed by the newest publication and not marked as wrong, or sections with a state other than UNKNOWN. All figures cover these.',
    '1',
    4871,
  ),
  sensors_graded: maybe.integer('Those with a level from free to congested: the denominator of the shares.', '1', 4810),
  intensity_veh_h: mean('Vehicles per hour', 'veh/h', 390.5),
  occupancy_pct: mean('Share of time that sensors were occupied', '%', 4.5),
  load_pct: mean('Degree of use of the roads', '%', 21.2),
  sensors_closed: maybe.integer('Closed street sections, which no share counts; null in Madrid.', '1', null),
  coverage: maybe.decimal('Share of the catalogue that has a level or is closed, 0 to 1.', '1', 4, 0.7863),
  fluid_pct: level('FREE', 86.2),
  slow_pct: level('DENSE', 10.3),
  queues_pct: level('VERY_DENSE', 2.9),
  congestion_pct: level('CONGESTED', 0.6),
  dense_or_worse_pct: level('one of the last three: the share of the network that is dense or worse', 13.8),
  observed_at: optional(trafficReadings.columns.observed_at, 'Time of the newest of these readings; null without readings.'),
} as const

/** The current traffic of a city. */
export const cityTraffic = record('CityTraffic', 'The current traffic of a city, compared with the typical hour and kind of day.', {
  id: field.text('The city id, as in paths.', 'madrid'),
  name: field.text('Its name.', 'Madrid'),
  municipality_code: trafficSensors.columns.municipality_code,
  availability: field.code('Whether any traffic data arrives; if not, all figures are null.', CITY_AVAILABILITIES, 'AVAILABLE'),
  source: field.text('Source of its live data.', 'madrid'),
  kind: field.text('Kind of its figures: SENSORS or SECTIONS.', 'SENSORS'),
  ...nowFields,
  congestion_index: maybe.decimal(
    'Current share of the network that is dense or worse, as a percentage of its typical share: 100 is as usual. It compares a city only with itself; across cities compare `dense_or_worse_pct`.',
    '%',
    1,
    108.7,
  ),
  index_absence: maybe.code('Why there is no index; null if there is one.', INDEX_ABSENCES, null),
  typical: nested.maybe('Typical values of the hour and kind of day; null for a city without data.', typicalFields),
  deviation: nested.maybe('Difference from the typical values; null without typical values.', cityDeviationFields),
})

export type CityTraffic = ValueOf<typeof cityTraffic.fields>
export type CityNow = ValueOf<typeof nowFields>
