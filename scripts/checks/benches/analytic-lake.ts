import { trafficDaysDerived, trafficHoursDerived } from '../../../jobs/derive/road/traffic.ts'
import { mobilityFlowDays } from '../../../lake/datasets/mobility/flow-days.ts'
import { mobilityTrips } from '../../../lake/datasets/mobility/trips.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { accidentPositions } from '../../../lake/datasets/safety/accident-positions.ts'
import { accidentHotspots, HOTSPOT_BANDWIDTHS_M } from '../../../lake/datasets/safety/hotspots.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { tableKey } from '../../../lake/iceberg/schema.ts'
import { storeFiles, writeParquet } from '../../../lake/query/parquet.ts'
import { bind, castTo, fieldName, instant, join, type Sql, sql } from '../../../lake/query/sql.ts'
import { toWkb } from '../../../lake/query/wkb.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { physicalFields, tableColumns } from '../../../lake/schema/physical.ts'
import { benchLake } from './madrid-day.ts'
import { fillReadings } from './readings-lake.ts'
import { rollUp, stateCovered } from './roll-up.ts'
import { homeOf, writeIncidents } from './services.ts'

/** Readings of some sensors: a closed month and half of the current one. */
export const TRAFFIC = { sensors: 1000, from: Date.UTC(2026, 10, 1), open: Date.UTC(2026, 11, 1), to: Date.UTC(2026, 11, 16) }
/** Three days of trips between zones. */
export const TRIPS = { from: Date.UTC(2023, 11, 28, 23), to: Date.UTC(2023, 11, 31, 23) }
/** Zones on these days: together as many pairs as the study has. */
const ZONES = 700

/** Tables that statistics read: how to generate their rows, the feed that landed them, and until when (ms). */
const TABLES: readonly (readonly [dataset: Dataset, rows: () => Sql, feed: string, until: number])[] = [
  [roadAccidents, accidentRows, 'dgt_accidents', TRAFFIC.to],
  [accidentPositions, accidentPositionRows, 'dgt_accidents', TRAFFIC.to],
  [accidentHotspots, hotspotRows, 'dgt_accidents', TRAFFIC.to],
  [mobilityFlowDays, flowDays, 'mitma_trips', TRIPS.to],
  [mobilityTrips, trips, 'mitma_trips', TRIPS.to],
]

/** Generates the data of statistics directly in its tables and rolls it up; live rows are written to the folder. */
export async function fillLake(folder: string): Promise<void> {
  const home = homeOf(folder)
  await writeIncidents(folder)
  await fillReadings(home, TRAFFIC)
  await stateCovered(home, trafficReadings, { feed: 'madrid_traffic', until: TRAFFIC.to })
  for (const [dataset, rows, feed, until] of TABLES) {
    await commitGenerated(home, dataset, rows())
    await stateCovered(home, dataset, { feed, until })
  }
  await rollUp(home, [trafficHoursDerived, trafficDaysDerived])
}

async function commitGenerated(folder: string, dataset: Dataset, from: Sql): Promise<void> {
  const lake = await benchLake(folder)
  try {
    const { metadata } = await createTable({ store: lake.store, dataset, properties: { 'source-mode': 'simulated' } })
    const written = await lake.use({}, (session) =>
      writeParquet(session, {
        dataset,
        tableKey: tableKey(dataset),
        specId: metadata['default-spec-id'],
        sortOrderId: metadata['default-sort-order-id'],
        folder: lake.engine.folder,
        from,
      }),
    )
    if (!written.some(({ file }) => file.rows > 0)) throw new Error(`no rows of ${dataset.id} were generated`)
    await commit({ table: lake.table(dataset), operation: 'append', add: await storeFiles(lake.store, written) })
  } finally {
    await lake.close()
  }
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

/** The days, with their numbers. */
const DAYS = sql`
  SELECT d, CAST(timezone('Europe/Madrid', ${instant(TRIPS.from)}) + to_days(CAST(d AS INTEGER)) AS DATE) AS local_date
  FROM range(${Math.round((TRIPS.to - TRIPS.from) / 86_400_000)}) one(d)`
const FIGURES = sql`CAST(1 + hash(d, o, t) % 9000 AS DECIMAL(15, 3)) AS trips, CAST(10 + hash(d, t, o) % 90000 AS DECIMAL(15, 3)) AS trip_km`
const DAY = sql`local_date, timezone('Europe/Madrid', CAST(local_date AS TIMESTAMP)) AS day_starts_at`

/** Every pair of provinces on every day, by which the days of a study are known. */
function flowDays(): Sql {
  const province = (name: Sql): Sql => sql`lpad(CAST(1 + ${name} AS VARCHAR), 2, '0')`
  return sql`(
    SELECT strftime(local_date, '%Y-%m') AS month, 'V2' AS study, ${DAY}, ${province(sql`o`)} AS origin_province,
      ${province(sql`t`)} AS destination_province, ${FIGURES}, 'mitma_trips.1' AS fetch_id
    FROM (${DAYS}) CROSS JOIN range(52) two(o) CROSS JOIN range(52) three(t))`
}

/** Trips between zones, from each to a tenth of the others in four hours and two bands. */
function trips(): Sql {
  const zone = (name: Sql): Sql => sql`lpad(CAST(1001 + 7 * ${name} AS VARCHAR), 5, '0')`
  return sql`(
    SELECT 'V2' AS study, 'V2-' || strftime(local_date, '%Y-%m-%d') AS study_day, ${DAY}, 'MUNICIPALITY' AS zone_level,
      ${zone(sql`o`)} AS origin_zone, ${zone(sql`t`)} AS destination_zone, CAST(6 * h AS INTEGER) AS hour, CAST(NULL AS TIMESTAMPTZ) AS starts_at,
      false AS is_clock_change, CASE b WHEN 0 THEN '2-10' ELSE '10-50' END AS distance_band, ${FIGURES}, 'mitma_trips.1' AS fetch_id
    FROM (${DAYS}) CROSS JOIN range(${ZONES}) two(o) CROSS JOIN range(${ZONES}) three(t) CROSS JOIN range(4) four(h) CROSS JOIN range(2) five(b)
    WHERE hash(o, t) % 10 = 0)`
}
