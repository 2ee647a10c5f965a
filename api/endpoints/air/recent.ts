import { airMeasurements } from '../../../lake/datasets/air/air-measurements.ts'
import { airQualityIndex } from '../../../lake/datasets/air/air-quality-index.ts'
import { INDEX_POLLUTANTS, type StationHours } from '../../../lake/datasets/air/national-index.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Dataset, Row } from '../../../lake/schema/dataset.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'

/** Stored hours of measurements: 24 for each of the last 24. */
const HOURS = 48

/** An hour of a pollutant at a station. */
export type Measured = Omit<Row<typeof airMeasurements>, 'source'>
/** An hour of the published index at a station. */
export type Indexed = Omit<Row<typeof airQualityIndex>, 'source'>

/** Measurements of a station: each hour of the last two days, the newest per pollutant, and the inputs of the index. */
export interface RecentStation {
  readonly measured: readonly Measured[]
  readonly newest: readonly Measured[]
  readonly hours: StationHours
}

/** The rows of the last hours of a table, newest last. */
function lastHours(dataset: Dataset, time: string, columns: readonly string[]): Sql {
  const at = column(dataset, time)
  const shown = columns.map((name) => column(dataset, name))
  const list = shown.reduce((all, one) => sql`${all}, ${one}`)
  return sql`
    SELECT ${list}
    FROM ${scan(dataset)}
    WHERE ${at} > (SELECT max(${at}) FROM ${scan(dataset)}) - ${HOURS} * INTERVAL 1 HOUR
    ORDER BY ${column(dataset, 'station_id')}, ${at}`
}

/** Measurements of the last two days, by station. */
export const recentMeasurements = defineCachedQuery({
  name: 'air measurements of two days',
  from: [airMeasurements],
  maxEntries: 1,
  read: async (reader): Promise<ReadonlyMap<string, RecentStation>> => {
    const columns = ['station_id', 'pollutant', 'hour_begins_at', 'value', 'unit', 'validity']
    const rows = await reader.all<Measured>(lastHours(airMeasurements, 'hour_begins_at', columns))
    return new Map([...Map.groupBy(rows, (row) => row.station_id)].map(([id, measured]) => [id, stationOf(measured)]))
  },
})

/** The published index of the last two days, by station. */
export const recentIndex = defineCachedQuery({
  name: 'air quality index of two days',
  from: [airQualityIndex],
  maxEntries: 1,
  read: async (reader): Promise<ReadonlyMap<string, readonly Indexed[]>> => {
    const columns = ['station_id', 'observed_at', 'level', 'is_partial', 'pollutants']
    return Map.groupBy(await reader.all<Indexed>(lastHours(airQualityIndex, 'observed_at', columns)), (row) => row.station_id)
  },
})

function stationOf(measured: readonly Measured[]): RecentStation {
  const newest = new Map(measured.filter(({ value }) => value !== null).map((row) => [row.pollutant, row]))
  const hours = INDEX_POLLUTANTS.map((pollutant) => {
    const valid = measured.filter((row) => row.pollutant === pollutant && row.value !== null)
    return [pollutant, new Map(valid.map(({ hour_begins_at, value }) => [hour_begins_at, value as number]))] as const
  })
  const byCode = [...newest.values()].sort((one, other) => (one.pollutant < other.pollutant ? -1 : 1))
  return { measured, newest: byCode, hours: new Map(hours) }
}
