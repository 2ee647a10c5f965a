import { accidentPositions, accidentSections, sectionSql } from '../../../lake/datasets/safety/accident-places.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { foldRoadSql } from '../../../lake/places/road-key.ts'
import { castTo, column, join, outputName, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Column } from '../../../lake/schema/columns.ts'
import { instantOf, offsetAt } from '../../../lake/schema/time.ts'
import { defineEndpoint, keyedList } from '../../kernel/endpoint.ts'
import { field, maybe, optional, record, type ValueOf } from '../../kernel/fields.ts'
import { listOf, oneOf } from '../../kernel/params/params.ts'
import type { OpenPeriod } from '../../kernel/params/params-time.ts'
import { provinceField, provinceName } from '../common-fields.ts'
import {
  ABOUT_ACCIDENTS,
  ACCIDENTS_PAGE,
  type AccidentFilter,
  accidentColumns,
  accidentFilters,
  accidentParams,
  accidentsOf,
  answerOf,
  coverageAside,
  coverageOf,
  isInYearsSql,
  isWithinSql,
  knownYears,
  locatedAccidentsOf,
  nationalYearsOf,
  sourcesOf,
} from './accident-filters.ts'

const { columns } = roadAccidents
const c = (name: string): Sql => column(roadAccidents, name)

/** Dimensions to count by besides source and year, which are in every count: the column, and its meaning. */
const DIMENSIONS = {
  province: ['province_code', 'INE code of the province'],
  municipality: ['municipality_code', 'INE code of the municipality'],
  road: ['road', 'Road, in one of its spellings'],
  section: ['section', 'Section of 5 km of a road, as in the dataset accident_sections: province, road, first kilometre'],
  month: ['month', 'Month, 1 to 12'],
  weekday: ['weekday_iso', 'Day of the week, 1 Monday to 7 Sunday'],
  hour: ['hour_local', 'Hour by the local clock'],
  zone: ['zone', 'Kind of place'],
  severity: ['severity', 'Worst harm to a person'],
  accident_type: ['accident_type', 'Kind of accident'],
  road_type: ['road_type', 'Kind of road'],
  light: ['light', 'Light'],
  weather: ['weather', 'Weather'],
} as const
type Group = keyof typeof DIMENSIONS
type GroupField = (typeof DIMENSIONS)[Group][0]
const GROUPS = Object.keys(DIMENSIONS) as Group[]
const groupColumns = { ...columns, section: accidentSections.columns.section }

/** Per dimension: its key in the query, its field, and its value in a row. Spellings of a road are merged. */
const KEYS = GROUPS.map((group) => {
  const [field] = DIMENSIONS[group]
  const value = group === 'road' ? foldRoadSql(c('road')) : group === 'section' ? sectionSql() : c(field)
  return { group, name: outputName(`by_${group}`), field: outputName(field), value, none: castTo(groupColumns[field], null) }
})

/** Counts of persons to add up. */
const PERSONS = ['killed_24h', 'hospitalised_24h', 'slight_24h', 'killed_30d', 'hospitalised_30d', 'slight_30d'] as const

const persons = (about: string, example: number | null) => maybe.integer(`${about} Null if the source has no such count.`, '1', example)

/** The fields of dimensions. */
const GROUPED = Object.fromEntries(
  Object.values(DIMENSIONS).map(([field, about]) => [
    field,
    optional(groupColumns[field] as Column, `${about}; null unless grouped by it, or if the source does not state it.`),
  ]),
) as { readonly [F in GroupField]: (typeof groupColumns)[F] extends Column<infer T> ? Column<T | null> : never }

/** Columns to read, besides those of filters. */
const USED = new Set([
  ...['source', 'year', 'month', 'severity', 'km'],
  ...Object.keys(GROUPED).filter((name) => name !== 'section'),
  ...PERSONS,
])

