import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { tableKey } from '../../../lake/iceberg/schema.ts'
import type { TableState } from '../../../lake/iceberg/table.ts'
import { type Lake, openLake } from '../../../lake/open.ts'
import { storeFiles, writeParquet } from '../../../lake/query/parquet.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { openStore } from '../../../lake/store/open.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { startFaultProxy } from '../../helpers/fault-proxy.ts'
import { httpfsAccess, httpfsFolder } from '../../helpers/httpfs.ts'
import { startS3 } from '../../helpers/s3-server.ts'
import { tempFolder } from '../../helpers/temp.ts'

const SENSORS = 400
const MONTHS = [
  { from: Date.UTC(2026, 2, 1), days: 31 },
  { from: Date.UTC(2026, 3, 1), days: 30 },
] as const
const LEAST_BYTES = 14_000_000

const s3 = await startS3()
const proxy = s3?.endpoint ? await startFaultProxy(s3.endpoint) : null
const extensions = proxy ? httpfsFolder() : null

describe.skipIf(!extensions)('a sensor-month of an S3 lake read in ranges', () => {
  let store: ObjectStore
  let lake: Lake

  beforeAll(async () => {
    const options = (s3 as NonNullable<typeof s3>).fresh(proxy?.url)
    store = await openStore(options)
    const httpfs = httpfsAccess(extensions as string, options)
    lake = await openLake({ store, spool: tempFolder(), httpfs, memory: 1024 ** 3, spill: 2 * 1024 ** 3, threads: 2, slots: 2 })
    const { table } = await createTable({ store, dataset: trafficReadings, properties: { 'source-mode': 'simulated' } })
    for (const month of MONTHS)
      await commit({ table, operation: 'append', add: await lake.use({}, (session) => monthFile(session, month)) })
  }, 900_000)
  afterAll(async () => {
    await lake?.close()
    await store?.close()
    await proxy?.close()
    await s3?.stop()
  })

  /** Writes a closed month as compaction leaves it: every sensor every five minutes, daily waves and noise. */
  async function monthFile(session: Parameters<Parameters<Lake['use']>[1]>[0], { from, days }: (typeof MONTHS)[number]) {
    const noise = (modulus: number) => sql`CAST(hash(s * 1000003 + t) % ${modulus} AS INTEGER)`
    const rows = sql`(SELECT 'madrid' AS source, CAST(1000 + s AS VARCHAR) AS sensor_id, 300 AS period_s,
      make_timestamptz((${from} + t * 300000 + 10000) * 1000::BIGINT) AS observed_at,
      CASE WHEN s % 10 = 0 THEN 'M30' ELSE 'URBAN' END AS sensor_type,
      CAST(400 + 300 * sin(t / 45.0 + s) AS INTEGER) + ${noise(1000)} AS intensity_veh_h, ${noise(30)} AS occupancy_pct, ${noise(100)} AS load_pct,
      CASE WHEN ${noise(4)} = 0 THEN 'SLOW' ELSE 'FLUID' END AS level_of_service,
      CASE WHEN s % 10 = 0 THEN 60 + ${noise(30)} END AS speed_kmh, 'OK' AS quality,
    CAST(NULL AS INTEGER) AS headway_m, CAST(NULL AS INTEGER) AS long_vehicles_pct,
      'madrid_traffic.' || strftime(make_timestamp((${from} + t * 300000 + 15000) * 1000::BIGINT), '%Y%m%dT%H%M%S000Z') AS fetch_id
      FROM range(${SENSORS}) sensors(s), range(${days * 288}) times(t))`
    const written = await writeParquet(session, {
      dataset: trafficReadings,
      tableKey: tableKey(trafficReadings),
      from: rows,
      specId: 0,
      sortOrderId: 1,
      folder: lake.engine.folder,
    })
    return storeFiles(store, written)
  }

  /** Requests a sensor's readings. Returns their number, the files they are in, and the bytes moved for them. */
  async function measure(sensor_id: string, from: number, to: number) {
    const filter = { source: { eq: 'madrid' }, sensor_id: { eq: sensor_id }, observed_at: { gte: from, lt: to } }
    const files = await liveFiles((await lake.table(trafficReadings).load()) as TableState, filter)
    const before = proxy?.seen.length
    const rows = await lake.query(
      sql`SELECT observed_at, intensity_veh_h, occupancy_pct, load_pct, speed_kmh FROM ${scan(trafficReadings, filter)} ORDER BY observed_at`,
    )
    const requests = (proxy?.seen ?? []).slice(before).filter(({ url }) => url.includes('.parquet'))
    const moved = requests.reduce((sum, { answered }) => sum + answered, 0)
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    process.stderr.write(
      `    ${rows.length} rows: ${moved} of ${bytes} bytes in ${requests.length} requests: ${((moved / bytes) * 100).toFixed(2)} %\n`,
    )
    return { rows: rows.length, files, moved, bytes, requests: requests.length }
  }

  test('moves at most 5 % of the bytes of its file, in few requests', async () => {
    const { rows, files, moved, bytes, requests } = await measure('1033', Date.UTC(2026, 2, 1), Date.UTC(2026, 3, 1))
    expect(rows).toBe(31 * 288)
    expect(files).toHaveLength(1)
    expect(files[0]?.bytes).toBeGreaterThanOrEqual(LEAST_BYTES)
    expect(moved).toBeGreaterThan(0)
    expect(moved / bytes).toBeLessThanOrEqual(0.05)
    // Each is a round trip to S3: the footer and the columns of a row group or two, not something of every row group.
    expect(requests).toBeLessThanOrEqual(20)
  })

  test('and of its two files, where the month is one of local time', async () => {
    // April of Madrid begins at 22:00 UTC.
    const { rows, files, moved, bytes } = await measure('1260', Date.UTC(2026, 2, 31, 22), Date.UTC(2026, 3, 30, 22))
    expect(rows).toBe(30 * 288)
    expect(files).toHaveLength(2)
    for (const file of files) expect(file.bytes).toBeGreaterThanOrEqual(LEAST_BYTES)
    expect(moved / bytes).toBeLessThanOrEqual(0.05)
  })

  test('moves next to nothing for the sensor beside it, whose row group has come already', async () => {
    const { moved, bytes } = await measure('1261', Date.UTC(2026, 2, 31, 22), Date.UTC(2026, 3, 30, 22))
    expect(moved / bytes).toBeLessThanOrEqual(0.03)
  })
})
