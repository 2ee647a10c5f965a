import { expect, test } from 'vitest'
import {
  createJob,
  type ExportOutcome,
  type ExportRequest,
  expireJobs,
  exportedFileKey,
  isUnfinished,
  listJobs,
  putOutcome,
  putProgress,
} from '../../../lake/exports/jobs.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { tempFolder } from '../../helpers/temp.ts'

const { signal } = new AbortController()
const request: ExportRequest = {
  ...{ id: 'exp_1', slot: 'ana.1', created_at: 0, dataset: 'everything', from: null, to: null, province: null, columns: null },
  ...{ format: 'parquet', split: 'none' },
}
/** A store with an export job that ended at 0, by default without success. */
const withJob = async (outcome: Partial<ExportOutcome> = { reason: 'too many files' }): Promise<ObjectStore> => {
  const store = await fileStore(tempFolder())
  await createJob(store, request)
  await putProgress(store, request, { at: 0, started_at: 0, share: 0 })
  await putOutcome(store, request, { ended_at: 0, snapshot: null, rows: 0, files: [], reason: null, ...outcome })
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

test.each([
  ['of an attempt', 'second'],
  ['of an earlier version', null],
])('a clean-up keeps the files %s that the outcome names, and deletes those of other attempts', async (_, attempt) => {
  const files = [{ name: 'rows.parquet', bytes: 1, sha256: '', rows: 1 }]
  const store = await withJob({ files, ...(attempt === null ? {} : { attempt }) })
  const kept = exportedFileKey({ id: request.id, attempt }, 'rows.parquet')
  const running = exportedFileKey({ id: 'exp_2', attempt: 'first' }, 'rows.parquet')
  await createJob(store, { ...request, id: 'exp_2' })
  for (const key of [kept, running, exportedFileKey({ id: request.id, attempt: 'first' }, 'other.parquet')])
    await store.put(key, Buffer.from('1'))
  expect(await expireJobs(store, 1, signal)).toEqual({ files: 1, records: 0 })
  expect((await keysOf(store)).filter((key) => key.startsWith('exports/files/'))).toEqual([kept, running])
})
