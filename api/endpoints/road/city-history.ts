import { ARCHIVE_SOURCE, LIVE_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficCityHours } from '../../../lake/datasets/road/traffic-city-hours.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficReadings15m } from '../../../lake/datasets/road/traffic-readings-15m.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { sumsOfReadings, sumsOfSums } from '../../../lake/datasets/road/traffic-sums.ts'
import { type Scan, scan } from '../../../lake/query/scan.ts'
import { outputName, type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { type Bucket, bucketStart } from '../../define/buckets.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { dayFromToday } from '../../define/example.ts'
import { record } from '../../define/fields.ts'
import type { LakeView } from '../../define/lake-view.ts'
import { type Period, timeParams } from '../../define/params-time.ts'
import { newestOf, rolledUntil } from '../../define/rolled.ts'
import { CITIES, cityId, sourceOf } from './cities.ts'
import { archiveEnd, archiveRows, coverageOf, MEANS, ofOneSource, SOURCE_METHOD, sourceParam } from './traffic-steps.ts'

const { columns } = trafficCityHours
const INTERVALS = ['1h', '1d', '1w', '1mo', '1y'] as const
/** Width of the period where no begin is given, in days. */
const SPAN_DAYS = { '1h': 7, '1d': 31, '1w': 366, '1mo': 'all', '1y': 'all' } as const

const mean = (about: string, unit: string, example: number) => col.decimal(0, about, { scale: 1, unit, nullable: true, example })
const share = (level: string, example: number) =>
  col.decimal(0, `Share of the readings with a level of service that have ${level}.`, { scale: 2, unit: '%', nullable: true, example })

const point = record(
  'CityTrafficPoint',
  'One step of the series of the traffic of a city; source and period of readings are never mixed in it.',
  {
    city: col.string(0, 'The city.', { example: 'madrid' }),
    period_start: col.instant(0, 'Begin of the step.', { example: '2024-02-25T11:00:00.000Z' }),
    interval: col.string(0, 'Length of the step.', { example: '1h' }),
    source: columns.source,
    period_s: columns.period_s,
    sensors: col.integer(0, 'Sensors with a reading, in the hour of the step that has most.', { unit: '1', example: 4871 }),
    readings: columns.readings,
    coverage: col.decimal(0, 'Share of the readings that so many sensors give in the whole step that are there, 0 to 1.', {
      scale: 6,
      unit: '1',
      example: 1,
    }),
    intensity_veh_h: mean('Vehicles per hour and sensor, the mean of the readings.', 'veh/h', 90.5),
    occupancy_pct: mean('Share of time that sensors were occupied, the mean of the readings.', '%', 1.5),
    load_pct: mean('Degree of use of the roads, the mean of the readings.', '%', 3.2),
    speed_kmh: mean('Mean speed of the readings with one: M-30 and interurban sensors only.', 'km/h', 62.1),
    slow_pct: share('SLOW', 16.67),
    queues_pct: share('QUEUES', 8.33),
    congestion_pct: share('CONGESTION', 0.12),
  },
)

const METHOD =
  'Means of all readings of all sensors in the step that the publisher does not call wrong, each reading counting once, wherever its sensor stands; shares of levels of service as the publisher grades them.'

/** How congested a city was. */
export const cityHistory = defineEndpoint({
  path: '/api/trafico/ciudades/{ciudad}/historico',
  domain: 'road',
  plan: 'PRO',
  summary: 'Series of the congestion of a city',
  about: `Nothing is interpolated: a step without readings is absent. A city whose traffic centre is not read yet is refused. ${METHOD} ${SOURCE_METHOD}`,
  figure: { grain: 'One city in one step, by source and period of the readings, which are never summed together.', method: METHOD },
  params: {
    ciudad: cityId,
    source: sourceParam,
    time: timeParams(INTERVALS, { interval: '1h', span: '7 days (1h), 31 days (1d), a year (1w) or all (longer)' }),
  },
  returns: {
    kind: 'list',
    name: 'history',
    record: point,
    key: ['period_start', 'source', 'period_s'],
    sorts: ['period_start'],
    order: 'period_start',
    limit: { default: 100, max: 1000 },
  },
  read: {
    kind: 'lake',
    from: [trafficReadings, trafficCityHours, trafficReadings15m],
    fromOf: ({ source }) => (source === ARCHIVE_SOURCE ? [trafficReadings15m, trafficCityHours] : [trafficReadings, trafficCityHours]),
    begins: [trafficReadings, trafficCityHours],
    rowsOf: archiveRows,
    first: (p, lake) => newestOf(rolledRows({ ...p, source: LIVE_SOURCE }, lake)),
    query: (p, lake, found) => {
      const { from, to, interval } = periodOf(p, lake)
      const since = rolledUntil(found, { from, to })
      const readings = scan(trafficReadings, { source: { eq: sourceOf(p.ciudad) }, observed_at: { gte: since, lt: to } })
      const steps = sql`
        SELECT
          ${p.ciudad} AS city,
          period_start,
          ${interval} AS "interval",
          source,
          period_s,
          sensors,
          readings,
          ${coverageOf(interval, sql`sensors`)} AS coverage,
          ${MEANS},
          ${shareOf('slow_readings')} AS slow_pct,
          ${shareOf('queues_readings')} AS queues_pct,
          ${shareOf('congestion_readings')} AS congestion_pct
        FROM (
          SELECT ${bucketStart(sql`period_start`, interval)} AS period_start, source, period_s, CAST(max(sensors) AS INTEGER) AS sensors, ${sumsOfSums}
          FROM (
            SELECT * FROM ${rolledRows(p, lake)}
            ${p.source === ARCHIVE_SOURCE ? sql`` : sql`UNION ALL BY NAME ${hoursOf(readings)}`}
          ) AS hours
          GROUP BY ALL
        )`
      return p.source === null ? ofOneSource(steps) : steps
    },
    subject: { of: trafficSensors, find: (_, { ciudad }) => CITIES.has(ciudad) },
  },
  example: { ciudad: 'madrid', from: dayFromToday(-1, '2024-02-25'), to: dayFromToday(1, '2024-02-26') },
})

const shareOf = (count: 'slow_readings' | 'queues_readings' | 'congestion_readings'): Sql =>
  sql`CAST(100 * ${outputName(count)} / nullif(level_readings, 0) AS DECIMAL(9, 2))`

interface Asked {
  readonly ciudad: string
  readonly source: string | null
  readonly time: Period
}

function periodOf({ time, source }: Asked, lake: LakeView): { from: number; to: number; interval: Bucket } {
  const { from, to, interval } = lake.period(time, SPAN_DAYS[time.interval as keyof typeof SPAN_DAYS], archiveEnd({ source }, lake))
  return { from, to, interval: interval as Bucket }
}

/** The hours of the period that are rolled up. */
function rolledRows(asked: Asked, lake: LakeView): Scan {
  const { from, to } = periodOf(asked, lake)
  const live = sourceOf(asked.ciudad)
  const sources = live === LIVE_SOURCE ? [LIVE_SOURCE, ARCHIVE_SOURCE] : [live]
  const wanted = asked.source === null ? sources : sources.filter((source) => source === asked.source)
  return scan(trafficCityHours, { source: { in: wanted }, period_start: { gte: from, lt: to } })
}

/** The hours that readings come to, as the roll-up has them. */
const hoursOf = (readings: Scan): Sql => sql`
  SELECT ${bucketStart(sql`observed_at`, '1h')} AS period_start, source, period_s,
    count(DISTINCT sensor_id) FILTER (WHERE quality <> 'ERROR') AS sensors, ${sumsOfReadings}
  FROM ${readings}
  GROUP BY ALL`
