import { expect, test } from 'vitest'
import { createJob, type ExportRequest, expireJobs, isUnfinished, listJobs, putOutcome, putProgress } from '../../../lake/exports/jobs.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { tempFolder } from '../../helpers/temp.ts'

const { signal } = new AbortController()
const request: ExportRequest = {
  ...{ id: 'exp_1', slot: 'ana.1', created_at: 0, dataset: 'everything', from: null, to: null, province: null, columns: null },
  ...{ format: 'parquet', split: 'none' },
}
/** A store with an export job that failed at 0. */
const withJob = async (): Promise<ObjectStore> => {
  const store = await fileStore(tempFolder())
  await createJob(store, request)
  await putProgress(store, request, { at: 0, started_at: 0, share: 0 })
  await putOutcome(store, request, { ended_at: 0, snapshot: null, rows: 0, files: [], reason: 'too many files' })
  return store
}
const keysOf = async (store: ObjectStore): Promise<string[]> => {
  const keys: string[] = []
  for await (const { key } of store.list('exports/')) keys.push(key)
  return keys
}

test('a deletion of old records that breaks off leaves no job to run, and the next one deletes the rest', async () => {
  const store = await withJob()
  let failures = 1
  const failing: ObjectStore = {
    ...store,
    delete: async (key) => {
      if (key.endsWith('/progress.json') && failures-- > 0) throw new Error('503')
      await store.delete(key)
    },
  }
  const later = 40 * 86_400_000
  await expect(expireJobs(failing, later, signal)).rejects.toThrow('503')
  expect((await listJobs(store)).filter(isUnfinished)).toEqual([])
  await expireJobs(failing, later, signal)
  expect(await keysOf(store)).toEqual([])
})
