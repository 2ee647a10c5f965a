import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { renfeGtfsCercanias } from '../../../jobs/feeds/rail/renfe-gtfs-cercanias.ts'
import { checkedRows } from '../../../jobs/ingest/parse.ts'
import { railStopTimes } from '../../../lake/datasets/rail/stop-times.ts'
import { orderOf } from '../../../lake/query/parquet.ts'
import { stageRows } from '../../../lake/query/rows.ts'
import { sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { sharedFolder } from '../../../test/helpers/shared.ts'
import { zipOfFolder } from '../../../test/helpers/zip.ts'
import { FEED_PROCESS } from '../../commands/memory.ts'
import { startRedis } from '../../redis.ts'
import type { Landing } from './landing.ts'
import { benchLake } from './madrid-day.ts'
import type { Bench, Pair } from './measure.ts'
import { DOCUMENTS_AT, generatedDocument } from './parsing.ts'

const LANDING = fileURLToPath(new URL('./landing.ts', import.meta.url))
const CAPTURE = 'feeds/renfe-gtfs/cercanias-2026-08-22'
const [ARCHIVE, CSV] = ['timetable.zip', 'stop_times.csv']
const FETCH_ID = 'renfe_gtfs_cercanias.20261121t083100000z'
const LIMIT_MB = 400
/** The file with the number of stop times, which the set-up writes. */
const COUNT = 'stop_times.count'
/** Least number of stop times in the timetable. */
const LEAST_STOP_TIMES = 1_000_000

/**
 * The commuter timetable from its publisher to the committed tables, in a new process with the worker's flags: fetched over HTTP,
 * stored, parsed, validated and landed. It is the recorded timetable if the captures exist, otherwise a generated one.
 */
export const railGtfsLand: Bench = {
  name: 'timetable/land',
  about: 'commuter timetable of 1.9 M stop times from HTTP to committed tables, against one COPY of the same stop times from trimmed CSV',
  limit: 2.5,
  // The limit is the larger of 30 s and 2.5 times the reference.
  orAtMost_ms: 30_000,
  limit_mb: LIMIT_MB,
  rounds: 3,
  warmUps: 0,
  setUp,
  open: openLanding,
}

async function setUp(folder: string): Promise<void> {
  const shared = sharedFolder()
  const bytes = shared ? zipOfFolder(join(shared, CAPTURE)) : generatedDocument(renfeGtfsCercanias, 'timetable')
  await writeFile(join(folder, ARCHIVE), bytes)
  const lake = await benchLake(folder)
  await lake.use({}, async (session) => {
    const { table } = await stageRows(session, tableColumns(railStopTimes), stopTimes(bytes))
    // In the order of the publisher's file, with the same trimming.
    const rows = await session.copy(sql`SELECT * FROM ${table}`, { path: join(lake.engine.folder, CSV), options: 'FORMAT csv, HEADER' })
    if (rows < LEAST_STOP_TIMES) throw new Error(`the timetable has ${rows} stop times`)
    await writeFile(join(folder, COUNT), String(rows))
    await writeFile(join(folder, CSV), await readFile(join(lake.engine.folder, CSV)))
  })
  await lake.close()
}

/** Lands the archive in a separate process. */
async function openLanding(folder: string): Promise<Pair> {
  const lake = await benchLake(folder)
  const csv = join(lake.engine.folder, CSV)
  await writeFile(csv, await readFile(join(folder, CSV)))
  const server = await startRedis({ folder: join(folder, 'redis'), appendOnly: false })
  const publisher = await publish(folder)
  const stopTimes = Number(await readFile(join(folder, COUNT), 'utf8'))
  let peak_mb = Number.NaN
  return {
    measured: {
      expected: { stop_times: stopTimes },
      async run(timer) {
        const data = join(folder, randomUUID())
        const landed = await land([renfeGtfsCercanias.id, data, publisher.url, server.url])
        await rm(data, { recursive: true })
        timer.timedElsewhere({ 'fetched and judged': landed.judged_ms, landed: landed.landed_ms })
        peak_mb = landed.peak_mb
        return { stop_times: landed.rows[railStopTimes.id] ?? 0 }
      },
    },
    peak_mb: () => peak_mb,
    reference: {
      expected: { stop_times: stopTimes },
      async run() {
        const rows = await lake.use({}, (session) =>
          session.copy(sql`SELECT * FROM read_csv(${csv}) ORDER BY ${orderOf(railStopTimes)}`, {
            path: join(lake.engine.folder, 'reference.parquet'),
            options: 'FORMAT parquet, COMPRESSION zstd',
          }),
        )
        return { stop_times: rows }
      },
    },
    close: async () => {
      publisher.close()
      await lake.close()
      await server.stop()
    },
  }
}

/** A server of the archive. */
async function publish(folder: string): Promise<{ readonly url: string; close(): void }> {
  const archive = await readFile(join(folder, ARCHIVE))
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/zip', 'content-length': archive.length, etag: '"timetable"' }).end(archive)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() }
}

function land(args: readonly string[]): Promise<Landing> {
  return new Promise((resolve, reject) => {
    const child = fork(LANDING, args, { execArgv: [...FEED_PROCESS.flags], env: { ...process.env, ...FEED_PROCESS.env } })
    let landing: Landing | null = null
    child.on('message', (found) => {
      landing = found as Landing
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code === 0 && landing) resolve(landing)
      else reject(new Error(`the landing ended with ${signal ?? code}`))
    })
  })
}

async function* stopTimes(bytes: Buffer): ReturnType<typeof checkedRows> {
  for await (const rows of checkedRows(renfeGtfsCercanias, railStopTimes, [{ name: 'timetable', bytes }], { fetched_at: DOCUMENTS_AT })) {
    for (const row of rows) row.fetch_id = FETCH_ID
    yield rows
  }
}
