import { CITY_AVAILABILITIES } from '../../../lake/datasets/road/codes.ts'
import { trafficCityHours } from '../../../lake/datasets/road/traffic-city-hours.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { scan } from '../../../lake/query/scan.ts'
import { outputName, type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineEndpoint, listReturn, type MemoryAsk, type StatesOf } from '../../define/endpoint.ts'
import { nested, optional, record, type ValueOf } from '../../define/fields.ts'
import { defineSlice } from '../../define/slice.ts'
import { CITIES } from './cities.ts'
import { sensorsOf } from './sensor.ts'
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

/** An hour counts for what is typical where its sensors were at least and at most so many times those that report now. */
const LIKE_NOW = [0.8, 1.25] as const

const mean = (what: string, unit: string, example: number) =>
  col.decimal(0, `${what}, the mean of the sensors that report.`, { scale: 1, unit, nullable: true, example })
const level = (name: string, example: number) =>
  col.decimal(0, `Share of the sensors with a level of service that have ${name}.`, { scale: 1, unit: '%', nullable: true, example })
const usualLevel = (name: string, example: number) =>
  col.decimal(0, `Typical share of readings with ${name}; null of the archive, which has no levels of service.`, {
    ...{ scale: 1, unit: '%', nullable: true, example },
  })
const levelApart = (name: string, example: number) =>
  col.decimal(0, `Share with ${name} now less what is typical, in percentage points.`, { scale: 1, unit: '%', nullable: true, example })

const typicalFields = {
  ...usualFields,
  sensors: col.integer(0, 'Sensors in these hours, the median.', { unit: '1', nullable: true, example: 4871 }),
  slow_pct: usualLevel('SLOW', 9.1),
  queues_pct: usualLevel('QUEUES', 3.2),
  congestion_pct: usualLevel('CONGESTION', 0.4),
} as const

const cityDeviationFields = {
  ...deviationFields,
  slow_diff_pct: levelApart('SLOW', 1.2),
  queues_diff_pct: levelApart('QUEUES', -0.3),
  congestion_diff_pct: levelApart('CONGESTION', 0.1),
} as const

const nowFields = {
  sensors: col.integer(0, 'Sensors of the city that are listed.', { unit: '1', nullable: true, example: 6117 }),
  sensors_reporting: col.integer(
    0,
    'Those with a reading that the newest publication confirms and the publisher does not call wrong: all figures are of them.',
    { unit: '1', nullable: true, example: 4871 },
  ),
  sensors_graded: col.integer(0, 'Those of them with a level of service.', { unit: '1', nullable: true, example: 4810 }),
  intensity_veh_h: mean('Vehicles per hour', 'veh/h', 390.5),
  occupancy_pct: mean('Share of time that sensors were occupied', '%', 4.5),
  load_pct: mean('Degree of use of the roads', '%', 21.2),
  fluid_pct: level('FLUID', 86.2),
  slow_pct: level('SLOW', 10.3),
  queues_pct: level('QUEUES', 2.9),
  congestion_pct: level('CONGESTION', 0.6),
  observed_at: optional(trafficReadings.columns.observed_at, 'Time of the newest of these readings; null where there are none.'),
} as const

const cityTraffic = record('CityTraffic', 'The traffic of a city now, against what is typical of the hour and kind of day.', {
  id: col.string(0, 'The city, as paths have it.', { example: 'madrid' }),
  name: col.string(0, 'Its name.', { example: 'Madrid' }),
  municipality_code: trafficSensors.columns.municipality_code,
  availability: col.code(0, 'Whether anything of its traffic arrives; where not, all figures are null.', CITY_AVAILABILITIES, {
    example: 'AVAILABLE',
  }),
  source: col.string(0, 'Source of its live readings; null where there is none.', { nullable: true, example: 'madrid' }),
  ...nowFields,
  typical: nested.object('What is typical of the hour and kind of day; null of a city of which nothing arrives.', typicalFields, {
    nullable: true,
  }),
  deviation: nested.object('How far what is now is from what is typical; null where nothing is typical.', cityDeviationFields, {
    nullable: true,
  }),
})

type City = ValueOf<typeof cityTraffic.fields>
type Now = ValueOf<typeof nowFields>
type States = StatesOf<readonly [typeof trafficReadings, typeof trafficSensors]>

const METHOD =
  'Means over the sensors that report, each counting once, wherever it stands; shares of levels of service as the publisher grades them.'

/** Cities and their traffic now. */
export const cityList = defineEndpoint({
  path: '/api/trafico/ciudades',
  domain: 'road',
  plan: 'PRO',
  summary: 'Congestion of cities now, against what is typical of the hour',
  about: `${METHOD} Typical values are medians over hours in which a similar number of sensors reported. Cities whose traffic centre is not read yet are listed as NOT_YET, without figures.`,
  explained: TYPICAL_PAGE,
  figure: { grain: 'One city now.', method: METHOD },
  params: {},
  returns: listReturn('cities', cityTraffic, {
    sorts: ['id', 'availability', 'load_pct', 'congestion_pct'],
    order: 'availability',
    limit: { default: null, max: 20_000 },
  }),
  read: {
    kind: 'memory',
    from: [trafficReadings, trafficSensors],
    lake: [trafficCityHours],
    needs: [],
    isOfAny: true,
    answer: ({ states, extra }) =>
      Promise.all([...CITIES].map(([id, { source, ...city }]) => cityNow({ states, extra }, { ...city, id, source }))),
  },
  example: {},
})

const NOTHING: Now = Object.freeze(Object.fromEntries(Object.keys(nowFields).map((name) => [name, null]))) as Now

