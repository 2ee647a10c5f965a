import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type ExportWorkerOptions, type RunningExports, startExportWorker } from '../../../jobs/exports/worker.ts'
import { openExportQueue } from '../../../jobs/queues.ts'
import { EventLog } from '../../../lake/events/log.ts'
import {
  cancelJob,
  createJob,
  type ExportJob,
  type ExportState,
  exportedFileKey,
  listJobs,
  putOutcome,
  readJob,
} from '../../../lake/exports/jobs.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import type { Lake } from '../../../lake/open.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'
import { everything, landRows, openTestLake } from '../../lake/query/fixtures.ts'
import { pause } from '../workers.ts'

let lake: Lake
let redis: TestRedis
let connection: Redis
let events: EventLog
const running: RunningExports[] = []
beforeAll(async () => {
  lake = await openTestLake(tempFolder())
  redis = await startTestRedis()
  connection = openRedis(redis.url)
  events = new EventLog({ store: lake.store, redis: connection })
  await land(1)
})
afterAll(async () => {
  for (const worker of running) await worker.close()
  connection?.disconnect()
  await redis?.stop()
  await lake?.close()
})

/** Starts a worker whose jobs wait for `gate` before they write; with a store and times of its own if given. */
const start = async (
  gate: Promise<void> = Promise.resolve(),
  { store = lake.store, times = {}, ...more }: Partial<Pick<ExportWorkerOptions, 'store' | 'times' | 'events' | 'openLake'>> = {},
): Promise<RunningExports> => {
  const worker = await startExportWorker({
    redisUrl: redis.url,
    store,
    openLake: async () => {
      await gate
      return openTestLake(tempFolder(), { store, slots: 1 })
    },
    datasets: [everything],
    log: pino({ level: 'silent' }),
    times: { poll: 20, progress: 20, busy: 20, retry: 20, ...times },
    ...more,
  })
  running.push(worker)
  return worker
}
const land = async (id: number): Promise<void> => {
  const row = { ...Object.fromEntries(Object.keys(everything.columns).map((name) => [name, null])), fetch_id: `every.${id}` }
  await landRows(lake, everything, [{ ...row, id, observed_at: Date.UTC(2026, 0, 1) }])
}
const create = async (id: string, slot: string, dataset = 'everything', created_at = Date.now()): Promise<void> => {
  const filter = { from: null, to: null, province: null, columns: null }
  await createJob(lake.store, { id, slot, created_at, dataset, ...filter, format: 'parquet', split: 'none' })
}
const job = async (id: string, slot: string): Promise<ExportJob> => (await readJob(lake.store, { id, slot }, Date.now())) as ExportJob
const isIn = (state: ExportState, id: string, slot: string) => async () => (await job(id, slot)).state === state
const filesOf = async (id: string): Promise<string[]> => {
  const names: string[] = []
  for await (const { key } of lake.store.list(`exports/files/${id}/`)) names.push(key)
  return names
}
/** Ids of the jobs whose `export.ready` was recorded. */
const announced = async (): Promise<unknown[]> => {
  const read = await events.read(0)
  return read.reset ? [] : read.batches.flatMap((batch) => batch.events.map(({ data }) => data?.['id']))
}
const gated = (): { gate: Promise<void>; open: () => void } => {
  let open = (): void => undefined
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  return { gate, open }
}

test('one job of a key runs at a time, and those of other keys do not wait for it', async () => {
  const { gate, open } = gated()
  const slow = await start(gate)
  await create('exp_a1', 'ana.1')
  await until('the first runs', isIn('RUNNING', 'exp_a1', 'ana.1'))
  await create('exp_a2', 'ana.1')
  await start()
  await create('exp_b1', 'ben.1')
  await until('another key is served', isIn('READY', 'exp_b1', 'ben.1'))
  expect((await job('exp_a2', 'ana.1')).state).toBe('QUEUED')
  open()
  await until('both are done', async () => (await isIn('READY', 'exp_a1', 'ana.1')()) && isIn('READY', 'exp_a2', 'ana.1')())
  expect((await job('exp_a1', 'ana.1')).outcome).toMatchObject({ rows: 1, reason: null })
  await slow.close()
})

