import { accidentPositions } from '../../../lake/datasets/safety/accident-positions.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { zoneOf } from '../../../lake/places/clocks.ts'
import { sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { localDate } from '../../../lake/schema/time.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { record, type ValueOf } from '../../kernel/fields.ts'
import { provinceField, provinceName } from '../common-fields.ts'
import {
  ABOUT_ACCIDENTS,
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
  accident_id: columns.accident_id,
  source: columns.source,
  edition: columns.edition,
  casualty: is_casualty,
  severity: columns.severity,
  year: columns.year,
  month: columns.month,
  weekday_iso: columns.weekday_iso,
  hour_local: columns.hour_local,
  occurred_at: columns.occurred_at,
  time_precision: columns.time_precision,
  period_start: columns.period_start,
  period_end: columns.period_end,
  date: col.string(0, 'Local date of the accident: YYYY-MM-DD, or YYYY-MM if the source states only the month.', { example: '2024-03' }),
  province: provinceField(columns.province_code),
  province_code: columns.province_code,
  municipality_code: columns.municipality_code,
  island: columns.island,
  zone: columns.zone,
  is_urban: columns.is_urban,
  road: columns.road,
  km: columns.km,
  direction: columns.direction,
  crossing_road: columns.crossing_road,
  street: columns.street,
  district: columns.district,
  position: columns.position,
  location_method: columns.location_method,
  location_error_m: columns.location_error_m,
  road_owner: columns.road_owner,
  road_type: columns.road_type,
  accident_type: columns.accident_type,
  is_junction: columns.is_junction,
  junction_type: columns.junction_type,
  alignment: columns.alignment,
  surface: columns.surface,
  light: columns.light,
  weather: columns.weather,
  fog: columns.fog,
  is_windy: columns.is_windy,
  sight_limit: columns.sight_limit,
  sidewalk: columns.sidewalk,
  traffic_level: columns.traffic_level,
  priority_rules: columns.priority_rules,
  pedestrian_cause: columns.pedestrian_cause,
  killed_24h: columns.killed_24h,
  hospitalised_24h: columns.hospitalised_24h,
  slight_24h: columns.slight_24h,
  killed_30d: columns.killed_30d,
  hospitalised_30d: columns.hospitalised_30d,
  slight_30d: columns.slight_30d,
  persons: columns.persons,
  vehicles: columns.vehicles,
  killed_by_user_24h: columns.killed_by_user_24h,
  killed_by_user_30d: columns.killed_by_user_30d,
  island_source: columns.island_source,
  zone_source: columns.zone_source,
  direction_source: columns.direction_source,
  road_owner_source: columns.road_owner_source,
  road_type_source: columns.road_type_source,
  accident_type_source: columns.accident_type_source,
  junction_type_source: columns.junction_type_source,
  alignment_source: columns.alignment_source,
  surface_source: columns.surface_source,
  light_source: columns.light_source,
  weather_source: columns.weather_source,
  fog_source: columns.fog_source,
  sight_limit_source: columns.sight_limit_source,
  sidewalk_source: columns.sidewalk_source,
  traffic_level_source: columns.traffic_level_source,
  pedestrian_cause_source: columns.pedestrian_cause_source,
  absent: columns.absent,
})

type AccidentRow = Omit<ValueOf<typeof accident.fields>, 'casualty' | 'province' | 'date'> & { readonly is_casualty: boolean }

const METHOD =
  'As the source publishes it; where it has a row per person, persons are counted. Positions are as published (`location_method` PUBLISHED) or, if the source states a road and kilometre, computed from the measured axis or known points of that road (ROAD_KM), with the expected error. Without an axis, more than 5 km from such points there is no position.'

/** Accidents one by one. */
export const accidentMicrodata = defineEndpoint({
  path: '/api/accidentes/microdata',
  domain: 'safety',
  plan: 'PRO',
  summary: 'Road accidents, one row each: JSON, CSV, Parquet',
  summary_es: 'Accidentes de tráfico, una fila cada uno: JSON, CSV, Parquet',
  about: `${ABOUT_ACCIDENTS} By default, accidents with somebody killed or hurt; \`casualty\` changes this. A year without data in a source is rejected, and the error lists its years. If a value is null because the source does not know or disclose it, \`absent\` has the reason. An undisclosed municipality (fewer than 5,000 people) is never derived from other data. ${METHOD} Columns and codes: /api/accidentes/microdata/diccionario.`,
  statistic: { grain: 'One accident of one source.', method: METHOD, hasYears: true },
  params: accidentParams,
  filters: accidentFilters,
  returns: {
    kind: 'list',
    name: 'accidents',
    record: accident,
    key: ['edition', 'accident_id'],
    sorts: ['period_start', 'occurred_at', 'year', 'killed_24h', 'killed_30d', 'km'],
    order: '-period_start',
    limit: { default: 100, max: 1000 },
    sideLists: { coverage: coverageAside },
  },
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
