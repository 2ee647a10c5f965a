import { trafficCountStations, trafficCountsHourly } from '../../../lake/datasets/road/traffic-counts.ts'
import { ABOUT_HOLIDAYS, madridHolidays } from '../../../lake/places/holidays.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import { scan } from '../../../lake/query/scan.ts'
import { bindList, type Sql, sql } from '../../../lake/query/sql.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { defineEndpoint, listReturn, type State } from '../../kernel/endpoint.ts'
import { field, maybe, nested, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter, placeFilter } from '../../kernel/filters.ts'
import { integerParam, required, textParam } from '../../kernel/params/params.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { originFields, provinceField, provinceName } from '../common-fields.ts'
import { profileFields } from './corridor.ts'

const { columns } = trafficCountStations

/** Fields of a counting station. */
const stationFields = {
  id: columns.station_id,
  name: columns.name,
  province: provinceField({ ...columns.municipality_code, example: '28' }),
  province_code: field.text('INE code of the province.', '28'),
  municipality: maybe.text('Official name of the municipality.', 'Madrid'),
  ...pick(columns, 'municipality_code', 'position'),
  directions: nested.objects('Its directions.', {
    ...pick(columns, 'direction', 'heading', 'is_counted'),
  }),
  ...originFields(columns, { source_id: columns.station_id }),
} as const

type Station = ValueOf<typeof stationFields>

/** The stations of a state, each at the position of its first direction. */
export const countStationsOf = memo((state: State<typeof trafficCountStations>): readonly Station[] =>
  [...Map.groupBy(state.rows, ({ source, station_id }) => `${source}/${station_id}`).values()].map((rows): Station => {
    const inOrder = rows.toSorted((one, other) => (one.direction < other.direction ? -1 : 1))
    const [first] = inOrder as [(typeof rows)[number]]
    const { station_id, name, municipality_code, position, source } = first
    const province_code = municipality_code.slice(0, 2)
    return {
      ...{ id: station_id, name, municipality_code, position, source, source_id: station_id, province_code },
      province: provinceName(province_code),
      municipality: municipalityByCode(municipality_code)?.name ?? null,
      directions: inOrder.map(({ direction, heading, is_counted }) => ({ direction, heading, is_counted })),
      observed_at: Math.max(...rows.map(({ observed_at }) => observed_at)),
      updated_at: Math.max(...rows.map(({ updated_at }) => updated_at)),
      status: rows.some(({ status }) => status === 'ACTIVE') ? 'ACTIVE' : first.status,
      is_stale: rows.every(({ is_stale }) => is_stale),
    }
  }),
)

/** A year of a station. */
const yearFields = {
  year: field.integer('Year.', '1', 2023),
  imd_veh_day: maybe.decimal(
    'Mean daily vehicles of both directions, from complete days; null if a direction has none.',
    'veh/d',
    1,
    41_250.7,
  ),
  days: field.integer('Number of these days, in the direction with fewest.', '1', 240),
  coverage: field.decimal('Share of the days of the year, 0 to 1.', '1', 6, 0.657534),
  ceiling_hours: field.integer(
    'Hours of these at the maximum of the counter: actual traffic was higher, so the figure is a lower bound.',
    '1',
    0,
  ),
} as const

/** A valid count, excluding outages, errors and days that repeat another one. */
const IS_GOOD = sql`quality IN ('OK', 'CEILING')`

/** The counts of a station in its existing directions. */
function countsOf(station_id: string, year: number | null): Sql {
  const span = year === null ? {} : { day_starts_at: { gte: dayBounds(`${year}-01-01`).start, lt: dayBounds(`${year + 1}-01-01`).start } }
  return sql`(SELECT * FROM ${scan(trafficCountsHourly, { station_id: { eq: station_id }, ...span })} WHERE quality <> 'DEAD_DIRECTION')`
}

/** The years of a station, by its id. */
const stationYears = defineCachedQuery<readonly ValueOf<typeof yearFields>[]>({
  name: 'years of a count station',
  from: [trafficCountsHourly],
  maxEntries: 100,
  read: async (reader, station_id) => {
    const query = sql`
      WITH days AS (
        SELECT year(local_date) AS year, direction, local_date, sum(vehicles) AS vehicles,
          count(*) FILTER (WHERE quality = 'CEILING') AS ceilings, count(*) = 24 AND bool_and(${IS_GOOD}) AS is_whole
        FROM ${countsOf(station_id, null)}
        GROUP BY ALL
      ),
      directions AS (
        SELECT year, direction, avg(vehicles) FILTER (WHERE is_whole) AS mean, count(*) FILTER (WHERE is_whole) AS days,
          sum(ceilings) FILTER (WHERE is_whole) AS ceilings
        FROM days
        GROUP BY ALL
      )
      SELECT CAST(year AS INTEGER) AS year,
        CASE WHEN count(mean) = count(*) AND count(*) = (SELECT count(DISTINCT direction) FROM days) THEN CAST(sum(mean) AS DECIMAL(9, 1)) END AS imd_veh_day,
        CAST(min(days) AS INTEGER) AS days,
        CAST(min(days) / (make_date(CAST(year AS INTEGER) + 1, 1, 1) - make_date(CAST(year AS INTEGER), 1, 1)) AS DECIMAL(9, 6)) AS coverage,
        CAST(coalesce(sum(ceilings), 0) AS INTEGER) AS ceiling_hours
      FROM directions
      GROUP BY year
      ORDER BY year`
    return await reader.all(query, yearFields)
  },
})

