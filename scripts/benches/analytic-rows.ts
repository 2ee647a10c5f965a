import { weatherObservations } from '../../lake/datasets/weather/weather-observations.ts'
import { weatherStations } from '../../lake/datasets/weather/weather-stations.ts'
import { bind, castTo, fieldName, instant, join, type Sql, sql } from '../../lake/query/sql.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { physicalFields, tableColumns } from '../../lake/schema/physical.ts'

/** A period, ms since the epoch. */
interface Span {
  readonly from: number
  readonly to: number
}

/** Columns of the engine, where a generator does not tell them. */
const ENGINE: Readonly<Record<string, Sql>> = { fetch_id: sql`'bench.1'`, status: sql`'ACTIVE'`, is_baseline: sql`false` }

/**
 * Rows of a dataset's table from those of `from`: its fields as `values` tell them, by physical name, each as the type of its column. Others are null, or
 * their column's example where they cannot be; instants that cannot be null have to be told.
 */
function generatedRows(dataset: Dataset, from: Sql, values: Readonly<Record<string, Sql>>): Sql {
  const told = { ...ENGINE, ...values }
  const fields = physicalFields(tableColumns(dataset)).map((field) => {
    const { column, name } = field
    const value = told[name] ?? (column.nullable ? sql`NULL` : sql`${bind(name, column, column.example)}`)
    const typed = field.part ? sql`CAST(${value} AS DOUBLE)` : column.kind === 'list' ? value : castTo(column, value)
    return sql`${typed} AS ${fieldName(field)}`
  })
  return sql`(SELECT ${join(fields)} FROM ${from})`
}

/** Stations of hourly observations: as many as AEMET has. */
export const WEATHER_STATIONS = 832
const station = sql`'S' || lpad(CAST(s AS VARCHAR), 3, '0')`

/** These stations. */
export function weatherStationRows({ from }: Span): Sql {
  const values = { source: sql`'aemet'`, listing: sql`'OBSERVATION'`, station_id: station, observed_at: sql`${instant(from)}` }
  return generatedRows(weatherStations, sql`range(${WEATHER_STATIONS}) one(s)`, { ...values, updated_at: sql`${instant(from)}` })
}

/** What they measured each hour. */
export function weatherRows({ from, to }: Span): Sql {
  const each = sql`range(${WEATHER_STATIONS}) one(s) CROSS JOIN range(${Math.round((to - from) / 3_600_000)}) two(h)`
  const tenths = (seed: number, most: number): Sql => sql`hash(s, h, ${seed}) % ${most} / 10`
  return generatedRows(weatherObservations, each, {
    source: sql`'aemet'`,
    station_id: station,
    period_s: sql`3600`,
    observed_at: sql`${instant(from)} + to_hours(CAST(h + 1 AS BIGINT))`,
    temp_c: tenths(1, 300),
    temp_min_c: tenths(2, 200),
    temp_max_c: tenths(3, 350),
    humidity_pct: sql`hash(s, h, 4) % 101`,
    precipitation_mm: tenths(5, 40),
    wind_mean_m_s: tenths(6, 150),
    gust_m_s: tenths(7, 250),
    gust_dir_deg: sql`hash(s, h, 8) % 361`,
    pressure_hpa: sql`900 + ${tenths(9, 1200)}`,
  })
}
