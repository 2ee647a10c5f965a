import { afterEach, beforeEach, expect, test } from 'vitest'
import type { MonthsSpec } from '../../../jobs/derive/define.ts'
import { derive } from '../../../jobs/derive/derive.ts'
import { trafficHoursDerived } from '../../../jobs/derive/road/traffic.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { trafficReadings, trafficReadings15m } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { sql } from '../../../lake/query/sql.ts'
import { fillReadings } from '../../../scripts/checks/benches/lake.ts'
import { exampleTableRow } from '../../api/service.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows } from '../../lake/query/fixtures.ts'
import { never } from '../ingest/stage.ts'

const [FROM, TO] = [Date.UTC(2026, 2, 26), Date.UTC(2026, 3, 3)]
const SENSORS = 24

let redis: TestRedis
let context: TestContext
beforeEach(async () => {
  redis = await startTestRedis()
  const folder = tempFolder()
  await fillReadings(folder, { sensors: SENSORS, from: FROM, open: FROM, to: TO })
  context = await openTestContext({ folder, redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [trafficReadings, trafficReadings15m, trafficHours])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

const build = (change: Partial<MonthsSpec> = {}) => derive(context, { ...trafficHoursDerived, ...change }, { feeds, signal: never })
const files = async () => {
  const state = await context.lake.table(trafficHours).load()
  return state ? liveFiles(state) : []
}
const stored = async (): Promise<string[]> => {
  const keys: string[] = []
  for await (const { key } of context.store.list('lake/road/traffic_hours/data/')) if (key.endsWith('.parquet')) keys.push(key)
  return keys.sort()
}

test('a month built in pieces has the rows of one built at once, in files of sensors in one commit, and equal rows stay', async () => {
  // Sensors of another source, with the ids of Madrid's.
  const others = ['1003', '1010', '9'].map((sensor_id) =>
    exampleTableRow(trafficReadings, { source: 'dgt', sensor_id, observed_at: FROM + 3_600_000, fetch_id: 'dgt_detectors.1' }),
  )
  await landRows(context.lake, trafficReadings, others, { properties: { 'landed-until.dgt_detectors': new Date(TO).toISOString() } })
  const { pieces: _, ...whole } = trafficHoursDerived
  await derive(context, whole, { feeds, signal: never })
  const expected = await tableRows(context, trafficHours)
  expect(expected).toHaveLength(SENSORS * (7 * 24 + 23) + 3)
  const before = await context.lake.table(trafficHours).load()

  const pieces = { by: ['source', 'sensor_id'], rows: 7000 }
  expect((await build({ pieces, revision: 4 })).made).toEqual(['2026-03', '2026-04'])
  const equal = await context.lake.table(trafficHours).load()
  expect([equal?.snapshotId, await stored()]).toEqual([before?.snapshotId, (await files()).map(({ key }) => key).sort()])

  // One reading more: a file for each piece of March in place of one, and of each sensor's rows in one of them.
  const late = exampleTableRow(trafficReadings, {
    source: 'madrid',
    sensor_id: '1005',
    observed_at: FROM + 7_200_001,
    fetch_id: 'madrid_traffic.9',
  })
  await landRows(context.lake, trafficReadings, [late])
  // April reads the last hours of March in UTC, too, and stays as it is.
  expect((await build({ pieces, revision: 4 })).made).toEqual(['2026-03', '2026-04'])
  expect((await context.lake.table(trafficHours).load())?.metadata['last-sequence-number']).toBe(
    (before?.metadata['last-sequence-number'] ?? 0) + 1,
  )
  const march = (await files()).filter(({ partition }) => partition[0] === '2026-03')
  expect(march.length).toBeGreaterThan(4)
  const inPieces = await tableRows(context, trafficHours)
  await derive(context, { ...whole, revision: 5 }, { feeds, signal: never })
  expect(await tableRows(context, trafficHours)).toEqual(inPieces)
  expect(inPieces).not.toEqual(expected)
})

test('a derivation whose rows are not made from one piece is refused', async () => {
  const rows: MonthsSpec['rows'] = (month, inputs, dialect) =>
    sql`SELECT * REPLACE ('1000' AS sensor_id) FROM (${trafficHoursDerived.rows(month, inputs, dialect)}) QUALIFY row_number() OVER () = 1`
  await expect(build({ rows, pieces: { by: ['source', 'sensor_id'], rows: 7000 } })).rejects.toThrow(
    '1 rows that a piece of the inputs cannot give',
  )
  expect(await files()).toEqual([])
})
