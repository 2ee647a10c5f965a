import { EXPORT_FORMATS, EXPORT_SPLITS, EXPORT_STATES } from '../../../lake/exports/jobs.ts'
import { col, orNull } from '../../../lake/schema/columns.ts'
import { INT32 } from '../../../lake/schema/json.ts'
import { DECIMALS } from '../../../lake/schema/precision.ts'
import { bodySchema } from '../../auth/bodies.ts'
import { nested } from '../../kernel/fields.ts'
import { BODY_REFUSED, jsonReply, KEY_REFUSED, limitedOperation, PLAN_REFUSED, VALUE_REFUSED } from '../../kernel/openapi-operation.ts'
import { IDEMPOTENCY_KEY, type Part, pathParameter, ref } from '../../kernel/openapi-parts.ts'
import { exampleOf, wholeRecord } from '../../kernel/reads/shape.ts'
import { JOB_PATH, JOBS_PATH } from './job-files.ts'
import { EXPORT_BODY } from './job-request.ts'
import { MAX_UNFINISHED } from './job-routes.ts'

const EXAMPLE_ID = 'exp_5f0c9a521f0e4b7e8a63'

const instant = (about: string, example: string) => col.instant(0, about, orNull(example))
const JOB_FIELDS = Object.freeze({
  id: col.string(0, 'Id of the job.', { example: EXAMPLE_ID }),
  status: col.string(0, 'QUEUED, RUNNING, READY with files for 7 days and then EXPIRED, FAILED with a reason, or CANCELLED.', {
    ...{ values: EXPORT_STATES, example: 'READY' },
  }),
  dataset: col.string(0, 'Id of the dataset.', { example: 'incidents' }),
  filter: nested.object('Which rows and columns.', {
    from: instant("Begin of the period of the dataset's time column, included.", '2026-01-01T00:00:00.000Z'),
    to: instant('End of the period, not included.', '2026-02-01T00:00:00.000Z'),
    province: col.string(0, 'Codes of its provinces, with commas between.', orNull('28')),
    columns: col.list([0, 0], 'Names of columns; null for all.', col.string(0, 'Name.'), { nullable: true }),
  }),
  format: col.string(0, 'Format of the files.', { values: EXPORT_FORMATS, example: 'parquet' }),
  split: col.string(0, 'How rows are split into files.', { values: EXPORT_SPLITS, example: 'none' }),
  decimals: col.string(0, 'Decimals of Parquet: exact, or as 64-bit floating-point numbers.', { values: DECIMALS, example: 'exact' }),
  created_at: col.instant(0, 'When it was created.', { example: '2026-02-02T12:00:00.000Z' }),
  started_at: instant('When it was last started.', '2026-02-02T12:00:04.000Z'),
  ended_at: instant('When it ended.', '2026-02-02T12:00:05.000Z'),
  expires_at: instant('When its files are deleted.', '2026-02-09T12:00:05.000Z'),
  progress: col.float(0, 'Progress from 0 to 1.', { min: 0, max: 1, example: 1 }),
  reason: col.string(0, 'Why it failed.', { nullable: true }),
  snapshot: col.string(0, 'Snapshot of the dataset that was read.', orNull('4611686018427387904')),
  rows: col.integer(0, 'Rows of all files.', { long: true, nullable: true, example: 48_211 }),
  files: nested.objects('Its files while it is READY, with `ATTRIBUTION.md` (licences) and `datapackage.json` (Frictionless).', {
    file: col.string(0, 'Name of the file.', { example: 'incidents.parquet' }),
    rows: col.integer(0, 'Rows; null for files that describe the others.', { long: true, nullable: true, example: 48_211 }),
    bytes: col.integer(0, 'Size.', { long: true, unit: 'By', example: 1_311_902 }),
    sha256: col.string(0, 'SHA-256 of the file, hexadecimal.', {
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    }),
    url: col.string(0, 'Signed URL of the file. It needs no key, and takes Range requests.', {
      format: 'uri',
      example: `https://api.example.org${JOBS_PATH}/${EXAMPLE_ID}/files/incidents.parquet?signature=c2lnbmF0dXJlLW9mLW91cn`,
    }),
    url_expires_at: col.instant(0, 'When the URL expires: at least 15 minutes from now.', { example: '2026-02-02T12:20:00.000Z' }),
  }),
})
const READY = exampleOf(JOB_FIELDS)
const QUEUED = Object.freeze({
  ...READY,
  ...{ status: 'QUEUED', started_at: null, ended_at: null, expires_at: null, progress: 0, snapshot: null, rows: null, files: [] },
})

