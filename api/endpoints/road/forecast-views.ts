import { corridorHours } from '../../../lake/datasets/mobility/corridors.ts'
import { DETECTOR_SOURCE, LIVE_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficCountStations, trafficCountsHourly } from '../../../lake/datasets/road/traffic-counts.ts'
import { trafficForecasts } from '../../../lake/datasets/road/traffic-forecasts.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { sumsOfReadings, trafficHours, trafficTypicalWeeks } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { detectorCorridors } from '../../../lake/places/corridors.ts'
import { madridHolidays } from '../../../lake/places/holidays.ts'
import { rowsByStart, timesOfSpan } from '../../../lake/query/intervals.ts'
import { scan } from '../../../lake/query/scan.ts'
import { bindList, type Sql, sql } from '../../../lake/query/sql.ts'
import type { RowOf } from '../../../lake/schema/columns.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant, madridDate } from '../../../lake/schema/time.ts'
import { LEAST_DAYS, LEAST_TYPICAL_DAYS } from '../../../models/traffic/fit.ts'
import { LIVE_MODELS } from '../../../models/traffic/live-models.ts'
import type { MemoryAsk } from '../../kernel/endpoint.ts'
import { field, maybe, pick } from '../../kernel/fields.ts'
import { InvalidParam, type Problem, problem } from '../../kernel/problems.ts'
import { defineCachedQuery, distinctValues } from '../../kernel/reads/cached-query.ts'
import { noDataYet } from '../../kernel/reads/no-data.ts'
import { nearest } from '../../kernel/reads/suggest.ts'
import { LEAST_WEEKS, windowBefore } from './typical.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Kind of series: a sensor, a count station or a corridor. */
export type SeriesKind = Row<typeof trafficForecasts>['series_kind']

const { columns } = trafficForecasts
const veh = (about: string) => maybe.decimal(about, 'veh/h', 1)

const heatColumns = {
  direction: columns.direction,
  source: field.text('Source.'),
  ...pick(trafficTypicalWeeks.columns, 'period_s', 'month', 'weekday_iso', 'hour_local', 'hours'),
  intensity_veh_h: veh('Median.'),
  intensity_p10_veh_h: veh('Tenth.'),
  intensity_p90_veh_h: veh('Nine tenths.'),
} as const

const comparedColumns = {
  direction: columns.direction,
  source: field.text('Source.'),
  period_s: trafficTypicalWeeks.columns.period_s,
  starts_at: columns.starts_at,
  hour_local: columns.hour_local,
  hours: field.integer('Hours.', '1'),
  weeks: field.integer('Weeks.', '1'),
  intensity_veh_h: veh('Measured.'),
  baseline: veh('Median.'),
  intensity_p10_veh_h: veh('Tenth.'),
  intensity_p90_veh_h: veh('Nine tenths.'),
} as const

/** Usual values at an hour of the week in a month. */
type HeatHour = RowOf<typeof heatColumns>

/** Measured and typical values of an hour: null, with the number of hours and weeks, if there are too few. */
export type ComparedHour = RowOf<typeof comparedColumns>

/** All forecasts, in the default order of replies. */
export const trafficForecastRows = defineCachedQuery<readonly Row<typeof trafficForecasts>[]>({
  name: 'traffic forecasts',
  from: [trafficForecasts],
  read: ({ all }) => all(sql`SELECT * FROM ${scan(trafficForecasts)} ORDER BY starts_at, series_kind, series_id, direction`),
})

/** Hours of corridors and count stations in one form, without hours that are no count or that the clock repeats. */
function hoursOf(kind: SeriesKind, id: string, days: { readonly gte?: number; readonly lt: number }): Sql {
  if (kind === 'CORRIDOR')
    return sql`
      SELECT CAST(NULL AS VARCHAR) AS direction, source, period_s, month, local_date, hour_local, period_start AS starts_at, intensity_mean_veh_h AS intensity
      FROM ${scan(corridorHours, { corridor_id: { eq: id }, period_start: days })}`
  return sql`
    SELECT direction, source, 3600 AS period_s, month, local_date, hour AS hour_local, starts_at, CAST(vehicles AS DECIMAL(9, 1)) AS intensity
    FROM ${scan(trafficCountsHourly, { station_id: { eq: id }, day_starts_at: days })}
    WHERE quality = 'OK' AND starts_at IS NOT NULL`
}

