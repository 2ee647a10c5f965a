import { setTimeout as sleep } from 'node:timers/promises'
import type { RawBody, ReceivedBody } from '../../lake/raw/archive.ts'
import {
  type Directory,
  type Feed,
  type FeedBody,
  type FeedRequest,
  FormatError,
  type RequestPlan,
  type Withhold,
} from '../feeds/define.ts'
import { fetchFollowed } from './follow.ts'
import { decodeReply, FetchError, type Reply, sniff, type Validators } from './http.ts'

const ATTEMPTS = 3
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000
/** Requests of one plan in flight at once, to spare publishers. */
const AT_ONCE = 4
/** An answer of more pages than this never ends. */
const MOST_PAGES = 200

/** The bodies of a reply with their headers. */
type LastReply = { readonly bodies: readonly Pick<RawBody, 'name' | 'headers'>[] }

/** Options of collecting, beside the feed. */
export interface CollectOptions {
  /** Maps an address of the feed to the address to fetch: itself, or its place at a stand-in. */
  readonly origin: (url: string) => string
  /** The last accepted fetch, or the newest reply with the same content, for conditional requests. */
  readonly last: LastReply | null
  readonly signal: AbortSignal
  readonly userAgent: string
  readonly now: () => number
  /** The configured secret of a variable, or null. Undefined against a stand-in, which needs and gets no secret. */
  readonly secret?: (env: string) => string | null
  /** The operator's list of withheld records, by the name of its setting; upper case. */
  readonly listed?: (env: string) => ReadonlySet<string>
  /** True if replies state when they were captured; that is then the fetch time. */
  readonly replays?: boolean
  /** Factor of every wait between attempts; tests use a small one. */
  readonly patience?: number
}

/** The publisher's answer: all bodies of one plan, or "unchanged". */
export type Collected =
  | { readonly kind: 'unchanged'; readonly fetched_at: number }
  | {
      readonly kind: 'bodies'
      readonly fetched_at: number
      readonly received: readonly ReceivedBody[]
      readonly decoded: readonly FeedBody[]
    }

/**
 * Fetches a feed by its first plan that succeeds. Plans without their secret are skipped, unless all lack it. Throws the
 * `FetchError` of the last plan if none succeeds.
 */
export async function collect(feed: Feed, options: CollectOptions): Promise<Collected> {
  const { secret: secretOf } = options
  const ready = feed.plans.filter(({ requests }) => requests.every(({ secret }) => !secret || secretOf?.(secret.env) !== null))
  let failure: unknown
  for (const plan of ready.length > 0 ? ready : feed.plans) {
    options.signal.throwIfAborted()
    try {
      const { requests, next, directory } = plan
      if (directory) return await collectDirectory({ request: requests[0] as FeedRequest, directory }, options)
      return next ? await collectPages({ request: requests[0] as FeedRequest, next }, options) : await collectPlan(plan, options)
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      failure =
        failure instanceof FetchError
          ? new FetchError(`${failure.message}; then ${error.message}`, { retryable: error.retryable, cause: error })
          : error
    }
  }
  throw failure
}

/** Fetches the requests of one plan. If too few succeed, throws the `FetchError` of the first failure. */
export async function collectPlan(plan: RequestPlan, options: CollectOptions): Promise<Collected> {
  const single = plan.requests.length === 1
  const enough = plan.enough ?? plan.requests.length
  const got: { request: FeedRequest; reply: Reply; bytes: Buffer }[] = []
  const failures: FetchError[] = []
  const queue = [...plan.requests]
  const take = async (): Promise<void> => {
    for (let request = queue.shift(); request; request = queue.shift()) {
      if (failures.length > plan.requests.length - enough) return
      try {
        got.push({
          request,
          ...(await patiently(request, { ...options, validators: single && !request.twoStep ? validatorsOf(options.last, request) : {} })),
        })
      } catch (error) {
        if (!(error instanceof FetchError)) throw error
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, plan.requests.length) }, take))
  if (got.length < enough) {
    const first = failures[0] as FetchError
    const rest = plan.requests.length > 1 ? ` (${got.length} of ${plan.requests.length} requests answered, ${enough} needed)` : ''
    throw new FetchError(`${first.message}${rest}`, { retryable: true, status: first.status, cause: first })
  }
  const captured = (options.replays ? got : [])
    .map(({ reply }) => Date.parse(reply.headers['x-captured-at'] ?? ''))
    .filter((instant) => !Number.isNaN(instant))
  const fetched_at = captured.length > 0 ? Math.max(...captured) : options.now()
  if (single && got[0]?.reply.status === 304) return { kind: 'unchanged', fetched_at }
  got.sort((one, other) => plan.requests.indexOf(one.request) - plan.requests.indexOf(other.request))
  return {
    kind: 'bodies',
    fetched_at,
    received: got.map(({ request, reply }) => ({ name: request.name, ...reply })),
    decoded: got.map(({ request, bytes }) => ({ name: request.name, bytes })),
  }
}

/** A request whose answer has pages. */
interface PagedRequest {
  readonly request: FeedRequest
  readonly next: NonNullable<RequestPlan['next']>
}

/**
 * Fetches all pages of an answer, in order. Unconditional: an unchanged first page does not mean that the others are unchanged.
 * Throws `FetchError`.
 */
