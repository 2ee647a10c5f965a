import { DETECTOR_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'

/** How far back the catalogue is read, ms: each of its months begins with the full list. */
export const CATALOGUE_MS = 40 * 86_400_000

/**
 * The newest catalogue entry of each lane with a detector: slip roads and bus lanes are not lanes of the road. A point is a
 * carriageway at a kilometre: `point_sensors` lanes, named after the first (`point_id`).
 */
export function lanesOf(sensors: SqlPart): Sql {
  return sql`
    SELECT sensor_id, road, province_code, direction, km, CAST(count(*) OVER point AS INTEGER) AS point_sensors, min(sensor_id) OVER point AS point_id
    FROM (
      SELECT * FROM ${sensors}
      WHERE source = ${DETECTOR_SOURCE}
      QUALIFY row_number() OVER (PARTITION BY sensor_id ORDER BY observed_at DESC, fetch_id DESC) = 1
    )
    WHERE status = 'ACTIVE' AND road IS NOT NULL AND km IS NOT NULL AND province_code IS NOT NULL AND direction IN ('POSITIVE', 'NEGATIVE')
      AND coalesce(site_kind, 'NONE') NOT IN ('ENTRY', 'EXIT', 'BUS_HOV')
    WINDOW point AS (PARTITION BY road, province_code, direction, km)`
}