const QUANTILES = sql`
  quantile_disc(intensity, 0.1) AS intensity_p10_veh_h,
  quantile_disc(intensity, 0.9) AS intensity_p90_veh_h`

/**
 * Usual values at each hour of the week, in the newest complete month before the given one, by `[kind, id, that month]` as
 * JSON.
 */
export const heatmaps = defineCachedQuery<readonly HeatHour[]>({
  name: 'hours of the week of traffic',
  from: [trafficTypicalWeeks, corridorHours, trafficCountsHourly],
  maxEntries: 500,
  read: async (reader, key) => {
    const [kind, id, month] = JSON.parse(key) as [SeriesKind, string, string]
    const newest = sql`QUALIFY dense_rank() OVER (ORDER BY source = ${LIVE_SOURCE} DESC, month DESC, period_s) = 1`
    if (kind === 'SENSOR')
      return reader.all<HeatHour>(
        sql`
          SELECT CAST(NULL AS VARCHAR) AS direction, source, period_s, month, weekday_iso, hour_local, hours,
            intensity_median_veh_h AS intensity_veh_h, intensity_p10_veh_h, intensity_p90_veh_h
          FROM ${scan(trafficTypicalWeeks, { sensor_id: { eq: id }, month: { lt: month } })}
          ${newest}
          ORDER BY weekday_iso, hour_local`,
        heatColumns,
      )
    return reader.all<HeatHour>(
      sql`
        SELECT direction, source, period_s, month, CAST(isodow(local_date) AS INTEGER) AS weekday_iso, hour_local,
          CAST(count(*) AS INTEGER) AS hours, quantile_disc(intensity, 0.5) AS intensity_veh_h, ${QUANTILES}
        FROM (SELECT * FROM (${hoursOf(kind, id, { lt: dayBounds(`${month}-01`).start })}) ${newest})
        GROUP BY ALL
        ORDER BY direction, weekday_iso, hour_local`,
      heatColumns,
    )
  },
})

/** Hours of the newest day of a corridor or count station with their typical values, by `[kind, id, tomorrow]` as JSON. */
export const comparedDays = defineCachedQuery<readonly ComparedHour[]>({
  name: 'newest day of traffic against what is typical',
  from: [corridorHours, trafficCountsHourly],
  maxEntries: 200,
  read: async (reader, key) => {
    const [kind, id, tomorrow] = JSON.parse(key) as [SeriesKind, string, string]
    const until = { lt: dayBounds(tomorrow).start }
    const newest = sql`
      SELECT CAST(local_date AS DATE) AS date, source, period_s FROM (${hoursOf(kind, id, until)})
      ORDER BY source = ${LIVE_SOURCE} DESC, local_date DESC, period_s LIMIT 1`
    const dated = { date: field.date(''), source: comparedColumns.source, period_s: comparedColumns.period_s }
    const [last] = await reader.all<{ date: string; source: string; period_s: number }>(newest, dated)
    if (!last) return []
    const { gte } = windowBefore(last.date)
    const years = [...new Set([madridDate(gte), last.date].map((day) => Number(day.slice(0, 4))))]
    const holidays = bindList('local_date', corridorHours.columns.local_date, years.flatMap(madridHolidays))
    const day = bindList('local_date', corridorHours.columns.local_date, [last.date])
    return reader.all<ComparedHour>(
      sql`
        WITH
          hours AS (
            SELECT *, CASE WHEN isodow(local_date) = 7 OR local_date IN ${holidays} THEN 7 WHEN isodow(local_date) = 6 THEN 6 ELSE 1 END AS kind
            FROM (${hoursOf(kind, id, { gte, lt: dayBounds(last.date).end })})
            WHERE source = ${last.source} AND period_s = ${last.period_s}
          ),
          typical AS (
            SELECT direction, kind, hour_local, CAST(count(*) AS INTEGER) AS hours,
              CAST(count(DISTINCT date_trunc('week', local_date)) AS INTEGER) AS weeks, quantile_disc(intensity, 0.5) AS baseline, ${QUANTILES}
            FROM hours
            WHERE local_date NOT IN ${day}
            GROUP BY ALL
          )
        SELECT hours.direction, source, period_s, starts_at, hours.hour_local, coalesce(typical.hours, 0) AS hours, coalesce(weeks, 0) AS weeks,
          intensity AS intensity_veh_h,
          CASE WHEN weeks >= ${LEAST_WEEKS} THEN baseline END AS baseline,
          CASE WHEN weeks >= ${LEAST_WEEKS} THEN intensity_p10_veh_h END AS intensity_p10_veh_h,
          CASE WHEN weeks >= ${LEAST_WEEKS} THEN intensity_p90_veh_h END AS intensity_p90_veh_h
        FROM hours LEFT JOIN typical
          ON typical.direction IS NOT DISTINCT FROM hours.direction AND typical.kind = hours.kind AND typical.hour_local = hours.hour_local
        WHERE local_date IN ${day}
        ORDER BY starts_at, direction`,
      comparedColumns,
    )
  },
})

