import { KEY_REFUSED, limitedOperation, PLAN_REFUSED } from '../../kernel/openapi-operation.ts'
import { limitedResponse, type Part, parameterPart, pathParameter, ref, type Summary } from '../../kernel/openapi-parts.ts'
import { DOWNLOAD_PARAMS, DOWNLOAD_PATH, DOWNLOAD_PROBLEMS } from './download.ts'
import { JOB_FILE_PATH, JOB_FILE_TYPES } from './job-files.ts'

const FILE = '2026-01-5f0c9a52-1f0e-4b7e-8a63-0c3d1c1f2b77.parquet'

/** Describes the downloads of files. They are not JSON, so they are not declared endpoints. */
export function downloadPaths(): Part {
  return {
    [DOWNLOAD_PATH]: {
      get: download(
        'export_by_dataset_by_file',
        ['One data file of a dataset, as Parquet', 'Un fichero de datos de un conjunto, en Parquet'],
        {
          tags: ['export', 'data'],
          about:
            'Needs a key of the plan ENTERPRISE, or the signature of a URL from the manifest. Files in an S3 bucket are served by a redirect. ' +
            'Range requests resume a download: the ETag is strong, and a file never changes under its name.',
          inPath: [
            pathParameter('dataset', 'Id of the dataset.', 'incidents'),
            pathParameter('file', 'Name of the file, as the manifest lists it.', FILE),
          ],
          types: ['application/vnd.apache.parquet'],
        },
      ),
    },
    [JOB_FILE_PATH]: {
      get: download('export_jobs_by_id_files_by_file', ['One file of an export job', 'Un fichero de una exportación'], {
        tags: ['export'],
        about:
          'Needs the key of the job, or the signature of a URL from the job. Files in an S3 bucket are served by a redirect. ' +
          'Range requests resume a download: the ETag is strong.',
        inPath: [
          pathParameter('id', 'Id of the job.', 'exp_5f0c9a521f0e4b7e8a63'),
          pathParameter('file', 'Name of the file, as the job lists it.', 'incidents.parquet'),
        ],
        types: Object.values(JOB_FILE_TYPES),
      }),
    },
  }
}

function download(
  operationId: string,
  summary: Summary,
  own: { readonly tags: readonly string[]; readonly about: string; readonly inPath: readonly Part[]; readonly types: readonly string[] },
): Part {
  const { tags, about, inPath, types } = own
  const [expired, range] = DOWNLOAD_PROBLEMS
  const requestId = { 'X-Request-Id': ref('headers', 'RequestId') }
  const headers = {
    ...requestId,
    ETag: ref('headers', 'ETag'),
    'Accept-Ranges': ref('headers', 'AcceptRanges'),
    'Content-Disposition': ref('headers', 'ContentDisposition'),
  }
  const ranged = { 'Content-Range': ref('headers', 'ContentRange') }
  const content = Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]))
  const outOfRange = limitedResponse([range])
  return limitedOperation(operationId, summary, {
    ...{ tags, about, plan: 'ENTERPRISE', security: [{ ApiKey: [] }, {}] },
    parameters: [
      ...inPath,
      ...Object.entries(DOWNLOAD_PARAMS).map(([name, one]) => parameterPart(name, one, { inPath: false, example: undefined })),
    ],
    replies: {
      200: { description: 'The whole file.', headers, content },
      206: { description: 'The requested range.', headers: { ...headers, ...ranged }, content },
      302: { description: 'A signed URL of the object store.', headers: { ...requestId, Location: ref('headers', 'Location') } },
      304: { description: 'The copy named by If-None-Match is current.', headers },
      416: { ...outOfRange, headers: { ...outOfRange.headers, ...ranged } },
    },
    problems: ['unknown-parameter', 'malformed-request', ...KEY_REFUSED, ...PLAN_REFUSED, 'not-found', expired],
  })
}
