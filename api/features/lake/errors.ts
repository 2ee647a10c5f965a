import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { problemOf } from '../../engine/replies/problem-replies.ts'
import { type Problem, problem } from '../../kernel/problems.ts'
import { redacted } from '../../kernel/redact.ts'

/** Returns the problem of an unknown namespace. */
export function noNamespace(name: string): Problem {
  return problem('not-found', `There is no namespace ${name.slice(0, 200)}.`, { extensions: { type: 'NoSuchNamespaceException' } })
}

/** Returns the problem of an unknown table, or of one without data. */
export function noTable(namespace: string, name: string, why = 'There is no table'): Problem {
  return problem('not-found', `${why} ${namespace}.${name.slice(0, 200)}.`, { extensions: { type: 'NoSuchTableException' } })
}

/** Returns the problem of a request for a stored file that S3 refuses with this code. */
export function refusedFile(type: S3Refusal, detail: string): Problem {
  return problem('invalid-key', detail, { extensions: { type } })
}

/** Codes of S3 for a request that may not read a file. */
export type S3Refusal = 'AccessDenied' | 'SignatureDoesNotMatch' | 'RequestTimeTooSkewed' | 'ExpiredToken'

/** Codes of S3 for a request that may not write a file, and their statuses. */
const WRITE_STATUSES: Readonly<Record<string, number>> = {
  ...{ MethodNotAllowed: 405, NoSuchUpload: 404, InvalidArgument: 400, PreconditionFailed: 412 },
}

/** Types of errors in the Iceberg REST specification, by status. */
const ICEBERG_TYPES: Readonly<Record<number, string>> = {
  400: 'BadRequestException',
  401: 'NotAuthorizedException',
  403: 'ForbiddenException',
  404: 'NotFoundException',
  409: 'CommitFailedException',
  429: 'TooManyRequestsException',
  500: 'InternalServerError',
  501: 'UnsupportedOperationException',
  503: 'ServiceUnavailableException',
}

/** The body of an error of the Iceberg REST catalogue ("IcebergErrorResponse"). */
export function icebergError(code: number, message: string, type = ICEBERG_TYPES[code] ?? ICEBERG_TYPES[code < 500 ? 400 : 500]): string {
  return redacted(JSON.stringify({ error: { message, type, code } }))
}

/** Status and code of S3 for a problem ("Error responses" of Amazon S3). */
function s3Error({ code, status, options }: Problem): readonly [status: number, code: string] {
  const type = options.extensions?.['type']
  if (typeof type === 'string') return [WRITE_STATUSES[type] ?? (type === 'ExpiredToken' ? 400 : 403), type]
  if (code === 'not-found') return [404, 'NoSuchKey']
  if (code === 'range-not-satisfiable') return [416, 'InvalidRange']
  if (code === 'quota-exceeded') return [503, 'SlowDown']
  return status < 500 ? [status, 'InvalidRequest'] : [status, status === 500 ? 'InternalError' : 'ServiceUnavailable']
}

/** How a scope writes a problem: its status, media type and body. */
type Written = readonly [status: number, type: string, body: string]

/** As the catalogue writes it. */
export function asIceberg({ message, status, options }: Problem): Written {
  return [status, 'application/json', icebergError(status, message, options.extensions?.['type'] as string | undefined)]
}

/** As S3 writes it. */
export function asS3(found: Problem): Written {
  const [status, code] = s3Error(found)
  const message = found.message.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return [
    status,
    'application/xml',
    redacted(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`),
  ]
}

/** Writes the problems of a scope in the form that its clients read. Faults of the service are logged. */
export function answerErrors(scope: FastifyInstance, log: Pick<FastifyBaseLogger, 'error'>, write: (found: Problem) => Written): void {
  scope.setErrorHandler((error, { raw }, reply) => {
    const found = problemOf(error)
    const { headers, retry_after_s, cause } = found.options
    if (found.status >= 500) log.error({ path: raw.url?.slice(0, 500), status: found.status, err: cause ?? found }, 'request failed')
    const [status, type, body] = write(found)
    return reply
      .code(status)
      .headers({
        'Content-Type': type,
        'Cache-Control': 'no-store',
        ...(retry_after_s === undefined ? {} : { 'Retry-After': String(Math.ceil(retry_after_s)) }),
        ...headers,
      })
      .send(raw.method === 'HEAD' ? undefined : Buffer.from(body))
  })
}
