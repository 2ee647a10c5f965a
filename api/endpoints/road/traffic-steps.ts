import { archiveOf, isArchive, LIVE_SOURCE, TRAFFIC_SOURCES } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficReadings15m } from '../../../lake/datasets/road/traffic-readings-15m.ts'
import { type Sql, sql } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { meanFromSums, same, sum } from '../../define/figures.ts'
import type { Closing, LakeView, RowsOf } from '../../define/lake-view.ts'
import { oneOf } from '../../define/params.ts'

/** The source that a series of readings is of. */
export const sourceParam = oneOf(
  'Readings that the series is of: those of every 5 minutes as they came, of the city of Madrid (madrid) or of DGT (dgt), or those of every 15 minutes of the archive of months (madrid_archive). By default the live ones, or where the period has none of them the archive: never both.',
  TRAFFIC_SOURCES,
  { example: LIVE_SOURCE },
)

/** What a reader must know of series of both. */
export const SOURCE_METHOD =
  'A series is of one source, which each step names with the period of its readings; those of the archive have no level of service, and lack the hour that October repeats, for they are of the local clock.'

interface OfSource {
  readonly source: string | null
}

/** How a series is read of live data and of an archive, which are never mixed: the archive counts if there is no live data. */
export function liveOrArchive<V extends OfSource>(archive: Dataset, liveOf: (values: V) => string) {
  return {
    rowsOf: (values: V): readonly RowsOf[] | null => (followsLive(values) ? null : [{ dataset: archive, filter: {} }]),
    // The archive has landed long after its days: its rows are of whole days.
    closing: (values: V, { latest_row_at }: Pick<LakeView, 'latest_row_at'>): Closing =>
      followsLive(values) || latest_row_at === null ? {} : { end: dayBounds(madridDate(latest_row_at)).end },
    after: (records: Sql, values: V): Sql => {
      const live = liveOf(values)
      if (values.source !== null || archiveOf(live) === null) return records
      return sql`SELECT * FROM (${records}) AS steps QUALIFY (source = ${live}) = bool_or(source = ${live}) OVER ()`
    },
  } as const
}

/** The same of readings of sensors. */
export const trafficSources = liveOrArchive(trafficReadings15m, () => LIVE_SOURCE)

/** False for a request for an archive, which is rolled up whole. */
export const followsLive = ({ source }: OfSource): boolean => source === null || !isArchive(source)

/** The figures that roll-ups of readings have the sums of. */
export const readingFigures = {
  source: same('source'),
  period_s: same('period_s'),
  readings: sum('readings'),
  intensity_veh_h: meanFromSums('intensity_sum_veh_h', 'intensity_readings'),
  occupancy_pct: meanFromSums('occupancy_sum_pct', 'occupancy_readings'),
  load_pct: meanFromSums('load_sum_pct', 'load_readings'),
  speed_kmh: meanFromSums('speed_sum_kmh', 'speed_readings'),
} as const
