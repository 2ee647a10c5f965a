import { outputName, type Sql, type SqlPart, sql } from '../../query/sql.ts'
import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { COUNT } from '../../schema/quantities.ts'
import { SECTION_SOURCES } from './traffic-section-states.ts'
import { TRAFFIC_ROLL_UP } from './traffic-sums.ts'

const count = (id: number, about: string, example: number) => col.integer(id, about, { ...COUNT, example })
const sum = (id: number, what: string, unit: string) =>
  col.integer(id, `Sum of ${what}; Bilbao only, else 0.`, { unit, long: true, example: 0, min: 0 })

/** Section states of a city by hour, derived from the states. */
export const trafficSectionHours = defineDataset({
  ...TRAFFIC_ROLL_UP,
  sources: SECTION_SOURCES,
  id: 'traffic_section_hours',
  title: 'Traffic in the street sections of a city by hour',
  about:
    "Number of states of a city's street sections at each level by hour and source: live and archived states are never added. Only past days in Madrid. Shares of `level_readings` compare cities; counts do not.",
  columns: {
    month: col.string(1, 'Month of the hour in Madrid, YYYY-MM.', { example: '2026-08' }),
    source: col.string(2, 'Source of the states.', { example: 'barcelona_traffic' }),
    period_s: col.integer(3, 'Length of the step between two states.', { unit: 's', example: 300, min: 1 }),
    period_start: col.instant(4, 'Begin of the hour.', { example: '2026-08-24T17:00:00.000Z' }),
    sections: count(5, 'Sections with an informative state.', 431),
    readings: count(6, 'Informative states: a level other than UNKNOWN, or an intensity.', 5172),
    level_readings: count(7, 'Informative states with a level from FREE to CONGESTED: the denominator of shares.', 5160),
    dense_readings: count(8, 'Informative states with level DENSE.', 730),
    very_dense_readings: count(9, 'Informative states with level VERY_DENSE.', 212),
    congested_readings: count(10, 'Informative states with level CONGESTED.', 61),
    closed_readings: count(11, 'States with level CLOSED.', 12),
    intensity_readings: count(12, 'States with an intensity.', 0),
    intensity_sum_veh_h: sum(13, 'the intensities', 'veh/h'),
    occupancy_readings: count(14, 'States with an occupancy.', 0),
    occupancy_sum_pct: sum(15, 'the occupancies', '%'),
    speed_readings: count(16, 'States with a speed.', 0),
    speed_sum_kmh: sum(17, 'the speeds', 'km/h'),
  },
  entity: ['month', 'source', 'period_s'],
  order: ['source', 'period_s', 'period_start'],
})

const GRADED = sql`level IN ('FREE', 'DENSE', 'VERY_DENSE', 'CONGESTED')`

const counted = (condition: Sql, name: string): Sql => sql`CAST(count(*) FILTER (WHERE ${condition}) AS INTEGER) AS ${outputName(name)}`
const summed = (measure: string, name: string): Sql => sql`
  CAST(count(${outputName(measure)}) AS INTEGER) AS ${outputName(`${name}_readings`)},
  CAST(coalesce(sum(${outputName(measure)}), 0) AS BIGINT) AS ${outputName(measure.replace('_', '_sum_'))}`

/** The aggregate columns of `trafficSectionHours`, for a grouped SELECT from the rows of `sectionStates`. */
export const sumsOfStates: Sql = sql`
  CAST(count(DISTINCT section_id) AS INTEGER) AS sections,
  CAST(count(*) AS INTEGER) AS readings,
  ${counted(GRADED, 'level_readings')},
  ${counted(sql`level = 'DENSE'`, 'dense_readings')},
  ${counted(sql`level = 'VERY_DENSE'`, 'very_dense_readings')},
  ${counted(sql`level = 'CONGESTED'`, 'congested_readings')},
  ${counted(sql`level = 'CLOSED'`, 'closed_readings')},
  ${summed('intensity_veh_h', 'intensity')},
  ${summed('occupancy_pct', 'occupancy')},
  ${summed('speed_kmh', 'speed')}`

const SAYS_SOMETHING = sql`(level <> 'UNKNOWN' OR intensity_veh_h IS NOT NULL)`

/** Informative states among rows of `traffic_section_states`. */
export const sectionStates = (rows: SqlPart): Sql => sql`
  SELECT source, section_id, period_s, observed_at, level, intensity_veh_h, occupancy_pct, speed_kmh
  FROM ${rows}
  WHERE ${SAYS_SOMETHING}`

/** Informative states among rows of `traffic_section_states_archive`, without rows that lack an instant or repeat another. */
export const archivedStates = (rows: SqlPart): Sql => sql`
  SELECT source, section_id, period_s, observed_at, level, CAST(NULL AS INTEGER) AS intensity_veh_h,
    CAST(NULL AS INTEGER) AS occupancy_pct, CAST(NULL AS INTEGER) AS speed_kmh
  FROM ${rows}
  WHERE observed_at IS NOT NULL AND repetition = 1 AND level <> 'UNKNOWN'`