test('jobs run in the order of their creation, whatever their ids, those of a key and those of all keys', async () => {
  for (const worker of running.splice(0)) await worker.close()
  const at = Date.now() - 3_600_000
  const jobs = [
    ['exp_o9', 'ana.1'],
    ['exp_o1', 'ana.1'],
    ['exp_o5', 'ben.1'],
    ['exp_o2', 'ana.1'],
    ['exp_o0', 'ben.1'],
  ] as const
  for (const [n, [id, slot]] of jobs.entries()) await create(id, slot, 'everything', at + n)
  const queue = openExportQueue(connection)
  // Taken too early, as after a crash: it waits for the others of its key.
  await queue.add('export', { slot: 'ana.1', id: 'exp_o2' }, { jobId: 'exp_o2', priority: 1 })
  await queue.close()
  await start()
  for (const [id, slot] of jobs) await until(`${id} is done`, isIn('READY', id, slot))
  const ends = await Promise.all(jobs.map(async ([id, slot]) => (await job(id, slot)).outcome?.ended_at as number))
  const ofAna = [ends[0], ends[1], ends[3]]
  expect(ofAna).toEqual(ofAna.toSorted((one, other) => Number(one) - Number(other)))
  const early = ends.filter((_, n) => n !== 3)
  expect(early).toEqual(early.toSorted((one, other) => one - other))
})

test('a running job that is cancelled stops and leaves no files', async () => {
  for (const worker of running.splice(0)) await worker.close()
  const { gate, open } = gated()
  await start(gate)
  await create('exp_c1', 'ana.1')
  await until('it runs', isIn('RUNNING', 'exp_c1', 'ana.1'))
  await cancelJob(lake.store, { id: 'exp_c1', slot: 'ana.1' }, Date.now())
  open()
  await create('exp_c2', 'ana.1')
  await until('the next one is done', isIn('READY', 'exp_c2', 'ana.1'))
  expect((await job('exp_c1', 'ana.1')).state).toBe('CANCELLED')
  expect(await filesOf('exp_c1')).toEqual([])
})

test('a job of a worker that is closed is done by another, also after Redis was emptied', async () => {
  for (const worker of running.splice(0)) await worker.close()
  const { gate, open } = gated()
  const closing = await start(gate)
  await create('exp_d1', 'ana.1')
  await until('it runs', isIn('RUNNING', 'exp_d1', 'ana.1'))
  const closed = closing.close()
  open()
  await closed
  running.splice(0)
  expect((await job('exp_d1', 'ana.1')).outcome).toBeNull()
  await redis.kill()
  await redis.restart()
  await start()
  await until('it is done', isIn('READY', 'exp_d1', 'ana.1'))
})

test('a job whose worker is closed again and again is still done', async () => {
  await create('exp_l1', 'ana.1')
  for (let closings = 0; closings < 4; closings++) {
    for (const worker of running.splice(0)) await worker.close()
    const { gate, open } = gated()
    let began = false
    const closing = await start(undefined, {
      openLake: async () => {
        began = true
        await gate
        return openTestLake(tempFolder(), { store: lake.store, slots: 1 })
      },
    })
    await until('it runs', () => began)
    const closed = closing.close()
    open()
    await closed
    running.splice(0)
  }
  await start()
  await until('it is done', isIn('READY', 'exp_l1', 'ana.1'))
})

test('a worker that loses its lock during an upload does not change the files of the one that follows', async () => {
  for (const worker of running.splice(0)) await worker.close()
  const { gate, open } = gated()
  let late: Promise<void> | null = null
  const slow: ObjectStore = {
    ...lake.store,
    putFile: async (key, path) => {
      if (!key.endsWith('everything.parquet')) return lake.store.putFile(key, path)
      late = gate.then(() => lake.store.putFile(key, path))
      return late
    },
  }
  const first = await start(undefined, { store: slow, times: { lock: 400 } })
  await create('exp_g1', 'ana.1')
  await until('the first uploads', () => late !== null)
  await redis.kill()
  await redis.restart()
  await land(2)
  await start()
  await until('the second is done', isIn('READY', 'exp_g1', 'ana.1'))
  open()
  await late
  await first.close()
  const { outcome } = await job('exp_g1', 'ana.1')
  expect(outcome?.rows).toBe(2)
  for (const { name, bytes, sha256 } of outcome?.files ?? []) {
    const found = (await lake.store.get(exportedFileKey({ id: 'exp_g1', attempt: outcome?.attempt ?? null }, name))) as Buffer
    expect([name, found.length, createHash('sha256').update(found).digest('hex')]).toEqual([name, bytes, sha256])
  }
})

test('a job is announced after its outcome is stored, once, and never if it cannot be stored', async () => {
  for (const worker of running.splice(0)) await worker.close()
  let refusals = 0
  let isAway = true
  const failing: ObjectStore = {
    ...lake.store,
    putIfAbsent: async (key, body) => {
      if (!isAway || !key.endsWith('/outcome.json')) return lake.store.putIfAbsent(key, body)
      refusals++
      throw new Error('503')
    },
  }
  await start(undefined, { store: failing, events })
  await create('exp_h1', 'ana.1')
  await until('every attempt fails', () => refusals > 3)
  isAway = false
  await until('it has failed', isIn('FAILED', 'exp_h1', 'ana.1'))
  await create('exp_h2', 'ana.1')
  await until('the next one is announced', async () => (await announced()).includes('exp_h2'))
  expect((await job('exp_h2', 'ana.1')).state).toBe('READY')
  await start(undefined, { events })
  await new Promise((resolve) => setTimeout(resolve, 100))
  const found = (await announced()).filter((id) => id === 'exp_h1' || id === 'exp_h2')
  expect(found).toEqual(['exp_h2'])
})

