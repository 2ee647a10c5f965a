import { join } from 'node:path'
import { trafficCityHoursDerived, trafficDaysDerived, trafficHoursDerived } from '../../../jobs/derive/road/traffic.ts'
import { v16HoursDerived } from '../../../jobs/derive/road/v16.ts'
import { weatherDaysDerived } from '../../../jobs/derive/weather/days.ts'
import { FUEL_PRODUCTS } from '../../../lake/datasets/fuel/codes.ts'
import { fuelDays as fuelDaysTable } from '../../../lake/datasets/fuel/days.ts'
import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { mobilityFlowDays } from '../../../lake/datasets/mobility/flow-days.ts'
import { mobilityTrips } from '../../../lake/datasets/mobility/trips.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16-beacons.ts'
import { accidentPositions } from '../../../lake/datasets/safety/accident-positions.ts'
import { accidentHotspots } from '../../../lake/datasets/safety/hotspots.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { weatherObservations } from '../../../lake/datasets/weather/weather-observations.ts'
import { weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { tableKey } from '../../../lake/iceberg/schema.ts'
import { storeFiles, writeParquet } from '../../../lake/query/parquet.ts'
import { bind, instant, join as joined, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import {
  accidentPositionRows,
  accidentRows,
  hotspotRows,
  incidentRows,
  stationPriceRows,
  weatherRows,
  weatherStationRows,
} from './analytic-rows.ts'
import { writePublication } from './incidents-service.ts'
import { benchLake } from './madrid-day.ts'
import { fillReadings } from './readings-lake.ts'
import { rollUp, stateCovered } from './roll-up.ts'

/** Readings of some sensors: a closed month and half of the current one. */
export const TRAFFIC = { sensors: 1000, from: Date.UTC(2026, 10, 1), open: Date.UTC(2026, 11, 1), to: Date.UTC(2026, 11, 16) }
/** Average prices since 2019. */
export const FUEL = { from: Date.UTC(2018, 11, 31, 23), to: TRAFFIC.to }
/** The products of these prices. */
export const FUELS = Object.keys(FUEL_PRODUCTS.codes).slice(0, 15)
/** A year of trips between provinces, and three days of trips between zones. */
export const TRIPS = { from: Date.UTC(2022, 11, 31, 23), cells: Date.UTC(2023, 11, 28, 23), to: Date.UTC(2023, 11, 31, 23) }
/** Zones on the days with trips between zones: together as many pairs as the study has. */
const ZONES = 700

/** The folder that the service works in. */
export const homeOf = (folder: string): string => join(folder, 'home')

/** Tables that statistics read: how to generate their rows, the feed that landed them, and until when (ms). */
const TABLES: readonly (readonly [dataset: Dataset, rows: () => Sql, feed: string, until: number])[] = [
  [v16Beacons, beacons, 'dgt_incidents', TRAFFIC.to],
  [fuelDaysTable, fuelDays, 'fuel_stations', FUEL.to],
  [weatherStations, () => weatherStationRows(TRAFFIC), 'aemet_observation', TRAFFIC.to],
  [weatherObservations, () => weatherRows(TRAFFIC), 'aemet_observation', TRAFFIC.to],
  [roadAccidents, accidentRows, 'dgt_accidents', TRAFFIC.to],
  [accidentPositions, accidentPositionRows, 'dgt_accidents', TRAFFIC.to],
  [accidentHotspots, hotspotRows, 'dgt_accidents', TRAFFIC.to],
  [fuelPrices, () => stationPriceRows(TRAFFIC), 'fuel_stations', TRAFFIC.to],
  [incidents, () => incidentRows(TRAFFIC), 'dgt_incidents', TRAFFIC.to],
  [mobilityFlowDays, flowDays, 'mitma_trips', TRIPS.to],
  [mobilityTrips, trips, 'mitma_trips', TRIPS.to],
]

/** Generates the data of statistics directly in its tables and rolls it up; live rows are written to the folder. */
export async function fillLake(folder: string): Promise<void> {
  const home = homeOf(folder)
  await writePublication(folder)
  await fillReadings(home, TRAFFIC)
  await stateCovered(home, trafficReadings, { feed: 'madrid_traffic', until: TRAFFIC.to })
  for (const [dataset, rows, feed, until] of TABLES) {
    await commitGenerated(home, dataset, rows())
    await stateCovered(home, dataset, { feed, until })
  }
  await rollUp(home, [trafficHoursDerived, trafficDaysDerived, trafficCityHoursDerived, v16HoursDerived, weatherDaysDerived])
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

/** Two thousand beacons a day, each active for ten minutes. */
function beacons(): Sql {
  const count = (2000 * (TRAFFIC.to - TRAFFIC.from)) / 86_400_000
  return sql`(
    SELECT 'dgt' AS source, CAST(b AS VARCHAR) AS source_id, 'v16_' || CAST(b AS VARCHAR) AS beacon_id, began AS first_seen_at,
      CASE WHEN ended THEN began + INTERVAL 10 MINUTE ELSE began END AS observed_at, began AS activated_at,
      'A-' || CAST(hash(b) % 60 AS VARCHAR) AS road, CAST(hash(b, 1) % 600000 / 1000 AS DECIMAL(9, 3)) AS km, 'POSITIVE' AS direction,
      lpad(CAST(1 + hash(b, 2) % 52 AS VARCHAR), 2, '0') AS province_code, CAST(NULL AS VARCHAR) AS municipality_code,
      CAST(NULL AS VARCHAR) AS municipality, CAST(40.1 AS DOUBLE) AS position_lat, CAST(-3.1 AS DOUBLE) AS position_lon, CAST(NULL AS VARCHAR) AS compass_direction,
      'dgt_incidents.1' AS fetch_id, CASE WHEN ended THEN 'ENDED' ELSE 'ACTIVE' END AS status, false AS is_baseline, began AS updated_at,
      CAST(NULL AS TIMESTAMPTZ) AS last_seen_at
    FROM (SELECT b, ${instant(TRAFFIC.from)} + to_microseconds(CAST(b * 43200000 + hash(b, 3) % 40000000 AS BIGINT)) AS began FROM range(${count}) one(b))
    CROSS JOIN (VALUES (false), (true)) AS state(ended))`
}

/** Prices of these products in Spain and its provinces, by day. */
function fuelDays(): Sql {
  const days = Math.floor((FUEL.to - FUEL.from) / 86_400_000)
  const price = (scale: Sql): Sql => sql`CAST(1.2 + (hash(p, d) % 400) / 1000 AS ${scale})`
  const exact = price(sql`DECIMAL(9, 3)`)
  return sql`(
    SELECT strftime(date, '%Y-%m') AS month, date, timezone('Europe/Madrid', CAST(date AS TIMESTAMP)) AS period_start,
      CASE a WHEN 0 THEN 'NATION' ELSE 'PROVINCE' END AS area_kind, CASE a WHEN 0 THEN 'ES' ELSE lpad(CAST(a AS VARCHAR), 2, '0') END AS area,
      CAST(NULL AS VARCHAR) AS name, list_extract([${joined(FUELS.map((one) => sql`${bind('product', fuelDaysTable.columns.product, one)}`))}], CAST(p AS BIGINT) + 1) AS product, 'EUR/L' AS price_unit,
      CAST(100 + a AS INTEGER) AS stations, ${price(sql`DECIMAL(9, 4)`)} AS price_mean, ${exact} AS price_min, ${exact} AS price_p25,
      ${exact} AS price_median, ${exact} AS price_p75, ${exact} AS price_max, 'PUBLICATIONS' AS basis, 'fuel_stations.1' AS fetch_id
    FROM (SELECT d, CAST(DATE '2019-01-01' + CAST(d AS INTEGER) AS DATE) AS date FROM range(${days}) one(d))
    CROSS JOIN range(53) two(a) CROSS JOIN range(${FUELS.length}) three(p))`
}

/** Columns of a day from its number. */
const dayOf = (first: number): Sql => sql`
  SELECT d, CAST(timezone('Europe/Madrid', ${instant(first)}) + to_days(CAST(d AS INTEGER)) AS DATE) AS local_date
  FROM range(${Math.round((TRIPS.to - first) / 86_400_000)}) one(d)`
const FIGURES = sql`CAST(1 + hash(d, o, t) % 9000 AS DECIMAL(15, 3)) AS trips, CAST(10 + hash(d, t, o) % 90000 AS DECIMAL(15, 3)) AS trip_km`
const DAY = sql`local_date, timezone('Europe/Madrid', CAST(local_date AS TIMESTAMP)) AS day_starts_at`

/** Every pair of provinces on every day. */
function flowDays(): Sql {
  const province = (name: Sql): Sql => sql`lpad(CAST(1 + ${name} AS VARCHAR), 2, '0')`
  return sql`(
    SELECT strftime(local_date, '%Y-%m') AS month, 'V2' AS study, ${DAY}, ${province(sql`o`)} AS origin_province,
      ${province(sql`t`)} AS destination_province, ${FIGURES}, 'mitma_trips.1' AS fetch_id
    FROM (${dayOf(TRIPS.from)}) CROSS JOIN range(52) two(o) CROSS JOIN range(52) three(t))`
}

/** Trips between zones, from each to a tenth of the others in four hours and two bands. */
function trips(): Sql {
  const zone = (name: Sql): Sql => sql`lpad(CAST(1001 + 7 * ${name} AS VARCHAR), 5, '0')`
  return sql`(
    SELECT 'V2' AS study, 'V2-' || strftime(local_date, '%Y-%m-%d') AS study_day, ${DAY}, 'MUNICIPALITY' AS zone_level,
      ${zone(sql`o`)} AS origin_zone, ${zone(sql`t`)} AS destination_zone, CAST(6 * h AS INTEGER) AS hour, CAST(NULL AS TIMESTAMPTZ) AS starts_at,
      false AS is_clock_change, CASE b WHEN 0 THEN '2-10' ELSE '10-50' END AS distance_band, ${FIGURES}, 'mitma_trips.1' AS fetch_id
    FROM (${dayOf(TRIPS.cells)}) CROSS JOIN range(${ZONES}) two(o) CROSS JOIN range(${ZONES}) three(t) CROSS JOIN range(4) four(h) CROSS JOIN range(2) five(b)
    WHERE hash(o, t) % 10 = 0)`
}
