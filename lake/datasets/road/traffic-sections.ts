import { outputName, type Sql, type SqlPart, sql } from '../../query/sql.ts'
import { col, orNull } from '../../schema/columns.ts'
import { COUNT } from '../../schema/quantities.ts'
import { roadDataset } from '../domains.ts'
import { LEVEL_BASES, TRAFFIC_LEVELS } from './codes.ts'
import { barcelonaTraffic, bilbaoTraffic, valenciaTraffic } from './sources.ts'
import { trafficReadings } from './traffic-readings.ts'
import { TRAFFIC_ROLL_UP } from './traffic-roll-ups.ts'

/** Sources of street sections. */
export const SECTION_SOURCES = [barcelonaTraffic, valenciaTraffic, bilbaoTraffic] as const

/** A city that publishes traffic states by street section. */
export interface SectionCity {
  readonly city: string
  /** INE code of its municipality. */
  readonly municipality_code: string
  /** Source of its live states. */
  readonly source: string
  /** Source of its archive of months; null if it has none. */
  readonly archive: string | null
  /** Bounding box of its sections, degrees. */
  readonly box: { readonly west: number; readonly east: number; readonly south: number; readonly north: number }
}

/** The cities that publish traffic states by street section. */
export const SECTION_CITIES = {
  barcelona: {
    city: 'barcelona',
    municipality_code: '08019',
    source: barcelonaTraffic.id,
    archive: `${barcelonaTraffic.id}_archive`,
    box: { west: 2.05, east: 2.25, south: 41.3, north: 41.49 },
  },
  valencia: {
    city: 'valencia',
    municipality_code: '46250',
    source: valenciaTraffic.id,
    archive: null,
    box: { west: -0.48, east: -0.27, south: 39.27, north: 39.58 },
  },
  bilbao: {
    city: 'bilbao',
    municipality_code: '48020',
    source: bilbaoTraffic.id,
    archive: null,
    box: { west: -3.02, east: -2.87, south: 43.2, north: 43.32 },
  },
} as const satisfies Readonly<Record<string, SectionCity>>

/** Step between two states of a section, s: all three cities publish every five minutes. */
export const SECTION_PERIOD_S = 300

/** Street sections with published traffic. */
export const trafficSections = roadDataset({
  id: 'traffic_sections',
  title: 'Street sections',
  about:
    'Catalogue of the street sections of Barcelona, València and Bilbao: name and geometry. Barcelona also publishes states of sections that are not in its catalogue.',
  sources: SECTION_SOURCES,
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'barcelona_traffic' }),
    section_id: col.string(2, "The publisher's id of the section.", { example: '1' }),
    observed_at: col.instant(3, 'Publication of this state.', { example: '2026-08-24T00:00:00.000Z' }),
    city: col.string(4, 'City that publishes it.', { example: 'barcelona' }),
    municipality_code: col.string(5, 'INE code of the municipality.', { example: '08019' }),
    name: col.string(6, 'Street with its start and end, as published; Bilbao publishes none.', {
      ...{ nullable: true, example: 'Diagonal (Ronda de Dalt a Doctor Marañón)' },
    }),
    section_number: col.string(7, 'Second number from the publisher, which several sections may share; València only.', {
      ...{ nullable: true, example: null },
    }),
    is_underpass: col.boolean(8, 'True for an underpass; null if not stated. València only.', {
      ...{ nullable: true, example: null },
    }),
    length_m: col.integer(9, 'Length of its line.', { unit: 'm', nullable: true, example: 921, min: 0 }),
    line: col.line(
      10,
      'Its line, in the direction of traffic as published; null if it has none.',
      orNull({
        type: 'LineString',
        coordinates: [
          [2.112035, 41.384191],
          [2.101502, 41.381631],
        ],
      }),
    ),
    area: col.multipolygon(11, 'Its area as published; Bilbao only.', orNull(null)),
    position: col.point([12, 13], 'Midpoint of its line, or centre of its area.', {
      ...{ nullable: true, example: { lat: 41.382911, lon: 2.106768 } },
    }),
  },
  entity: ['source', 'section_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
})

const { intensity_veh_h, occupancy_pct, speed_kmh } = trafficReadings.columns

/** The state columns that live states and the archive share; field ids start at `first`. */
export function levelColumns(first: number) {
  return {
    level: col.code(first, 'State of traffic in a vocabulary common to all cities.', TRAFFIC_LEVELS, { example: 'DENSE' }),
    source_state: col.string(first + 1, "The source's own state; null if it publishes none.", orNull('3')),
    forecast_15min_level: col.code(first + 2, 'State predicted by the source for 15 minutes later; Barcelona only.', TRAFFIC_LEVELS, {
      ...{ nullable: true, example: 'FREE' },
    }),
    source_forecast_state: col.string(first + 3, "The source's own code of that state.", orNull('2')),
  }
}

