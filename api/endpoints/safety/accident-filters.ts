import { accidentPositions } from '../../../lake/datasets/safety/accident-positions.ts'
import { ACCIDENT_SEVERITIES, ACCIDENT_TYPES } from '../../../lake/datasets/safety/codes.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { dgtAccidentFiles } from '../../../lake/datasets/safety/sources.ts'
import { CANARIES } from '../../../lake/places/clocks.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, instant, join, type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import type { LakeKnown } from '../../define/endpoint.ts'
import { nested } from '../../define/fields.ts'
import { columnFilter, columnsOf, defineFilter, type FilterValues, isOneOf } from '../../define/filter.ts'
import { codeParam, integerParam, listOf, oneOf, type ValuesOf, withDefault } from '../../define/params.ts'
import { type OpenPeriod, openPeriodParams } from '../../define/params-time.ts'
import { areaFilter } from '../../filters/area.ts'
import { placeFilter } from '../../filters/place.ts'
import { roadFilter } from '../../filters/road.ts'

/** Sources of accidents, by their ids. */
const ACCIDENT_SOURCES = roadAccidents.sources.map(({ id }) => id)
/** The source unless told: the only one of all Spain. */
const NATIONAL = [dgtAccidentFiles.id] as const

/** What is said of the sources wherever accidents are listed or counted. */
export const ABOUT_ACCIDENTS =
  'Sources overlap: the national table (`dgt_accidents`, the one unless told) has the accidents with victims of Madrid, Barcelona and Catalonia too, so that nothing here ever adds sources up. Years that it lacks are answered from the other sources, each row with its own; `coverage` says which years each source has. `madrid` has accidents without victims as well (`casualty=all`), `barcelona` those that its police attends, `sct_accidents` only those with somebody killed or seriously hurt. Accidents of the national table have a month, a day of the week and an hour, but no date: `occurred_at` is null there, `time_precision` is MONTH, and a period keeps an accident only where the whole span of its time lies inside, by the clock of its province.'

/** Parameters that choose accidents by source and time. */
export const accidentParams = {
  source: listOf(oneOf('Source; several are listed or counted side by side.', ACCIDENT_SOURCES, { example: 'madrid' })),
  year: listOf(integerParam('Year, local.', { min: 1990, max: 2200, example: '2024' })),
  period: openPeriodParams(),
} as const

/** Filters of accidents by what happened and where. */
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

/** The columns that the filters read: an accident is at one kilometre. */
export const accidentColumns = columnsOf(roadAccidents, { km_to: sql`CAST(NULL AS DOUBLE)` })

/** Values of the parameters and filters. */
export type AccidentFilter = ValuesOf<typeof accidentParams> & FilterValues<typeof accidentFilters>

const c = (name: string): Sql => column(roadAccidents, name)

/** The sources that are asked for. */
export function sourcesOf({ source }: Pick<AccidentFilter, 'source'>): readonly string[] {
  return source ?? NATIONAL
}

/** The years asked for that the national table has, where no source is asked for; else null. */
export function nationalYearsOf({ source, year }: AccidentFilter): Sql | null {
  if (source !== null || year === null) return null
  return sql`SELECT DISTINCT ${c('year')} AS year FROM ${accidentsOf({ source })} WHERE ${isInYearsSql(year)}`
}

/** Which accidents answer a request: those of the given sources; by default the national table, and others for years that it lacks. */
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

/** `coverage`: what each source has of the years. */
export const coverageAside = nested.objects('Years that each source has, and those asked for that it lacks.', {
  source: col.string(0, 'Source.', { example: 'dgt_accidents' }),
  years: col.list([0, 0], 'Years of which it has accidents.', col.integer(0, 'Year.', { unit: '1' }), { example: [2023, 2024] }),
  missing_years: col.list([0, 0], 'Years asked for that it has nothing of.', col.integer(0, 'Year.', { unit: '1' }), { example: [] }),
})

/** The rows of `coverageAside`, for the sources asked for, or all. */
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

/** The rows of the accidents of some sources, to stand after FROM; only their files are read. */
export function accidentsOf(filter: Pick<AccidentFilter, 'source'>): Sql {
  return sql`${scan(roadAccidents, { source: { in: sourcesOf(filter) } })}`
}

/**
 * The same with positions by road and kilometre where the source publishes none: method and error say which. Only for what shows positions or
 * asks for an area, as it takes a join.
 */
export function locatedAccidentsOf(filter: Pick<AccidentFilter, 'source'>): Sql {
  const byRoad = sql`${scan(accidentPositions, { source: { in: sourcesOf(filter) } })}`
  // Within the key: a condition of one side beside it would make the engine join each row with every other.
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

/** How far the clock is behind Madrid's, by which periods are, if an accident states only its day or month: an hour on the Canaries. */
const BEHIND = sql`to_hours(CAST(${c('province_code')} IN (${join([...CANARIES])}) AND ${c('time_precision')} IN ('DAY', 'MONTH') AS BIGINT))`

/** The condition that the span in which an accident happened lies inside a period: days and months by the clock of their place. */
export function isWithinSql({ from, to }: OpenPeriod): Sql {
  const parts = [sql`true`]
  if (from !== null) parts.push(sql`${c('period_start')} - ${BEHIND} >= ${instant(from)}`)
  if (to !== null) parts.push(sql`${c('period_end')} - ${BEHIND} <= ${instant(to)}`)
  return join(parts, sql` AND `)
}

/** The condition that an accident was in one of some years. */
export function isInYearsSql(years: readonly number[] | null): Sql {
  return years === null ? sql`true` : sql`${c('year')} IN (${join(years.map((year) => sql`${year}`))})`
}

/** Years that the sources asked for have, or any source: another is refused, with those that there are. */
export const knownYears: LakeKnown<Pick<AccidentFilter, 'source'>> = {
  expected: 'expected a year that the source has accidents of',
  values: ({ source }) =>
    sql`SELECT DISTINCT CAST(${c('year')} AS VARCHAR) AS value FROM ${accidentsOf({ source: source ?? ACCIDENT_SOURCES })} ORDER BY value`,
}
