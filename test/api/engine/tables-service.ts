import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineEndpoint } from '../../../api/kernel/endpoint.ts'
import { nested, record } from '../../../api/kernel/fields.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, join as joinSql, type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { fillReadings } from '../../../scripts/checks/benches/lake.ts'
import { type BenchApi, serveParent, startBenchApi } from '../../../scripts/checks/benches/services.ts'
import { startRedis } from '../../../scripts/redis.ts'

/** A closed month of 20 sensors: 172,800 readings. */
const MONTH = { sensors: 20, from: Date.UTC(2026, 10, 1), open: Date.UTC(2026, 11, 1), to: Date.UTC(2026, 11, 1) }

const { source, sensor_id, ...measured } = trafficReadings.columns
const list = {
  kind: 'list',
  name: 'readings',
  key: ['source', 'sensor_id'],
  sorts: ['observed_at'],
  order: 'observed_at',
  limit: { default: 100, max: 1000 },
} as const
const about = { domain: 'road', plan: 'PRO', params: {}, example: {} } as const

/** Every reading, as stored in the lake. */
const readings = defineEndpoint({
  ...{ ...about, path: '/api/readings', summary: 'Readings', summary_es: 'Readings' },
  returns: { ...list, record: record('Reading', 'A reading.', { source, sensor_id, ...measured }) },
  read: { kind: 'lake', from: [trafficReadings], query: () => all() },
})

/** The same as records with nested objects, lists and rows. */
const nestedReadings = defineEndpoint({
  ...{ ...about, path: '/api/nested-readings', summary: 'Readings', summary_es: 'Readings' },
  returns: {
    ...list,
    record: record('NestedReading', 'A reading.', {
      ...{ source, sensor_id, observed_at: measured.observed_at },
      reading: nested.object('What was read.', measured),
      tags: col.list([0, 0], 'Words.', col.string(0, 'Word.')),
      parts: nested.objects('Parts.', measured),
    }),
  },
  read: {
    kind: 'lake',
    from: [trafficReadings],
    query: () => all(),
    rows: {
      columns: trafficReadings.columns,
      finish: (row: AnyRow) => ({ ...row, reading: row, tags: [row['sensor_type'], row['quality']], parts: [row, row] }) as never,
    },
  },
})

function all(): Sql {
  const names = Object.keys(trafficReadings.columns).map((name) => column(trafficReadings, name))
  return sql`SELECT ${joinSql(names)} FROM ${scan(trafficReadings)}`
}

/** Starts the API over the lake of a folder, with its own Redis; the first start fills the lake. */
async function startTablesService(home: string): Promise<BenchApi> {
  if (!existsSync(join(home, 'store'))) await fillReadings(home, MONTH)
  const server = await startRedis({ folder: join(home, 'redis'), appendOnly: false })
  const api = await startBenchApi(home, { redisUrl: server.url, endpoints: [readings, nestedReadings] })
  return { ...api, close: () => api.close().then(() => server.stop()) }
}

await serveParent(() => startTablesService(process.argv[3] as string))
