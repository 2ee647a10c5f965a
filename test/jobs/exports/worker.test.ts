import { createHash } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ExportWorkerOptions, type RunningExports, startExportWorker } from '../../../jobs/exports/worker.ts'
import { cancelJob, createJob, type ExportJob, type ExportState, exportedFileKey, listJobs, readJob } from '../../../lake/exports/jobs.ts'
import type { Lake } from '../../../lake/open.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'
import { everything, landRows, openTestLake } from '../../lake/query/fixtures.ts'

let lake: Lake
let redis: TestRedis
const running: RunningExports[] = []
beforeAll(async () => {
  lake = await openTestLake(tempFolder())
  redis = await startTestRedis()
  await land(1)
})
afterAll(async () => {
  for (const worker of running) await worker.close()
  await redis?.stop()
  await lake?.close()
})

/** Starts a worker whose jobs wait for `gate` before they write; with a store and times of its own if given. */
const start = async (
  gate: Promise<void> = Promise.resolve(),
  { store = lake.store, times = {} }: { readonly store?: ObjectStore; readonly times?: ExportWorkerOptions['times'] } = {},
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
  })
  running.push(worker)
  return worker
}
const land = async (id: number): Promise<void> => {
  const row = { ...Object.fromEntries(Object.keys(everything.columns).map((name) => [name, null])), fetch_id: `every.${id}` }
  await landRows(lake, everything, [{ ...row, id, observed_at: Date.UTC(2026, 0, 1) }])
}
const create = async (id: string, slot: string, dataset = 'everything'): Promise<void> => {
  const filter = { from: null, to: null, province: null, columns: null }
  await createJob(lake.store, { id, slot, created_at: Date.now(), dataset, ...filter, format: 'parquet', split: 'none' })
}
const job = async (id: string, slot: string): Promise<ExportJob> => (await readJob(lake.store, { id, slot }, Date.now())) as ExportJob
const isIn = (state: ExportState, id: string, slot: string) => async () => (await job(id, slot)).state === state
const filesOf = async (id: string): Promise<string[]> => {
  const names: string[] = []
  for await (const { key } of lake.store.list(`exports/files/${id}/`)) names.push(key)
  return names
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
