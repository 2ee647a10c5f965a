import { EXPORT_FORMATS, EXPORT_SPLITS, EXPORT_STATES, type ExportJob } from '../../../lake/exports/jobs.ts'
import { DOUBLE, INT32, INT64 } from '../../../lake/schema/json.ts'
import { DECIMALS } from '../../../lake/schema/precision.ts'
import { BODY_REFUSED, jsonReply, KEY_REFUSED, limitedOperation, PLAN_REFUSED, VALUE_REFUSED } from '../../kernel/openapi-operation.ts'
import { IDEMPOTENCY_KEY, type Part, pathParameter, ref } from '../../kernel/openapi-parts.ts'
import { JOB_PATH, JOBS_PATH } from './job-files.ts'
import { MAX_UNFINISHED } from './job-routes.ts'

const EXAMPLE_ID = 'exp_5f0c9a521f0e4b7e8a63'
const FILTER = Object.freeze({ from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z', province: '28', columns: null })
const READY = Object.freeze({
  id: EXAMPLE_ID,
  status: 'READY' satisfies ExportJob['state'],
  dataset: 'incidents',
  filter: FILTER,
  format: 'parquet',
  split: 'none',
  decimals: 'exact',
  created_at: '2026-02-02T12:00:00.000Z',
  started_at: '2026-02-02T12:00:04.000Z',
  ended_at: '2026-02-02T12:00:05.000Z',
  expires_at: '2026-02-09T12:00:05.000Z',
  progress: 1,
  reason: null,
  snapshot: '4611686018427387904',
  rows: 48_211,
  files: [
    {
      file: 'incidents.parquet',
      rows: 48_211,
      bytes: 1_311_902,
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      url: `https://api.example.org${JOBS_PATH}/${EXAMPLE_ID}/files/incidents.parquet?signature=c2lnbmF0dXJlLW9mLW91cn`,
      url_expires_at: '2026-02-02T12:20:00.000Z',
    },
  ],
})
const QUEUED = Object.freeze({
  ...READY,
  ...{ status: 'QUEUED', started_at: null, ended_at: null, expires_at: null, progress: 0, snapshot: null, rows: null, files: [] },
})

const text = (description: string, more: Part = {}): Part => ({ type: 'string', description, ...more })
const maybe = (type: string, description: string, more: Part = {}): Part => ({ type: [type, 'null'], description, ...more })
const instant = (description: string): Part => maybe('string', description, { format: 'date-time' })

const FILTER_SCHEMA = {
  type: ['object', 'null'],
  additionalProperties: false,
  description: 'Which rows and columns; all by default.',
  properties: {
    from: maybe('string', "Begin of the period of the dataset's time column, included: an instant with a zone, or a date (Madrid)."),
    to: maybe('string', 'End of the period, not included.'),
    province: maybe('string', 'Name or code of a province or an autonomous community; of datasets with a column province_code.'),
    columns: maybe('array', 'Names of columns; all by default.', { items: { type: 'string' }, minItems: 1, maxItems: 200 }),
  },
}

/** The schemas of export jobs. */
export function exportJobSchemas(): Part {
  const file = {
    file: text('Name of the file.'),
    rows: maybe('integer', 'Rows; null for files that describe the others.', { format: INT64.format }),
    bytes: { ...INT64, description: 'Size. Unit: By.' },
    sha256: text('SHA-256 of the file, hexadecimal.'),
    url: text('Signed URL of the file. It needs no key, and takes Range requests.', { format: 'uri' }),
    url_expires_at: text('When the URL expires: at least 15 minutes from now.', { format: 'date-time' }),
  }
  const properties = {
    id: text('Id of the job.'),
    status: text('QUEUED, RUNNING, READY with files for 7 days and then EXPIRED, FAILED with a reason, or CANCELLED.', {
      enum: EXPORT_STATES,
    }),
    dataset: text('Id of the dataset.'),
    filter: FILTER_SCHEMA,
    format: text('Format of the files.', { enum: EXPORT_FORMATS }),
    split: text('How rows are split into files.', { enum: EXPORT_SPLITS }),
    decimals: text('Decimals of Parquet: exact, or as 64-bit floating-point numbers.', { enum: DECIMALS }),
    created_at: text('When it was created.', { format: 'date-time' }),
    started_at: instant('When it was last started.'),
    ended_at: instant('When it ended.'),
    expires_at: instant('When its files are deleted.'),
    progress: { ...DOUBLE, minimum: 0, maximum: 1, description: 'Progress from 0 to 1.' },
    reason: maybe('string', 'Why it failed.'),
    snapshot: maybe('string', 'Snapshot of the dataset that was read.'),
    rows: maybe('integer', 'Rows of all files.', { format: INT64.format }),
    files: {
      type: 'array',
      description: 'Its files while it is READY, with `ATTRIBUTION.md` (licences) and `datapackage.json` (Frictionless).',
      items: { type: 'object', required: Object.keys(file), properties: file },
    },
  }
  return { ExportJob: { type: 'object', required: Object.keys(properties), properties } }
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
      post: limitedOperation('export_jobs_create', 'Export a filtered dataset as files', {
        ...own,
        about:
          'The rows of one snapshot as Parquet or GeoParquet (zstd), or gzipped CSV or NDJSON. Jobs run in the order of their creation, those of a key one after the other; ' +
          `at most ${MAX_UNFINISHED} may wait. Parquet has the columns of the table, CSV and NDJSON those of \`/api/datasets/{id}/schema\`.`,
        parameters: [IDEMPOTENCY_KEY],
        body: {
          schema: {
            type: 'object',
            required: ['dataset'],
            additionalProperties: false,
            properties: {
              dataset: text('Id of the dataset, see `/api/export`.'),
              filter: FILTER_SCHEMA,
              format: maybe('string', 'Format of the files.', { enum: [...EXPORT_FORMATS, null], default: 'parquet' }),
              split: maybe('string', 'One file, or one for each month or day (UTC) of the time column.', {
                ...{ enum: [...EXPORT_SPLITS, null], default: 'none' },
              }),
              decimals: maybe('string', 'Decimals of Parquet and GeoParquet: `double` has 64-bit floating-point numbers.', {
                ...{ enum: [...DECIMALS, null], default: 'exact' },
              }),
            },
          },
          example: { dataset: 'incidents', filter: { from: '2026-01-01', to: '2026-02-01', province: 'Madrid' }, format: 'parquet' },
        },
        replies: {
          202: jsonReply('The job, QUEUED. Poll Location until it has ended.', job, QUEUED, {
            ...{ ...unfinished, Location: ref('headers', 'Location') },
          }),
        },
        problems: [...VALUE_REFUSED, ...BODY_REFUSED, ...KEY_REFUSED, ...PLAN_REFUSED, 'conflict', 'idempotency-key-reused'],
      }),
      get: limitedOperation('export_jobs_list', 'Export jobs of the key', {
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
      get: limitedOperation('export_jobs_by_id', 'State and files of an export job', {
        ...ofOne,
        replies: { 200: jsonReply('The job.', job, READY, unfinished) },
        problems: [...refused, 'malformed-request', 'not-found'],
      }),
      delete: limitedOperation('export_jobs_by_id_cancel', 'Cancel an export job, or delete its files', {
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
      }),
    },
  }
}