const measuredColumns = {
  ...pick(comparedColumns, 'source', 'period_s', 'starts_at'),
  intensity_veh_h: veh('Mean.'),
} as const

/** A past hour of a sensor. */
type MeasuredHour = RowOf<typeof measuredColumns>

/**
 * The newest finished hour of a sensor, at least half measured, in the day before an instant, by `[id, that instant]` as JSON;
 * empty without one.
 */
export const measuredHours = defineCachedQuery<readonly MeasuredHour[]>({
  name: 'newest hour of a traffic sensor',
  from: [trafficReadings],
  maxEntries: 500,
  read: async (reader, key) => {
    const [id, until] = JSON.parse(key) as [string, number]
    const day = { from: until - DAY_MS, to: until }
    const readings = scan(trafficReadings, { sensor_id: { eq: id }, observed_at: timesOfSpan(trafficReadings, day) })
    return reader.all<MeasuredHour>(
      sql`
        SELECT source, period_s, starts_at, CAST(intensity_sum_veh_h / nullif(intensity_readings, 0) AS DECIMAL(9, 1)) AS intensity_veh_h
        FROM (
          SELECT source, period_s, time_bucket(INTERVAL 1 HOUR, observed_at) AS starts_at, ${sumsOfReadings}
          FROM ${rowsByStart(trafficReadings, readings, day)}
          GROUP BY ALL
        )
        WHERE intensity_readings * period_s >= 1800
        ORDER BY starts_at DESC, source, period_s
        LIMIT 1`,
      measuredColumns,
    )
  },
})

/** By kind of id: what it identifies, the parameter and path that list it, and the existing ids. */
const LISTED = {
  SENSOR: {
    what: 'the id of a traffic sensor',
    parameter: 'sensor',
    path: '/api/trafico/sensores',
    ids: distinctValues({ name: 'ids of traffic sensors', dataset: trafficSensors, column: 'sensor_id' }),
  },
  COUNT_STATION: {
    what: 'the id of a count station',
    parameter: 'station',
    path: '/api/movilidad/estaciones',
    ids: distinctValues({ name: 'ids of count stations', dataset: trafficCountStations, column: 'station_id' }),
  },
} as const

const detectorIds = distinctValues({
  ...{ name: 'ids of traffic detectors', dataset: trafficSensors, column: 'sensor_id' },
  filter: { source: { eq: DETECTOR_SOURCE } },
})