const COUNTS = {
  accidents: field.integer('Accidents.', '1', 1),
  fatal_accidents: field.integer('Accidents with somebody killed.', '1', 0),
  serious_accidents: field.integer('Accidents with somebody in hospital and nobody killed.', '1', 0),
  killed_24h: persons('Persons killed within 24 hours.', 0),
  hospitalised_24h: persons('Persons in hospital for more than a day, as known after 24 hours.', 0),
  slight_24h: persons('Other injured persons, as known after 24 hours.', 1),
  killed_30d: persons('Persons killed within 30 days.', 0),
  hospitalised_30d: persons('Persons in hospital, as known after 30 days.', 0),
  slight_30d: persons('Other injured persons, as known after 30 days.', 1),
  months: field.integer('Months of the requested part of the year for which the source has any accidents: the coverage.', '1', 1),
  months_compared: field.integer('Those months that the source also has for the year before.', '1', 0),
  compared_accidents: maybe.integer('Accidents in the compared months; null without compared months.', '1', null),
  previous_accidents: maybe.integer('Accidents in the same months of the year before.', '1', null),
  change_pct: maybe.decimal('Change from then to now; null if there were none then.', '%', 1, null),
} as const

const FLAT = { source: columns.source, year: columns.year, ...GROUPED, ...COUNTS } as const

const count = record('AccidentCount', 'Number of accidents of a source in a year, by groups; dimensions not grouped by are null.', {
  source: columns.source,
  year: columns.year,
  province: provinceField(columns.province_code),
  ...GROUPED,
  ...COUNTS,
})

type CountRow = ValueOf<typeof FLAT>

