import type { Dataset } from '../../lake/schema/dataset.ts'

/** Properties of a kind of problem: HTTP status and the title of every occurrence. */
interface ProblemKind {
  readonly status: number
  readonly title: string
  /** Advice for the caller, shown on the problem's page. */
  readonly help: string
  /** Its `type` if another specification defines it; by default its page here. */
  readonly type?: string
}

/** Every problem of the API by code, the last segment of the `type` URL: its status, its title, and advice for the caller. */
const KINDS = {
  'invalid-parameter': [
    400,
    'A parameter has a value that is not allowed',
    'See errors[]: each names the parameter, its value and the allowed values.',
  ],
  'unknown-parameter': [
    400,
    'The endpoint has no such parameter',
    'Check the spelling; errors[] suggests the nearest name and lists the existing ones.',
  ],
  'invalid-cursor': [
    400,
    'The cursor cannot be used',
    'Start again without cursor: it has expired, was changed, or belongs to a request with other filters or another sort.',
  ],
  'range-too-large': [400, 'The period is wider than one request may ask for', 'Ask for a shorter period, or for a coarser interval.'],
  'malformed-request': [400, 'The request is not well-formed HTTP or its URL cannot be decoded', 'Check the encoding of the URL.'],
  'key-required': [401, 'This needs a key', 'Send a key in the header X-API-Key; POST /api/keys creates one.'],
  'invalid-key': [
    401,
    'There is no such key',
    'Check the key: it has 40 characters and begins with tia_. An invalid key is always rejected, even on endpoints that need no key.',
  ],
  'revoked-key': [401, 'The key was revoked', 'Create another with POST /api/keys.'],
  'expired-key': [
    401,
    'The key has expired',
    'It was rotated, or its e-mail address was not confirmed in time. Use the new key, or create another with POST /api/keys.',
  ],
  'plan-required': [
    403,
    'The plan of the key does not contain this',
    'required_plan contains it, current_plan is the plan of the key; upgrade_url is the page about plans and upgrades. GET /api/plans lists the contents of each plan.',
  ],
  'https-required': [
    403,
    'This came by plain HTTP',
    'Use https. Plain HTTP requests are rejected and not redirected, because others could read them on the way. Rotate a key that was sent this way, with POST /api/keys/{id}/rotate over https.',
  ],
  'signature-expired': [
    410,
    'The signed URL does not work any more',
    'Fetch the manifest of the dataset, or the export job, again: its URLs work for at least 15 minutes.',
  ],
  'snapshot-expired': [
    410,
    'The snapshot has expired',
    'Every snapshot is kept for 24 hours, then the last of each hour for 7 days. nearest_snapshot names the nearest stored one.',
  ],
  'foreign-origin': [
    403,
    'The request comes from a page of another site',
    'Pages of other sites can neither change an account nor create a key. Use the pages of this service at its public address, or a key.',
  ],
  'not-found': [404, 'There is nothing here', 'Check the path and the id; GET /openapi.json lists the paths of the API.'],
  'no-data-yet': [
    404,
    'There is no data for this yet',
    'missing names the datasets without data, waits_for the required steps. Try again after the seconds in Retry-After. /api/freshness shows the state of each feed.',
  ],
  'method-not-allowed': [405, 'The path does not accept this method', 'The Allow header lists the accepted methods.'],
  'not-acceptable': [
    406,
    'No representation that the request accepts',
    'Send an Accept header with one of the listed media types, or none.',
  ],
  'request-timeout': [408, 'The request did not arrive in time', 'Send it again over a better connection.'],
  conflict: [409, 'The current state does not allow this', 'See the detail for the reason.'],
  gone: [410, 'The path was retired', 'It worked until the day in the Sunset header; /changelog has the reason and the replacement.'],
  'payload-too-large': [413, 'The request body is too large', 'Send a smaller body; data requests have none.'],
  'uri-too-long': [414, 'The URL is too long', 'Request fewer ids at once.'],
  'range-not-satisfiable': [416, 'The range is outside the file', 'Content-Range has the size of the file in bytes.'],
  'expectation-failed': [417, 'The Expect header requests something unsupported', 'Send Expect: 100-continue, or none.'],
  'unsupported-media-type': [415, 'The request body has an unsupported media type', 'Send application/json.'],
  'idempotency-key-reused': [
    422,
    'The Idempotency-Key was sent with another request',
    'Send a new key, such as a UUID, with each new request; repeat a key only to repeat the request.',
  ],
  'key-limit-reached': [
    422,
    'The e-mail address has the maximum number of keys',
    'Revoke one first: with the key itself, or by the link that is mailed to the address.',
  ],
  'webhook-limit-reached': [
    422,
    'The account has the maximum number of webhooks',
    'Delete one first, or add event types to an existing one.',
  ],
  'unsafe-webhook-url': [
    422,
    'The URL is not allowed as a receiver of events',
    'Use an https:// address of the public internet, on port 443 or 8443.',
  ],
  'quota-exceeded': [429, 'A limit was reached', 'Try again after the seconds in Retry-After; violated-policies names the limit.'],
  concurrency: [
    429,
    'Too many queries of history at once',
    'Wait for a reply before the next request; GET /api/plans states the maximum number at once.',
  ],
  'headers-too-large': [431, 'The request headers are too large', 'Send fewer or shorter headers.'],
  internal: [500, 'Internal error', 'Try again. If it happens again, send us the request_id.'],
  'query-timeout': [503, 'The query took too long and was stopped', 'Ask for a shorter period or fewer series, or try again later.'],
  'temporary-reduced-capacity': [503, 'Too many queries are running at the moment', 'Try again after the seconds in Retry-After.'],
  'insufficient-storage': [507, 'The data store is full', 'Nothing can be written at the moment; data can still be read. Try again later.'],
  'feed-unavailable': [
    503,
    'The data cannot be read at the moment',
    'There was good data, but it cannot be read now or is out of date. Try again after the seconds in Retry-After. See /status and /api/freshness for details.',
  ],
} as const satisfies Readonly<Record<string, readonly [status: number, title: string, help: string]>>