/** The usual hourly values of a station in a year, by `[station, year]` as JSON: vehicles of all its directions. */
const stationProfile = defineCachedQuery<readonly ValueOf<typeof profileFields>[]>({
  name: 'profile of a count station',
  from: [trafficCountsHourly],
  maxEntries: 100,
  read: async (reader, key) => {
    const [station_id = '', year = 0] = JSON.parse(key) as [string, number]
    const holidays = bindList('local_date', trafficCountsHourly.columns.local_date, madridHolidays(year))
    const query = sql`
      SELECT CASE WHEN isodow(local_date) = 7 OR local_date IN ${holidays} THEN 'SUNDAY_HOLIDAY' WHEN isodow(local_date) = 6 THEN 'SATURDAY' ELSE 'WORKDAY' END AS day_type,
        hour AS hour_local,
        CAST(avg(vehicles) AS DECIMAL(9, 1)) AS mean_veh_h,
        CAST(quantile_disc(vehicles, 0.1) AS DECIMAL(9, 1)) AS p10_veh_h,
        CAST(quantile_disc(vehicles, 0.9) AS DECIMAL(9, 1)) AS p90_veh_h,
        CAST(count(*) AS INTEGER) AS days
      FROM (
        SELECT local_date, hour, sum(vehicles) AS vehicles
        FROM ${countsOf(station_id, year)}
        WHERE NOT is_clock_change
        GROUP BY local_date, hour
        HAVING bool_and(${IS_GOOD}) AND count(*) = (SELECT count(DISTINCT direction) FROM ${countsOf(station_id, null)})
      )
      GROUP BY day_type, hour_local
      ORDER BY day_type = 'SUNDAY_HOLIDAY', day_type = 'SATURDAY', hour_local`
    return await reader.all(query, profileFields)
  },
})

const ABOUT = "Madrid's permanent count stations, which count on streets and on the M-30."

const listed = record('CountStation', 'A permanent count station.', stationFields)

/** The counting stations. */
export const countStationList = defineEndpoint({
  path: '/api/movilidad/estaciones',
  plan: 'PRO',
  summary: 'Traffic counting stations',
  summary_es: 'Estaciones de aforo',
  about: `${ABOUT} One-way streets have counts in one direction only.`,
  statistic: { grain: 'One permanent count station.', method: 'As the city publishes it, in a list separate from the counts.' },
  filters: [placeFilter, areaFilter],
  returns: listReturn('stations', listed, {
    key: ['id', 'source'],
    sorts: ['id', 'name', 'updated_at'],
  }),
  read: {
    kind: 'memory',
    from: [trafficCountStations],
    records: ([state]) => countStationsOf(state),
  },
  example: { province: 'Madrid', limit: '5' },
})

const detail = record('CountStationDetail', 'A permanent count station with its years and usual hourly values.', {
  ...stationFields,
  years: nested.objects('Its counts in each year with data.', yearFields),
  profile_year: optional(yearFields.year, 'Year of the profile; null without counts.'),
  profile: nested.maybeObjects('Usual values of each hour of that year, vehicles of all directions; null without counts.', profileFields),
})

/** One counting station. */
export const countStationById = defineEndpoint({
  path: '/api/movilidad/estaciones/{id}',
  plan: 'PRO',
  summary: 'One counting station: mean daily vehicles by year, and hourly profile',
  summary_es: 'Una estación de aforo: vehículos diarios por año y perfil horario',
  about: ABOUT,
  statistic: {
    grain: 'One station, by year, and by kind of day and hour of the local clock.',
    method:
      'Complete days with 24 valid hours, per direction, added up. Excluded are hours of outages, errors and clock changes, and days that repeat another one of the same series. ' +
      `At the maximum of a counter (9999) actual traffic was at least this; ceiling_hours is the number of such hours. ${ABOUT_HOLIDAYS}`,
  },
  params: {
    id: required(textParam("The publisher's id of the station.", { max: 20, example: 'ES01' })),
    year: integerParam('Year of the profile; by default the newest with counts.', { min: 1990, max: 2200, example: '2023' }),
  },
  returns: { kind: 'one', record: detail },
  read: {
    kind: 'memory',
    from: [trafficCountStations],
    lake: [trafficCountsHourly],
    needs: [],
    answer: async ({ states: [state], cached }, { id, year }) => {
      const found = countStationsOf(state).find((one) => one.id === id)
      if (!found) return null
      const years = await cached(stationYears, id)
      const of = year ?? years.at(-1)?.year ?? null
      const profile = of === null ? [] : await cached(stationProfile, JSON.stringify([id, of]))
      return { ...found, years, profile_year: of, profile: profile.length > 0 ? profile : null }
    },
  },
  example: { id: 'ES01', year: '2023' },
})
