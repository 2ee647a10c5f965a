import { type Sql, type SqlPart, sql } from '../../query/sql.ts'
import { SECTION_CITIES } from './traffic-sections.ts'

/** Sources of readings. Madrid's archive repeats its live readings in other steps, so never sum both. */
export const TRAFFIC_SOURCES = ['madrid', 'madrid_archive', 'dgt'] as const
export const [LIVE_SOURCE, ARCHIVE_SOURCE, DETECTOR_SOURCE] = TRAFFIC_SOURCES

/** Monthly archives that repeat live sources, by live source. */
const ARCHIVES: ReadonlyMap<string, string> = new Map([
  [LIVE_SOURCE, ARCHIVE_SOURCE],
  ...Object.values(SECTION_CITIES).flatMap(({ source, archive }) => (archive === null ? [] : [[source, archive] as const])),
])

/** The archive of a live source; null if it has none. */
export function archiveOf(source: string): string | null {
  return ARCHIVES.get(source) ?? null
}

/** True for a source that is an archive of another. */
export function isArchive(source: string): boolean {
  return [...ARCHIVES.values()].includes(source)
}

/** The columns of readings of which roll-ups are made, in the order of `readingsOfArchive`. */
export const READING_COLUMNS: Sql = sql`source, sensor_id, period_s, observed_at, sensor_type, intensity_veh_h, occupancy_pct, load_pct,
    level_of_service, speed_kmh, quality, headway_m, long_vehicles_pct`

/** Rows of `traffic_readings_15m` in the form of `traffic_readings`, without rows that lack an instant or repeat another. */
export const readingsOfArchive = (rows: SqlPart): Sql => sql`
  SELECT source, sensor_id, period_s, starts_at AS observed_at, sensor_type, intensity_veh_h, occupancy_pct, load_pct,
    CAST(NULL AS STRING) AS level_of_service, speed_kmh, quality,
    CAST(NULL AS INTEGER) AS headway_m, CAST(NULL AS INTEGER) AS long_vehicles_pct
  FROM ${rows}
  WHERE starts_at IS NOT NULL AND repetition = 1`
