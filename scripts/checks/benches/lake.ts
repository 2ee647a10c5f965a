import { trafficReadings, trafficReadings15m } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import type { Lake, LakeOptions } from '../../../lake/open.ts'
import { instant, type Sql, sql } from '../../../lake/query/sql.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { landRows, openScratchLake } from '../scratch/lake.ts'
import { checkDone } from './measure.ts'

/** DuckDB's limits, as in the service's defaults; bytes. */
export const BENCH_ENGINE = { memory: 2 * 1024 ** 3, spill: 8 * 1024 ** 3, threads: 2, slots: 2 } as const
const DAY_MS = 86_400_000
const PERIOD_S = 300
const FIRST_SENSOR = 1000
/** Sensors on the ring road, about as many as in Madrid: the first ones. */
const RING_SENSORS = 360

/** Opens a lake like the service's, in a folder of the bench. */
export function benchLake(folder: string, more: Pick<LakeOptions, 'standBack'> = {}): Promise<Lake> {
  return openScratchLake(folder, { ...BENCH_ENGINE, ...more })
}

/** A generated lake of readings; times are ms since the epoch, UTC midnights. */
interface ReadingsLake {
  readonly sensors: number
  readonly from: number
  /** Start of the current month, which has a file for each day. Earlier months are closed: one sorted file each. */
  readonly open: number
  readonly to: number
  /** Sensors in one file of a closed month; all by default. */
  readonly atOnce?: number
}

/** The id of a generated sensor from its number, which starts at 0. */
export function sensorAt(number: number): string {
  return String(FIRST_SENSOR + number)
}

/** Fills a lake with a reading of every sensor every five minutes, compacted as by upkeep and covered until `to`. */
export async function fillReadings(folder: string, { sensors, from, open, to, atOnce = sensors }: ReadingsLake): Promise<void> {
  const lake = await benchLake(folder)
  let readings = 0
  try {
    let begin = from
    while (begin < to) {
      const date = new Date(begin)
      const end = begin < open ? Math.min(open, Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)) : begin + DAY_MS
      const step = begin < open ? atOnce : sensors
      for (let first = 0; first < sensors; first += step) {
        const rows = generated(begin, { days: (end - begin) / DAY_MS, first, end: Math.min(sensors, first + step) })
        for (const file of await landRows(lake, trafficReadings, rows)) readings += file.rows
      }
      begin = end
    }
    await landRows(lake, trafficReadings, [], { properties: { 'landed-until.madrid_traffic': isoInstant(to) } })
  } finally {
    await lake.close()
  }
  checkDone('the lake', { readings }, { readings: (sensors * (to - from)) / (PERIOD_S * 1000) })
}

/** Creates the tables that a roll-up of the readings by hour needs. */
export async function prepareHours(folder: string): Promise<void> {
  const lake = await benchLake(folder)
  try {
    for (const dataset of [trafficReadings, trafficReadings15m, trafficHours])
      await createTable({ store: lake.store, dataset, properties: { 'source-mode': 'simulated' } })
  } finally {
    await lake.close()
  }
}

function generated(from: number, { days, first, end }: { readonly days: number; readonly first: number; readonly end: number }): Sql {
  const readings = (days * DAY_MS) / (PERIOD_S * 1000)
  return sql`(SELECT 'madrid' AS source, CAST(${FIRST_SENSOR} + s AS VARCHAR) AS sensor_id, ${PERIOD_S} AS period_s,
    ${instant(from)} + to_microseconds(k * ${PERIOD_S * 1_000_000}) AS observed_at, IF(s < ${RING_SENSORS}, 'M30', 'URBAN') AS sensor_type,
    CAST(hash(s, k) % 2000 AS INTEGER) AS intensity_veh_h, CAST(hash(k, s) % 40 AS INTEGER) AS occupancy_pct,
    CAST(hash(s * k) % 100 AS INTEGER) AS load_pct, 'FLUID' AS level_of_service, CAST(NULL AS INTEGER) AS speed_kmh, 'OK' AS quality,
    CAST(NULL AS INTEGER) AS headway_m, CAST(NULL AS INTEGER) AS long_vehicles_pct,
    'madrid_traffic.' || CAST(k AS VARCHAR) AS fetch_id
    FROM range(${readings}) a(k), range(${first}, ${end}) b(s))`
}
