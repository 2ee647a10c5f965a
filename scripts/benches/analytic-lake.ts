import { join } from 'node:path'
import { trafficCityHoursDerived, trafficDaysDerived, trafficHoursDerived } from '../../jobs/derive/road/traffic.ts'
import { v16HoursDerived } from '../../jobs/derive/road/v16.ts'
import { fuelDays as fuelDaysTable } from '../../lake/datasets/fuel/days.ts'
import { trafficReadings } from '../../lake/datasets/road/traffic-readings.ts'
import { v16Beacons } from '../../lake/datasets/road/v16-beacons.ts'
import { commit } from '../../lake/iceberg/commit.ts'
import { createTable } from '../../lake/iceberg/create.ts'
import { tableKey } from '../../lake/iceberg/schema.ts'
import { storeFiles, writeParquet } from '../../lake/query/parquet.ts'
import { instant, type Sql, sql } from '../../lake/query/sql.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { writePublication } from './incidents-service.ts'
import { benchLake } from './madrid-day.ts'
import { fillReadings } from './readings-lake.ts'
import { rollUp, stateCovered } from './roll-up.ts'

/** Readings of some sensors: a closed month and half of the one that is open. */
export const TRAFFIC = { sensors: 200, from: Date.UTC(2026, 10, 1), open: Date.UTC(2026, 11, 1), to: Date.UTC(2026, 11, 16) }
/** Average prices since 2019. */
export const FUEL = { from: Date.UTC(2018, 11, 31, 23), to: TRAFFIC.to }

/** The folder that the service works in. */
export const homeOf = (folder: string): string => join(folder, 'home')

/** Fills lakes with what figures are made of, generated straight into its table and rolled up; what is shown as live is of the folder. */
export const FILLS = {
  traffic: async (folder: string): Promise<void> => {
    const home = homeOf(folder)
    await writePublication(folder)
    await fillReadings(home, TRAFFIC)
    await stateCovered(home, trafficReadings, { feed: 'madrid_traffic', until: TRAFFIC.to })
    await rollUp(home, [trafficHoursDerived, trafficDaysDerived, trafficCityHoursDerived])
  },
  beacons: async (folder: string): Promise<void> => {
    const home = homeOf(folder)
    await writePublication(folder)
    await commitGenerated(home, v16Beacons, beacons())
    await stateCovered(home, v16Beacons, { feed: 'dgt_incidents', until: TRAFFIC.to })
    await rollUp(home, [v16HoursDerived])
  },
  fuel: async (folder: string): Promise<void> => {
    const home = homeOf(folder)
    await writePublication(folder)
    await commitGenerated(home, fuelDaysTable, fuelDays())
    await stateCovered(home, fuelDaysTable, { feed: 'fuel_stations', until: FUEL.to })
  },
} as const

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
    await commit({ table: lake.table(dataset), operation: 'append', add: await storeFiles(lake.store, written) })
  } finally {
    await lake.close()
  }
}

/** Two thousand beacons a day, each for ten minutes. */
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

/** Fifteen products in Spain and its provinces, day by day. */
function fuelDays(): Sql {
  const days = Math.floor((FUEL.to - FUEL.from) / 86_400_000)
  const price = (scale: Sql): Sql => sql`CAST(1.2 + (hash(p, d) % 400) / 1000 AS ${scale})`
  const exact = price(sql`DECIMAL(9, 3)`)
  return sql`(
    SELECT strftime(date, '%Y-%m') AS month, date, timezone('Europe/Madrid', CAST(date AS TIMESTAMP)) AS period_start,
      CASE a WHEN 0 THEN 'NATION' ELSE 'PROVINCE' END AS area_kind, CASE a WHEN 0 THEN 'ES' ELSE lpad(CAST(a AS VARCHAR), 2, '0') END AS area,
      CAST(NULL AS VARCHAR) AS name, CASE p WHEN 0 THEN 'DIESEL_A' ELSE 'PRODUCT_' || CAST(p AS VARCHAR) END AS product, 'EUR/L' AS price_unit,
      CAST(100 + a AS INTEGER) AS stations, ${price(sql`DECIMAL(9, 4)`)} AS price_mean, ${exact} AS price_min, ${exact} AS price_p25,
      ${exact} AS price_median, ${exact} AS price_p75, ${exact} AS price_max, 'fuel_stations.1' AS fetch_id
    FROM (SELECT d, CAST(DATE '2019-01-01' + CAST(d AS INTEGER) AS DATE) AS date FROM range(${days}) one(d))
    CROSS JOIN range(53) two(a) CROSS JOIN range(15) three(p))`
}
