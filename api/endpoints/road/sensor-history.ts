import { ARCHIVE_SOURCE, LIVE_SOURCE, readingsOfArchive } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficDays } from '../../../lake/datasets/road/traffic-days.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficReadings15m } from '../../../lake/datasets/road/traffic-readings-15m.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { sumsOfReadings, sumsOfSums } from '../../../lake/datasets/road/traffic-sums.ts'
import { type Scan, scan } from '../../../lake/query/scan.ts'
import { column, instant, join, type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { type Bucket, bucketStart } from '../../define/buckets.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { dayFromToday } from '../../define/example.ts'
import { meaning, optional, record } from '../../define/fields.ts'
import type { LakeView } from '../../define/lake-view.ts'
import { listOf, oneOf } from '../../define/params.ts'
import { type Interval, type Period, timeParams } from '../../define/params-time.ts'
import { newestOf, rolledUntil } from '../../define/rolled.ts'
import { coverageField } from '../tail.ts'
import { sensorId } from './sensors.ts'
import { archiveEnd, archiveRows, coverageOf, MEANS, ofOneSource, SOURCE_METHOD, sourceParam } from './traffic-steps.ts'

const { columns } = trafficReadings
const INTERVALS = ['raw', '15m', '1h', '1d', '1w', '1mo', '1y'] as const
/** What is measured. */
const METRICS = ['intensity_veh_h', 'occupancy_pct', 'load_pct', 'speed_kmh'] as const

const point = record('TrafficHistoryPoint', 'One step of the series of a traffic sensor; source and period are never mixed in it.', {
  period_start: col.instant(0, 'Begin of the step; with interval=raw the time of the reading.', { example: '2024-02-25T11:00:00.000Z' }),
  interval: col.string(0, 'Length of the step.', { example: '1h' }),
  source: columns.source,
  period_s: columns.period_s,
  readings: col.integer(0, 'Readings in the step, those left out that the publisher itself calls wrong.', { unit: '1', example: 12 }),
  coverage: coverageField('Share of the readings expected in the whole step that are there'),
  intensity_veh_h: col.decimal(0, 'Vehicles per hour, the mean of the step.', { scale: 1, unit: 'veh/h', nullable: true, example: 90.5 }),
  intensity_max_veh_h: col.integer(0, 'Vehicles per hour, the greatest reading of the step.', {
    unit: 'veh/h',
    nullable: true,
    example: 240,
  }),
  occupancy_pct: col.decimal(0, 'Share of time that the sensor was occupied, the mean of the step.', {
    scale: 1,
    unit: '%',
    nullable: true,
    example: 1.5,
  }),
  load_pct: col.decimal(0, 'Degree of use of the road, the mean of the step.', { scale: 1, unit: '%', nullable: true, example: 3.2 }),
  speed_kmh: col.decimal(0, 'Mean speed; M-30 and interurban sensors only.', { scale: 1, unit: 'km/h', nullable: true, example: null }),
  level_of_service: meaning(columns.level_of_service, 'State of traffic as published; interval=raw only.'),
  quality: optional(columns.quality, 'Quality that the publisher gives the reading; interval=raw only.'),
})

const c = (name: keyof typeof columns): Sql => column(trafficReadings, name)

/** The series of one sensor. */
export const sensorHistory = defineEndpoint({
  path: '/api/trafico/sensores/{id}/historico',
  domain: 'road',
  plan: 'PRO',
  summary: 'Series of one traffic sensor: raw, or per quarter of an hour, hour, day or longer',
  about:
    `${SOURCE_METHOD} ` +
    'From the lake, which follows the live state by at most ten minutes: `meta.covered_until` says how far. Nothing is interpolated: a step without readings is absent, one whose readings are all called wrong by the publisher (quality ERROR) has null measures and coverage 0. Days and longer steps are of the readings rolled up by day, and of the live ones since. Sensors that were once there have a series, too: where each stood at the time is told by the editions of the dataset `traffic_sensor_editions`, whose description says how readings are joined to them.',
  figure: {
    grain: 'One sensor in one step, by source and period of its readings, which are never summed together; with interval=raw one reading.',
    method:
      'Means of the readings of the step that the publisher does not call wrong, each counting once; the greatest intensity is that of one reading.',
  },
  params: {
    id: sensorId,
    time: timeParams(INTERVALS, { interval: '15m', span: '1 day (raw, 15m), 7 days (1h), 31 days (1d) or all (longer)' }),
    source: sourceParam,
    metrics: listOf(
      oneOf('Only these measures; with `fields`, the members that both leave, of which there has to be one.', METRICS, {
        example: 'intensity_veh_h',
      }),
    ),
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
    from: [trafficReadings, trafficReadings15m, trafficDays],
    fromOf: ({ source }) =>
      source === ARCHIVE_SOURCE ? [trafficReadings15m, trafficDays] : [trafficReadings, trafficReadings15m, trafficDays],
    begins: [trafficReadings, trafficReadings15m, trafficDays],
    rowsOf: archiveRows,
    first: (p, lake) => (isOfDays(p.time.interval) ? newestOf(rolledRows({ ...p, source: LIVE_SOURCE }, lake)) : null),
    query: (p, lake, found) => {
      const { from, to, interval } = lake.period(p.time, SPAN_DAYS[p.time.interval], archiveEnd(p, lake))
      const live = (begin: number): Scan => scan(trafficReadings, { sensor_id: { eq: p.id }, observed_at: { gte: begin, lt: to } })
      if (interval === 'raw') return ofAsked(p, sql`SELECT ${rawColumns} FROM ${readingsOf(p, live(from), { from, to })}`)
      if (!isOfDays(interval)) return ofAsked(p, stepsOf(sumsOf(readingsOf(p, live(from), { from, to }), interval), interval))
      // Days that are over are rolled up, what came since is not.
      const sums = sql`
        SELECT ${bucketStart(sql`period_start`, interval)} AS period_start, source, period_s, ${sumsOfSums}
        FROM (
          SELECT * FROM ${rolledRows(p, lake)}
          ${p.source === ARCHIVE_SOURCE ? sql`` : sql`UNION ALL BY NAME ${sumsOf(live(rolledUntil(found, { from, to })), '1d')}`}
        ) AS days
        GROUP BY ALL`
      return ofAsked(p, stepsOf(sums, interval))
    },
    subject: {
      of: trafficSensors,
      find: (state, { id }) => state.rows.some((row) => (row as unknown as { sensor_id: string }).sensor_id === id),
      // Sensors of former years are in no catalogue of today; days of them that are not rolled up yet are in the archive alone.
      past: ({ id }) => {
        const [days, archived] = [trafficDays, trafficReadings15m].map((table) => scan(table, { sensor_id: { eq: id } })) as [Scan, Scan]
        return sql`(SELECT 1 AS one FROM ${days} LIMIT 1) UNION ALL (SELECT 1 AS one FROM ${archived} LIMIT 1)`
      },
    },
    omit: {
      by: 'metrics',
      fields: ({ metrics }) => (metrics ? METRICS.filter((name) => !metrics.includes(name)).flatMap((name) => OMITTED[name]) : []),
    },
  },
  example: { id: '3409', from: dayFromToday(-1, '2024-02-25'), to: dayFromToday(1, '2024-02-26'), interval: '1h' },
})

/** Width of the period where no begin is given, in days. */
const SPAN_DAYS = { raw: 1, '15m': 1, '1h': 7, '1d': 31, '1w': 'all', '1mo': 'all', '1y': 'all' } as const

/** Members that go with a measure. */
const OMITTED = {
  intensity_veh_h: ['intensity_veh_h', 'intensity_max_veh_h'],
  occupancy_pct: ['occupancy_pct'],
  load_pct: ['load_pct'],
  speed_kmh: ['speed_kmh'],
} as const

const rawColumns = join([
  sql`${c('observed_at')} AS period_start`,
  sql`'raw' AS "interval"`,
  sql`${c('source')} AS source`,
  sql`${c('period_s')} AS period_s`,
  sql`1 AS readings`,
  sql`NULL AS coverage`,
  ...METRICS.map((name) => sql`${c(name)}`),
  sql`${c('intensity_veh_h')} AS intensity_max_veh_h`,
  sql`${c('level_of_service')}`,
  sql`${c('quality')}`,
])

interface Asked {
  readonly id: string
  readonly source: string | null
  readonly time: Period
}

/** The days of the period that are rolled up, where days are steps or parts of them. */
function rolledRows({ id, time, source }: Asked, lake: LakeView): Scan {
  const { from, to } = lake.period(time, SPAN_DAYS[time.interval], archiveEnd({ source }, lake))
  const ofSource = source === null ? {} : { source: { eq: source } }
  return scan(trafficDays, { ...ofSource, sensor_id: { eq: id }, period_start: { gte: from, lt: to } })
}

/** The steps as they are where their source is asked for, else those of one source. */
function ofAsked({ source }: Asked, steps: Sql): Sql {
  return source === null ? ofOneSource(steps) : steps
}

/** The readings of a period (ms, half-open), of the source that is asked for or of both. */
function readingsOf({ id, source }: Asked, live: Scan, { from, to }: { readonly from: number; readonly to: number }): SqlPart {
  if (source === LIVE_SOURCE) return live
  const days = scan(trafficReadings15m, { sensor_id: { eq: id }, day_starts_at: { gte: dayBounds(madridDate(from)).start, lt: to } })
  const archive = sql`SELECT * FROM (${readingsOfArchive(days)}) AS archived WHERE observed_at >= ${instant(from)} AND observed_at < ${instant(to)}`
  return source === ARCHIVE_SOURCE ? sql`(${archive})` : sql`(SELECT * FROM ${live} UNION ALL BY NAME ${archive})`
}

/** True for steps of whole days. */
function isOfDays(interval: Interval): boolean {
  return interval !== 'raw' && interval !== '15m' && interval !== '1h'
}

/** Means per step. Readings that the publisher calls wrong are left out of every figure; coverage counts what is left, a step of them alone has none. */
function stepsOf(sums: Sql, interval: Bucket): Sql {
  return sql`
    SELECT
      period_start,
      ${interval} AS "interval",
      source,
      period_s,
      readings,
      ${coverageOf(interval, 1)} AS coverage,
      ${MEANS},
      intensity_max_veh_h,
      NULL AS level_of_service,
      NULL AS quality
    FROM (${sums})`
}

/** What readings come to in each step. */
function sumsOf(rows: SqlPart, interval: Bucket): Sql {
  return sql`
    SELECT ${bucketStart(c('observed_at'), interval)} AS period_start, source, period_s, ${sumsOfReadings}
    FROM ${rows}
    GROUP BY ALL`
}
