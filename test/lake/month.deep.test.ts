import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { IngestContext } from '../../jobs/ingest/context.ts'
import { landedIn, landRows } from '../../jobs/ingest/tables.ts'
import { compactDataset } from '../../jobs/upkeep/compact.ts'
import { trafficReadings } from '../../lake/datasets/road/traffic-readings.ts'
import { createTable } from '../../lake/iceberg/create.ts'
import { expireSnapshots, removeOrphans } from '../../lake/iceberg/expire.ts'
import { liveFiles } from '../../lake/iceberg/files.ts'
import { metadataBytes } from '../../lake/iceberg/metadata.ts'
import { openTable, type TableState, versionKey } from '../../lake/iceberg/table.ts'
import { addSeqs } from '../../lake/landed.ts'
import { type Lake, openLake } from '../../lake/open.ts'
import { scan } from '../../lake/query/scan.ts'
import { sql } from '../../lake/query/sql.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { openStore } from '../../lake/store/open.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { bestOf } from '../helpers/best.ts'
import { tempFolder } from '../helpers/temp.ts'

const FEED = 'madrid_traffic'
const START = Date.UTC(2026, 2, 2)
const DAY_MS = 86_400_000
const LANDING_MS = 300_000
const A_DAY = DAY_MS / LANDING_MS
const DAYS = 30
const SENSORS = 50
/**
 * Every landing of every day takes a quarter of an hour (`MONTH=whole npx vitest run … test/lake/month.test.ts`). Otherwise the
 * last day lands every 5 minutes and those before 6 times. That leaves the same files, since a closed day is one file.
 */
const IS_WHOLE = process.env['MONTH'] === 'whole'
const LANDINGS_BEFORE = 6

/** The readings of a landing; each gives its sensor and its time. */
function readings(at: number): AnyRow[] {
  const fetch_id = `${FEED}.${new Date(at).toISOString().replace(/[-:.]/g, '')}`
  return Array.from({ length: SENSORS }, (_, sensor) => ({
    source: 'madrid',
    sensor_id: String(3000 + sensor),
    period_s: 300,
    observed_at: at,
    sensor_type: 'URBAN',
    intensity_veh_h: ((at / LANDING_MS) % 900) + sensor,
    occupancy_pct: sensor % 9,
    load_pct: (at / LANDING_MS) % 77,
    level_of_service: 'FLUID',
    speed_kmh: null,
    quality: 'OK',
    fetch_id,
  }))
}

