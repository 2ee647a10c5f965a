import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { expireSnapshots } from '../../../lake/iceberg/expire.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { metadataBytes } from '../../../lake/iceberg/metadata.ts'
import { openTable, type Table, type TableState } from '../../../lake/iceberg/table.ts'
import type { DataFile, FieldMetrics, LiveFile } from '../../../lake/iceberg/types.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { bestOf } from '../../helpers/best.ts'
import { tempStore } from './fixtures.ts'
import { transformValue } from './partition-value.ts'

const START = Date.parse('2026-03-01T00:00:00Z')
const LANDING_MS = 300_000
const DAY_MS = 86_400_000
const SENSORS = 4_700
const BYTES = 14

// The last day lands in full (288 landings); the days before every 4 hours, which leaves the same files once they are compacted.
const DAYS = 30
const LANDINGS_BEFORE = 6
/** Small files of the open day before they are made one. */
const MOST_OPEN = 4

describe('30 days of 5-minute landings with compaction and expiry', () => {
  let store: ObjectStore
  let remove: () => Promise<void>
  let table: Table
  let now = START
  let state: TableState
  const manifestCounts: number[] = []

  const at = (ms: number): bigint => BigInt(ms) * 1000n
  const limits = (lower: FieldMetrics['lower'], upper: FieldMetrics['upper'], values: number): FieldMetrics => ({
    values,
    nulls: 0,
    nans: null,
    lower,
    upper,
    bytes: null,
  })

  /** A file of readings from one time to another, never opened. */
  async function readings(from: number, to: number, rows: number): Promise<DataFile> {
    const key = `${table.key}/data/2026-03-${randomUUID()}.parquet`
    await store.put(key, Buffer.alloc(BYTES))
    const text = (id: number, lower: string, upper = lower): [number, FieldMetrics] => [id, limits(lower, upper, rows)]
    const metrics = new Map<number, FieldMetrics>([
      text(1, 'madrid'),
      text(2, '1001', '9999'),
      [3, limits(300, 300, rows)],
      [4, limits(at(from), at(to), rows)],
      text(5, 'M30', 'URBAN'),
      [6, limits(0, 9000, rows)],
      [7, limits(0, 100, rows)],
      [8, limits(0, 200, rows)],
      text(9, 'CONGESTION', 'SLOW'),
      [10, limits(0, 120, rows)],
      text(11, 'ERROR', 'UNKNOWN'),
      text(1001, `madrid_traffic.${from}`, `madrid_traffic.${to}`),
    ])
    const partition = [transformValue('month', 'timestamptz', at(from))]
    return { key, rows, bytes: BYTES, partition, specId: 0, sortOrderId: 1, metrics }
  }

  async function rewrite(files: readonly DataFile[]): Promise<DataFile> {
    const times = files.map((file) => file.metrics.get(4) as FieldMetrics)
    const from = Number((times.map((time) => time.lower as bigint).sort()[0] as bigint) / 1000n)
    const to = Number(
      (times
        .map((time) => time.upper as bigint)
        .sort()
        .at(-1) as bigint) / 1000n,
    )
    const one = await readings(
      from,
      to,
      files.reduce((sum, file) => sum + file.rows, 0),
    )
    await commit({ table, operation: 'replace', add: [one], remove: files })
    return one
  }

  beforeAll(async () => {
    ;({ store, remove } = await tempStore('month'))
    ;({ table } = await createTable({ store, dataset: trafficReadings, properties: { 'source-mode': 'simulated' }, clock: () => now }))
    for (let day = 0; day < DAYS; day++) {
      const step = day < DAYS - 1 ? DAY_MS / LANDINGS_BEFORE : LANDING_MS
      let open: DataFile[] = []
      for (let time = START + day * DAY_MS; time < START + (day + 1) * DAY_MS; time += step) {
        now = time
        const landed = await readings(time, time + step - 1, SENSORS)
        await commit({
          table,
          operation: 'append',
          add: [landed],
          properties: () => ({
            'landed.madrid_traffic': `1-${Math.floor((time - START) / LANDING_MS) + 1}`,
            'landed-until.madrid_traffic': new Date(time).toISOString(),
          }),
        })
        open.push(landed)
        if (open.length > MOST_OPEN) open = [await rewrite(open)]
        manifestCounts.push((await table.manifests((await table.load()) as TableState)).length)
      }
      if (open.length > 1 && day < DAYS - 1) await rewrite(open)
      await expireSnapshots({ table, now })
    }
    state = (await openTable({ store, key: table.key }).load()) as TableState
  }, 300_000)
  afterAll(() => remove())

  test('leave a metadata file of at most 1 MB with every snapshot of 7 days', () => {
    const { metadata } = state
    const lastDay = metadata.snapshots.filter((snapshot) => snapshot['timestamp-ms'] >= START + (DAYS - 1) * DAY_MS)
    const logged = metadata['snapshot-log'].slice(-lastDay.length)
    expect(lastDay.length).toBe(288 + 71)
    // Seven days like the last one: their snapshots are as long as its.
    const week = { ...metadata, snapshots: Array(7).fill(lastDay).flat(), 'snapshot-log': Array(7).fill(logged).flat() }
    const bytes = metadataBytes(week).length
    process.stderr.write(
      `    ${bytes} bytes of metadata with ${week.snapshots.length} snapshots, ${Math.max(...manifestCounts)} manifests at most\n`,
    )
    expect(bytes).toBeLessThanOrEqual(1_000_000)
  })

  test('leave at most 20 manifests, at every time', () => {
    expect(Math.max(...manifestCounts)).toBeLessThanOrEqual(20)
  })

  test('leave a plan of at most 50 ms, with manifests read again, that opens few files', async () => {
    let best = Number.POSITIVE_INFINITY
    for (let n = 0; n < 7; n++) {
      const cold = (await openTable({ store, key: table.key }).load()) as TableState
      let files: readonly LiveFile[] = []
      const plan = async (): Promise<void> => {
        files = await liveFiles(cold, { sensor_id: { eq: '3409' }, observed_at: { gte: START, lt: START + 31 * DAY_MS } })
      }
      best = Math.min(best, await bestOf(1, plan))
      expect(files.length).toBe((await liveFiles(cold)).length)
      const day = await liveFiles(cold, { observed_at: { gte: START + 5 * DAY_MS, lt: START + 6 * DAY_MS } })
      expect(day.length).toBe(1)
      expect(await liveFiles(cold, { observed_at: { lt: START } })).toStrictEqual([])
    }
    process.stderr.write(`    planned in ${best.toFixed(1)} ms\n`)
    expect(best).toBeLessThanOrEqual(50)
  })

  test('leave every row, and totals that say so', async () => {
    const rows = (await liveFiles(state)).reduce((sum, file) => sum + file.rows, 0)
    expect(rows).toBe(((DAYS - 1) * LANDINGS_BEFORE + 288) * SENSORS)
    expect(state.snapshot?.summary['total-records']).toBe(String(rows))
    expect(state.snapshot?.summary['total-data-files']).toBe(String((await liveFiles(state)).length))
  })
})
