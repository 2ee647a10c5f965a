import { imdDetectorMonths } from '../../../lake/datasets/mobility/imd-detector-months.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { optional, type ValueOf } from '../../kernel/fields.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { provinceName } from '../common-fields.ts'

const { columns } = imdDetectorMonths
const only = (about: string): string => `${about}; source=DETECTORS only.`

/** Fields that only source=DETECTORS has. */
export const detectorFields = {
  points: optional(columns.points, only('Points of the road with a complete day, in the direction with more of them')),
  lanes: optional(columns.lanes, only('Listed lanes at the points of the road, both directions')),
  days: optional(columns.days, only('Days with a complete point, in the direction with fewer of them')),
  first_date: optional(columns.first_date, only('First counted day')),
  last_date: optional(columns.last_date, only('Last counted day')),
  coverage: maybe.decimal(only('Complete lane days, as a share of all lane days of the year'), '1', 6, null),
  long_vehicles_share_pct: maybe.decimal(only('Share of long vehicles, mean of the readings that state it'), '%', 2, null),
} as const

const yearColumns = {
  year: field.integer('Year.', '1'),
  ...{ road: columns.road, province_code: columns.province_code, direction: columns.direction },
  ...{ points: columns.points, lanes: columns.lanes, km_from: columns.km_from, km_to: columns.km_to, days: columns.days },
  ...{ first_date: columns.first_date, last_date: columns.last_date, lane_days: columns.lane_days },
  vehicles_day: field.decimal('Mean daily vehicles of a point.', 'veh/d', 1),
  long_pct: maybe.decimal('Share of long vehicles.', '%', 2),
} as const

/** A direction of a road in a province and year. */
type DirectionYear = ValueOf<typeof yearColumns>

/** Directions of all roads by year. Its only key is the empty string. */
export const detectorYears = defineCachedQuery<readonly DirectionYear[]>({
  name: 'daily traffic by detectors',
  from: [imdDetectorMonths],
  maxEntries: 1,
  read: async (reader) => {
    const query = sql`
      SELECT CAST(substr(month, 1, 4) AS INTEGER) AS year, road, province_code, direction,
        max(points) AS points, max(lanes) AS lanes, min(km_from) AS km_from, max(km_to) AS km_to,
        CAST(sum(days) AS INTEGER) AS days, min(first_date) AS first_date, max(last_date) AS last_date,
        CAST(sum(lane_days) AS INTEGER) AS lane_days,
        CAST(sum(vehicles) / sum(point_days) AS DECIMAL(9, 1)) AS vehicles_day,
        CAST(sum(long_vehicles_sum_pct) / nullif(sum(long_vehicles_readings), 0) AS DECIMAL(9, 2)) AS long_pct
      FROM ${scan(imdDetectorMonths)}
      GROUP BY year, road, province_code, direction
      ORDER BY year, road, province_code, direction`
    return await reader.all(query, yearColumns)
  },
})

const NO_SECTION = {
  ...{ road_type: null, post_from: null, post_to: null, length_km: null, light_veh_day: null, heavy_veh_day: null },
  ...{ heavy_share_pct: null, veh_km_year: null, veh_km_light_year: null, veh_km_heavy_year: null, source_id: null },
} as const

/** The roads of some years, by province: the mean over the points of each direction, and both directions together. */
export function detectorRoads(found: readonly DirectionYear[]) {
  const roads = Map.groupBy(found, ({ year, road, province_code }) => `${year} ${road} ${province_code}`)
  return [...roads.values()].map((directions) => {
    const [{ year, road, province_code }] = directions as [DirectionYear]
    const year_days = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1 ? 366 : 365
    const total = (of: (one: DirectionYear) => number): number => directions.reduce((sum, one) => sum + of(one), 0)
    const [lanes, lane_days] = [total((one) => one.lanes), total((one) => one.lane_days)]
    const shares = directions.flatMap(({ long_pct }) => long_pct ?? [])
    return {
      ...NO_SECTION,
      ...{ section_id: `${road} ${province_code}`, year, road, province_code, province: provinceName(province_code), year_days },
      km_from: Math.min(...directions.map(({ km_from }) => km_from)),
      km_to: Math.max(...directions.map(({ km_to }) => km_to)),
      // One direction alone is not an IMD, which covers both.
      imd_veh_day: directions.length === 2 ? Math.round(total((one) => one.vehicles_day)) : null,
      veh_km_check: 'NOT_STATED' as const,
      points: Math.max(...directions.map(({ points }) => points)),
      lanes,
      days: Math.min(...directions.map(({ days }) => days)),
      first_date: directions.map(({ first_date }) => first_date).sort()[0] as string,
      last_date: directions
        .map(({ last_date }) => last_date)
        .sort()
        .at(-1) as string,
      coverage: Math.round((1e6 * lane_days) / (lanes * year_days)) / 1e6,
      long_vehicles_share_pct:
        shares.length === 0 ? null : Math.round((100 * shares.reduce((sum, one) => sum + one, 0)) / shares.length) / 100,
      source: dgt.id,
    }
  })
}

/** Years between the ministry's newest and the detectors' first, which neither has. */
export function yearsBetween(ministry: readonly number[], detectors: readonly number[]): number[] {
  const [last, first] = [Math.max(...ministry), Math.min(...detectors)]
  return ministry.length === 0 || detectors.length === 0
    ? []
    : Array.from({ length: Math.max(0, first - last - 1) }, (_, nth) => last + 1 + nth)
}
