import { foldRoadSql } from '../../places/road-key.ts'
import { column, join, type Sql, type SqlPart, sql } from '../../query/sql.ts'
import { col, orNull } from '../../schema/columns.ts'
import type { Dataset } from '../../schema/dataset.ts'
import { COUNT } from '../../schema/quantities.ts'
import { MADRID } from '../../schema/time.ts'
import { safetyDataset } from '../domains.ts'
import { roadAxes, roadPoints } from '../road/road-network.ts'
import { animalAccidents } from './animal-accidents.ts'
import { ROAD_KM_METHODS } from './codes.ts'
import { roadAccidents } from './road-accidents.ts'

const columns = (edition: string) => ({
  source: col.string(1, 'Source of the accident.', { example: 'dgt_accidents' }),
  edition: col.string(2, 'Edition of the accident.', { example: edition }),
  accident_id: col.string(3, 'Id of the accident in its edition.', { example: '202400001234' }),
  period_start: col.instant(4, 'Begin of the span in which it happened.', { example: '2024-02-29T23:00:00.000Z' }),
  position: col.point([5, 6], 'Position of its kilometre on the road.', {
    example: { lat: 37.203214, lon: -3.617702 },
  }),
  error_m: col.decimal(
    7,
    'Position error: of the axis and, without a direction, of the carriageway; or of the points and the bends between them.',
    {
      scale: 1,
      unit: 'm',
      example: 312,
      min: 0,
    },
  ),
  method: col.code(8, 'How its kilometre was located; null if derived before this was recorded.', ROAD_KM_METHODS, orNull('POINTS')),
})

/** Common settings of both datasets. */
const BY_EDITION = {
  entity: ['edition', 'accident_id'],
  time: 'period_start',
  version: 'edition',
} as const

const ABOUT =
  'with a road and kilometre, on the measured axis of the road in its province, else by the newest points of roads; without an axis, accidents more than 5 km from known points, or between contradictory points, have no position'
const sourcesOf = ({ sources }: Dataset) => [...new Set([...sources, ...roadAxes.sources, ...roadPoints.sources])]

/**
 * Positions of accidents whose source publishes none, derived by edition from their road and kilometre, `road_axes` and the
 * newest month of `road_points`. Rebuilt when any of them changes. No feed fills it.
 */
export const accidentPositions = safetyDataset({
  id: 'accident_positions',
  title: 'Positions of accidents by road and kilometre',
  about: `Positions of the road accidents published without one, ${ABOUT}.`,
  sources: sourcesOf(roadAccidents),
  columns: columns('dgt-2024'),
  ...BY_EDITION,
})

/** The same for accidents with animals. */
export const animalAccidentPositions = safetyDataset({
  id: 'animal_accident_positions',
  title: 'Positions of accidents with animals by road and kilometre',
  about: `Positions of the accidents with animals, ${ABOUT}.`,
  sources: sourcesOf(animalAccidents),
  columns: columns('animals-2024'),
  ...BY_EDITION,
})

/** Length of the sections for counting accidents. */
const ACCIDENT_SECTION_KM = 5

const count = (id: number, about: string, example: number) => col.integer(id, about, { ...COUNT, example })
const persons = (id: number, about: string, example: number) =>
  col.integer(id, `${about} Null if the source has no such count.`, { unit: '1', nullable: true, example, min: 0 })

/**
 * Road accidents by section, month, weekday and hour, derived by edition from accidents with a road and a kilometre, so that no
 * value adds up sources. No feed fills it.
 */