describe('30 days of 5-minute landings, compacted and expired as they come', () => {
  let store: ObjectStore
  let lake: Lake
  let context: IngestContext
  let now = START
  let seq = 0
  const instants: number[] = []
  const most = { files: 0, manifests: 0 }
  /** Rows that compaction wrote again. */
  let rewritten = 0

  const state = async (): Promise<TableState> => (await lake.table(trafficReadings).load()) as TableState

  async function landAt(at: number): Promise<void> {
    now = at
    seq++
    const base = await landedIn(context, trafficReadings, FEED)
    const next = { ...base, seqs: addSeqs(base.seqs, [seq]), until: at }
    expect(await landRows(context, trafficReadings, { feed: FEED, rows: readings(at), base, next })).toBe(true)
    const before = new Set((await liveFiles(await state())).map(({ key }) => key))
    await compactDataset(context, trafficReadings)
    const after = await state()
    for (const { key, rows } of await liveFiles(after)) if (!before.has(key)) rewritten += rows
    instants.push(at)
    most.files = Math.max(most.files, Number(after.snapshot?.summary['total-data-files']))
    most.manifests = Math.max(most.manifests, (await after.table.manifests(after)).length)
  }

  beforeAll(
    async () => {
      const folder = tempFolder()
      const spool = join(folder, 'spool')
      mkdirSync(spool)
      store = await openStore({ url: pathToFileURL(join(folder, 'store')).href })
      lake = await openLake({ store, spool, memory: 512 * 1024 ** 2, spill: 1024 ** 3, threads: 2, slots: 2, clock: () => now })
      const redis = new Redis({ lazyConnect: true })
      const log = pino({ level: 'silent' })
      context = { store, lake, redis, log, mode: 'simulated', idKey: Buffer.alloc(32), origin: (url) => url, now: () => now }
      await createTable({ store, dataset: trafficReadings, properties: { 'source-mode': 'simulated' }, clock: () => now })
      for (let day = 0; day < DAYS; day++) {
        const step = IS_WHOLE || day === DAYS - 1 ? LANDING_MS : DAY_MS / LANDINGS_BEFORE
        for (let at = START + day * DAY_MS; at < START + (day + 1) * DAY_MS; at += step) await landAt(at)
        await expireSnapshots({ table: lake.table(trafficReadings), now })
        // The store's clock stands beside ours: everything is old enough.
        await removeOrphans({ table: lake.table(trafficReadings), grace_ms: -DAY_MS })
      }
    },
    IS_WHOLE ? 7_200_000 : 300_000,
  )
  afterAll(async () => {
    await lake.close()
    await store.close()
  })

  test('leave few files to a query of one sensor and month, and every row of it', async () => {
    const filter = { sensor_id: { eq: '3007' }, observed_at: { gte: START, lt: START + DAYS * DAY_MS } }
    const files = await liveFiles(await state(), filter)
    expect(files.length).toBeLessThanOrEqual(35)
    expect(most.files).toBeLessThanOrEqual(35)
    const rows = await lake.query(sql`SELECT observed_at, intensity_veh_h FROM ${scan(trafficReadings, filter)} ORDER BY observed_at`)
    expect(rows).toEqual(instants.map((at) => ({ observed_at: at, intensity_veh_h: ((at / LANDING_MS) % 900) + 7 })))
    expect((await landedIn(context, trafficReadings, FEED)).seqs).toEqual([[1, instants.length]])
    process.stderr.write(`    ${instants.length} landings: ${files.length} files to open, ${most.files} at most\n`)
  })

  test('leave a metadata file of at most 1 MB with every snapshot of 7 days, and at most 20 manifests', async () => {
    const { metadata, table, version } = await state()
    const lastDay = metadata.snapshots.filter((snapshot) => snapshot['timestamp-ms'] >= START + (DAYS - 1) * DAY_MS)
    const logged = metadata['snapshot-log'].slice(-lastDay.length)
    const stored = (await store.head(versionKey(table.key, version)))?.bytes as number
    // Seven days like the last one: their snapshots are as long as its.
    const week = { ...metadata, snapshots: Array(7).fill(lastDay).flat(), 'snapshot-log': Array(7).fill(logged).flat() }
    const bytes = IS_WHOLE ? stored : metadataBytes(week).length
    process.stderr.write(`    ${bytes} bytes of metadata, ${lastDay.length} snapshots a day, ${most.manifests} manifests at most\n`)
    expect(lastDay.length).toBeGreaterThanOrEqual(A_DAY)
    expect(bytes).toBeLessThanOrEqual(1_000_000)
    expect(most.manifests).toBeLessThanOrEqual(20)
  })

  test('are planned in at most 50 ms by a process that knows nothing of the table', async () => {
    const best = await bestOf(7, async () => {
      const cold = (await openTable({ store, key: lake.table(trafficReadings).key }).load()) as TableState
      await liveFiles(cold, { sensor_id: { eq: '3007' }, observed_at: { gte: START, lt: START + DAYS * DAY_MS } })
    })
    process.stderr.write(`    planned in ${best.toFixed(1)} ms, the table's metadata read again\n`)
    expect(best).toBeLessThanOrEqual(50)
  })

  test('are written at most 10 times over', () => {
    const factor = 1 + rewritten / (instants.length * SENSORS)
    process.stderr.write(`    every row written ${factor.toFixed(1)} times\n`)
    expect(factor).toBeLessThanOrEqual(10)
  })

  test('become one sorted file when the next month begins', async () => {
    // A landing of 2 April closes March (1 April may be the last day of the 30).
    await landAt(Date.UTC(2026, 3, 2))
    const files = await liveFiles(await state(), { observed_at: { lt: Date.UTC(2026, 3, 1) } })
    expect(files.map(({ rows }) => rows)).toEqual([instants.filter((at) => at < Date.UTC(2026, 3, 1)).length * SENSORS])
    expect(await lake.query(sql`SELECT CAST(count(*) AS INTEGER) AS rows FROM ${scan(trafficReadings)}`, { columns: {} })).toEqual([
      { rows: instants.length * SENSORS },
    ])
  })
})
