import { fork } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { renfeGtfsCercanias } from '../../../jobs/feeds/rail/renfe-gtfs-cercanias.ts'
import { openZip } from '../../../jobs/formats/zip.ts'
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
import { packZip } from '../../stand-in/formats/zip.ts'
import type { Landing } from './landing.ts'
import { benchLake } from './madrid-day.ts'
import type { Bench, Pair } from './measure.ts'
import { DOCUMENTS_AT, generatedDocument } from './parsing.ts'

const LANDING = fileURLToPath(new URL('./landing.ts', import.meta.url))
const CAPTURE = 'feeds/renfe-gtfs/cercanias-2026-08-22'
const [ARCHIVE, CORRECTED, CSV] = ['timetable.zip', 'corrected.zip', 'stop_times.csv']
const FETCH_ID = 'renfe_gtfs_cercanias.20261121t083100000z'
const LIMIT_MB = 400
/** In the corrected archive one of this many stop times departs a second later. */
const CORRECTED_EVERY = 5000
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
  open: (folder) => openLanding(folder, [ARCHIVE]),
}

/** The same timetable corrected, over a lake that contains it: all rows are compared with the rows that they replace. */
export const railGtfsCorrect: Bench = {
  ...railGtfsLand,
  name: 'timetable/correct',
  about: 'the same timetable corrected, replacing the landed one, against the same COPY',
  limit: 5,
  orAtMost_ms: 60_000,
  rounds: 1,
  open: (folder) => openLanding(folder, [ARCHIVE, CORRECTED]),
}

async function setUp(folder: string): Promise<void> {
  const shared = sharedFolder()
  const bytes = shared ? zipOfFolder(join(shared, CAPTURE)) : generatedDocument(renfeGtfsCercanias, 'timetable')
  await writeFile(join(folder, ARCHIVE), bytes)
  await writeFile(join(folder, CORRECTED), await corrected(bytes))
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

/** Lands archives one after the other, each in a separate process; only the last one is measured. */
async function openLanding(folder: string, archives: readonly string[]): Promise<Pair> {
  const lake = await benchLake(folder)
  const csv = join(lake.engine.folder, CSV)
  await writeFile(csv, await readFile(join(folder, CSV)))
  const server = await startRedis({ folder: join(folder, 'redis'), appendOnly: false })
  const publisher = await publish(folder)
  const stopTimes = Number(await readFile(join(folder, COUNT), 'utf8'))
  let peak_mb = Number.NaN
  return {
    measured: {
      expected: { archives: archives.length, stop_times: stopTimes },
      async run(timer) {
        const data = join(folder, randomUUID())
        const landings: Landing[] = []
        for (const archive of archives) {
          publisher.archive = await readFile(join(folder, archive))
          landings.push(await land([renfeGtfsCercanias.id, data, publisher.url, server.url]))
        }
        await rm(data, { recursive: true })
        const last = landings.at(-1) as Landing
        timer.timedElsewhere({ 'fetched and judged': last.judged_ms, landed: last.landed_ms })
        peak_mb = last.peak_mb
        return { archives: landings.length, stop_times: last.rows[railStopTimes.id] ?? 0 }
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

/** A server of an archive, which can be replaced. */
async function publish(folder: string): Promise<{ archive: Buffer; readonly url: string; close(): void }> {
  const state = { archive: await readFile(join(folder, ARCHIVE)) }
  const server = createServer((_, response) => {
    const etag = `"${createHash('sha256').update(state.archive).digest('hex')}"`
    response.writeHead(200, { 'content-type': 'application/zip', 'content-length': state.archive.length, etag }).end(state.archive)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() })
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

/** The archive with some seconds changed; the lines keep their length. */
async function corrected(bytes: Buffer): Promise<Buffer> {
  const zip = await openZip(bytes, { maxBytes: 1_000_000_000 })
  const members: { name: string; pieces: Buffer[] }[] = []
  for (const name of zip.names) {
    const pieces: Buffer[] = []
    for await (const piece of zip.read(name)) pieces.push(piece)
    const whole = Buffer.concat(pieces)
    if (name === 'stop_times.txt') delay(whole)
    members.push({ name, pieces: [whole] })
  }
  return packZip(members, DOCUMENTS_AT)
}

/** Changes the seconds in the third field of some lines. */
function delay(text: Buffer): void {
  for (let line = 0, at = 0; at < text.length; line++) {
    const next = text.indexOf('\n', at) + 1 || text.length
    if (line % CORRECTED_EVERY === CORRECTED_EVERY - 1) {
      const end = text.indexOf(',', text.indexOf(',', text.indexOf(',', at) + 1) + 1)
      text.write(text.toString('latin1', end - 1, end) === '0' ? '1' : '0', end - 1, 'latin1')
    }
    at = next
  }
}

async function* stopTimes(bytes: Buffer): ReturnType<typeof checkedRows> {
  for await (const rows of checkedRows(renfeGtfsCercanias, railStopTimes, [{ name: 'timetable', bytes }], { fetched_at: DOCUMENTS_AT })) {
    for (const row of rows) row.fetch_id = FETCH_ID
    yield rows
  }
}
