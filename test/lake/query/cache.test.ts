import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { type CachedObject, type FileCache, openFileCache } from '../../../lake/query/cache.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { everything, landRows, openTestLake } from './fixtures.ts'

const never = new AbortController().signal
const body = (fill: string, bytes: number): Buffer => Buffer.from(`PAR1${fill.repeat(bytes - 8)}PAR1`)

/** A store with objects `a`, `b`, `c`, … of some bytes, that counts how often each is fetched. */
async function filledStore(
  sizes: Readonly<Record<string, number>>,
): Promise<{ store: ObjectStore; fetches: Map<string, number>; objects: Record<string, CachedObject> }> {
  const store = await fileStore(join(tempFolder(), 'store'))
  const fetches = new Map<string, number>()
  const objects: Record<string, CachedObject> = {}
  for (const [name, bytes] of Object.entries(sizes)) {
    await store.put(`lake/${name}.parquet`, body(name, bytes))
    objects[name] = { key: `lake/${name}.parquet`, bytes }
  }
  const counting: ObjectStore = {
    ...store,
    getStream: (key) => {
      fetches.set(key, (fetches.get(key) ?? 0) + 1)
      return store.getStream(key)
    },
  }
  return { store: counting, fetches, objects }
}

/** A cache of the name `api`; closed when the test ends. */
async function open(options: { store: ObjectStore; folder: string; maxBytes: number }): Promise<FileCache> {
  const cache = await openFileCache({ name: 'api', ...options })
  onTestFinished(() => cache.close())
  return cache
}

const pick = (objects: Record<string, CachedObject>, names: string): CachedObject[] =>
  [...names].map((name) => objects[name] as CachedObject)

test('an object is fetched once for all simultaneous readers, and kept', async () => {
  const { store, fetches, objects } = await filledStore({ a: 100, b: 200 })
  const cache = await open({ store, folder: join(tempFolder(), 'cache'), maxBytes: 1000 })
  const held = await Promise.all(Array.from({ length: 10 }, () => cache.hold(pick(objects, 'ab'), never)))
  expect([...fetches.values()]).toEqual([1, 1])
  expect(readFileSync((held[0] as (typeof held)[0]).path('lake/a.parquet'))).toEqual(body('a', 100))
  expect(cache.usage).toEqual({ held: 300, total: 300 })
  for (const one of held) one.release()
  expect(cache.usage).toEqual({ held: 0, total: 300 })
})

test('the least recently used goes, never one in use', async () => {
  const { store, fetches, objects } = await filledStore({ a: 100, b: 100, c: 100, d: 100 })
  const cache = await open({ store, folder: join(tempFolder(), 'cache'), maxBytes: 300 })
  const a = await cache.hold(pick(objects, 'a'), never)
  for (const name of 'bc') (await cache.hold(pick(objects, name), never)).release()
  ;(await cache.hold(pick(objects, 'd'), never)).release()
  expect(existsSync(a.path('lake/a.parquet'))).toBe(true)
  expect(cache.usage.total).toBe(300)
  ;(await cache.hold(pick(objects, 'acd'), never)).release()
  expect(fetches.get('lake/b.parquet')).toBe(1)
  expect([...fetches.values()]).toEqual([1, 1, 1, 1])
  a.release()
  ;(await cache.hold(pick(objects, 'b'), never)).release()
  expect(fetches.get('lake/b.parquet')).toBe(2)
})

test('a reader without room waits for a release, in turn, and can give up', async () => {
  const { store, objects } = await filledStore({ a: 100, b: 100, c: 100 })
  const cache = await open({ store, folder: join(tempFolder(), 'cache'), maxBytes: 200 })
  const first = await cache.hold(pick(objects, 'ab'), never)
  const order: string[] = []
  const second = cache.hold(pick(objects, 'bc'), never).then((held) => {
    order.push('second')
    return held
  })
  const given = cache.hold(pick(objects, 'c'), AbortSignal.timeout(30)).catch((error: Error) => order.push(error.name))
  await given
  expect(order).toEqual(['TimeoutError'])
  first.release()
  ;(await second).release()
  expect(order).toEqual(['TimeoutError', 'second'])
  await expect(cache.hold(pick(objects, 'abc'), never)).rejects.toMatchObject({ code: 'cache-full' })
})

