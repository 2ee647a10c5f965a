import { CITY_AVAILABILITIES, INDEX_ABSENCES } from '../../../lake/datasets/road/codes.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { col } from '../../../lake/schema/columns.ts'
import { nested, optional, record, type ValueOf } from '../../kernel/fields.ts'
import { deviationFields, usualFields } from './typical.ts'

const mean = (what: string, unit: string, example: number) =>
  col.decimal(0, `${what}, the mean of the reporting sensors or sections.`, { scale: 1, unit, nullable: true, example })
const level = (name: string, example: number) =>
  col.decimal(0, `Share of the sensors or sections with a level that have ${name}.`, { scale: 1, unit: '%', nullable: true, example })
const usualLevel = (name: string, example: number) =>
  col.decimal(0, `Typical share of readings with ${name}; null for the archive of Madrid, which has no levels.`, {
    ...{ scale: 1, unit: '%', nullable: true, example },
  })
const levelApart = (name: string, example: number) =>
  col.decimal(0, `Share with ${name} now minus the typical share, in percentage points.`, { scale: 1, unit: '%', nullable: true, example })

/** Typical values of a city. */
export const typicalFields = {
  ...usualFields,
  sensors: col.integer(0, 'Sensors or sections in these hours, median.', { unit: '1', nullable: true, example: 4871 }),
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
  sensors: col.integer(0, 'Sensors or street sections in the catalogue of the city.', { unit: '1', nullable: true, example: 6117 }),
  sensors_reporting: col.integer(
    0,
    'Sensors with a reading confirmed by the newest publication and not marked as wrong, or sections with a state other than UNKNOWN. All figures cover these.',
    { unit: '1', nullable: true, example: 4871 },
  ),
  sensors_graded: col.integer(0, 'Those with a level from free to congested: the denominator of the shares.', {
    unit: '1',
    nullable: true,
    example: 4810,
  }),
  intensity_veh_h: mean('Vehicles per hour', 'veh/h', 390.5),
  occupancy_pct: mean('Share of time that sensors were occupied', '%', 4.5),
  load_pct: mean('Degree of use of the roads', '%', 21.2),
  sensors_closed: col.integer(0, 'Closed street sections, which no share counts; null in Madrid.', {
    ...{ unit: '1', nullable: true, example: null },
  }),
  coverage: col.decimal(0, 'Share of the catalogue that has a level or is closed, 0 to 1.', {
    ...{ scale: 4, unit: '1', nullable: true, example: 0.7863 },
  }),
  fluid_pct: level('FREE', 86.2),
  slow_pct: level('DENSE', 10.3),
  queues_pct: level('VERY_DENSE', 2.9),
  congestion_pct: level('CONGESTED', 0.6),
  dense_or_worse_pct: level('one of the last three: the share of the network that is dense or worse', 13.8),
  observed_at: optional(trafficReadings.columns.observed_at, 'Time of the newest of these readings; null without readings.'),
} as const

/** The current traffic of a city. */
export const cityTraffic = record('CityTraffic', 'The current traffic of a city, compared with the typical hour and kind of day.', {
  id: col.string(0, 'The city id, as in paths.', { example: 'madrid' }),
  name: col.string(0, 'Its name.', { example: 'Madrid' }),
  municipality_code: trafficSensors.columns.municipality_code,
  availability: col.code(0, 'Whether any traffic data arrives; if not, all figures are null.', CITY_AVAILABILITIES, {
    example: 'AVAILABLE',
  }),
  source: col.string(0, 'Source of its live data.', { example: 'madrid' }),
  kind: col.string(0, 'Kind of its figures: SENSORS or SECTIONS.', { example: 'SENSORS' }),
  ...nowFields,
  congestion_index: col.decimal(
    0,
    'Current share of the network that is dense or worse, as a percentage of its typical share: 100 is as usual. It compares a city only with itself; across cities compare `dense_or_worse_pct`.',
    { scale: 1, unit: '%', nullable: true, example: 108.7 },
  ),
  index_absence: col.code(0, 'Why there is no index; null if there is one.', INDEX_ABSENCES, { nullable: true, example: null }),
  typical: nested.object('Typical values of the hour and kind of day; null for a city without data.', typicalFields, {
    nullable: true,
  }),
  deviation: nested.object('Difference from the typical values; null without typical values.', cityDeviationFields, {
    nullable: true,
  }),
})

export type CityTraffic = ValueOf<typeof cityTraffic.fields>
export type CityNow = ValueOf<typeof nowFields>