/** What the models forecast, and what each waits for before it has any forecast. */
const MODELS = {
  traffic_counts: { of: 'count stations', step: `${LEAST_DAYS} days of counts, which a model needs for its first fit` },
  traffic: { of: 'live sensors and corridors', step: `${LEAST_DAYS} days of live readings, which a model needs for its first fit` },
  traffic_detectors: {
    of: 'detectors and access roads',
    step: `${LEAST_TYPICAL_DAYS} days of readings of detectors on the road, after which typical values are served; a model needs ${LEAST_DAYS} for its first fit, and DGT publishes no archive`,
  },
} as const

/** The problem that all forecasts are for past hours: their input data is late, or only arrives as an archive. */
export function noneAhead(all: readonly { readonly starts_at: number | null }[]): Problem {
  const newest = isoInstant(Math.max(...new Set(all.map(({ starts_at }) => starts_at as number))))
  return problem(
    'feed-unavailable',
    `There is no forecast of a future hour: the newest is of ${newest}. sensor, station or corridor return those of one series, past or future.`,
  )
}

/** Source datasets of the views. */
const MISSING = { forecast: [trafficForecasts], heatmap: [trafficTypicalWeeks], comparison: [trafficHours, trafficCountsHourly] } as const

/** By view: the missing result of a series, and the data that it waits for. */
const WITHOUT = {
  forecast: () => ['It has no forecast', 'more hours of it than were measured in the weeks that forecasts look at'],
  heatmap: () => ['It has no usual values', 'hours of it in a month that is over'],
  comparison: (kind: SeriesKind) =>
    kind === 'SENSOR'
      ? ['There is nothing to compare', 'an hour in the last 24 hours that is at least half measured']
      : ['There is nothing to compare', 'the first hour of it'],
} as const satisfies Record<string, (kind: SeriesKind) => readonly [what: string, step: string]>

/**
 * Explains why a series has no forecasts: the id is unknown, no model is published yet (no forecasts of its kind, `of`, at
 * all), or another reason. An empty list would mean that no traffic is expected.
 */
export async function noneOf(
  { optional: extra }: Pick<MemoryAsk<readonly []>, 'optional'>,
  {
    kind,
    id,
    view,
    source = null,
    of = [],
  }: {
    readonly kind: SeriesKind
    readonly id: string
    readonly view: keyof typeof WITHOUT
    /** Source that a list is limited to. */
    readonly source?: string | null
    readonly of?: readonly { readonly model: string | null }[]
  },
): Promise<never> {
  if (id !== '' && kind !== 'CORRIDOR') {
    const { what, parameter, path, ids } = LISTED[kind as 'SENSOR' | 'COUNT_STATION']
    const known = await extra(ids, '')
    // Data that cannot be read now does not reject an id.
    if (known?.size && !known.has(id))
      throw new InvalidParam(`expected ${what}, as ${path} lists them`, { parameter, value: id, near: () => nearest(id, known) })
  }
  const isDetector =
    source === DETECTOR_SOURCE ||
    (kind === 'CORRIDOR' && detectorCorridors().some((one) => one.id === id && one.basis.source === DETECTOR_SOURCE)) ||
    (kind === 'SENSOR' && id !== '' && (await extra(detectorIds, ''))?.has(id) === true)
  const model = kind === 'COUNT_STATION' ? 'traffic_counts' : isDetector ? LIVE_MODELS.traffic_detectors.id : LIVE_MODELS.traffic.id
  const stands = of.some((one) => one.model === model)
  if (view !== 'forecast' || (id !== '' && stands)) {
    const [what, step] = WITHOUT[view](kind)
    throw noDataYet(`${id}: ${what}`, { missing: MISSING[view], waits_for: [step] })
  }
  const isAny = id === '' && source === null
  const what = isAny ? 'There are no forecasts yet' : `There are no forecasts of ${MODELS[model].of} yet`
  const step = isAny ? `${LEAST_DAYS} days of counts, or of live readings, which a model needs for its first fit` : MODELS[model].step
  throw noDataYet(`${what} (/api/prediccion/modelos${isAny ? '' : `?model=${model}`})`, {
    missing: MISSING.forecast,
    waits_for: [step],
  })
}