export async function collectPages({ request, next }: PagedRequest, options: CollectOptions): Promise<Collected> {
  const received: ReceivedBody[] = []
  const decoded: FeedBody[] = []
  for (let url = request.url; ; ) {
    const name = received.length === 0 ? request.name : `${request.name}.${received.length + 1}`
    const plan = { requests: [{ ...request, name, url }] }
    const page = await collectPlan(plan, { ...options, last: null }).catch((error: unknown) => {
      // A missing page of an existing file is a failure, not a gap.
      throw error instanceof FetchError && received.length > 0 ? new FetchError(error.message, { retryable: true, cause: error }) : error
    })
    if (page.kind !== 'bodies') throw new FetchError(`${url} answered 304 to an unconditional request`, { retryable: true })
    received.push(...page.received)
    decoded.push(...page.decoded)
    const step = readStep(next, page.decoded[0] as FeedBody, url)
    if (step === null) return { kind: 'bodies', fetched_at: page.fetched_at, received, decoded }
    if ('refused' in step) {
      const status = received.length === 1 ? (step.status ?? null) : null
      throw new FetchError(`${url} answered: ${step.refused}`, { retryable: step.retryable, status })
    }
    if (received.length === MOST_PAGES) throw new FetchError(`${request.url} has more than ${MOST_PAGES} pages`, { retryable: false })
    url = step.url
  }
}

/** Fetches the files that a page lists, unconditionally. Throws `FetchError` if too few of them are answered. */
async function collectDirectory(
  { request, directory }: { readonly request: FeedRequest; readonly directory: Directory },
  options: CollectOptions,
): Promise<Collected> {
  const { index, files, leastShare } = directory
  const page = await collectPlan({ requests: [index] }, { ...options, last: null })
  if (page.kind !== 'bodies') throw new FetchError(`${index.url} answered 304 to an unconditional request`, { retryable: true })
  const listed = readStep(files, page.decoded[0] as FeedBody, index.url)
  const requests = listed.map((file) => ({ ...request, ...file }))
  return collectPlan({ requests, enough: Math.ceil(listed.length * leastShare) }, { ...options, last: null })
}

/** What a publisher's page says of the next requests. A page that cannot be read is a `FetchError`. */
function readStep<T>(read: (page: FeedBody, url: string) => T, page: FeedBody, url: string): T {
  try {
    return read(page, url)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new FetchError(`${url}: ${error.message}`, { retryable: false, cause: error })
  }
}

async function patiently(
  request: FeedRequest,
  options: CollectOptions & { validators: Validators },
): Promise<{ reply: Reply; bytes: Buffer }> {
  for (let attempt = 1; ; attempt++) {
    try {
      const reply = await fetchFollowed(request, options)
      if (reply.status === 304) return { reply, bytes: Buffer.alloc(0) }
      const bytes = await decodeReply(request, reply)
      await sniff(request, bytes)
      return request.withhold ? withheld(request.withhold, { reply, bytes }, options) : { reply, bytes }
    } catch (error) {
      options.signal.throwIfAborted()
      if (!(error instanceof FetchError) || !error.retryable || attempt === ATTEMPTS) throw error
      // Full jitter on an exponential back-off, so that many workers do not retry together.
      const wait = Math.max(error.retryAfter_ms ?? 0, FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random()))
      if (wait > LONGEST_WAIT_MS) throw error
      await sleep(wait * (options.patience ?? 1), undefined, { signal: options.signal })
    }
  }
}

const NOTHING_LISTED: ReadonlySet<string> = new Set()

/** The reply as stored: without withheld records, and not content-encoded. */
function withheld(
  { env, from }: Withhold,
  got: { readonly reply: Reply; readonly bytes: Buffer },
  { listed }: CollectOptions,
): { reply: Reply; bytes: Buffer } {
  const { 'content-encoding': _encoding, 'content-length': _length, etag: _etag, ...headers } = got.reply.headers
  try {
    const bytes = from(got.bytes, listed?.(env) ?? NOTHING_LISTED)
    return { reply: { ...got.reply, headers, received: bytes }, bytes }
  } catch (cause) {
    throw cause instanceof FormatError ? new FetchError(`${got.reply.url}: ${cause.message}`, { retryable: true, cause }) : cause
  }
}

/** Validators, only if the last accepted bytes came from the same request: otherwise a 304 would mean another document. */
function validatorsOf(last: LastReply | null, request: FeedRequest): Validators {
  const body = last?.bodies.length === 1 && last.bodies[0]?.name === request.name ? last.bodies[0] : null
  return { etag: body?.headers.etag, lastModified: body?.headers['last-modified'] }
}

/** Undoes the content-encoding of bodies from the archive. */
export async function decodeKept(feed: Feed, bodies: readonly (ReceivedBody & { readonly received: Buffer })[]): Promise<FeedBody[]> {
  if (feed.stream) return bodies.map(({ name, received }) => ({ name, bytes: received }))
  const requests = feed.plans.flatMap((plan) => plan.requests)
  return Promise.all(
    bodies.map(async (body) => {
      const request = requests.find(({ name }) => name === body.name) ?? (requests[0] as FeedRequest)
      return { name: body.name, bytes: await decodeReply(request, body) }
    }),
  )
}