test('a missing, short or foreign object is an error and is not kept', async () => {
  const { store, fetches, objects } = await filledStore({ a: 100 })
  const folder = join(tempFolder(), 'cache')
  const cache = await open({ store, folder, maxBytes: 1000 })
  await store.put('lake/foreign.parquet', Buffer.from('<html>'.repeat(20)))
  await expect(cache.hold([{ key: 'lake/none.parquet', bytes: 10 }], never)).rejects.toThrow(/none.parquet is not in the store/)
  await expect(cache.hold([{ key: 'lake/a.parquet', bytes: 99 }], never)).rejects.toThrow(/a.parquet has 100 bytes, its manifest says 99/)
  await expect(cache.hold([{ key: 'lake/foreign.parquet', bytes: 120 }], never)).rejects.toThrow(/no Parquet file/)
  expect(readdirSync(join(folder, 'api'))).toEqual([])
  ;(await cache.hold(pick(objects, 'a'), never)).release()
  expect(fetches.get('lake/a.parquet')).toBe(2)
})

test('a later process takes over complete files, and fetches the others again', async () => {
  const { store, fetches, objects } = await filledStore({ a: 100, b: 100 })
  const folder = join(tempFolder(), 'cache')
  const before = await open({ store, folder, maxBytes: 1000 })
  const held = await before.hold(pick(objects, 'ab'), never)
  writeFileSync(held.path('lake/b.parquet'), body('x', 100))
  writeFileSync(join(folder, 'api', 'left.partial'), 'rest')
  writeFileSync(join(folder, 'api', 'left.seal'), 'rest')
  await before.close()
  const after = await open({ store, folder, maxBytes: 1000 })
  expect(after.usage.total).toBe(200)
  const again = await after.hold(pick(objects, 'ab'), never)
  expect(readFileSync(again.path('lake/b.parquet'))).toEqual(body('b', 100))
  expect(Object.fromEntries(fetches)).toEqual({ 'lake/a.parquet': 1, 'lake/b.parquet': 2 })
  expect(readdirSync(join(folder, 'api')).filter((name) => name.startsWith('left'))).toEqual([])
})

test('a seal that a crash left torn is no seal', async () => {
  const { store, fetches, objects } = await filledStore({ a: 100, b: 100, c: 100 })
  const folder = join(tempFolder(), 'cache')
  const before = await open({ store, folder, maxBytes: 1000 })
  const held = await before.hold(pick(objects, 'abc'), never)
  for (const [name, torn] of Object.entries({ a: '', b: '{"key":"lake/b.par', c: '{}' }))
    writeFileSync(held.path(`lake/${name}.parquet`).replace(/parquet$/, 'seal'), torn)
  await before.close()
  const after = await open({ store, folder, maxBytes: 1000 })
  expect(after.usage.total).toBe(0)
  ;(await after.hold(pick(objects, 'abc'), never)).release()
  expect([...fetches.values()]).toEqual([2, 2, 2])
})

test('a store that cannot give an object just now is asked again by the next query', async () => {
  const { store, objects } = await filledStore({ a: 100, b: 100 })
  const folder = join(tempFolder(), 'cache')
  const before = await open({ store, folder, maxBytes: 1000 })
  const held = await before.hold(pick(objects, 'a'), never)
  writeFileSync(held.path('lake/a.parquet'), body('x', 100))
  await before.close()
  let away = true
  const flaky: ObjectStore = { ...store, getStream: (key) => (away ? Promise.reject(new Error('HTTP 503')) : store.getStream(key)) }
  const cache = await open({ store: flaky, folder, maxBytes: 1000 })
  for (const name of 'ab') await expect(cache.hold(pick(objects, name), never)).rejects.toThrow('HTTP 503')
  away = false
  const again = await cache.hold(pick(objects, 'ab'), never)
  expect(readFileSync(again.path('lake/a.parquet'))).toEqual(body('a', 100))
  expect(cache.usage).toEqual({ held: 200, total: 200 })
})

test('a download that breaks off leaves nothing behind', async () => {
  const { store, objects } = await filledStore({ a: 100 })
  const folder = join(tempFolder(), 'cache')
  async function* cut(): AsyncGenerator<Buffer> {
    yield body('a', 50)
    throw new Error('connection cut')
  }
  const cache = await open({ store: { ...store, getStream: async () => cut() }, folder, maxBytes: 1000 })
  await expect(cache.hold(pick(objects, 'a'), never)).rejects.toThrow('connection cut')
  expect(readdirSync(join(folder, 'api'))).toEqual([])
})