test('a ready job whose event was not recorded is announced later, but none of an earlier version', async () => {
  for (const worker of running.splice(0)) await worker.close()
  const outcome = { ended_at: Date.now(), snapshot: null, rows: 0, files: [], reason: null }
  await putOutcome(lake.store, { id: 'exp_i1', slot: 'ana.1' }, outcome)
  await create('exp_i1', 'ana.1')
  await putOutcome(lake.store, { id: 'exp_i2', slot: 'ana.1' }, { ...outcome, attempt: 'one' })
  await create('exp_i2', 'ana.1')
  await start(undefined, { events })
  await until('it is announced', async () => (await announced()).includes('exp_i2'))
  expect(await announced()).not.toContain('exp_i1')
})

test('a job that is cancelled after the worker last checked is not announced and leaves no files', async () => {
  for (const worker of running.splice(0)) await worker.close()
  let uploads = 0
  const cancelling: ObjectStore = {
    ...lake.store,
    putFile: async (key, path) => {
      uploads++
      if (key.endsWith('/datapackage.json')) await cancelJob(lake.store, { id: 'exp_j1', slot: 'ana.1' }, Date.now())
      await lake.store.putFile(key, path)
    },
  }
  await start(undefined, { store: cancelling, events, times: { progress: 60_000 } })
  await create('exp_j1', 'ana.1')
  await until('it is cancelled', isIn('CANCELLED', 'exp_j1', 'ana.1'))
  await until('its files are deleted', async () => uploads === 3 && (await filesOf('exp_j1')).length === 0)
  expect(await announced()).not.toContain('exp_j1')
})

test('a cancellation is seen after the store failed to answer whether there is one', async () => {
  for (const worker of running.splice(0)) await worker.close()
  const { gate, open } = gated()
  const looks: string[] = []
  let uploads = 0
  const failing: ObjectStore = {
    ...lake.store,
    head: async (key) => {
      if (!key.endsWith('/exp_k1/cancelled.json')) return lake.store.head(key)
      if (looks.length === 0) {
        looks.push('failed')
        throw new Error('503')
      }
      const found = await lake.store.head(key)
      looks.push(found ? 'cancelled' : 'none')
      return found
    },
    putFile: async (key, path) => {
      uploads++
      await lake.store.putFile(key, path)
    },
  }
  await start(gate, { store: failing, events })
  await create('exp_k1', 'ana.1')
  await until('the store has failed', () => looks.length > 0)
  await cancelJob(lake.store, { id: 'exp_k1', slot: 'ana.1' }, Date.now())
  await until('the worker sees the cancellation', () => looks.includes('cancelled'))
  open()
  await create('exp_k2', 'ana.1')
  await until('the next one is done', isIn('READY', 'exp_k2', 'ana.1'))
  expect([uploads, await filesOf('exp_k1')]).toEqual([3, []])
})

test('an impossible job fails with the reason, and a job that fails unexpectedly is tried three times', async () => {
  for (const worker of running.splice(0)) await worker.close()
  await start()
  await create('exp_e1', 'ana.1', 'gone')
  await until('it fails', isIn('FAILED', 'exp_e1', 'ana.1'))
  expect((await job('exp_e1', 'ana.1')).outcome?.reason).toContain('no dataset gone')
  for (const worker of running.splice(0)) await worker.close()
  let tries = 0
  running.push(
    await startExportWorker({
      ...{ redisUrl: redis.url, store: lake.store, datasets: [everything], log: pino({ level: 'silent' }) },
      openLake: async () => {
        tries++
        throw new Error('no disk')
      },
      times: { poll: 20, progress: 20, busy: 20, retry: 20 },
    }),
  )
  await create('exp_f1', 'ana.1')
  await until('it fails', isIn('FAILED', 'exp_f1', 'ana.1'))
  expect(tries).toBe(3)
  expect((await job('exp_f1', 'ana.1')).outcome?.reason).not.toContain('no disk')
  expect((await listJobs(lake.store, 'ana.1')).length).toBeGreaterThan(4)
})

test('a worker closes while Redis is away', async () => {
  const own = await startTestRedis()
  onTestFinished(() => own.stop())
  const worker = await startExportWorker({
    ...{ redisUrl: own.url, store: lake.store, openLake: () => openTestLake(tempFolder()), datasets: [everything] },
    ...{ log: pino({ level: 'silent' }), times: { poll: 20 } },
  })
  await own.kill()
  await pause(100)
  const began = performance.now()
  await worker.close()
  expect(performance.now() - began).toBeLessThan(5000)
})
