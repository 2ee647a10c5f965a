import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { openTable, type Table } from '../../../lake/iceberg/table.ts'
import { openTableVersions } from '../../../lake/live/table-versions.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { until } from '../../helpers/until.ts'
import { samples, tempStore } from '../iceberg/fixtures.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server.stop())

/** One process's view of a table, and the number of its requests. */
async function process(store: ObjectStore): Promise<{ table: Table; requests: () => number; pass: (ms: number) => void }> {
  let [sent, later_ms] = [0, 0]
  const counted: ObjectStore = {
    ...store,
    get: (key, range) => (sent++, store.get(key, range)),
    head: (key) => (sent++, store.head(key)),
  }
  const versions = openTableVersions(server.url)
  onTestFinished(() => versions.close())
  await until('listening', () => versions.epoch !== null)
  const table = openTable({ store: counted, key: 'lake/test/samples', versions, clock: () => Date.now() + later_ms })
  return { table, requests: () => sent, pass: (ms) => void (later_ms += ms) }
}

test('loads ask the store for nothing until a version is announced, ten minutes have passed, or Redis was away', async () => {
  const { store, remove } = await tempStore()
  onTestFinished(remove)
  await createTable({ store, dataset: samples, properties: { 'source-mode': 'simulated' } })
  const [writer, reader] = [await process(store), await process(store)]
  await reader.table.load()
  const before = reader.requests()
  for (let n = 0; n < 50; n++) await reader.table.load()
  expect(reader.requests()).toBe(before)

  for (const n of ['1', '2', '3', '4']) await commit({ table: writer.table, operation: 'append', properties: () => ({ n }) })
  await sleep(200)
  expect((await reader.table.load())?.version).toBe(5)
  // However many versions were announced.
  expect(reader.requests()).toBe(before + 1)
  await reader.table.load()
  expect(reader.requests()).toBe(before + 1)

  // A writer without Redis announces nothing.
  await commit({ table: openTable({ store, key: 'lake/test/samples' }), operation: 'append', properties: () => ({ n: '2' }) })
  expect((await reader.table.load())?.version).toBe(5)
  expect((await reader.table.load({ isFresh: true }))?.version).toBe(6)
  await commit({ table: openTable({ store, key: 'lake/test/samples' }), operation: 'append', properties: () => ({ n: '3' }) })
  reader.pass(601_000)
  expect((await reader.table.load())?.version).toBe(7)

  await server.kill()
  await until('Redis away', async () => {
    const at = reader.requests()
    await reader.table.load()
    return reader.requests() > at
  })
  await server.restart()
})

test('callers who load at the same time share one probe', async () => {
  const { store, remove } = await tempStore()
  onTestFinished(remove)
  await createTable({ store, dataset: samples, properties: { 'source-mode': 'simulated' } })
  let sent = 0
  const table = openTable({ store: { ...store, get: (key, range) => (sent++, store.get(key, range)) }, key: 'lake/test/samples' })
  await table.load()
  const before = sent
  await Promise.all(Array.from({ length: 40 }, () => table.load()))
  expect(sent - before).toBe(1)
})
