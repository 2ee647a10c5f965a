import { archiveOf, isArchive, LIVE_SOURCE, TRAFFIC_SOURCES } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficReadings15m } from '../../../lake/datasets/road/traffic-readings.ts'
import { type Sql, sql } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { oneOf } from '../../kernel/params/params.ts'
import { meanFromSums, same, sum } from '../../kernel/reads/figures.ts'
import type { Closing, LakeView, RowsOf } from '../../kernel/reads/lake-view.ts'

/** The source of a series of readings. */
export const sourceParam = oneOf(
  'Source of the series: readings every 5 minutes of the city of Madrid (madrid) or DGT (dgt), or every 15 minutes of the monthly archive (madrid_archive). By default the live readings, or the archive if the period has none; never both.',
  TRAFFIC_SOURCES,
  { example: LIVE_SOURCE },
)

/** Description of series with both sources. */
export const SOURCE_METHOD =
  'A series has one source, which each step states with the period of its readings. Archive readings have no level of service. They use the local clock, so they lack the hour that October repeats.'

interface OfSource {
  readonly source: string | null
}

/** Reads a series from live data or from an archive, never mixed: the archive is used if there is no live data. */
export function liveOrArchive<V extends OfSource>(archive: Dataset, liveOf: (values: V) => string) {
  return {
    rowsOf: (values: V): readonly RowsOf[] | null => (followsLive(values) ? null : [{ dataset: archive, filter: {} }]),
    // The archive lands long after its days, so it has whole days.
    closing: (values: V, { latest_row_at }: Pick<LakeView, 'latest_row_at'>): Closing =>
      followsLive(values) || latest_row_at === null ? {} : { end: dayBounds(madridDate(latest_row_at)).end },
    after: (records: Sql, values: V): Sql => {
      const live = liveOf(values)
      if (values.source !== null || archiveOf(live) === null) return records
      return sql`SELECT * FROM (${records}) AS steps QUALIFY (source = ${live}) = bool_or(source = ${live}) OVER ()`
    },
  } as const
}

/** The same for readings of sensors. */
export const trafficSources = liveOrArchive(trafficReadings15m, () => LIVE_SOURCE)

/** False for a request for an archive, whose roll-up is complete. */
export const followsLive = ({ source }: OfSource): boolean => source === null || !isArchive(source)

/** Statistics available from the sums of roll-ups. */
export const readingFigures = {
  source: same('source'),
  period_s: same('period_s'),
  readings: sum('readings'),
  intensity_veh_h: meanFromSums('intensity_sum_veh_h', 'intensity_readings'),
  occupancy_pct: meanFromSums('occupancy_sum_pct', 'occupancy_readings'),
  load_pct: meanFromSums('load_sum_pct', 'load_readings'),
  speed_kmh: meanFromSums('speed_sum_kmh', 'speed_readings'),
} as const
