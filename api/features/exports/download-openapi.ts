import { LIMIT_HEADERS, limitedResponse, type Part, parameterPart, pathParameter, ref } from '../../kernel/openapi-parts.ts'
import { DOWNLOAD_PARAMS, DOWNLOAD_PATH, DOWNLOAD_PROBLEMS } from './download.ts'
import { JOB_FILE_PATH, JOB_FILE_TYPES } from './job-files.ts'

const FILE = '2026-01-5f0c9a52-1f0e-4b7e-8a63-0c3d1c1f2b77.parquet'

interface DownloadPath {
  readonly path: string
  readonly operation: Part
  /** Path parameters: description and example by name. */
  readonly inPath: Readonly<Record<string, readonly [description: string, example: string]>>
  readonly types: readonly string[]
}

/** Describes the downloads of files. They are not JSON, so they are not declared endpoints. */
export function downloadPaths(): Part {
  return {
    ...downloadPath({
      path: DOWNLOAD_PATH,
      operation: {
        operationId: 'export_by_dataset_by_file',
        tags: ['export', 'data'],
        summary: 'One data file of a dataset, as Parquet',
        description:
          'Needs a key of the plan ENTERPRISE, or the signature of a URL from the manifest. Files in an S3 bucket are served by a redirect. ' +
          'Range requests resume a download: the ETag is strong, and a file never changes under its name.',
      },
      inPath: { dataset: ['Id of the dataset.', 'incidents'], file: ['Name of the file, as the manifest lists it.', FILE] },
      types: ['application/vnd.apache.parquet'],
    }),
    ...downloadPath({
      path: JOB_FILE_PATH,
      operation: {
        operationId: 'export_jobs_by_id_files_by_file',
        tags: ['export'],
        summary: 'One file of an export job',
        description:
          'Needs the key of the job, or the signature of a URL from the job. Files in an S3 bucket are served by a redirect. ' +
          'Range requests resume a download: the ETag is strong.',
      },
      inPath: { id: ['Id of the job.', 'exp_5f0c9a521f0e4b7e8a63'], file: ['Name of the file, as the job lists it.', 'incidents.parquet'] },
      types: Object.values(JOB_FILE_TYPES),
    }),
  }
}

function downloadPath({ path, operation, inPath: named, types }: DownloadPath): Part {
  const [expired, range] = DOWNLOAD_PROBLEMS
  const limits = { 'X-Request-Id': ref('headers', 'RequestId'), ...LIMIT_HEADERS }
  const headers = {
    ...limits,
    ETag: ref('headers', 'ETag'),
    'Accept-Ranges': ref('headers', 'AcceptRanges'),
    'Content-Disposition': ref('headers', 'ContentDisposition'),
  }
  const range206 = { ...headers, 'Content-Range': ref('headers', 'ContentRange') }
  const content = Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]))
  return {
    [path]: {
      get: {
        ...operation,
        'x-plan': 'ENTERPRISE',
        security: [{ ApiKey: [] }, {}],
        parameters: [
          ...Object.entries(named).map(([name, [description, example]]) => pathParameter(name, description, example)),
          ...Object.entries(DOWNLOAD_PARAMS).map(([name, one]) => parameterPart(name, one, { inPath: false, example: undefined })),
        ],
        responses: {
          200: { description: 'The whole file.', headers, content },
          206: { description: 'The requested range.', headers: range206, content },
          302: { description: 'A signed URL of the object store.', headers: { ...limits, Location: ref('headers', 'Location') } },
          304: { description: 'The copy named by If-None-Match is current.', headers },
          400: limitedResponse(['unknown-parameter', 'malformed-request']),
          401: ref('responses', '401'),
          403: ref('responses', '403'),
          404: ref('responses', '404Limited'),
          405: ref('responses', '405'),
          410: limitedResponse([expired]),
          416: {
            ...limitedResponse([range]),
            headers: { ...limitedResponse([range]).headers, 'Content-Range': ref('headers', 'ContentRange') },
          },
          429: ref('responses', '429'),
        },
      },
    },
  }
}
