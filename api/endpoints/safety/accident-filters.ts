import { accidentPositions } from '../../../lake/datasets/safety/accident-places.ts'
import { ACCIDENT_SEVERITIES, ACCIDENT_TYPES } from '../../../lake/datasets/safety/codes.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { dgtAccidentFiles } from '../../../lake/datasets/safety/sources.ts'
import { CANARIES } from '../../../lake/places/clocks.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, instant, join, type Sql, sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import type { LakeKnown } from '../../kernel/endpoint.ts'
import { field, nested } from '../../kernel/fields.ts'
import { areaFilter, placeFilter, roadFilter } from '../../kernel/filters.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { codeParam, integerParam, listOf, oneOf, type ValuesOf, withDefault } from '../../kernel/params/params.ts'
import { type OpenPeriod, openPeriodParams } from '../../kernel/params/params-time.ts'
import { columnFilter, columnsOf, defineFilter, type FilterValues, isOneOf } from '../../kernel/reads/filter.ts'

/** Sources of accidents, by their ids. */
const ACCIDENT_SOURCES = roadAccidents.sources.map(({ id }) => id)
/** The default source: the only one for all of Spain. */
const NATIONAL = [dgtAccidentFiles.id] as const

/** Description of the sources, wherever accidents are listed or counted. */
export const ABOUT_ACCIDENTS =
  'Sources overlap and are never added up; `coverage` lists the years of each. By default the national table (`dgt_accidents`), whose accidents have a month, weekday and hour, but no date.'

/** The page about accidents. */
export const ACCIDENTS_PAGE = defineMethodPage('accidents', new URL('./accidents.md', import.meta.url))

/** Parameters that select accidents by source and time. */
export const accidentParams = {
  source: listOf(oneOf('Source; several sources are listed or counted side by side.', ACCIDENT_SOURCES, { example: 'madrid' })),
  year: listOf(integerParam('Year, local.', { min: 1990, max: 2200, example: '2024' })),
  period: openPeriodParams(),
} as const

/** Filters of accidents by properties and place. */
export const accidentFilters = [
  defineFilter({
    name: 'casualty',
    param: withDefault(
      oneOf('Accidents in which somebody was killed or hurt (true), in which nobody was (false), or all.', [
        'true',
        'false',
        'all',
      ] as const),
      'true',
    ),
    matches:
      (wanted) =>
      ({ is_casualty }: { readonly is_casualty: boolean }) =>
        wanted === 'all' || is_casualty === (wanted === 'true'),
    columns: ['is_casualty'],
    where: (wanted, columns) => (wanted === 'all' ? sql`true` : isOneOf(columns('is_casualty'), [wanted === 'true'])),
  }),
  columnFilter('severity', listOf(codeParam('Worst harm to a person.', ACCIDENT_SEVERITIES, { example: 'FATAL' })), 'severity'),
  columnFilter('accident_type', listOf(codeParam('Kind of accident.', ACCIDENT_TYPES, { example: 'PEDESTRIAN' })), 'accident_type'),
  placeFilter,
  roadFilter,
  areaFilter,
] as const

/** Columns that the filters read: an accident is at one kilometre. */
export const accidentColumns = columnsOf(roadAccidents, { km_to: sql`CAST(NULL AS DOUBLE)` })

/** Values of the parameters and filters. */
export type AccidentFilter = ValuesOf<typeof accidentParams> & FilterValues<typeof accidentFilters>

const c = (name: string): Sql => column(roadAccidents, name)

/** The requested sources. */
export function sourcesOf({ source }: Pick<AccidentFilter, 'source'>): readonly string[] {
  return source ?? NATIONAL
}

/** The requested years in the national table, if no source is requested; else null. */
export function nationalYearsOf({ source, year }: AccidentFilter): Sql | null {
  if (source !== null || year === null) return null
  return sql`SELECT DISTINCT ${c('year')} AS year FROM ${accidentsOf({ source })} WHERE ${isInYearsSql(year)}`
}

/**
 * Accidents that a request selects: of the given sources; by default the national table, and other sources for years that it
 * lacks.
 */
export function answerOf<F extends AccidentFilter>(filter: F, national: readonly AnyRow[]): { readonly filter: F; readonly inYears: Sql } {
  const { source, year } = filter
  const years = new Set(national.map((row) => row['year']))
  const missing = source === null ? (year ?? []).filter((one) => !years.has(one)) : []
  if (missing.length === 0) return { filter, inYears: isInYearsSql(year) }
  const [table] = NATIONAL
  const isNational = sql`${c('source')} = ${table}`
  const other = sql`NOT (${isNational}) AND ${isInYearsSql(missing)}`
  const has = (year ?? []).filter((one) => years.has(one))
  return {
    filter: { ...filter, source: ACCIDENT_SOURCES.filter((one) => has.length > 0 || one !== table) },
    inYears: has.length > 0 ? sql`((${isNational} AND ${isInYearsSql(has)}) OR (${other}))` : other,
  }
}

