/** How a kind of problem is answered: HTTP status and the title that every occurrence shares. */
interface ProblemKind {
  readonly status: number
  readonly title: string
  /** What a caller can do about it; shown on the page of the problem. */
  readonly help: string
  /** Its `type` where others have defined it; its page here unless told. */
  readonly type?: string
}

/** Every problem the API answers with, by code: the last segment of the `type` URL. */
export const PROBLEMS = Object.freeze({
  'invalid-parameter': {
    status: 400,
    title: 'A parameter has a value that is not allowed',
    help: 'See errors[]: each names the parameter, the value and what is allowed.',
  },
  'unknown-parameter': {
    status: 400,
    title: 'The endpoint has no such parameter',
    help: 'Check the spelling; errors[] suggests the nearest name and lists those that exist.',
  },
  'invalid-cursor': {
    status: 400,
    title: 'The cursor cannot be used',
    help: 'Start again without cursor: it has expired, was changed, or belongs to a request with other filters or another sort.',
  },
  'range-too-large': {
    status: 400,
    title: 'The period is wider than one request may ask for',
    help: 'Ask for a shorter period, or for a coarser interval.',
  },
  'malformed-request': {
    status: 400,
    title: 'The request is not well-formed HTTP or its URL cannot be decoded',
    help: 'Check the encoding of the URL.',
  },
  'key-required': {
    status: 401,
    title: 'This needs a key',
    help: 'Send a key in the header X-API-Key; POST /api/keys gives one.',
  },
  'invalid-key': {
    status: 401,
    title: 'There is no such key',
    help: 'Check the key: it has 40 characters and begins with tia_. Nothing is answered to a wrong key that would be without one.',
  },
  'revoked-key': { status: 401, title: 'The key was revoked', help: 'Make another with POST /api/keys.' },
  'expired-key': {
    status: 401,
    title: 'The key has expired',
    help: 'It was rotated, or its e-mail address was not confirmed in time. Use the new one, or make another with POST /api/keys.',
  },
  'plan-required': {
    status: 403,
    title: 'The plan of the key does not contain this',
    help: 'required_plan contains it, current_plan is the one of the key; upgrade_url is the page about the plans and how to change yours. GET /api/plans lists what each contains.',
  },
  'https-required': {
    status: 403,
    title: 'This came by plain HTTP',
    help: 'Ask by https. Nothing is answered to plain HTTP and nothing is redirected: what was sent could be read on its way. A key that was sent so should be rotated, with POST /api/keys/{id}/rotate, by https.',
  },
  'signature-expired': {
    status: 410,
    title: 'The signed URL does not work any more',
    help: 'Fetch the manifest of the dataset, or the export job, again: its URLs work for at least 15 minutes.',
  },
  'snapshot-expired': {
    status: 410,
    title: 'The snapshot is no longer kept',
    help: 'Every snapshot is kept for 24 hours, then the last of each hour for 7 days. nearest_snapshot names the nearest that is kept.',
  },
  'foreign-origin': {
    status: 403,
    title: 'A page of another site sent this',
    help: 'Nothing is done to an account, and no key made, for pages of other sites. Use the pages of this service at the address that it is known by, or a key.',
  },
  'not-found': { status: 404, title: 'There is nothing here', help: 'Check the path and the id; GET /openapi.json lists every path.' },
  'no-data-yet': {
    status: 404,
    title: 'There is no data of this yet',
    help: 'missing names the datasets that have none, waits_for what has to happen first; try again after the seconds in Retry-After. /api/freshness shows how each feed is.',
  },
  'method-not-allowed': { status: 405, title: 'The path does not take this method', help: 'The Allow header lists the methods it takes.' },
  'not-acceptable': {
    status: 406,
    title: 'No representation that the request accepts',
    help: 'Send an Accept header with one of the listed media types, or none.',
  },
  'request-timeout': { status: 408, title: 'The request did not arrive in time', help: 'Send it again over a better connection.' },
  conflict: { status: 409, title: 'The state of things does not allow this now', help: 'See the detail for what is in the way.' },
  gone: {
    status: 410,
    title: 'The path was retired',
    help: 'It answered until the day in the Sunset header; /changelog says why it went and what takes its place.',
  },
  'payload-too-large': { status: 413, title: 'The request body is too large', help: 'Send less; requests for data have no body.' },
  'uri-too-long': { status: 414, title: 'The URL is too long', help: 'Ask for fewer ids at once.' },
  'range-not-satisfiable': {
    status: 416,
    title: 'The range lies outside the file',
    help: 'Content-Range says how many bytes the file has.',
  },
  'expectation-failed': {
    status: 417,
    title: 'The Expect header asks for what is not offered',
    help: 'Send Expect: 100-continue, or none.',
  },
  'unsupported-media-type': { status: 415, title: 'The request body has a media type that is not taken', help: 'Send application/json.' },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key was sent with another request',
    help: 'Send a new key, such as a UUID, with each new request; repeat a key only to repeat the request.',
  },
  'key-limit-reached': {
    status: 422,
    title: 'The e-mail address has as many keys as it may have',
    help: 'Revoke one first: with the key itself, or by the link that is mailed to the address.',
  },
  'webhook-limit-reached': {
    status: 422,
    title: 'The account has as many webhooks as it may have',
    help: 'Delete one first, or let one receiver take more event types.',
  },
  'unsafe-webhook-url': {
    status: 422,
    title: 'The URL is none that events are sent to',
    help: 'Use an https:// address of the public internet, on port 443 or 8443.',
  },
  'quota-exceeded': {
    status: 429,
    title: 'A limit was reached',
    help: 'Try again after the seconds in Retry-After; violated-policies names the limit.',
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
  },
  concurrency: {
    status: 429,
    title: 'Too many queries of history at once',
    help: 'Wait for an answer before you ask again; GET /api/plans says how many may be under way.',
  },
  'headers-too-large': { status: 431, title: 'The request headers are too large', help: 'Send fewer or shorter headers.' },
  internal: { status: 500, title: 'Something broke on our side', help: 'Try again; if it goes on, tell us the request_id.' },
  'query-timeout': {
    status: 503,
    title: 'The query took too long and was stopped',
    help: 'Ask for a shorter period or fewer series, or try again later.',
  },
  'temporary-reduced-capacity': {
    status: 503,
    title: 'Too many queries are running at the moment',
    help: 'Try again after the seconds in Retry-After.',
  },
  'insufficient-storage': {
    status: 507,
    title: 'The data store is full',
    help: 'Nothing can be written at the moment; data can still be read. Try again later.',
  },
  'feed-unavailable': {
    status: 503,
    title: 'The data cannot be read at the moment',
    help: 'There was good data, but it cannot be read now or is out of date. Try again after the seconds in Retry-After; /status and /api/freshness tell more.',
  },
} as const satisfies Record<string, ProblemKind>)

