import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isStoreAway, QueryError } from '../../lake/query/errors.ts'
import { isFull, StoreError } from '../../lake/store/errors.ts'
import { PROBLEMS, Problem, type ProblemCode, problem, Refused } from '../define/problems.ts'
import { redacted } from '../define/redact.ts'
import { nearest } from '../define/suggest.ts'
import { tablesUnreadable } from './absent-data.ts'
import { ALLOW, AS_TYPED, CORS_HEADERS } from './headers.ts'
import { refusal } from './mistakes.ts'
import { outageLog } from './outage-log.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for paths that only pages of our own may read. */
    isSameOrigin?: boolean
  }
}

const CONTENT_TYPE = 'application/problem+json; charset=utf-8'

/** After how many seconds a retry makes sense while the store is full. */
const FULL_S = 60

const UNDECODABLE = [
  'malformed-request',
  'The URL cannot be decoded: a % has to be followed by two hexadecimal digits of UTF-8.',
] as const satisfies readonly [ProblemCode, string]

/** Fastify's own errors, by their code. */
const FASTIFY_PROBLEMS: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_BAD_URL: UNDECODABLE,
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload-too-large', 'The request body is larger than this path takes.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported-media-type', 'The request body has a media type that this path does not take.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed-request', 'The request body is not as long as Content-Length says.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['malformed-request', 'The request body is empty.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['malformed-request', 'The request body is no JSON.'],
}

/** A problem as it is sent. */
interface ProblemReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly request_id: string
}

/** The body of a problem, as RFC 9457 has it. */
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

/** Where a problem came up, and whether pages of other origins may read it. */
interface ProblemPlace {
  readonly baseUrl: string
  readonly instance: string
  readonly isSameOrigin?: boolean
}

/** Writes a problem with a fresh request id, without the keys that the request may have had in the wrong place. */
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

/** The problem that an error of any kind is answered with. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof Refused) return refusal(error)
  if (error instanceof QueryError) return queryProblem(error)
  if (error instanceof StoreError) return storeProblem(error)
  const code = (error as { code?: string }).code ?? ''
  const known = FASTIFY_PROBLEMS[code]
  if (known) return problem(known[0], known[1], { cause: error })
  return problem('internal', 'The request could not be answered; the mistake is ours.', { cause: error })
}

function cutOff(cause: unknown): Problem {
  return problem('malformed-request', 'The connection ended before the body of the request did.', { cause })
}

function queryProblem(error: QueryError): Problem {
  if (error.code === 'timeout') return problem('query-timeout', 'The query was stopped after 30 s.', { retry_after_s: 30, cause: error })
  if (error.code === 'busy' || error.code === 'closed' || error.code === 'cache-full')
    return problem('temporary-reduced-capacity', 'Too many queries of the lake are running; this one was not begun.', {
      retry_after_s: error.retry_after_s ?? 5,
      cause: error,
    })
  if (isStoreAway(error)) return tablesUnreadable(error)
  return problem('internal', 'The request could not be answered; the mistake is ours.', { cause: error })
}

/** The problem of a store that does not answer, or has no room for what was to be written. */
function storeProblem(error: StoreError): Problem {
  if (isFull(error))
    return problem('insufficient-storage', 'The data store is full: nothing was changed.', { retry_after_s: FULL_S, cause: error })
  return tablesUnreadable(error)
}

/**
 * Makes every way to fail end as problem+json, and logs those that are our fault with the request's id: outages in few lines, mistakes each.
 * `told` is told of each.
 */
export function answerProblems(
  app: FastifyInstance,
  { baseUrl, log, told }: { readonly baseUrl: () => string; readonly log: FastifyBaseLogger; readonly told: (code: ProblemCode) => void },
): void {
  const outages = outageLog(log)
  const send = (request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply => {
    // A body that ended with its connection is no mistake of ours.
    const made = request.raw.errored === error && !request.raw.complete ? cutOff(error) : problemOf(error)
    told(made.code)
    const { status, headers, body, request_id } = problemReply(made, {
      baseUrl: baseUrl(),
      instance: request.raw.url?.slice(0, 2000) ?? '/',
      isSameOrigin: request.routeOptions.config.isSameOrigin === true,
    })
    if (status === 503 || status === 507) outages.tell({ problem: made, path: request.routeOptions.url ?? '', request_id })
    else if (status >= 500)
      log.error(
        { request_id, path: request.raw.url?.slice(0, 500), status, code: made.code, err: made.options.cause ?? made },
        'request failed',
      )
    return reply
      .code(status)
      .headers(headers)
      .send(request.raw.method === 'HEAD' ? undefined : body)
  }
  app.setErrorHandler((error, request, reply) => send(request, reply, error))
}

/** The problem of a path in which a % does not begin a character. */
export function undecodable(): Problem {
  return problem(...UNDECODABLE)
}

/** The problem of a path that there is not; `paths` are those that may have been meant. */
export function unknownPath(request: FastifyRequest, paths: readonly string[]): Problem {
  const path = (request.raw.url ?? '').split('?', 1)[0]?.slice(0, 200) ?? ''
  const near = nearest(path, paths)
  return problem(
    'not-found',
    `There is no path ${path};${near === null ? '' : ` did you mean ${near}?`} GET /openapi.json lists every path.`,
  )
}

/** Answers an Expect header that asks for anything but to continue, and gives with what: Node would answer it without a body. */
export function answerExpectation(request: IncomingMessage, response: ServerResponse, baseUrl: string): ProblemCode {
  const told = problem('expectation-failed', 'The Expect header asks for what is not offered; it may ask for 100-continue only.')
  const { status, headers, body } = problemReply(told, { baseUrl, instance: request.url?.slice(0, 2000) ?? '/' })
  // A body may follow that nobody reads.
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
  response.end(request.method === 'HEAD' ? undefined : body)
  return told.code
}

/** Refuses to be a proxy, and gives with what: Node hands a CONNECT request over with its connection, and would only cut that off. */
export function answerConnect(request: IncomingMessage, socket: Socket, baseUrl: string): ProblemCode {
  socket.on('error', () => socket.destroy())
  const target = (request.url ?? '').slice(0, 200)
  return endWith(socket, methodProblem('CONNECT', target), { baseUrl, instance: target })
}

/** Answers with a problem past Node's HTTP, and ends the connection; gives its code. */
export function endWith(socket: Socket, told: Problem, options: { readonly baseUrl: string; readonly instance: string }): ProblemCode {
  const { status, headers, body } = problemReply(told, options)
  const lines = Object.entries({ ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  return told.code
}

/** The problem of a path that exists but not for this method; `allow` lists those that it takes. */
export function methodProblem(method: string, path: string, allow: string = ALLOW): Problem {
  return problem('method-not-allowed', `${path} does not take ${method}; it takes ${allow}.`, { headers: { Allow: allow } })
}