/** The list `coverage`: years of each source. */
export const coverageAside = nested.objects('Years of each source, and requested years that it lacks.', {
  source: field.text('Source.', 'dgt_accidents'),
  years: field.list('Years with accidents.', field.integer('Year.', '1'), [2023, 2024]),
  missing_years: field.list('Requested years without accidents.', field.integer('Year.', '1'), []),
})

/** The rows of `coverageAside`, for the requested sources, or all. */
export function coverageOf({ source, year }: AccidentFilter): Sql {
  const sources = source ?? ACCIDENT_SOURCES
  const asked = sql`[${join((year ?? []).map((one) => sql`CAST(${one} AS INTEGER)`))}]`
  return sql`
    SELECT named.source, coalesce(had.years, []) AS years,
      list_filter(CAST(${asked} AS INTEGER[]), lambda y: NOT list_contains(coalesce(had.years, []), y)) AS missing_years
    FROM (SELECT unnest([${join(sources.map((one) => sql`${one}`))}]) AS source) AS named
    LEFT JOIN (
      SELECT ${c('source')} AS source, list_sort(list(DISTINCT ${c('year')})) AS years FROM ${accidentsOf({ source: sources })} GROUP BY 1
    ) AS had USING (source)
    ORDER BY named.source`
}

/** The accidents of some sources, for a FROM clause; only their files are read. */
export function accidentsOf(filter: Pick<AccidentFilter, 'source'>): Sql {
  return sql`${scan(roadAccidents, { source: { in: sourcesOf(filter) } })}`
}

/**
 * The same, with positions from road and kilometre if the source publishes none; method and error are stated. It takes a join,
 * so use it only for replies that show positions or filter by area.
 */
export function locatedAccidentsOf(filter: Pick<AccidentFilter, 'source'>): Sql {
  const byRoad = sql`${scan(accidentPositions, { source: { in: sourcesOf(filter) } })}`
  // Inside the join key: as a separate condition on one side, the engine would join each row with every other.
  const unlocated = sql`CASE WHEN a.position_lat IS NULL THEN a.accident_id END`
  return sql`(
    SELECT a.* REPLACE (
      coalesce(a.position_lat, p.position_lat) AS position_lat,
      coalesce(a.position_lon, p.position_lon) AS position_lon,
      CASE WHEN p.position_lat IS NULL THEN a.location_method ELSE 'ROAD_KM' END AS location_method,
      coalesce(p.error_m, a.location_error_m) AS location_error_m
    )
    FROM ${accidentsOf(filter)} AS a
    LEFT JOIN ${byRoad} AS p ON a.edition = p.edition AND ${unlocated} = p.accident_id
  )`
}

/** How far the local clock is behind Madrid's, if an accident states only its day or month: an hour on the Canaries. */
const BEHIND = sql`to_hours(CAST(${c('province_code')} IN (${join([...CANARIES])}) AND ${c('time_precision')} IN ('DAY', 'MONTH') AS BIGINT))`

/** The condition that the time span of an accident is inside a period: days and months by its local clock. */
export function isWithinSql({ from, to }: OpenPeriod): Sql {
  const parts = [sql`true`]
  if (from !== null) parts.push(sql`${c('period_start')} - ${BEHIND} >= ${instant(from)}`)
  if (to !== null) parts.push(sql`${c('period_end')} - ${BEHIND} <= ${instant(to)}`)
  return join(parts, sql` AND `)
}

/** The condition that an accident is from one of some years. */
export function isInYearsSql(years: readonly number[] | null): Sql {
  return years === null ? sql`true` : sql`${c('year')} IN (${join(years.map((year) => sql`${year}`))})`
}

/** Years of the requested sources, or of any source. Other years are rejected with a list of these. */
export const knownYears: LakeKnown<Pick<AccidentFilter, 'source'>> = {
  expected: 'expected a year with accidents in the source',
  values: ({ source }) =>
    sql`SELECT DISTINCT CAST(${c('year')} AS VARCHAR) AS value FROM ${accidentsOf({ source: source ?? ACCIDENT_SOURCES })} ORDER BY value`,
}