export const accidentSections = safetyDataset({
  id: 'accident_sections',
  title: 'Road accidents by section, month, weekday and hour',
  about: `Number of accidents of a source by ${ACCIDENT_SECTION_KM} km road section and month, by day of the week and local hour; accidents without a road or kilometre are excluded. Sources overlap: never add up rows of different sources.`,
  sources: roadAccidents.sources,
  columns: {
    source: col.string(1, 'Source of the accidents.', { example: 'dgt_accidents' }),
    edition: col.string(2, 'Edition of the accidents.', { example: 'dgt-2024' }),
    section: col.string(3, 'Key of the section: province, normalized road (without spaces and hyphens), first kilometre.', {
      example: '18/A44/115',
    }),
    slot: col.string(4, 'Key of the row in its section: month, day of the week and hour, where known.', {
      example: '2024-03/5/14',
    }),
    period_start: col.instant(5, 'Begin of the month in Madrid.', { example: '2024-02-29T23:00:00.000Z' }),
    year: col.integer(6, 'Year, local.', { unit: '1', example: 2024 }),
    month: col.integer(7, 'Month, local, 1 to 12.', { unit: '1', example: 3, min: 1, max: 12 }),
    weekday_iso: col.integer(8, 'Day of the week, 1 Monday to 7 Sunday; null if the source does not state it.', {
      ...{ unit: '1', nullable: true, example: 5, min: 1, max: 7 },
    }),
    hour_local: col.integer(9, 'Local hour, 0 to 23; null if the source does not state it.', {
      ...{ unit: 'h', nullable: true, example: 14, min: 0, max: 23 },
    }),
    province_code: col.string(10, 'INE code of the province.', orNull('18')),
    road: col.string(11, 'Road designation in one of its spellings.', { example: 'A-44' }),
    km: col.integer(12, 'First kilometre of the section.', { unit: 'km', example: 115 }),
    km_to: col.integer(13, 'Its last kilometre, not included.', { unit: 'km', example: 120 }),
    accidents: count(14, 'Accidents.', 1),
    casualty_accidents: count(15, 'Accidents with someone killed or hurt.', 1),
    fatal_accidents: count(16, 'Accidents with at least one person killed.', 0),
    serious_accidents: count(17, 'Accidents with at least one person in hospital and none killed.', 0),
    killed_24h: persons(18, 'Persons killed within 24 hours.', 0),
    hospitalised_24h: persons(19, 'Persons in hospital for more than a day, as known after 24 hours.', 0),
    slight_24h: persons(20, 'Persons hurt otherwise, as known after 24 hours.', 1),
    killed_30d: persons(21, 'Persons killed within 30 days.', 0),
    hospitalised_30d: persons(22, 'Persons in hospital, as known after 30 days.', 0),
    slight_30d: persons(23, 'Persons hurt otherwise, as known after 30 days.', 1),
  },
  entity: ['edition', 'section', 'slot'],
  time: 'period_start',
  version: 'edition',
})

/** The section of an accident, from columns `province_code`, `road` and `km`; null without a road or kilometre. */
export function sectionSql(): Sql {
  return sql`(coalesce(province_code, '') || '/' || ${foldRoadSql(sql`road`)} || '/' || (${FIRST_KM}))`
}

const FIRST_KM = sql`CAST(floor(km / ${ACCIDENT_SECTION_KM}) AS INTEGER) * ${ACCIDENT_SECTION_KM}`
const PERSONS = ['killed_24h', 'hospitalised_24h', 'slight_24h', 'killed_30d', 'hospitalised_30d', 'slight_30d'] as const

/** The rows of `accident_sections` from rows of `road_accidents`. */
export function accidentsBySection(accidents: SqlPart): Sql {
  const two = (name: Sql): Sql => sql`lpad(CAST(${name} AS VARCHAR), 2, '0')`
  const sums = PERSONS.map((name) => sql`CAST(sum(${column(roadAccidents, name)}) AS INTEGER) AS ${column(roadAccidents, name)}`)
  return sql`
    SELECT source, edition, section,
      concat(year, '-', ${two(sql`month`)}, '/', weekday_iso, '/', hour_local) AS slot,
      timezone(${MADRID}, make_timestamp(year, month, 1, 0, 0, 0)) AS period_start,
      year, month, weekday_iso, hour_local, province_code, min(road) AS road, first_km AS km, first_km + ${ACCIDENT_SECTION_KM} AS km_to,
      CAST(count(*) AS INTEGER) AS accidents,
      CAST(count(*) FILTER (WHERE is_casualty) AS INTEGER) AS casualty_accidents,
      CAST(count(*) FILTER (WHERE severity = 'FATAL') AS INTEGER) AS fatal_accidents,
      CAST(count(*) FILTER (WHERE severity = 'SERIOUS') AS INTEGER) AS serious_accidents,
      ${join(sums)}
    FROM (SELECT *, ${sectionSql()} AS section, ${FIRST_KM} AS first_km FROM ${accidents})
    WHERE section IS NOT NULL
    GROUP BY source, edition, section, year, month, weekday_iso, hour_local, province_code, first_km`
}