/** The schemas of export jobs. */
export function exportJobSchemas(): Part {
  return { ExportJob: wholeRecord(JOB_FIELDS) }
}

/** Describes the paths of export jobs. */
export function exportJobPaths(): Part {
  const job = ref('schemas', 'ExportJob')
  const own = { tags: ['export'], plan: 'ENTERPRISE', security: [{ ApiKey: [] }] }
  const ofOne = { ...own, parameters: [pathParameter('id', 'Id of the job.', EXAMPLE_ID)] }
  const refused = ['unknown-parameter', ...KEY_REFUSED, ...PLAN_REFUSED] as const
  const requestId = { 'X-Request-Id': ref('headers', 'RequestId') }
  const unfinished = { ...requestId, 'Retry-After': ref('headers', 'RetryAfterUnfinished') }
  return {
    [JOBS_PATH]: {
      post: limitedOperation('export_jobs_create', ['Export a filtered dataset as files', 'Exportar un conjunto filtrado como ficheros'], {
        ...own,
        about:
          'The rows of one snapshot as Parquet or GeoParquet (zstd), or gzipped CSV or NDJSON. Jobs run in the order of their creation, those of a key one after the other; ' +
          `at most ${MAX_UNFINISHED} may wait. Parquet has the columns of the table, CSV and NDJSON those of \`/api/datasets/{id}/schema\`.`,
        parameters: [IDEMPOTENCY_KEY],
        body: {
          schema: bodySchema(EXPORT_BODY),
          example: { dataset: 'incidents', filter: { from: '2026-01-01', to: '2026-02-01', province: 'Madrid' }, format: 'parquet' },
        },
        replies: {
          202: jsonReply('The job, QUEUED. Poll Location until it has ended.', job, QUEUED, {
            ...{ ...unfinished, Location: ref('headers', 'Location') },
          }),
        },
        problems: [...VALUE_REFUSED, ...BODY_REFUSED, ...KEY_REFUSED, ...PLAN_REFUSED, 'conflict', 'idempotency-key-reused'],
      }),
      get: limitedOperation('export_jobs_list', ['Export jobs of the key', 'Las exportaciones de la clave'], {
        ...own,
        replies: {
          200: jsonReply(
            'Newest first; jobs are listed for 30 days.',
            {
              type: 'object',
              required: ['total', 'jobs'],
              properties: { total: { ...INT32, description: 'Jobs.' }, jobs: { type: 'array', items: job } },
            },
            { total: 1, jobs: [READY] },
            requestId,
          ),
        },
        problems: refused,
      }),
    },
    [JOB_PATH]: {
      get: limitedOperation('export_jobs_by_id', ['State and files of an export job', 'Una exportación y su estado'], {
        ...ofOne,
        replies: { 200: jsonReply('The job.', job, READY, unfinished) },
        problems: [...refused, 'malformed-request', 'not-found'],
      }),
      delete: limitedOperation(
        'export_jobs_by_id_cancel',
        ['Cancel an export job, or delete its files', 'Cancelar una exportación, o borrar sus ficheros'],
        {
          ...ofOne,
          replies: {
            200: jsonReply(
              'The job as it is now; one that FAILED or is EXPIRED stays so.',
              job,
              { ...QUEUED, status: 'CANCELLED' },
              unfinished,
            ),
          },
          problems: [...refused, ...BODY_REFUSED, 'not-found'],
        },
      ),
    },
  }
}
