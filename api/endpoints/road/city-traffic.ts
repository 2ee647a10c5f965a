import { CITY_AVAILABILITIES, INDEX_ABSENCES } from '../../../lake/datasets/road/codes.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficCityHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSectionHours, trafficSectionStates, trafficSections } from '../../../lake/datasets/road/traffic-sections.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { startOf } from '../../../lake/query/intervals.ts'
import { scan } from '../../../lake/query/scan.ts'
import { outputName, type Sql, sql } from '../../../lake/query/sql.ts'
import { defineEndpoint, listReturn, type MemoryAsk } from '../../kernel/endpoint.ts'
import { field, maybe, nested, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { CITIES, sourceOf } from './cities.ts'
import { knownLevel, serviceOf } from './levels.ts'
import { sensorsOf } from './sensors.ts'
import {
  bestOf,
  deviationFields,
  deviationOf,
  diff,
  hoursOfDays,
  LEAST_WEEKS,
  type Moment,
  momentOf,
  sourcesFor,
  TYPICAL_PAGE,
  tenth,
  usualFields,
  windowBefore,
} from './typical.ts'

const mean = (what: string, unit: string, example: number) =>
  maybe.decimal(`${what}, the mean of the reporting sensors or sections.`, unit, 1, example)
const level = (name: string, example: number) =>
  maybe.decimal(`Share of the sensors or sections with a level that have ${name}.`, '%', 1, example)
const usualLevel = (name: string, example: number) =>
  maybe.decimal(`Typical share of readings with ${name}; null for the archive of Madrid, which has no levels.`, '%', 1, example)
const levelApart = (name: string, example: number) =>
  maybe.decimal(`Share with ${name} now minus the typical share, in percentage points.`, '%', 1, example)

/** Typical values of a city. */
const typicalFields = {
  ...usualFields,
  sensors: maybe.integer('Sensors or sections in these hours, median.', '1', 4871),
  slow_pct: usualLevel('DENSE', 9.1),
  queues_pct: usualLevel('VERY_DENSE', 3.2),
  congestion_pct: usualLevel('CONGESTED', 0.4),
  dense_or_worse_pct: usualLevel('one of these three', 12.7),
} as const

const cityDeviationFields = {
  ...deviationFields,
  slow_diff_pct: levelApart('DENSE', 1.2),
  queues_diff_pct: levelApart('VERY_DENSE', -0.3),
  congestion_diff_pct: levelApart('CONGESTED', 0.1),
} as const

/** Current figures of a city. */
const nowFields = {
  sensors: maybe.integer('Sensors or street sections in the catalogue of the city.', '1', 6117),
  sensors_reporting: maybe.integer(
    'Sensors with a reading confirmed by the newest publication and not marked as wrong, or sections with a state other than UNKNOWN. All figures cover these.',
    '1',
    4871,
  ),
  sensors_graded: maybe.integer('Those with a level from free to congested: the denominator of the shares.', '1', 4810),
  intensity_veh_h: mean('Vehicles per hour', 'veh/h', 390.5),
  occupancy_pct: mean('Share of time that sensors were occupied', '%', 4.5),
  load_pct: mean('Degree of use of the roads', '%', 21.2),
  sensors_closed: maybe.integer('Closed street sections, which no share counts; null in Madrid.', '1', null),
  coverage: maybe.decimal('Share of the catalogue that has a level or is closed, 0 to 1.', '1', 4, 0.7863),
  fluid_pct: level('FREE', 86.2),
  slow_pct: level('DENSE', 10.3),
  queues_pct: level('VERY_DENSE', 2.9),
  congestion_pct: level('CONGESTED', 0.6),
  dense_or_worse_pct: level('one of the last three: the share of the network that is dense or worse', 13.8),
  observed_at: optional(trafficReadings.columns.observed_at, 'Time of the newest of these readings; null without readings.'),
} as const

/** The current traffic of a city. */
const cityTraffic = record('CityTraffic', 'The current traffic of a city, compared with the typical hour and kind of day.', {
  id: field.text('The city id, as in paths.', 'madrid'),
  name: field.text('Its name.', 'Madrid'),
  municipality_code: trafficSensors.columns.municipality_code,
  availability: field.code('Whether any traffic data arrives; if not, all figures are null.', CITY_AVAILABILITIES, 'AVAILABLE'),
  source: field.text('Source of its live data.', 'madrid'),
  kind: field.text('Kind of its figures: SENSORS or SECTIONS.', 'SENSORS'),
  ...nowFields,
  congestion_index: maybe.decimal(
    'Current share of the network that is dense or worse, as a percentage of its typical share: 100 is as usual. It compares a city only with itself; across cities compare `dense_or_worse_pct`.',
    '%',
    1,
    108.7,
  ),
  index_absence: maybe.code('Why there is no index; null if there is one.', INDEX_ABSENCES, null),
  typical: nested.maybe('Typical values of the hour and kind of day; null for a city without data.', typicalFields),
  deviation: nested.maybe('Difference from the typical values; null without typical values.', cityDeviationFields),
})

type CityTraffic = ValueOf<typeof cityTraffic.fields>
type CityNow = ValueOf<typeof nowFields>

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
const cityProfile = defineCachedQuery<readonly CityHour[]>({
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
function cityTypical(
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

const FROM = [trafficReadings, trafficSensors, trafficSectionStates, trafficSections] as const
type Ask = Pick<MemoryAsk<typeof FROM>, 'states' | 'optional'>
type City = Pick<CityTraffic, 'id' | 'name' | 'municipality_code' | 'kind' | 'source'>

const METHOD =
  'Means over the reporting sensors or street sections, each counting once wherever it is. Shares of levels as the publisher grades them; in Bilbao this service computes them from the occupancy.'

/** Cities and their current traffic. */
export const cityList = defineEndpoint({
  path: '/api/trafico/ciudades',
  plan: 'PRO',
  summary: 'Current congestion of cities, compared with the typical hour',
  summary_es: 'Congestión de las ciudades ahora, frente a lo habitual de la hora',
  about:
    'Madrid has sensors; Barcelona, València and Bilbao have street sections. `congestion_index` compares a city with its own typical hours; publishers grade differently, so across cities only shares of the network (`dense_or_worse_pct`) compare. Cities without data are NOT_YET.',
  explained: TYPICAL_PAGE,
  statistic: { grain: 'One city now.', method: METHOD },
  returns: listReturn('cities', cityTraffic, {
    sorts: ['id', 'availability', 'load_pct', 'congestion_pct', 'dense_or_worse_pct', 'congestion_index'],
    order: 'availability',
    limit: { default: null, max: 20_000 },
  }),
  read: {
    kind: 'memory',
    from: FROM,
    lake: [trafficCityHours, trafficSectionHours],
    needs: [],
    isOfAny: true,
    answer: (ask) =>
      Promise.all(
        [...CITIES].map(([id, { name, municipality_code, kind, source }]) => cityNow(ask, { id, name, municipality_code, kind, source })),
      ),
  },
  example: {},
})

const NOTHING: CityNow = Object.freeze(Object.fromEntries(Object.keys(nowFields).map((name) => [name, null]))) as CityNow

/** The current reading of a sensor or section. */
interface Said {
  readonly level_of_service: string | null
  readonly isClosed: boolean
  readonly intensity_veh_h: number | null
  readonly occupancy_pct: number | null
  readonly load_pct: number | null
  readonly observed_at: number
  /** Begin of its period, ms. */
  readonly starts_at: number
}

async function cityNow({ states, optional: extra }: Ask, city: City): Promise<CityTraffic> {
  const { listed, newest, said } = city.kind === 'SECTIONS' ? sectionsOfCity(states, city) : sensorsOfCity(states, city)
  const none = {
    ...city,
    availability: 'NOT_YET',
    ...NOTHING,
    congestion_index: null,
    index_absence: 'NO_DATA',
    typical: null,
    deviation: null,
  }
  if (newest === null) return none
  const now = nowOf(said, listed, city.kind)
  const moment = momentOf(said.length === 0 ? newest : Math.max(...said.map(({ starts_at }) => starts_at)), city.id)
  const hours = await extra(cityProfile, JSON.stringify([city.id, moment.date]))
  const typical = cityTypical(hours, moment, now.sensors_reporting ?? 0)
  const levels = {
    slow_diff_pct: diff(now.slow_pct, typical.slow_pct),
    queues_diff_pct: diff(now.queues_pct, typical.queues_pct),
    congestion_diff_pct: diff(now.congestion_pct, typical.congestion_pct),
  }
  const deviation = typical.absence === null ? { ...deviationOf(now, typical), ...levels } : null
  return { ...city, availability: 'AVAILABLE', ...now, ...indexOf(now, typical), typical, deviation }
}

/** The congestion index, or the reason for its absence. */
function indexOf(
  { dense_or_worse_pct: now }: CityNow,
  { absence, dense_or_worse_pct: usual }: NonNullable<CityTraffic['typical']>,
): Pick<CityTraffic, 'congestion_index' | 'index_absence'> {
  if (now !== null && usual) return { congestion_index: tenth((100 * now) / usual), index_absence: null }
  return { congestion_index: null, index_absence: now === null ? 'NOT_GRADED' : (absence ?? 'NOT_TYPICAL') }
}

/** Data of a city: the size of its catalogue, its last publication (ms; null for never) and its current readings. */
interface OfCity {
  readonly listed: number
  readonly newest: number | null
  readonly said: readonly Said[]
}

function sensorsOfCity([readings, sensors]: Ask['states'], { id, source }: City): OfCity {
  const listed = [...sensorsOf(sensors).values()].filter((one) => one.city === id && one.status === 'ACTIVE').length
  // Includes the catalogue, which may arrive before the first readings.
  const times = [readings, sensors].flatMap(({ parts }) => parts.map(({ data_time }) => data_time))
  const said = readings.rows
    .filter((row) => row.source === source && !row.is_stale && row.quality !== 'ERROR')
    .map((row) => ({
      ...row,
      level_of_service: serviceOf(row.level_of_service),
      isClosed: false,
      starts_at: startOf(trafficReadings, row),
    }))
  return { listed, newest: times.length === 0 ? null : Math.max(...times), said }
}

/** Whether a section has a recent state. */
export const isReporting = ({ is_stale, level, intensity_veh_h }: Ask['states'][2]['rows'][number]): boolean =>
  !is_stale && (level !== 'UNKNOWN' || intensity_veh_h !== null)

function sectionsOfCity([, , states, catalogue]: Ask['states'], { id, source }: City): OfCity {
  const rows = states.rows.filter((row) => row.source === source)
  const said = rows.filter(isReporting).map((row) => ({
    ...{
      ...row,
      level_of_service: row.level === 'CLOSED' ? null : knownLevel(row.level),
      isClosed: row.level === 'CLOSED',
      load_pct: null,
    },
    starts_at: startOf(trafficSectionStates, row),
  }))
  const known = new Set(catalogue.rows.filter((row) => row.city === id && row.status === 'ACTIVE').map((row) => row.section_id))
  // States of sections outside the catalogue count too.
  for (const row of rows) known.add(row.section_id)
  return { listed: known.size, newest: rows.length === 0 ? null : Math.max(...rows.map((row) => row.observed_at)), said }
}

function nowOf(said: readonly Said[], listed: number, kind: string): CityNow {
  const levels = said.flatMap(({ level_of_service }) => level_of_service ?? [])
  const closed = said.filter(({ isClosed }) => isClosed).length
  const shareOf = (...names: readonly string[]): number | null =>
    levels.length === 0 ? null : tenth((100 * levels.filter((one) => names.includes(one)).length) / levels.length)
  return {
    sensors: listed,
    sensors_reporting: said.length,
    sensors_graded: levels.length,
    sensors_closed: kind === 'SECTIONS' ? closed : null,
    coverage: listed === 0 ? null : Math.min(1, Math.round((10_000 * (levels.length + closed)) / listed) / 10_000),
    intensity_veh_h: meanOf(said.map((one) => one.intensity_veh_h)),
    occupancy_pct: meanOf(said.map((one) => one.occupancy_pct)),
    load_pct: meanOf(said.map((one) => one.load_pct)),
    fluid_pct: shareOf('FREE'),
    slow_pct: shareOf('DENSE'),
    queues_pct: shareOf('VERY_DENSE'),
    congestion_pct: shareOf('CONGESTED'),
    dense_or_worse_pct: shareOf('DENSE', 'VERY_DENSE', 'CONGESTED'),
    observed_at: said.length === 0 ? null : Math.max(...said.map((one) => one.observed_at)),
  }
}

function meanOf(values: readonly (number | null)[]): number | null {
  const there = values.filter((value) => value !== null)
  return there.length === 0 ? null : tenth(there.reduce((sum, value) => sum + value, 0) / there.length)
}
