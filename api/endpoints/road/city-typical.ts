import { trafficCityHours } from '../../../lake/datasets/road/traffic-city-hours.ts'
import { trafficSectionHours } from '../../../lake/datasets/road/traffic-section-hours.ts'
import { scan } from '../../../lake/query/scan.ts'
import { outputName, type Sql, sql } from '../../../lake/query/sql.ts'
import { pick, type ValueOf } from '../../kernel/fields.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { field } from '../../kernel/reply-fields.ts'
import { CITIES, sourceOf } from './cities.ts'
import { typicalFields } from './city-fields.ts'
import { bestOf, hoursOfDays, LEAST_WEEKS, type Moment, sourcesFor, windowBefore } from './typical.ts'

/** Hours are comparable if their number of sensors is within these multiples of the number that report now. */
const LIKE_NOW = [0.8, 1.25] as const

const share = (...counts: readonly string[]): Sql => {
  const sum = counts.map(outputName).reduce((one, other) => sql`${one} + ${other}`)
  return sql`CAST(100 * (${sum}) / nullif(level_readings, 0) AS DECIMAL(9, 1))`
}

const { hours: _hours, weeks: _weeks, absence: _absence, sensors: _sensors, source: _source, period_s: _period, ...values } = typicalFields
const hourColumns = {
  ...values,
  ...pick(trafficCityHours.columns, 'source', 'period_s', 'sensors'),
  week: field.date('Monday of its week.'),
} as const

type CityHour = ValueOf<typeof hourColumns>

/** Hours of street sections under the column names of sensor hours. */
const asSensorHours = (hours: Sql): Sql => sql`
  (SELECT * RENAME (sections AS sensors, dense_readings AS slow_readings, very_dense_readings AS queues_readings, congested_readings AS congestion_readings),
    0 AS load_readings, 0 AS load_sum_pct
  FROM ${hours})`

/** The hours of a city before a day, by `[city, day]` as JSON. */
export const cityProfile = defineCachedQuery<readonly CityHour[]>({
  name: 'hours of a city',
  from: [trafficCityHours, trafficSectionHours],
  maxEntries: 8,
  read: async (reader, key) => {
    const [city = '', date = ''] = JSON.parse(key) as [string, string]
    const where = { source: { in: sourcesFor(sourceOf(city)) }, period_start: windowBefore(date) }
    const hours =
      CITIES.get(city)?.kind === 'SECTIONS' ? asSensorHours(sql`${scan(trafficSectionHours, where)}`) : scan(trafficCityHours, where)
    const query = sql`
      SELECT source, period_s, day_type, hour_local, sensors, CAST(date_trunc('week', local_date) AS DATE) AS week,
        CAST(intensity_sum_veh_h / nullif(intensity_readings, 0) AS DECIMAL(9, 1)) AS intensity_veh_h,
        CAST(occupancy_sum_pct / nullif(occupancy_readings, 0) AS DECIMAL(9, 1)) AS occupancy_pct,
        CAST(load_sum_pct / nullif(load_readings, 0) AS DECIMAL(9, 1)) AS load_pct,
        ${share('slow_readings')} AS slow_pct, ${share('queues_readings')} AS queues_pct, ${share('congestion_readings')} AS congestion_pct,
        ${share('slow_readings', 'queues_readings', 'congestion_readings')} AS dense_or_worse_pct
      FROM (${hoursOfDays(hours, date, city)})
      ORDER BY source, period_s, period_start`
    return await reader.all(query, hourColumns)
  },
})

/** Typical values of a city for a moment with a given number of reporting sensors; `hours` is null if they cannot be read now. */
export function cityTypical(
  hours: readonly CityHour[] | null,
  { day_type, hour_local }: Moment,
  reporting: number,
): ValueOf<typeof typicalFields> {
  const isLikeNow = ({ sensors }: CityHour): boolean =>
    reporting === 0 || (sensors >= LIKE_NOW[0] * reporting && sensors <= LIKE_NOW[1] * reporting)
  const like = (hours ?? []).filter((one) => one.day_type === day_type && one.hour_local === hour_local && isLikeNow(one))
  const best = bestOf([...Map.groupBy(like, ({ source, period_s }) => `${source} ${period_s}`).values()].map(kindOf))
  const { weeks = 0, source = null, period_s = null, rows = [] } = best ?? {}
  const absence = weeks >= LEAST_WEEKS ? null : hours === null ? 'NOT_NOW' : 'FEW_WEEKS'
  const median = (name: Usual): number | null => (absence === null ? medianOf(rows.map((row) => row[name])) : null)
  return {
    ...{ day_type, hour_local, weeks, hours: rows.length, source, period_s, absence },
    intensity_veh_h: median('intensity_veh_h'),
    occupancy_pct: median('occupancy_pct'),
    load_pct: median('load_pct'),
    sensors: median('sensors'),
    slow_pct: median('slow_pct'),
    queues_pct: median('queues_pct'),
    congestion_pct: median('congestion_pct'),
    dense_or_worse_pct: median('dense_or_worse_pct'),
  }
}

type Usual = 'sensors' | Exclude<keyof typeof values, 'day_type' | 'hour_local'>

/** Hours of one source and period, at least one. */
function kindOf(rows: readonly CityHour[]): Pick<CityHour, 'source' | 'period_s'> & {
  readonly weeks: number
  readonly rows: readonly CityHour[]
} {
  const { source, period_s } = rows[0] as CityHour
  return { source, period_s, weeks: new Set(rows.map(({ week }) => week)).size, rows }
}

/** The median of the values that exist, lower of two; null without any. */
function medianOf(given: readonly (number | null)[]): number | null {
  const there = given.filter((value) => value !== null).sort((one, other) => one - other)
  return there[Math.ceil(there.length / 2) - 1] ?? null
}
