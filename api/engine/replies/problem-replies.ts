import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { TableRefused } from '../../../lake/iceberg/errors.ts'
import { isStoreAway, QueryError } from '../../../lake/query/errors.ts'
import { openRepeats } from '../../../lake/repeats.ts'
import { isFull, StoreError } from '../../../lake/store/errors.ts'
import { ALLOW, AS_TYPED, CORS_HEADERS } from '../../kernel/http/headers.ts'
import { invalidParamProblem } from '../../kernel/http/validation-errors.ts'
import { InvalidParam, PROBLEMS, Problem, type ProblemCode, problem } from '../../kernel/problems.ts'
import { nearest } from '../../kernel/reads/suggest.ts'
import { redacted } from '../../kernel/redact.ts'
import { tableRefused, tablesUnreadable } from '../answers/absent-data.ts'

const CONTENT_TYPE = 'application/problem+json'

/** Retry-After in seconds while the store is full. */
const FULL_S = 60

const UNDECODABLE = [
  'malformed-request',
  'The URL cannot be decoded: a % has to be followed by two hexadecimal digits of UTF-8.',
] as const satisfies readonly [ProblemCode, string]

/** Problems of Fastify's own errors, by their code. */
const FASTIFY_PROBLEMS: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_BAD_URL: UNDECODABLE,
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload-too-large', 'The request body is larger than this path allows.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported-media-type', 'This path does not accept the media type of the request body.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed-request', 'The length of the request body differs from Content-Length.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['malformed-request', 'The request body is empty.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['malformed-request', 'The request body is not JSON.'],
}

/** A problem as it is sent. */
interface ProblemReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly request_id: string
}

/** Returns the body of a problem, in the form of RFC 9457. */
export function problemBody(
  made: Problem,
  occurrence: { readonly baseUrl: string; readonly instance: string; readonly request_id: string },
): object {
  const { errors, extensions } = made.options
  const { title, type = `${occurrence.baseUrl}/problems/${made.code}` }: { readonly title: string; readonly type?: string } =
    PROBLEMS[made.code]
  return {
    type,
    title,
    status: made.status,
    detail: made.message,
    instance: occurrence.instance,
    code: made.code,
    request_id: occurrence.request_id,
    ...(errors ? { errors } : {}),
    ...extensions,
  }
}

/** Where a problem occurred, and whether pages of other origins may read it. */
interface ProblemPlace {
  readonly baseUrl: string
  readonly instance: string
  readonly isSameOrigin?: boolean
}

/** Writes a problem with a fresh request id, and without keys that the request had in the wrong place. */
function problemReply(made: Problem, { isSameOrigin = false, ...place }: ProblemPlace): ProblemReply {
  const { retry_after_s, headers } = made.options
  const request_id = `req_${randomUUID()}`
  return {
    status: made.status,
    request_id,
    body: redacted(JSON.stringify(problemBody(made, { ...place, request_id }))),
    headers: {
      'Content-Type': CONTENT_TYPE,
      'Cache-Control': 'no-store',
      'X-Request-Id': request_id,
      ...AS_TYPED,
      ...(isSameOrigin ? {} : CORS_HEADERS),
      ...(retry_after_s === undefined ? {} : { 'Retry-After': String(Math.ceil(retry_after_s)) }),
      ...headers,
    },
  }
}

/** Returns the problem that answers an error of any kind. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof InvalidParam) return invalidParamProblem(error)
  if (error instanceof QueryError) return queryProblem(error)
  if (error instanceof StoreError) return storeProblem(error)
  if (error instanceof TableRefused) return tableRefused(error)
  const code = (error as { code?: string }).code ?? ''
  const known = FASTIFY_PROBLEMS[code]
  if (known) return problem(known[0], known[1], { cause: error })
  return problem('internal', INTERNAL, { cause: error })
}

function cutOff(cause: unknown): Problem {
  return problem('malformed-request', 'The connection ended before the body of the request did.', { cause })
}

/** Returns the problem of work that would succeed a little later. */
function later(detail: string, cause: Error, retry_after_s = 5): Problem {
  return problem('temporary-reduced-capacity', detail, { retry_after_s, cause })
}

const INTERNAL = 'The request could not be answered; the mistake is ours.'

function queryProblem(error: QueryError): Problem {
  if (error.code === 'timeout')
    return problem('query-timeout', `The query was stopped after ${(error.timeout_ms ?? 0) / 1000} s.`, { retry_after_s: 30, cause: error })
  if (error.code === 'busy' || error.code === 'closed' || error.code === 'cache-full')
    return later('Too many queries of the lake are running; this one was not begun.', error, error.retry_after_s)
  if (isStoreAway(error)) return tablesUnreadable(error)
  if (error.code === 'broke-off') return later('The query of the lake was begun and could not be finished.', error)
  return problem('internal', INTERNAL, { cause: error })
}

/** Returns the problem of a store that does not answer, or has no room for a write. */
function storeProblem(error: StoreError): Problem {
  if (error.code === 'contention') return later('Too many changes came at once; this one was not made.', error, 1)
  if (isFull(error))
    return problem('insufficient-storage', 'The data store is full: nothing was changed.', { retry_after_s: FULL_S, cause: error })
  return tablesUnreadable(error)
}