export type ProblemCode = keyof typeof PROBLEMS

/** One mistake of a request. */
export interface ProblemError {
  readonly detail: string
  readonly parameter?: string
  /** Where it is in the request's body, as a JSON Pointer. */
  readonly pointer?: string
  readonly value?: string
  /** Values that would have been taken, where there is a list of them. */
  readonly allowed?: readonly string[]
}

/** What an occurrence of a problem may carry beside its detail. */
export interface ProblemOptions {
  readonly errors?: readonly ProblemError[]
  /** Seconds after which a retry makes sense; sent as Retry-After. */
  readonly retry_after_s?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Members of the body that this kind of problem has besides. */
  readonly extensions?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** A problem to be answered as application/problem+json (RFC 9457); thrown anywhere, rendered in one place. */
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

/** What a refusal may say besides what was expected; see `Refused`. */
interface RefusedOptions {
  readonly allowed?: readonly string[]
  readonly near?: () => string | null
  readonly parameter?: string
  readonly value?: string
  readonly code?: ProblemCode
}

/** A parameter's refusal of a value; says what was expected. The engine adds the parameter's name and turns it into a problem. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly code: ProblemCode
  readonly parameter: string | undefined
  readonly value: string | undefined
  readonly allowed: readonly string[] | undefined
  /** The value that was probably meant, null where none is near; asked for only where it is told, as it takes time to find. */
  readonly near: () => string | null

  constructor(expected: string, options: RefusedOptions = {}) {
    super(expected)
    this.code = options.code ?? 'invalid-parameter'
    this.parameter = options.parameter
    this.value = options.value
    this.allowed = options.allowed
    this.near = options.near ?? (() => null)
  }
}
