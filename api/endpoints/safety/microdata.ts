import { accidentPositions } from '../../../lake/datasets/safety/accident-places.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { zoneOf } from '../../../lake/places/clocks.ts'
import { sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { localDate } from '../../../lake/schema/time.ts'
import { defineEndpoint, keyedList } from '../../kernel/endpoint.ts'
import { field, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { provinceField, provinceName } from '../common-fields.ts'
import {
  ABOUT_ACCIDENTS,
  ACCIDENTS_PAGE,
  accidentColumns,
  accidentFilters,
  accidentParams,
  answerOf,
  coverageAside,
  coverageOf,
  isWithinSql,
  knownYears,
  locatedAccidentsOf,
  nationalYearsOf,
  sourcesOf,
} from './accident-filters.ts'

const { is_casualty, ...columns } = roadAccidents.columns

/** An accident, as replies show it. */
export const accident = record('Accident', 'A road accident, with counts of persons and no data of single persons.', {
  ...pick(columns, 'accident_id', 'source', 'edition'),
  casualty: is_casualty,
  ...pick(columns, 'severity', 'year', 'month', 'weekday_iso', 'hour_local', 'occurred_at', 'time_precision', 'period_start'),
  period_end: columns.period_end,
  date: field.text('Local date of the accident: YYYY-MM-DD, or YYYY-MM if the source states only the month.', '2024-03'),
  province: provinceField(columns.province_code),
  ...pick(columns, 'province_code', 'municipality_code', 'island', 'zone', 'is_urban', 'road', 'km', 'direction'),
  ...pick(columns, 'crossing_road', 'street', 'district', 'position', 'location_method', 'location_error_m', 'road_owner'),
  ...pick(columns, 'road_type', 'accident_type', 'is_junction', 'junction_type', 'alignment', 'surface', 'light', 'weather'),
  ...pick(columns, 'fog', 'is_windy', 'sight_limit', 'sidewalk', 'traffic_level', 'priority_rules', 'pedestrian_cause'),
  ...pick(columns, 'killed_24h', 'hospitalised_24h', 'slight_24h', 'killed_30d', 'hospitalised_30d', 'slight_30d', 'persons'),
  ...pick(columns, 'vehicles', 'killed_by_user_24h', 'killed_by_user_30d', 'island_source', 'zone_source', 'direction_source'),
  ...pick(columns, 'road_owner_source', 'road_type_source', 'accident_type_source', 'junction_type_source', 'alignment_source'),
  ...pick(columns, 'surface_source', 'light_source', 'weather_source', 'fog_source', 'sight_limit_source', 'sidewalk_source'),
  ...pick(columns, 'traffic_level_source', 'pedestrian_cause_source', 'absent'),
})

type AccidentRow = Omit<ValueOf<typeof accident.fields>, 'casualty' | 'province' | 'date'> & { readonly is_casualty: boolean }

const METHOD =
  'As the source publishes it; where it has a row per person, persons are counted. Positions are as published (`location_method` PUBLISHED) or computed from the road and kilometre of the source (ROAD_KM). These are from the measured axis or known points of the road, with the expected error. Without an axis, more than 5 km from such points there is no position.'

/** Accidents one by one. */
export const accidentMicrodata = defineEndpoint({
  path: '/api/accidentes/microdata',
  plan: 'PRO',
  summary: 'Road accidents, one row each: JSON, CSV, Parquet',
  summary_es: 'Accidentes de tráfico, una fila cada uno: JSON, CSV, Parquet',
  about: `${ABOUT_ACCIDENTS} By default, accidents with somebody killed or hurt. If the source does not know or disclose a value, \`absent\` has the reason. Columns and codes: /api/accidentes/microdata/diccionario.`,
  explained: ACCIDENTS_PAGE,
  statistic: { grain: 'One accident of one source.', method: METHOD, hasYears: true },
  params: accidentParams,
  filters: accidentFilters,
  returns: keyedList('accidents', accident, ['edition', 'accident_id'], {
    sorts: ['period_start', 'occurred_at', 'year', 'killed_24h', 'killed_30d', 'km'],
    order: '-period_start',
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
      return sql`
      SELECT *
      FROM ${locatedAccidentsOf(filter)}
      WHERE ${inYears} AND ${isWithinSql(p.period)} AND ${lake.where(accidentColumns)}`
    },
    sideQueries: { coverage: coverageOf },
    existingValues: { year: knownYears },
    rows: {
      columns: tableColumns(roadAccidents),
      adds: ['casualty', 'province', 'date'],
      // Changes the row in place: copying so many members costs more than reading them.
      finish: (row: AccidentRow) =>
        Object.assign(row, { casualty: row.is_casualty, province: provinceName(row.province_code), date: dateOf(row) }),
    },
  },
  example: { year: '2024', province: 'Granada' },
})

/** The date of an accident at its place, as precise as its source states it. */
function dateOf({ time_precision, period_start, province_code }: AccidentRow): string {
  return localDate(period_start, zoneOf(province_code ?? '')).slice(0, time_precision === 'MONTH' ? 7 : 10)
}
