import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { accidentPositions } from '../../../lake/datasets/safety/accident-positions.ts'
import { accidentHotspots, HOTSPOT_BANDWIDTHS_M } from '../../../lake/datasets/safety/hotspots.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { weatherObservations } from '../../../lake/datasets/weather/weather-observations.ts'
import { weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { bind, castTo, fieldName, instant, join, type Sql, sql } from '../../../lake/query/sql.ts'
import { toWkb } from '../../../lake/query/wkb.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { physicalFields, tableColumns } from '../../../lake/schema/physical.ts'

/** A period, ms since the epoch. */
interface Span {
  readonly from: number
  readonly to: number
}

/** Default values of the engine's columns. */
const ENGINE: Readonly<Record<string, Sql>> = { fetch_id: sql`'bench.1'`, status: sql`'ACTIVE'`, is_baseline: sql`false` }

/**
 * A SELECT of rows for a dataset's table from the rows of `from`. `values` has the fields by physical name and is cast to the
 * columns' types. Missing fields are null, or the column's example if it is not nullable; a non-nullable instant needs a value.
 */
function generatedRows(dataset: Dataset, from: Sql, values: Readonly<Record<string, Sql>>): Sql {
  const defaults = { ...ENGINE, ...values }
  const fields = physicalFields(tableColumns(dataset)).map((field) => {
    const { column, name } = field
    const value = defaults[name] ?? (column.nullable ? sql`NULL` : sql`${bind(name, column, column.example)}`)
    const typed = field.part ? sql`CAST(${value} AS DOUBLE)` : column.kind === 'list' ? value : castTo(column, value)
    return sql`${typed} AS ${fieldName(field)}`
  })
  return sql`(SELECT ${join(fields)} FROM ${from})`
}

/** Stations with hourly observations: as many as AEMET has. */
export const WEATHER_STATIONS = 832
const station = sql`'S' || lpad(CAST(s AS VARCHAR), 3, '0')`

/** The weather stations. */
export function weatherStationRows({ from }: Span): Sql {
  const values = { source: sql`'aemet'`, listing: sql`'OBSERVATION'`, station_id: station, observed_at: sql`${instant(from)}` }
  return generatedRows(weatherStations, sql`range(${WEATHER_STATIONS}) one(s)`, { ...values, updated_at: sql`${instant(from)}` })
}

/** Their hourly measurements. */
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

/** Years of accidents, and accidents per year: as many as the national table has. */
export const ACCIDENTS = { years: [2022, 2023, 2024], ofYear: 102_000 }
const YEARS = sql`(SELECT * FROM range(${ACCIDENTS.ofYear}) one(a) CROSS JOIN (VALUES ${join(ACCIDENTS.years.map((year) => sql`(${year})`))}) two(y))`
const ACCIDENT = {
  source: sql`'dgt_accidents'`,
  edition: sql`'dgt-' || CAST(y AS VARCHAR)`,
  accident_id: sql`CAST(y * 1000000 + a AS VARCHAR)`,
  period_start: sql`timezone('Europe/Madrid', make_timestamp(y, CAST(1 + hash(a, y) % 12 AS BIGINT), 1, 0, 0, 0.0))`,
} as const

/** Accidents of these years in all provinces. */
export function accidentRows(): Sql {
  const most = (seed: number, values: number): Sql => sql`hash(a, y, ${seed}) % ${values}`
  return generatedRows(roadAccidents, YEARS, {
    ...ACCIDENT,
    period_end: sql`${ACCIDENT.period_start} + INTERVAL 1 MONTH`,
    year: sql`y`,
    month: sql`1 + hash(a, y) % 12`,
    weekday_iso: sql`1 + ${most(1, 7)}`,
    hour_local: most(2, 24),
    province_code: sql`lpad(CAST(1 + ${most(3, 52)} AS VARCHAR), 2, '0')`,
    zone: sql`CASE ${most(4, 2)} WHEN 0 THEN 'ROAD' ELSE 'STREET' END`,
    road: sql`'A-' || CAST(${most(5, 90)} AS VARCHAR)`,
    km: sql`${most(6, 600_000)} / 1000`,
    priority_rules: sql`['RULE']`,
    severity: sql`CASE ${most(7, 20)} WHEN 0 THEN 'FATAL' WHEN 1 THEN 'SERIOUS' ELSE 'SLIGHT' END`,
    killed_30d: sql`CASE ${most(7, 20)} WHEN 0 THEN 1 ELSE 0 END`,
    hospitalised_30d: most(8, 2),
    slight_30d: most(9, 4),
    light: sql`CASE ${most(10, 3)} WHEN 0 THEN 'NIGHT' ELSE 'DAYLIGHT' END`,
  })
}

/** Positions of half of the accidents. */
export function accidentPositionRows(): Sql {
  return generatedRows(accidentPositions, sql`(FROM ${YEARS} WHERE a % 2 = 0)`, {
    ...ACCIDENT,
    position_lat: sql`36 + hash(a, y, 11) % 7000 / 1000`,
    position_lon: sql`-9 + hash(a, y, 12) % 12000 / 1000`,
  })
}

/** Corners of the outline of a black spot. */
const CORNERS = 40

/** A hundred and fifty black spots for each set of parameters of a source: more than Madrid has for any. */
export function hotspotRows(): Sql {
  const values = (of: readonly (string | number)[]): Sql => join(of.map((one) => sql`(${one})`))
  const each = sql`(
    SELECT *, s || '.' || lower(k) || '.' || CAST(b AS VARCHAR) || '.' || lower(w) AS name
    FROM range(150) one(n) CROSS JOIN (VALUES ('madrid'), ('barcelona')) two(s) CROSS JOIN (VALUES ('EPANECHNIKOV'), ('GAUSSIAN')) three(k)
    CROSS JOIN (VALUES ${values(HOTSPOT_BANDWIDTHS_M)}) four(b) CROSS JOIN (VALUES ('NONE'), ('SEVERITY')) five(w))`
  const ring = Array.from({ length: CORNERS + 1 }, (_, at) => {
    const turn = (2 * Math.PI * (at % CORNERS)) / CORNERS
    return [-3.7 + 0.002 * Math.cos(turn), 40.4 + 0.002 * Math.sin(turn)]
  })
  return generatedRows(accidentHotspots, each, {
    hotspot_set: sql`name`,
    hotspot_id: sql`'hs_' || CAST(hash(name, n) AS VARCHAR)`,
    data_until: sql`make_timestamptz(2025, 1, 1, 0, 0, 0.0, 'UTC')`,
    source: sql`s`,
    years: sql`[2022, 2023, 2024]`,
    kernel: sql`k`,
    bandwidth_m: sql`b`,
    weighting: sql`w`,
    rank: sql`n + 1`,
    score: sql`(150 - n) * 100 / 150`,
    accidents: sql`hash(name, n, 1) % 90`,
    peak_lat: sql`40.4`,
    peak_lon: sql`-3.7`,
    area: sql`from_hex(${toWkb('polygon', 'area', [ring]).toString('hex')})`,
    streets: sql`['AVDA. ALBUFERA', 'CALL. ALCALA']`,
    by_year: sql`'{"2022":9,"2023":14,"2024":18}'`,
    by_hour: sql`'{"14":5,"9":2}'`,
    by_type: sql`'{"REAR_END":12}'`,
    by_severity: sql`'{"SERIOUS":3,"SLIGHT":29}'`,
  })
}

/** Filling stations, as many as exist in Spain, and their products. */
export const FUEL_STATIONS = 12_000
const PRODUCTS = ['GASOLINE_95_E5', 'GASOLINE_98_E5', 'DIESEL_A', 'DIESEL_PREMIUM']

/** A price for every station and product, which changes once a day within the half hour of a publication. */
export function stationPriceRows({ from, to }: Span): Sql {
  const days = Math.round((to - from) / 86_400_000)
  const products = join(PRODUCTS.map((product) => sql`(${product})`))
  const each = sql`(SELECT * FROM range(${FUEL_STATIONS}) one(s) CROSS JOIN (VALUES ${products}) two(p) CROSS JOIN range(${days}) three(d))`
  return generatedRows(fuelPrices, each, {
    station_id: sql`CAST(1000 + s AS VARCHAR)`,
    product: sql`p`,
    price: sql`1 + hash(s, p, d) % 900 / 1000`,
    price_unit: sql`'EUR/L'`,
    observed_at: sql`${instant(from)} + to_minutes(CAST(d * 1440 + 30 * (hash(s, p, d, 1) % 48) AS BIGINT))`,
    province_code: sql`lpad(CAST(1 + s % 52 AS VARCHAR), 2, '0')`,
  })
}

/** Two hundred incidents that begin each day; each lasts three days. */
export function incidentRows({ from, to }: Span): Sql {
  const count = Math.round(((to - from) / 86_400_000) * 200)
  const each = sql`(
    SELECT i, ended, ${instant(from)} + to_seconds(CAST(i * 432 AS BIGINT)) AS began FROM range(${count}) one(i) CROSS JOIN (VALUES (false), (true)) two(ended))`
  return generatedRows(incidents, each, {
    source: sql`'dgt'`,
    source_id: sql`CAST(i AS VARCHAR)`,
    incident_id: sql`'inc_' || CAST(i AS VARCHAR)`,
    first_seen_at: sql`began`,
    observed_at: sql`CASE WHEN ended THEN began + INTERVAL 3 DAY ELSE began END`,
    type: sql`CASE hash(i) % 3 WHEN 0 THEN 'ACCIDENT' WHEN 1 THEN 'ROADWORKS' ELSE 'CONGESTION' END`,
    severity: sql`CASE hash(i, 1) % 2 WHEN 0 THEN 'LOW' ELSE 'HIGH' END`,
    road: sql`'A-' || CAST(hash(i, 2) % 60 AS VARCHAR)`,
    km: sql`hash(i, 3) % 600000 / 1000`,
    province_code: sql`lpad(CAST(1 + hash(i, 4) % 52 AS VARCHAR), 2, '0')`,
    status: sql`CASE WHEN ended THEN 'ENDED' ELSE 'ACTIVE' END`,
    updated_at: sql`began`,
  })
}