async function cityNow(
  { states, extra }: Pick<MemoryAsk<readonly [typeof trafficReadings, typeof trafficSensors]>, 'states' | 'extra'>,
  city: Pick<City, 'id' | 'name' | 'municipality_code' | 'source'>,
): Promise<City> {
  if (city.source === null) return { ...city, availability: 'NOT_YET', ...NOTHING, typical: null, deviation: null }
  const now = nowOf(states, city.id, city.source)
  // Of the catalogue too: it may come before the first readings.
  const newest = Math.max(...states.flatMap(({ parts }) => parts.map(({ data_time }) => data_time)))
  const moment = momentOf(now.observed_at ?? newest)
  const hours = await extra(cityProfile, JSON.stringify([city.source, moment.date]))
  const typical = typicalOf(hours, moment, now.sensors_reporting ?? 0)
  const levels = {
    slow_diff_pct: diff(now.slow_pct, typical.slow_pct),
    queues_diff_pct: diff(now.queues_pct, typical.queues_pct),
    congestion_diff_pct: diff(now.congestion_pct, typical.congestion_pct),
  }
  const deviation = typical.absence === null ? { ...deviationOf(now, typical), ...levels } : null
  return { ...city, availability: 'AVAILABLE', ...now, typical, deviation }
}

function nowOf([readings, sensors]: States, city: string, source: string): Now {
  const rows = readings.rows.filter((row) => row.source === source && !row.is_stale && row.quality !== 'ERROR')
  const listed = [...sensorsOf(sensors).values()].filter((one) => one.city === city && one.status === 'ACTIVE')
  const levels = rows.flatMap(({ level_of_service }) => level_of_service ?? [])
  const shareOf = (name: string): number | null =>
    levels.length === 0 ? null : tenth((100 * levels.filter((one) => one === name).length) / levels.length)
  return {
    sensors: listed.length,
    sensors_reporting: rows.length,
    sensors_graded: levels.length,
    intensity_veh_h: meanOf(rows.map((row) => row.intensity_veh_h)),
    occupancy_pct: meanOf(rows.map((row) => row.occupancy_pct)),
    load_pct: meanOf(rows.map((row) => row.load_pct)),
    fluid_pct: shareOf('FLUID'),
    slow_pct: shareOf('SLOW'),
    queues_pct: shareOf('QUEUES'),
    congestion_pct: shareOf('CONGESTION'),
    observed_at: rows.length === 0 ? null : Math.max(...rows.map((row) => row.observed_at)),
  }
}

function meanOf(values: readonly (number | null)[]): number | null {
  const there = values.filter((value) => value !== null)
  return there.length === 0 ? null : tenth(there.reduce((sum, value) => sum + value, 0) / there.length)
}

const share = (count: 'slow_readings' | 'queues_readings' | 'congestion_readings'): Sql =>
  sql`CAST(100 * ${outputName(count)} / nullif(level_readings, 0) AS DECIMAL(9, 1))`

const { hours: _hours, weeks: _weeks, absence: _absence, sensors: _sensors, source: _source, period_s: _period, ...values } = typicalFields
const hourColumns = {
  ...values,
  source: trafficCityHours.columns.source,
  period_s: trafficCityHours.columns.period_s,
  sensors: trafficCityHours.columns.sensors,
  week: col.local_date(0, 'Monday of its week.'),
} as const

type CityHour = ValueOf<typeof hourColumns>

/** The hours of a city before a day, by `[source, day]` as JSON. */
const cityProfile = defineSlice<readonly CityHour[]>({
  name: 'hours of a city',
  from: [trafficCityHours],
  most: 4,
  read: async (reader, key) => {
    const [source = '', date = ''] = JSON.parse(key) as [string, string]
    const hours = scan(trafficCityHours, { source: { in: sourcesFor(source) }, period_start: windowBefore(date) })
    const query = sql`
      SELECT source, period_s, day_type, hour_local, sensors, CAST(date_trunc('week', local_date) AS DATE) AS week,
        CAST(intensity_sum_veh_h / nullif(intensity_readings, 0) AS DECIMAL(9, 1)) AS intensity_veh_h,
        CAST(occupancy_sum_pct / nullif(occupancy_readings, 0) AS DECIMAL(9, 1)) AS occupancy_pct,
        CAST(load_sum_pct / nullif(load_readings, 0) AS DECIMAL(9, 1)) AS load_pct,
        ${share('slow_readings')} AS slow_pct, ${share('queues_readings')} AS queues_pct, ${share('congestion_readings')} AS congestion_pct
      FROM (${hoursOfDays(hours, date)})
      ORDER BY source, period_s, period_start`
    return await reader.all(query, hourColumns)
  },
})

/** What hours of a city call typical of a moment at which so many sensors report; `hours` is null where they cannot be read now. */
function typicalOf(hours: readonly CityHour[] | null, { day_type, hour_local }: Moment, reporting: number): ValueOf<typeof typicalFields> {
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
  }
}

type Usual = 'sensors' | Exclude<keyof typeof values, 'day_type' | 'hour_local'>

/** Hours of one source and period, of which there is one at least. */
function kindOf(rows: readonly CityHour[]): Pick<CityHour, 'source' | 'period_s'> & {
  readonly weeks: number
  readonly rows: readonly CityHour[]
} {
  const { source, period_s } = rows[0] as CityHour
  return { source, period_s, weeks: new Set(rows.map(({ week }) => week)).size, rows }
}

/** The value that half of those that are there do not exceed; null where there are none. */
function medianOf(values: readonly (number | null)[]): number | null {
  const there = values.filter((value) => value !== null).sort((one, other) => one - other)
  return there[Math.ceil(there.length / 2) - 1] ?? null
}