export type ProblemCode = keyof typeof KINDS

/** Problems whose `type` another specification defines. */
const TYPES: Readonly<Partial<Record<ProblemCode, string>>> = {
  'quota-exceeded': 'https://iana.org/assignments/http-problem-types#quota-exceeded',
}

/** Every kind of problem by code. */
export const PROBLEMS = Object.freeze(
  Object.fromEntries(
    Object.entries(KINDS).map(([code, [status, title, help]]) => {
      const type = TYPES[code as ProblemCode]
      return [code, { status, title, help, ...(type === undefined ? {} : { type }) }]
    }),
  ),
) as Readonly<Record<ProblemCode, ProblemKind>>

/** One invalid value in a request. */
export interface ProblemError {
  readonly detail: string
  readonly parameter?: string
  /** Its place in the request body, as a JSON Pointer. */
  readonly pointer?: string
  readonly value?: string
  /** Valid values, if they can be listed. */
  readonly allowed?: readonly string[]
}

/** Additional members of a problem. */
export interface ProblemOptions {
  readonly errors?: readonly ProblemError[]
  /** Seconds after which a retry makes sense; sent as Retry-After. */
  readonly retry_after_s?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Additional body members of this kind of problem. */
  readonly extensions?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** A problem for a reply as application/problem+json (RFC 9457); thrown anywhere, rendered in one place. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly status: number
  readonly options: ProblemOptions

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = PROBLEMS[code].status
    this.options = options
  }
}

/** Makes a problem to throw: `throw problem('not-found', 'There is no incident inc_…')`. */
export function problem(code: ProblemCode, detail: string, options: ProblemOptions = {}): Problem {
  return new Problem(code, detail, options)
}

/** Additional information of a rejection; see `InvalidParam`. */
interface InvalidParamOptions {
  readonly allowed?: readonly string[]
  readonly near?: () => string | null
  readonly parameter?: string
  readonly value?: string
  readonly code?: ProblemCode
  /** Datasets that decide which values exist: while their feeds still arrive, the value may come, and is not rejected. */
  readonly of?: readonly Pick<Dataset, 'id'>[]
}

/** A parameter's rejection of a value, with what was expected. The engine adds the parameter's name and makes a problem of it. */
export class InvalidParam extends Error {
  override readonly name = 'Refused'
  readonly code: ProblemCode
  readonly parameter: string | undefined
  readonly value: string | undefined
  readonly allowed: readonly string[] | undefined
  /** A suggestion for the value, null without a close match. Called only when shown, because it is slow. */
  readonly near: () => string | null
  readonly of: readonly Pick<Dataset, 'id'>[]

  constructor(expected: string, options: InvalidParamOptions = {}) {
    super(expected)
    this.code = options.code ?? 'invalid-parameter'
    this.parameter = options.parameter
    this.value = options.value
    this.allowed = options.allowed
    this.near = options.near ?? (() => null)
    this.of = options.of ?? []
  }
}
