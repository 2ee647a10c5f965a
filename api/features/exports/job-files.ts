import { type ExportAttempt, exportedFileKey, readJob } from '../../../lake/exports/jobs.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import type { DownloadKind } from './download.ts'
import type { Downloadable } from './signed-links.ts'

/** The path of export jobs. */
export const JOBS_PATH = '/api/export-jobs'
/** Path of one export job. */
export const JOB_PATH = `${JOBS_PATH}/{id}`
/** The path of a file of an export job. */
export const JOB_FILE_PATH = `${JOB_PATH}/files/{file}`
/** Media types of the files of jobs, by file extension. */
export const JOB_FILE_TYPES = Object.freeze({
  '.parquet': 'application/vnd.apache.parquet',
  '.gz': 'application/gzip',
  '.json': 'application/json',
  '.md': 'text/markdown',
})

const ID = /^exp_[0-9a-f]{20}$/
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,200}$/

/** Returns a file of an export job. */
export function jobFile(of: ExportAttempt, name: string): Downloadable {
  return {
    path: `${JOBS_PATH}/${of.id}/files/${encodeURIComponent(name)}`,
    key: exportedFileKey(of, name),
    name,
    ...(of.attempt === null ? {} : { version: of.attempt }),
  }
}

/** True for the id of an export job. */
export function isJobId(text: string): boolean {
  return ID.test(text)
}

/** Serves the files of export jobs. A key gets only those of its own jobs. */
export function jobDownloads(store: ObjectStore, clock: () => number): DownloadKind {
  return {
    path: JOB_FILE_PATH,
    async find({ id = '', file: name = '' }, { slot, version }) {
      const none = `There is no file ${name.slice(0, 200)} of an export job ${id.slice(0, 40)} of this key.`
      const type = Object.entries(JOB_FILE_TYPES).find(([end]) => name.endsWith(end))?.[1]
      if (!isJobId(id) || !NAME.test(name) || !type) return none
      // A signature comes from the job while it was READY, so it needs no check.
      const job = slot === null ? null : await readJob(store, { slot, id }, clock())
      if (slot !== null && job?.state !== 'READY') return none
      const file = jobFile({ id, attempt: job ? (job.outcome?.attempt ?? null) : version }, name)
      const found = await store.head(file.key)
      return found ? { file, bytes: found.bytes, type, tag: `${id}/${name}` } : none
    },
  }
}
