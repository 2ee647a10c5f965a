import { ARCHIVE_SOURCE, DETECTOR_SOURCE, LIVE_SOURCE, readingsOfArchive } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficReadings, trafficReadings15m } from '../../../lake/datasets/road/traffic-readings.ts'
import { sumsOfReadings, trafficDays } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { type Scan, scan } from '../../../lake/query/scan.ts'
import { instant, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { field, maybe, meaning, optional } from '../../kernel/fields.ts'
import { bucketStart } from '../../kernel/reads/buckets.ts'
import { count, last, max, mean, meanFromSums, parameter, same, shareOfReadings, value } from '../../kernel/reads/figures.ts'
import { measuresParam, omitMeasures, series, steps } from '../../kernel/reads/series.ts'
import { seriesOf } from '../../kernel/reads/series-of.ts'
import { coverageField } from '../common-fields.ts'
import { serviceField, serviceSql } from './levels.ts'
import { SENSORS_PAGE, sensorId } from './sensors.ts'
import { followsLive, readingFigures, SOURCE_METHOD, sourceParam, trafficSources } from './traffic-steps.ts'

const { columns } = trafficReadings

/** Members selected with a measure. */
const MEASURES = {
  intensity_veh_h: ['intensity_veh_h', 'intensity_max_veh_h'],
  occupancy_pct: ['occupancy_pct'],
  load_pct: ['load_pct'],
  speed_kmh: ['speed_kmh'],
  headway_m: ['headway_m'],
  long_vehicles_pct: ['long_vehicles_pct'],
} as const

const points = series({
  name: 'TrafficHistoryPoint',
  about: 'One step of the series of a traffic sensor; source and period are never mixed in it.',
  example: ['2024-02-25T11:00:00.000Z', '1h'],
  periodStart: 'Begin of the step; with interval=raw the time of the reading, which for madrid is the end of its period.',
  fields: {
    source: columns.source,
    period_s: columns.period_s,
    readings: field.integer('Readings in the step, without those that the publisher marks as wrong.', '1', 12),
    coverage: coverageField('Share of the expected readings of the whole step that are present'),
    intensity_veh_h: maybe.decimal('Vehicles per hour, the mean of the step.', 'veh/h', 1, 90.5),
    intensity_max_veh_h: maybe.integer('Vehicles per hour, highest reading of the step.', 'veh/h', 240),
    occupancy_pct: maybe.decimal('Share of time that the sensor was occupied, the mean of the step.', '%', 1, 1.5),
    load_pct: maybe.decimal('Degree of use of the road, the mean of the step.', '%', 1, 3.2),
    speed_kmh: maybe.decimal('Mean speed; M-30 and interurban sensors only.', 'km/h', 1, null),
    headway_m: maybe.decimal('Mean distance between vehicles; DGT only.', 'm', 1, null),
    long_vehicles_pct: maybe.decimal('Share of long vehicles, the mean of the step; DGT only.', '%', 1, null),
    level_of_service: meaning(serviceField, 'State of traffic, in the vocabulary of all traffic; interval=raw only.'),
    quality: optional(columns.quality, 'Quality of the reading, as the publisher states; interval=raw only.'),
  },
  measures: MEASURES,
  key: ['source', 'period_s'],
})

const params = {
  id: sensorId,
  time: steps({ raw: 1, '15m': 1, '1h': 7, '1d': 31, '1w': 'all', '1mo': 'all', '1y': 'all' }, { initial: '15m' }),
  source: sourceParam,
  metrics: measuresParam('Only these measures; with `fields`, the members that both select, at least one.', MEASURES, {
    example: 'intensity_veh_h',
  }),
}

/** The series of one sensor. */
export const sensorHistory = defineEndpoint({
  path: '/api/trafico/sensores/{id}/historico',
  plan: 'PRO',
  summary: 'Series of one traffic sensor: raw, quarter of an hour, hour, day or longer',
  summary_es: 'Serie de un sensor de tráfico: en bruto, por hora, día o más',
  about: `${SOURCE_METHOD} Nothing is interpolated: a step without readings is absent. A step with only wrong readings (quality ERROR) has null measures and coverage 0.`,
  explained: SENSORS_PAGE,
  statistic: {
    grain: 'One sensor in one step, by source and period of its readings, which are never summed together; with interval=raw one reading.',
    method:
      'Means of the readings whose periods begin in the step and which the publisher does not mark as wrong, each counting once. The maximum intensity is that of one reading.',
  },
  params,
  returns: points,
  read: seriesOf({
    ...trafficSources,
    params,
    returns: points,
    of: trafficReadings,
    at: 'observed_at',
    where: { sensor_id: parameter('id'), source: parameter('source') },
    from: [trafficReadings, trafficReadings15m, trafficDays],
    reads: ({ source }) => [...(source === ARCHIVE_SOURCE ? [] : [trafficReadings]), trafficReadings15m, trafficDays],
    begins: [trafficReadings, trafficReadings15m, trafficDays],
    rows: readingsOf,
    rollup: {
      of: trafficDays,
      step: '1d',
      where: { sensor_id: parameter('id'), source: parameter('source') },
      watermark: { sensor_id: parameter('id'), source: [LIVE_SOURCE, DETECTOR_SOURCE] },
      follows: followsLive,
      make: (rows, { step }) => sql`
        SELECT ${bucketStart(sql`observed_at`, step)} AS period_start, source, period_s, ${sumsOfReadings}
        FROM ${rows}
        GROUP BY ALL`,
    },
    points: {
      fields: {
        source: same('source'),
        period_s: same('period_s'),
        readings: count(),
        coverage: value(null),
        intensity_veh_h: mean('intensity_veh_h'),
        intensity_max_veh_h: max('intensity_veh_h'),
        occupancy_pct: mean('occupancy_pct'),
        load_pct: mean('load_pct'),
        speed_kmh: mean('speed_kmh'),
        headway_m: mean('headway_m'),
        long_vehicles_pct: mean('long_vehicles_pct'),
        level_of_service: last('level_of_service', serviceSql),
        quality: last('quality'),
      },
    },
    fields: {
      ...readingFigures,
      headway_m: meanFromSums('headway_sum_m', 'headway_readings'),
      long_vehicles_pct: meanFromSums('long_vehicles_sum_pct', 'long_vehicles_readings'),
      coverage: shareOfReadings({ count: 'readings', each_s: 'period_s' }),
      intensity_max_veh_h: max('intensity_max_veh_h'),
      level_of_service: value(null),
      quality: value(null),
    },
    subject: {
      of: trafficSensors,
      where: { sensor_id: parameter('id') },
      // Sensors of former years are in no current catalogue. Days that are not rolled up yet are only in the archive.
      past: ({ id }) => {
        const [days, archived] = [trafficDays, trafficReadings15m].map((table) => scan(table, { sensor_id: { eq: id } })) as [Scan, Scan]
        return sql`(SELECT 1 AS one FROM ${days} LIMIT 1) UNION ALL (SELECT 1 AS one FROM ${archived} LIMIT 1)`
      },
    },
    omit: omitMeasures('metrics', MEASURES),
  }),
  example: { id: '3409', from: dayFromToday(-1, '2024-02-25'), to: dayFromToday(1, '2024-02-26'), interval: '1h' },
})

interface Asked {
  readonly id: string
  readonly source: string | null
}

/** The readings of a period (half-open, ms), from the requested source or from both. */
function readingsOf(live: SqlPart, { id, source }: Asked, { from, to }: { readonly from: number; readonly to: number }): SqlPart {
  if (source === LIVE_SOURCE || source === DETECTOR_SOURCE) return live
  const days = scan(trafficReadings15m, { sensor_id: { eq: id }, day_starts_at: { gte: dayBounds(madridDate(from)).start, lt: to } })
  const archive = sql`SELECT * FROM (${readingsOfArchive(days)}) AS archived WHERE observed_at >= ${instant(from)} AND observed_at < ${instant(to)}`
  return source === ARCHIVE_SOURCE ? sql`(${archive})` : sql`(SELECT * FROM ${live} UNION ALL BY NAME ${archive})`
}