/** Counts of accidents. */
export const accidentStats = defineEndpoint({
  path: '/api/accidentes/stats',
  plan: 'PRO',
  summary: 'Road accidents and persons by source and year, with the change in a year',
  summary_es: 'Accidentes y víctimas por fuente y año, con el cambio interanual',
  about: `${ABOUT_ACCIDENTS} Every figure covers one source and one year. A year is compared with the previous one in the months that the source has for both.`,
  explained: ACCIDENTS_PAGE,
  statistic: {
    grain: 'One source, one year, one value per requested group.',
    hasYears: true,
    method:
      'Accidents that the source lists, each counted once, and the persons that it counts in them. Sources are never added up. The change covers the months that the source has for both years (months_compared).',
  },
  params: {
    group_by: listOf(
      oneOf(
        'Dimensions to count by, one or more. Every count covers one source and one year: `year` alone adds no other dimension.',
        ['year', ...GROUPS],
        { example: 'province' },
      ),
    ),
    ...accidentParams,
  },
  filters: accidentFilters,
  returns: keyedList('stats', count, ['source', 'year', ...(Object.keys(GROUPED) as (keyof typeof GROUPED)[])], {
    sorts: ['accidents', 'fatal_accidents', 'killed_24h', 'killed_30d', 'year', 'change_pct'],
    order: '-accidents',
    limit: { default: 100, max: 1000 },
    sideLists: { coverage: coverageAside },
  }),
  read: {
    kind: 'lake',
    from: [roadAccidents, accidentPositions],
    coverageRows: (p) => [{ dataset: roadAccidents, filter: { source: { in: sourcesOf(p) } } }],
    prequery: nationalYearsOf,
    query: (p, lake, found) => {
      const { filter, inYears } = answerOf(p, found)
      const by = new Set(p.group_by ?? [])
      const keys = join(KEYS.map(({ group, name, value, none }) => sql`${by.has(group) ? value : none} AS ${name}`))
      const names = join(KEYS.map(({ name }) => name))
      const same = join(
        KEYS.map(({ name }) => sql`counted.${name} IS NOT DISTINCT FROM earlier.${name}`),
        sql` AND `,
      )
      const road = by.has('road') ? sql`coalesce(counted.road, earlier.road)` : sql`CAST(NULL AS VARCHAR)`
      const wanted = lake.where(accidentColumns)
      const used = join([...USED].map(c))
      return sql`
        WITH
          these AS MATERIALIZED (
            SELECT ${used}, ${wanted} AS is_wanted FROM ${rowsOf(filter)} WHERE ${inYears} AND ${isWithinSql(p.period)}
          ),
          those AS MATERIALIZED (
            SELECT * REPLACE (year + 1 AS year) FROM (SELECT ${used}, ${wanted} AS is_wanted
            FROM ${rowsOf(filter)}
            WHERE ${isInYearsSql(p.year && p.year.map((year) => year - 1))} AND ${isWithinSql(yearBefore(p.period))})
          ),
          months AS MATERIALIZED (
            SELECT source, year, month, bool_or(is_before) AS is_compared
            FROM (SELECT source, year, month, false AS is_before FROM these UNION ALL SELECT source, year, month, true AS is_before FROM those)
            GROUP BY ALL
            HAVING NOT bool_and(is_before)
          ),
          coverage AS (
            SELECT source, year, count(*) AS months, count(*) FILTER (WHERE is_compared) AS months_compared FROM months GROUP BY ALL
          ),
          counted AS (
            SELECT source, year, ${names}, min(road) AS road,
              count(*) AS accidents,
              count(*) FILTER (WHERE severity = 'FATAL') AS fatal_accidents,
              count(*) FILTER (WHERE severity = 'SERIOUS') AS serious_accidents,
              ${join(PERSONS.map((name) => sql`sum(${c(name)}) AS ${c(name)}`))},
              count(*) FILTER (WHERE is_compared) AS compared
            FROM (SELECT *, ${keys} FROM these JOIN months USING (source, year, month) WHERE is_wanted)
            GROUP BY source, year, ${names}
          ),
          earlier AS (
            SELECT source, year, ${names}, min(road) AS road, count(*) AS previous
            FROM (SELECT *, ${keys} FROM those JOIN months USING (source, year, month) WHERE is_wanted)
            GROUP BY source, year, ${names}
          )
        SELECT
          coalesce(counted.source, earlier.source) AS source,
          coalesce(counted.year, earlier.year) AS year,
          ${join(KEYS.map(({ group, name, field }) => sql`${group === 'road' ? road : sql`coalesce(counted.${name}, earlier.${name})`} AS ${field}`))},
          CAST(coalesce(accidents, 0) AS INTEGER) AS accidents,
          CAST(coalesce(fatal_accidents, 0) AS INTEGER) AS fatal_accidents,
          CAST(coalesce(serious_accidents, 0) AS INTEGER) AS serious_accidents,
          ${join(PERSONS.map((name) => sql`CAST(counted.${c(name)} AS INTEGER) AS ${c(name)}`))},
          CAST(months AS INTEGER) AS months,
          CAST(months_compared AS INTEGER) AS months_compared,
          CAST(CASE WHEN months_compared > 0 THEN coalesce(compared, 0) END AS INTEGER) AS compared_accidents,
          CAST(CASE WHEN months_compared > 0 THEN coalesce(previous, 0) END AS INTEGER) AS previous_accidents,
          CAST(CASE WHEN previous > 0 THEN 100 * (coalesce(compared, 0) - previous) / previous END AS DECIMAL(9, 1)) AS change_pct
        FROM counted
        FULL JOIN earlier ON counted.source = earlier.source AND counted.year = earlier.year AND ${same}
        JOIN coverage ON coverage.source = coalesce(counted.source, earlier.source) AND coverage.year = coalesce(counted.year, earlier.year)`
    },
    existingValues: { year: knownYears },
    sideQueries: { coverage: coverageOf },
    rows: { columns: FLAT, finish: (row: CountRow) => ({ ...row, province: provinceName(row.province_code) }) },
  },
  example: { year: '2024', province: 'Granada', group_by: 'severity' },
})

/** The accidents, with positions by road and kilometre if an area is requested. */
function rowsOf(filter: AccidentFilter): Sql {
  return filter.geo === null ? accidentsOf(filter) : locatedAccidentsOf(filter)
}

/** The same period a year before, by Madrid's calendar. */
function yearBefore({ from, to }: OpenPeriod): OpenPeriod {
  return { from: from === null ? null : shiftedYear(from), to: to === null ? null : shiftedYear(to) }
}

/** An instant (ms) a year before on Madrid's clock; 29 February becomes 1 March. */
function shiftedYear(instant: number): number {
  const local = new Date(instant + offsetAt(instant))
  const [date = '', time = ''] = new Date(local.setUTCFullYear(local.getUTCFullYear() - 1)).toISOString().split(/[TZ]/)
  return instantOf(date, time)
}
