import { type ChildProcess, spawn } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createJob, type ExportRequest, exportedFileKey, readJob } from '../../../lake/exports/jobs.ts'
import { fileStore } from '../../../lake/store/file.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'

let redis: TestRedis
let child: ChildProcess | null = null
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await redis?.stop()
})

test('a job that kills its worker fails after three starts, also if Redis is emptied in between, and leaves no files', async () => {
  const folder = tempFolder()
  const store = await fileStore(folder)
  const request: ExportRequest = {
    ...{ id: 'exp_1', slot: 'ana.1', created_at: 0, dataset: 'everything', from: null, to: null, province: null, columns: null },
    ...{ format: 'parquet', split: 'none' },
  }
  await createJob(store, request)
  const left = exportedFileKey({ id: request.id, attempt: 'killed' }, 'everything.parquet')
  await store.put(left, Buffer.from('rows'))
  const isFailed = async (): Promise<boolean> => (await readJob(store, request, 0))?.state === 'FAILED'
  let kills = 0
  for (let starts = 0; starts < 15 && !(await isFailed()); starts++) {
    const started = spawn(process.execPath, [new URL('killed-worker.ts', import.meta.url).pathname, redis.url, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child = started
    await until('the job kills the worker or fails', async () => started.signalCode !== null || (await isFailed()), 20_000)
    if (started.signalCode !== null) kills++
    if (kills !== 2) continue
    await redis.kill()
    await redis.restart()
  }
  expect([await isFailed(), kills]).toEqual([true, 3])
  await until('its files are deleted', async () => (await store.head(left)) === null)
})
