import { imdDetectorMonths, imdRoads, imdSections } from '../../../lake/datasets/mobility/imd.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { DETECTOR_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficDays } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { scan } from '../../../lake/query/scan.ts'
import { instant, type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { dayBounds, MADRID } from '../../../lake/schema/time.ts'
import { type DerivedPart, defineDerived } from '../define.ts'
import { CATALOGUE_MS, lanesOf } from './lanes.ts'

const YEAR = /^\d{4}$/

/** Daily traffic of roads by year, with the change from the previous year. */
export const imdRoadsDerived = defineDerived({
  by: 'versions',
  into: imdRoads,
  from: [imdSections],
  revision: 1,
  parts: yearPairs,
  rows: roadsOf,
})

/** Each year, paired with the previous one if it exists. */
function yearPairs(editions: readonly string[]): DerivedPart[] {
  const years = editions.filter((edition) => YEAR.test(edition)).sort()
  return years.map((version) => {
    const before = String(Number(version) - 1)
    return { version, from: years.includes(before) ? [before, version] : [version] }
  })
}

/** The usable sections of an edition, each once: a section published in parts is one. */
function sectionsOf(edition: string): Sql {
  return sql`
    SELECT road, coalesce(province_code, '00') AS province_code, section_id, count(*) AS parts,
      count(*) FILTER (WHERE veh_km_check = 'DIFFERS') AS differing,
      sum(length_km) AS length_km, sum(veh_km) AS veh_km, CASE WHEN bool_and(veh_km_heavy IS NOT NULL) THEN sum(veh_km_heavy) END AS veh_km_heavy,
      max(year_days) AS year_days
    FROM ${scan(imdSections, { edition: { eq: edition } })}
    WHERE veh_km IS NOT NULL AND length_km > 0
    GROUP BY ALL`
}

/** Mean daily vehicles of some sections. */
const meanOf = (of: Sql): Sql =>
  sql`CAST(CAST(sum(${of}.veh_km) AS DOUBLE) / nullif(CAST(sum(${of}.length_km * ${of}.year_days) AS DOUBLE), 0) AS DECIMAL(9, 1))`

function roadsOf({ version, from }: DerivedPart): Sql {
  const before = from.length === 2 ? (from[0] as string) : null
  const previous = before === null ? sql`SELECT * FROM now WHERE false` : sectionsOf(before)
  return sql`
    WITH now AS MATERIALIZED (${sectionsOf(version)}),
    before AS MATERIALIZED (${previous}),
    without AS (
      SELECT road, coalesce(province_code, '00') AS province_code, CAST(count(*) AS INTEGER) AS sections_without
      FROM ${scan(imdSections, { edition: { eq: version } })}
      WHERE veh_km IS NULL OR length_km = 0
      GROUP BY ALL
    ),
    roads AS (
      SELECT road, province_code,
        CAST(sum(parts) AS INTEGER) AS sections,
        CAST(sum(differing) AS INTEGER) AS sections_differing,
        CAST(sum(length_km) AS DECIMAL(9, 3)) AS length_km,
        max(year_days) AS year_days,
        CAST(sum(veh_km) AS DECIMAL(15, 1)) AS veh_km,
        ${meanOf(sql`now`)} AS imd,
        CASE WHEN bool_and(veh_km_heavy IS NOT NULL)
          THEN CAST(100 * CAST(sum(veh_km_heavy) AS DOUBLE) / nullif(CAST(sum(veh_km) AS DOUBLE), 0) AS DECIMAL(9, 2)) END AS heavy_share_pct
      FROM now
      GROUP BY road, province_code
    ),
    matched AS (
      SELECT now.road, now.province_code, CAST(count(*) AS INTEGER) AS matched_sections,
        CAST(sum(now.length_km) AS DECIMAL(9, 3)) AS matched_length_km,
        ${meanOf(sql`now`)} AS matched_imd,
        ${meanOf(sql`before`)} AS previous_imd,
        CAST(100 * (
          CAST(sum(now.veh_km) AS DOUBLE) / sum(now.length_km * now.year_days)
          / nullif(CAST(sum(before.veh_km) AS DOUBLE) / sum(before.length_km * before.year_days), 0) - 1
        ) AS DECIMAL(9, 2)) AS change_pct
      FROM now
      JOIN before USING (section_id)
      GROUP BY now.road, now.province_code
    )
    SELECT ${version} AS edition, ${Number(version)} AS year, ${instant(dayBounds(`${version}-01-01`).start)} AS year_starts_at, roads.*,
      coalesce(sections_without, 0) AS sections_without, coalesce(matched_sections, 0) AS matched_sections,
      matched_length_km, matched_imd, previous_imd, change_pct
    FROM roads
    LEFT JOIN without USING (road, province_code)
    LEFT JOIN matched USING (road, province_code)`
}

/** Share of a day that has to be measured for it to be whole. */
const LEAST_OF_DAY = 0.9

/**
 * Whole days of roads by direction. A point counts on a day if all its lanes report; slip roads and bus lanes are not lanes of
 * the road. A lane's vehicles are its mean reading times the hours of the day (23 or 25 at clock changes).
 */
export const imdDetectorMonthsDerived = defineDerived({
  by: 'months',
  into: imdDetectorMonths,
  from: [trafficDays, trafficSensors],
  sources: [dgt],
  revision: 1,
  reads: ({ from, to }) => ({ from: from - CATALOGUE_MS, to }),
  rows: ({ month, from }, [days, sensors]) => sql`
    WITH
      lanes AS (${lanesOf(sensors as SqlPart)}),
      measured AS (
        SELECT *, epoch(timezone(${MADRID}, CAST(date + INTERVAL 1 DAY AS TIMESTAMP)) - timezone(${MADRID}, CAST(date AS TIMESTAMP))) AS day_s
        FROM ${days as SqlPart}
        WHERE source = ${DETECTOR_SOURCE} AND month = ${month}
      ),
      whole AS (
        SELECT lanes.*, date, CAST(intensity_sum_veh_h AS DOUBLE) / intensity_readings * day_s / 3600 AS vehicles,
          coalesce(long_vehicles_readings, 0) AS long_readings, coalesce(long_vehicles_sum_pct, 0) AS long_sum
        FROM measured JOIN lanes USING (sensor_id)
        WHERE intensity_readings * period_s >= ${LEAST_OF_DAY} * day_s AND intensity_sum_veh_h > 0
      ),
      points AS (
        SELECT road, province_code, direction, km, date, count(*) AS lane_days, sum(vehicles) AS vehicles,
          sum(long_readings) AS long_readings, sum(long_sum) AS long_sum
        FROM whole
        GROUP BY road, province_code, direction, km, date, point_sensors
        HAVING count(*) = point_sensors
      ),
      listed AS (SELECT road, province_code, direction, CAST(count(*) AS INTEGER) AS lanes FROM lanes GROUP BY ALL)
    SELECT ${month} AS month, ${instant(from)} AS period_start, road, province_code, direction,
      CAST(count(DISTINCT km) AS INTEGER) AS points, any_value(lanes) AS lanes,
      min(km) AS km_from, max(km) AS km_to,
      CAST(count(DISTINCT date) AS INTEGER) AS days, min(date) AS first_date, max(date) AS last_date,
      CAST(sum(lane_days) AS INTEGER) AS lane_days, CAST(count(*) AS INTEGER) AS point_days,
      CAST(sum(vehicles) AS DECIMAL(15, 1)) AS vehicles,
      CAST(sum(long_readings) AS BIGINT) AS long_vehicles_readings, CAST(sum(long_sum) AS BIGINT) AS long_vehicles_sum_pct
    FROM points JOIN listed USING (road, province_code, direction)
    GROUP BY road, province_code, direction`,
})