test("two processes that use one folder at once do not touch each other's files", async () => {
  const { store, objects } = await filledStore({ a: 100, b: 100 })
  const folder = join(tempFolder(), 'cache')
  const one = await open({ store, folder, maxBytes: 100 })
  const held = await one.hold(pick(objects, 'a'), never)
  writeFileSync(join(folder, 'api', 'coming.partial'), 'half')
  const other = await open({ store, folder, maxBytes: 100 })
  const worker = await openFileCache({ store, folder, maxBytes: 100, name: 'worker' })
  for (const cache of [other, worker]) {
    expect(cache.usage.total).toBe(0)
    ;(await cache.hold(pick(objects, 'a'), never)).release()
    ;(await cache.hold(pick(objects, 'b'), never)).release()
  }
  expect(readFileSync(held.path('lake/a.parquet'))).toEqual(body('a', 100))
  expect(existsSync(join(folder, 'api', 'coming.partial'))).toBe(true)
  await other.close()
  await worker.close()
  expect(readdirSync(folder).sort()).toEqual(['api', 'api.pid', 'worker'])
})

test('a folder is taken over from a process that was killed, and its other files are removed', async () => {
  const { store, fetches, objects } = await filledStore({ a: 100 })
  const folder = join(tempFolder(), 'cache')
  const before = await open({ store, folder, maxBytes: 100 })
  ;(await before.hold(pick(objects, 'a'), never)).release()
  await before.close()
  // Process 1 runs and began at another time: a number that was used again.
  for (const mark of [`${process.pid}-1`, '1-1', '999999999-7']) {
    writeFileSync(join(folder, 'api.pid'), mark)
    mkdirSync(join(folder, `api-${mark}-0`))
    const after = await open({ store, folder, maxBytes: 100 })
    ;(await after.hold(pick(objects, 'a'), never)).release()
    expect(readdirSync(folder).sort()).toEqual(['api', 'api.pid'])
    await after.close()
  }
  expect([...fetches.values()]).toEqual([1])
})

test('closing ends the fetches in progress', async () => {
  const { store, objects } = await filledStore({ a: 100 })
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      yield Buffer.alloc(1)
    }
  }
  const folder = join(tempFolder(), 'cache')
  const cache = await open({ store: { ...store, getStream: async () => endless() }, folder, maxBytes: 1000 })
  const held = expect(cache.hold(pick(objects, 'a'), never)).rejects.toMatchObject({ code: 'closed' })
  await new Promise((resolve) => setTimeout(resolve, 20))
  await cache.close()
  await held
  await expect(cache.hold(pick(objects, 'a'), never)).rejects.toMatchObject({ code: 'closed' })
  expect(readdirSync(join(folder, 'api'))).toEqual([])
})

test('a remote lake without range reads is queried through the cache', async () => {
  const folder = tempFolder()
  const local = await openTestLake(folder)
  await landRows(local, everything, [{ id: 1, observed_at: 0, fetch_id: 'x' }])
  await landRows(local, everything, [{ id: 2, observed_at: 90 * 86_400_000, fetch_id: 'x' }])
  const state = await local.table(everything).load()
  const bytes = (await liveFiles(state as NonNullable<typeof state>)).reduce((sum, file) => sum + file.bytes, 0)
  await local.close()
  // A store that looks remote to the lake.
  const remote: ObjectStore = { ...(await fileStore(join(folder, 'store'))), url: 's3://bucket/prefix' }
  const lake = await openTestLake(join(folder, 'remote'), {
    store: remote,
    cache: { folder: join(folder, 'cache'), name: 'api', maxBytes: bytes },
  })
  onTestFinished(() => lake.close())
  expect(await lake.query(sql`SELECT id FROM ${scan(everything, { observed_at: { lt: 1 } })}`)).toEqual([{ id: 1 }])
  expect(readdirSync(join(folder, 'cache', 'api'))).toHaveLength(2)
  const counts = await Promise.all(Array.from({ length: 4 }, () => lake.query(sql`SELECT count(*) AS n FROM ${scan(everything)}`)))
  expect(counts.flat()).toEqual(Array.from({ length: 4 }, () => ({ n: 2 })))
})