/** States of street sections as cities publish them, every five minutes. */
export const trafficSectionStates = roadDataset({
  id: 'traffic_section_states',
  title: 'Traffic in street sections',
  about:
    'State of traffic in street sections of Barcelona, València and Bilbao, in a common vocabulary and as published. Barcelona and València publish states; Bilbao publishes intensity, occupancy and speed, and its level is computed from the occupancy.',
  sources: SECTION_SOURCES,
  columns: {
    source: col.string(1, 'Source of the state.', { example: 'barcelona_traffic' }),
    section_id: col.string(2, "The publisher's id of the section.", { example: '1' }),
    period_s: col.integer(3, 'Length of the step between two states.', { unit: 's', example: 300, min: 1 }),
    observed_at: col.instant(
      4,
      'Time of the state: as the publisher states it, else the time of the fetch. For Bilbao the end of the step.',
      {
        example: '2026-08-24T17:50:56.000Z',
      },
    ),
    city: col.string(5, 'City that publishes it.', { example: 'barcelona' }),
    ...levelColumns(6),
    level_basis: col.code(10, 'Basis of the level.', LEVEL_BASES, { example: 'PUBLISHED' }),
    intensity_veh_h: col.integer(11, 'Vehicles per hour; Bilbao only.', {
      ...{ unit: 'veh/h', nullable: true, example: null, min: 0, max: intensity_veh_h.max as number },
    }),
    occupancy_pct: col.integer(12, 'Share of time that the section was occupied; Bilbao only.', {
      ...{ unit: '%', nullable: true, example: null, min: 0, max: occupancy_pct.max as number },
    }),
    speed_kmh: col.integer(13, 'Mean speed; Bilbao only.', {
      ...{ unit: 'km/h', nullable: true, example: null, min: 0, max: speed_kmh.max as number },
    }),
    reported_at: col.instant(14, "Time of the section's last report if that is too old to be used; else null.", {
      ...{ nullable: true, example: null },
    }),
  },
  entity: ['source', 'section_id', 'period_s'],
  time: 'observed_at',
  timeEnds: { sources: [bilbaoTraffic], longest_s: 300 },
  writeMode: 'append',
  order: ['source', 'section_id', 'observed_at'],
})

/**
 * Section states from a publisher's monthly archive. They repeat the live states (`traffic_section_states`) under their own
 * source, so that no statistic adds both. Local time, so some have no instant.
 */
export const trafficSectionStatesArchive = roadDataset({
  id: 'traffic_section_states_archive',
  title: 'Traffic in street sections, archive of months',
  about: "State of traffic in Barcelona's street sections every five minutes, from the city's monthly archive.",
  sources: [barcelonaTraffic],
  columns: {
    source: col.string(1, 'Source of the state.', { example: SECTION_CITIES.barcelona.archive }),
    month: col.string(2, 'Month of the file; it is republished in full.', { example: '2026-08' }),
    section_id: col.string(3, "The publisher's id of the section.", { example: '1' }),
    period_s: col.integer(4, 'Length of the step between two states.', { unit: 's', example: 300, min: 1 }),
    local_date: col.local_date(5, 'Day, Madrid time.', { example: '2026-08-01' }),
    second_of_day: col.integer(6, 'Second of the day, Madrid time: 57 is 00:00:57.', {
      ...{ unit: 's', example: 57, min: 0, max: 86_399 },
    }),
    repetition: col.integer(
      7,
      'Number of the state among those of its section and local time, ordered by values. Above 1 in the hour that October repeats, and if the file repeats a line.',
      { unit: '1', example: 1, min: 1 },
    ),
    day_starts_at: col.instant(8, 'Begin of the day.', { example: '2026-07-31T22:00:00.000Z' }),
    observed_at: col.instant(9, 'Time of the state; null if the clock change skips or repeats the time.', {
      ...{ nullable: true, example: '2026-07-31T22:00:57.000Z' },
    }),
    is_clock_change: col.boolean(10, 'True in the hour that the clock change skips in spring or repeats in autumn.', { example: false }),
    ...levelColumns(11),
  },
  entity: ['month', 'section_id', 'period_s', 'local_date', 'second_of_day', 'repetition'],
  time: 'day_starts_at',
  version: 'month',
  isObservation: true,
  order: ['month', 'section_id', 'local_date', 'second_of_day', 'repetition'],
})

const count = (id: number, about: string, example: number) => col.integer(id, about, { ...COUNT, example })
const sum = (id: number, what: string, unit: string) =>
  col.integer(id, `Sum of ${what}; Bilbao only, else 0.`, { unit, long: true, example: 0, min: 0 })

/** Section states of a city by hour, derived from the states. */
export const trafficSectionHours = roadDataset({
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
