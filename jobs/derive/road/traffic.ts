import { READING_COLUMNS, readingsOfArchive } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficReadings, trafficReadings15m } from '../../../lake/datasets/road/traffic-readings.ts'
import {
  sumsOfReadings,
  sumsOfSums,
  trafficCityHours,
  trafficDays,
  trafficHours,
  trafficTypicalWeeks,
} from '../../../lake/datasets/road/traffic-roll-ups.ts'
import {
  archivedStates,
  sectionStates,
  sumsOfStates,
  trafficSectionHours,
  trafficSectionStates,
  trafficSectionStatesArchive,
} from '../../../lake/datasets/road/traffic-sections.ts'
import { activationsBySection, v16Beacons, v16Hours } from '../../../lake/datasets/road/v16.ts'
import { instant, type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { MADRID } from '../../../lake/schema/time.ts'
import { defineDerived } from '../define.ts'

const LOCAL = sql`timezone(${MADRID}, period_start)`

/**
 * Readings by sensor and hour, live and archived, each under its source. A month has 54 million readings: only ended days are
 * built, once a day.
 */
export const trafficHoursDerived = defineDerived({
  by: 'months',
  into: trafficHours,
  from: [trafficReadings, trafficReadings15m],
  fallbackInputs: [trafficReadings15m],
  revision: 3,
  watermark: 'day',
  isBySource: true,
  pieces: { by: ['source', 'sensor_id'], rows: 8_000_000 },
  isShared: true,
  rows: ({ month }, [readings, archive], { startOfHour }) => sql`
    SELECT ${month} AS month, source, sensor_id, period_s, period_start, max_by(sensor_type, observed_at) AS sensor_type, ${sumsOfReadings}
    FROM (
      SELECT *, ${startOfHour(sql`observed_at`)} AS period_start
      FROM (SELECT ${READING_COLUMNS} FROM ${readings as SqlPart} UNION ALL ${readingsOfArchive(archive as SqlPart)})
    )
    GROUP BY source, sensor_id, period_s, period_start`,
})

/** The same by day. */
export const trafficDaysDerived = defineDerived({
  by: 'months',
  into: trafficDays,
  from: [trafficHours],
  revision: 1,
  rows: ({ month }, [hours]) => sql`
    SELECT ${month} AS month, source, sensor_id, period_s, timezone(${MADRID}, CAST(date AS TIMESTAMP)) AS period_start, date,
      arg_max(sensor_type, hour_start) AS sensor_type, ${sumsOfSums}
    FROM (SELECT * RENAME (period_start AS hour_start), CAST(${LOCAL} AS DATE) AS date FROM ${hours as SqlPart})
    GROUP BY source, sensor_id, period_s, date`,
})

/** The hours of all sensors of a source. */
export const trafficCityHoursDerived = defineDerived({
  by: 'months',
  into: trafficCityHours,
  from: [trafficHours],
  revision: 1,
  rows: ({ month }, [hours]) => sql`
    SELECT ${month} AS month, source, period_s, period_start, CAST(count(*) FILTER (WHERE readings > 0) AS INTEGER) AS sensors, ${sumsOfSums}
    FROM ${hours as SqlPart}
    GROUP BY source, period_s, period_start`,
})

/** Typical values of each hour of the week. */
export const trafficTypicalWeeksDerived = defineDerived({
  by: 'months',
  into: trafficTypicalWeeks,
  from: [trafficHours],
  revision: 1,
  rows: ({ month, from }, [hours]) => sql`
    SELECT ${month} AS month, ${instant(from)} AS period_start, source, sensor_id, period_s, weekday_iso, hour_local,
      CAST(count(*) AS INTEGER) AS hours,
      CAST(avg(mean) AS DECIMAL(9, 1)) AS intensity_mean_veh_h,
      ${quantile(0.1)} AS intensity_p10_veh_h,
      ${quantile(0.5)} AS intensity_median_veh_h,
      ${quantile(0.9)} AS intensity_p90_veh_h
    FROM (
      SELECT source, sensor_id, period_s, CAST(isodow(${LOCAL}) AS INTEGER) AS weekday_iso, CAST(hour(${LOCAL}) AS INTEGER) AS hour_local,
        CAST(intensity_sum_veh_h / intensity_readings AS DECIMAL(9, 1)) AS mean
      FROM ${hours as SqlPart}
      WHERE intensity_readings > 0
    )
    GROUP BY source, sensor_id, period_s, weekday_iso, hour_local`,
})

const quantile = (share: number): Sql => sql`quantile_disc(mean, ${share})`

/** States of a city's street sections by hour, live and archived, each under its source. */
export const trafficSectionHoursDerived = defineDerived({
  by: 'months',
  into: trafficSectionHours,
  from: [trafficSectionStates, trafficSectionStatesArchive],
  fallbackInputs: [trafficSectionStatesArchive],
  revision: 2,
  watermark: 'day',
  isBySource: true,
  rows: ({ month }, [live, archive]) => sql`
    SELECT ${month} AS month, source, period_s, time_bucket(INTERVAL 1 HOUR, observed_at) AS period_start, ${sumsOfStates}
    FROM (${sectionStates(live as SqlPart)} UNION ALL BY NAME ${archivedStates(archive as SqlPart)})
    GROUP BY source, period_s, period_start`,
})

/** Activations by road section and hour. */
export const v16HoursDerived = defineDerived({
  by: 'months',
  into: v16Hours,
  from: [v16Beacons],
  revision: 1,
  watermark: 'day',
  allowedLateness_days: 1,
  rows: (span, [beacons]) => sql`SELECT ${span.month} AS month, * FROM (${activationsBySection(beacons as SqlPart, span)})`,
})
