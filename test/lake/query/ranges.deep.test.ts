import { connect as connectTo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { version } from '@duckdb/node-api'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { settingsTable } from '../../../lake/config.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { type Lake, openLake } from '../../../lake/open.ts'
import { storeFiles, writeParquet } from '../../../lake/query/parquet.ts'
import { prunedFiles } from '../../../lake/query/relations.ts'
import { scan } from '../../../lake/query/scan.ts'
import { instant, sql } from '../../../lake/query/sql.ts'
import { s3Store } from '../../../lake/store/s3.ts'
import type { S3Options } from '../../../lake/store/s3-client.ts'
import { httpfsAccess, httpfsFolder } from '../../helpers/httpfs.ts'
import { startS3 } from '../../helpers/s3-server.ts'
import { tempFolder } from '../../helpers/temp.ts'

const s3 = await startS3()
const extensions = httpfsFolder()
afterAll(() => s3?.stop())

const MONTH = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 1, 1) }
const SENSORS = 400

/** A port that passes everything on to a server and counts the bytes that come back. */
async function countingPort(endpoint: string): Promise<{ endpoint: string; read: () => number; stop: () => void }> {
  const { hostname, port } = new URL(endpoint)
  const sockets = new Set<Socket>()
  let bytes = 0
  const server = createServer((near) => {
    const far = connectTo(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
    }
    far.on('data', (chunk) => (bytes += chunk.length))
    near.pipe(far)
    far.pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as { port: number }
  const stop = (): void => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { endpoint: `http://127.0.0.1:${address.port}`, read: () => bytes, stop }
}

async function remoteLake(options: S3Options, folderOfHttpfs: string | null = extensions): Promise<Lake> {
  const store = s3Store(options)
  const folder = tempFolder()
  const lake = await openLake({
    store,
    spool: join(folder, 'spool'),
    memory: 1e9,
    spill: 1e9,
    threads: 2,
    slots: 2,
    httpfs: httpfsAccess(folderOfHttpfs, options),
  })
  onTestFinished(async () => {
    await lake.close()
    await store.close()
  })
  return lake
}

test.skipIf(!s3 || !extensions)('one sensor of a closed month moves at most 5 % of the bytes of the files it touches', async () => {
  const counting = await countingPort(s3?.endpoint as string)
  onTestFinished(counting.stop)
  const options = (s3 as NonNullable<typeof s3>).fresh(counting.endpoint)
  const writer = await remoteLake(options)
  expect(writer.engine.rangeReads).toBe(true)
  const { metadata, table } = await createTable({ store: writer.store, dataset: trafficReadings, properties: {} })
  const days = 31
  const from = sql`(SELECT 'madrid' AS source, CAST(1000 + s AS VARCHAR) AS sensor_id, 300 AS period_s,
    ${instant(MONTH.from)} + to_microseconds(k * 300000000) AS observed_at, 'URBAN' AS sensor_type,
    CAST(hash(s, k) % 2000 AS INTEGER) AS intensity_veh_h, CAST(hash(k, s) % 40 AS INTEGER) AS occupancy_pct,
    CAST(hash(s * k) % 100 AS INTEGER) AS load_pct, 'FLUID' AS level_of_service, CAST(NULL AS INTEGER) AS speed_kmh, 'OK' AS quality,
    CAST(NULL AS INTEGER) AS headway_m, CAST(NULL AS INTEGER) AS long_vehicles_pct,
    'madrid_traffic.' || CAST(k AS VARCHAR) AS fetch_id FROM range(${days * 288}) a(k), range(${SENSORS}) b(s))`
  const add = await writer.use({}, async (session) => {
    const target = { tableKey: table.key, specId: metadata['default-spec-id'], sortOrderId: metadata['default-sort-order-id'] }
    return storeFiles(
      writer.store,
      await writeParquet(session, { dataset: trafficReadings, from, folder: writer.engine.folder, ...target }),
    )
  })
  await commit({ table: writer.table(trafficReadings), operation: 'append', add })

  const reader = await remoteLake(options)
  const state = await reader.table(trafficReadings).load()
  const filter = {
    source: { eq: 'madrid' },
    sensor_id: { eq: '1234' },
    period_s: { eq: 300 },
    observed_at: { gte: MONTH.from, lt: MONTH.to },
  }
  const touched = await prunedFiles(state as NonNullable<typeof state>, trafficReadings, filter)
  const size = touched.reduce((sum, { bytes }) => sum + bytes, 0)
  const before = counting.read()
  const rows = await reader.query(
    sql`SELECT observed_at, intensity_veh_h, load_pct FROM ${scan(trafficReadings, filter)} ORDER BY observed_at`,
  )
  const moved = counting.read() - before
  expect(rows).toHaveLength(days * 288)
  expect(moved / size).toBeLessThan(0.05)
})

test.skipIf(!s3 || !extensions)('the sandbox of an S3 lake ends at its tables', async () => {
  const options = (s3 as NonNullable<typeof s3>).fresh()
  const lake = await remoteLake(options)
  await lake.store.put('system/secret.csv', Buffer.from('a\n1\n'))
  await lake.store.put('lake/inside.csv', Buffer.from('a\n1\n'))
  const read = (url: string): Promise<unknown> => lake.query(sql`SELECT * FROM read_csv(${url})`)
  expect(await read(`${options.url}/lake/inside.csv`)).toEqual([{ a: 1 }])
  await expect(read(`${options.url}/system/secret.csv`)).rejects.toThrow(/disabled by configuration/)
  // S3 has no parent folders: `..` is part of a key that is not there, or breaks the request's signature.
  await expect(read(`${options.url}/lake/../system/secret.csv`)).rejects.toThrow(/disabled by configuration|HTTP 40[34]/)
  await expect(read(`${options.endpoint}/lake/system/secret.csv`)).rejects.toThrow(/disabled by configuration/)
  await expect(read('s3://other-bucket/x.csv')).rejects.toThrow(/disabled by configuration/)
  await expect(lake.query(sql`SELECT secret_string FROM duckdb_secrets()`)).resolves.not.toContainEqual(expect.stringContaining('secret='))
})

test.skipIf(!s3 || !extensions)("the extension of Python's package is found, of this DuckDB's version", async () => {
  vi.stubEnv('PYTHONPATH', extensions as string)
  onTestFinished(() => void vi.unstubAllEnvs())
  const lake = await remoteLake((s3 as NonNullable<typeof s3>).fresh(), null)
  expect(lake.engine.rangeReads).toBe(true)
  // The setting says which one to install.
  expect(settingsTable()).toContain(`duckdb-extension-httpfs==${version().slice(1)}`)
})
