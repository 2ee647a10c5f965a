import { LIMIT_HEADERS, limitedResponse, type Part, problemResponse, ref, type Summary } from './openapi-parts.ts'
import { PROBLEMS, type ProblemCode } from './problems.ts'

/** Who may see and change an account. */
export const OWNER = [{ ApiKey: [] }, { Session: [] }]
/** Problems of parameters or members, of an invalid key, of too low a plan, and of other sites' pages. */
export const VALUE_REFUSED: readonly ProblemCode[] = ['invalid-parameter', 'unknown-parameter']
export const KEY_REFUSED: readonly ProblemCode[] = ['key-required', 'invalid-key', 'revoked-key', 'expired-key']
export const PLAN_REFUSED: readonly ProblemCode[] = ['plan-required', 'https-required']
export const FOREIGN: readonly ProblemCode[] = ['foreign-origin', 'https-required']
/** Problems of a body that cannot be read. */
export const BODY_REFUSED: readonly ProblemCode[] = ['malformed-request', 'payload-too-large', 'unsupported-media-type']

/** Responses that operations share, with the limit headers if the request was understood. */
const SHARED_LIMITED: Readonly<Record<string, readonly ProblemCode[]>> = {
  401: KEY_REFUSED,
  403: PLAN_REFUSED,
  '403Account': FOREIGN,
  '404Limited': ['not-found'],
  '405Limited': ['method-not-allowed'],
  '406Limited': ['not-acceptable'],
  413: ['payload-too-large'],
  414: ['uri-too-long'],
  429: ['quota-exceeded'],
  '429Lake': ['quota-exceeded', 'concurrency'],
  500: ['internal'],
}
const SHARED: Readonly<Record<string, readonly ProblemCode[]>> = {
  '403PlainHttp': ['https-required'],
  404: ['not-found'],
  405: ['method-not-allowed'],
  406: ['not-acceptable'],
  408: ['request-timeout'],
  417: ['expectation-failed'],
  431: ['headers-too-large'],
}
const NAMES = new Map(Object.entries(SHARED_LIMITED).map(([name, codes]) => [codes.join(), name]))

/** The components of the shared responses, by name. */
export function problemResponses(): Part {
  const made = (shared: typeof SHARED, make: typeof problemResponse): Part =>
    Object.fromEntries(Object.entries(shared).map(([name, codes]) => [name, make(codes)]))
  return { ...made(SHARED_LIMITED, limitedResponse), ...made(SHARED, problemResponse) }
}

/** The responses to requests that have one of these problems, by status. */
function refusals(codes: readonly ProblemCode[]): Part {
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status)
  const entries = [...byStatus].map(([status, some]) => {
    const name = NAMES.get(some.join())
    return [status, name === undefined ? limitedResponse(some) : ref('responses', name)]
  })
  return Object.fromEntries(entries)
}

/** An operation with limits that is not an endpoint's. */
interface LimitedOperation {
  readonly tags?: readonly string[]
  /** The plan that its key needs. */
  readonly plan?: string
  readonly about?: string
  /** By default, no key is needed. */
  readonly security?: readonly Part[]
  readonly parameters?: readonly Part[]
  /** The body that it takes. */
  readonly body?: { readonly schema: Part; readonly example: unknown; readonly required?: boolean }
  /** Its replies by status, besides problems. */
  readonly replies: Part
  readonly problems: readonly ProblemCode[]
}

/** Describes an operation whose requests count for the limits of a key or an address. */
export function limitedOperation(operationId: string, [en, es]: Summary, one: LimitedOperation): Part {
  const { tags = ['account'], plan, about, security, parameters = [], body, replies, problems } = one
  const withLimits = ([status, reply]: [string, unknown]): [string, Part] => {
    const part = reply as Part
    return [status, { ...part, headers: { ...LIMIT_HEADERS, ...(part['headers'] as Part | undefined) } }]
  }
  const { schema, example, required = true } = body ?? {}
  return {
    ...{ operationId, tags, summary: en, summary_es: es },
    ...(about ? { description: about } : {}),
    ...(plan ? { 'x-plan': plan } : {}),
    ...(security ? { security } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required, content: { 'application/json': { schema, example } } } } : {}),
    responses: {
      ...Object.fromEntries(Object.entries(replies).map(withLimits)),
      ...refusals(['quota-exceeded', ...problems]),
      405: ref('responses', '405Limited'),
    },
  }
}

/** A reply in JSON. */
export function jsonReply(description: string, schema: Part, example: unknown, headers: Part = {}): Part {
  return { description, headers, content: { 'application/json': { schema, example } } }
}