/** A request that failed: its problem, and the id of the request. */
export interface Failed {
  readonly code: ProblemCode
  readonly detail: string
  readonly request_id: string
  readonly retry_after_s: number | null
}

/**
 * Makes every failure end as problem+json. Faults of the service are logged with the request id: outages in few lines, others one
 * by one. `onProblem` gets the code of each problem.
 */
export function answerProblems(
  app: FastifyInstance,
  options: {
    readonly baseUrl: () => string
    readonly log: FastifyBaseLogger
    readonly onProblem: (code: ProblemCode) => void
    /** True for a request of a path that only our own pages may read. */
    readonly isSameOrigin: (request: FastifyRequest) => boolean
    /** The page that says it to a person, with its headers; null for a program. */
    readonly pageOf: (request: FastifyRequest, failed: Failed) => Readonly<{ html: string; headers: Record<string, string> }> | null
  },
): void {
  const { baseUrl, log, onProblem, isSameOrigin, pageOf } = options
  const outages = outageLog(log)
  const send = (request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply => {
    // A body that ended with its connection is not a fault of the service.
    const made = request.raw.errored === error && !request.raw.complete ? cutOff(error) : problemOf(error)
    onProblem(made.code)
    const { status, headers, body, request_id } = problemReply(made, {
      baseUrl: baseUrl(),
      instance: request.raw.url?.slice(0, 2000) ?? '/',
      isSameOrigin: isSameOrigin(request),
    })
    if (status === 503 || status === 507) outages.add({ problem: made, path: request.routeOptions.url ?? '', request_id })
    else if (status >= 500)
      log.error(
        { request_id, path: request.raw.url?.slice(0, 500), status, code: made.code, err: made.options.cause ?? made },
        'request failed',
      )
    const { retry_after_s = null } = made.options
    const page = pageOf(request, { code: made.code, detail: made.message, request_id, retry_after_s })
    // As bytes: Fastify would append a charset to the type, and errors of its router pass no hook that removes it.
    return reply
      .code(status)
      .headers({ ...headers, ...page?.headers })
      .send(request.raw.method === 'HEAD' ? undefined : Buffer.from(page?.html ?? body))
  }
  app.setErrorHandler((error, request, reply) => send(request, reply, error))
}

/** Returns the problem of a path with a % that does not start a character. */
export function undecodable(): Problem {
  return problem(...UNDECODABLE)
}

/** Returns the problem of an unknown path; `paths` are the candidates for a suggestion. */
export function unknownPath(request: FastifyRequest, paths: readonly string[]): Problem {
  const path = (request.raw.url ?? '').split('?', 1)[0]?.slice(0, 200) ?? ''
  const near = nearest(path, paths)
  return problem(
    'not-found',
    `There is no path ${path};${near === null ? '' : ` did you mean ${near}?`} GET /openapi.json lists the paths of the API.`,
  )
}

/** Refuses an Expect header other than 100-continue with a problem, and returns its code: Node would send no body. */
export function answerExpectation(request: IncomingMessage, response: ServerResponse, baseUrl: string): ProblemCode {
  const made = problem('expectation-failed', 'The Expect header may contain only 100-continue.')
  const { status, headers, body } = problemReply(made, { baseUrl, instance: request.url?.slice(0, 2000) ?? '/' })
  // The client may still send a body, which nobody reads.
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
  response.end(request.method === 'HEAD' ? undefined : body)
  return made.code
}

/** Refuses a CONNECT request with a problem, and returns its code: Node would only cut its connection. */
export function answerConnect(request: IncomingMessage, socket: Socket, baseUrl: string): ProblemCode {
  socket.on('error', () => socket.destroy())
  const target = (request.url ?? '').slice(0, 200)
  return endWith(socket, methodProblem('CONNECT', target), { baseUrl, instance: target })
}

/** Sends a problem without Node's HTTP, ends the connection and returns the problem's code. */
export function endWith(socket: Socket, made: Problem, options: { readonly baseUrl: string; readonly instance: string }): ProblemCode {
  const { status, headers, body } = problemReply(made, options)
  const lines = Object.entries({ ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  return made.code
}

/** Returns the problem of a path that does not take this method; `allow` lists its methods. */
export function methodProblem(method: string, path: string, allow: string = ALLOW): Problem {
  return problem('method-not-allowed', `${path} does not take ${method}; it takes ${allow}.`, { headers: { Allow: allow } })
}

/** Logs expected outages: one line for the first problem of each kind and path, and another with the number that followed. */
interface OutageLog {
  add(outage: { readonly problem: Problem; readonly path: string; readonly request_id: string }): void
}

const EVERY_MS = 60_000

/** Makes a log with one line per `every_ms` for each kind of problem and path. */
export function outageLog(log: Pick<FastifyBaseLogger, 'warn'>, { every_ms = EVERY_MS }: { readonly every_ms?: number } = {}): OutageLog {
  const repeats = openRepeats(every_ms)
  return {
    add({ problem, path, request_id }) {
      const { code, status } = problem
      const { cause } = problem.options
      const reason = cause instanceof Error ? cause.message : undefined
      repeats(`${code} ${path}`, {
        first: () => log.warn({ code, path, status, request_id, reason }, 'requests are refused'),
        more: (requests) => log.warn({ code, path, status, requests }, 'more requests were refused'),
      })
    },
  }
}
