import { type Sql, type SqlPart, sql } from '../../query/sql.ts'

/** The live readings of Madrid's traffic centre, and those of its archive: the same traffic in other steps, so that no figure sums both. */
export const TRAFFIC_SOURCES = ['madrid', 'madrid_archive'] as const
export const [LIVE_SOURCE, ARCHIVE_SOURCE] = TRAFFIC_SOURCES

/** Rows of `traffic_readings_15m` as those of `traffic_readings` are: without those that have no instant, or that repeat another. */
export const readingsOfArchive = (rows: SqlPart): Sql => sql`
  SELECT source, sensor_id, period_s, starts_at AS observed_at, sensor_type, intensity_veh_h, occupancy_pct, load_pct,
    CAST(NULL AS VARCHAR) AS level_of_service, speed_kmh, quality
  FROM ${rows}
  WHERE starts_at IS NOT NULL AND repetition = 1`
