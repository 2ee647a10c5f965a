import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { Plan } from '../../lake/schema/dataset.ts'
import { leaseOnce } from '../auth/limits/in-lease.ts'
import { TIERS, type Tier } from '../auth/plans.ts'
import { type ContextParts, FULL_COST, REMAINING_COST, REVALIDATED_COST, type RequestContext } from '../auth/request-context.ts'
import type { PathGroups } from '../auth/usage/path-groups.ts'
import type { RequestLog } from '../auth/usage/request-log.ts'
import { type Endpoint, pathParams } from '../kernel/endpoint.ts'
import { essenceOf, type Format, formatsOf } from '../kernel/formats.ts'
import { remembered } from '../kernel/http/encodings.ts'
import { isNotModified } from '../kernel/http/headers.ts'
import { formatFor } from '../kernel/http/representation.ts'
import { hasBody, refuseBody } from '../kernel/http/request-body.ts'
import { isEarlier, type Period } from '../kernel/params/params-time.ts'
import { problem } from '../kernel/problems.ts'
import { withRetry } from './answers/absent-data.ts'
import type { Handler, ResponsePlan } from './answers/response-plan.ts'
import { countRequest, type PathCounters } from './replies/context-replies.ts'
import { chargedDocument, type EndpointDocuments } from './replies/document-answer.ts'
import type { ResponseCache } from './replies/response-cache.ts'
import { ResponseMaker } from './replies/response-maker.ts'
import { goneSignal, isCurrent, type MadeResponse, madeResponse, touch } from './replies/responses.ts'
import { sendFound } from './replies/send-found.ts'
import { knownValuesCheck } from './request/known-values.ts'
import { checkRepresentation, type RequestValues, requestReader } from './request/request.ts'
import { canSkipBody, knowsTag } from './request/skip-body.ts'
import type { RequestMetrics } from './request-metrics.ts'
import type { CachedViews } from './state/cached-views.ts'
import type { ServiceState } from './state/state.ts'
import type { SystemWatch } from './state/system-watch.ts'

/**
 * How long a request to a FREE path waits for one of its caller's slots, in ms: a page with several charts sends several at once.
 */
const FREE_WAIT_MS = 1000

/** The representation in a request's headers, if its URL does not set one. */
type Wanted = Format | 'none'

/** What routes share. */
export interface RouteContext extends ContextParts {
  readonly state: ServiceState
  readonly kept: CachedViews
  readonly watch: SystemWatch
  readonly cache: ResponseCache
  readonly clock: () => number
  /** Counts requests for data. */
  readonly requests: Pick<RequestLog, 'usageOf'>
  /** Measures requests; null if metrics are not exported. */
  readonly meter: RequestMetrics | null
  /** Counts the outcome and duration of requests. */
  readonly groups: Pick<PathGroups, 'ofEndpoint'>
  readonly log: Pick<FastifyBaseLogger, 'error'>
}

/** A request under way. */
interface UrlRequest {
  readonly raw: IncomingMessage
  /** The URL of a request whose parameter is in its body: as it would be with the parameter. Null for all others. */
  readonly posted: string | null
  readonly params: Readonly<Record<string, string>>
  readonly response: ServerResponse
  readonly context: RequestContext
  readonly now: number
  readonly wanted: Wanted
}

/** Answers GET and HEAD under an endpoint's path. A URL that was answered before is answered from memory, without parsing. */
export class EndpointRoute {
  readonly #parts: RouteContext
  readonly #endpoint: Endpoint
  readonly #handler: Handler
  readonly #documents: EndpointDocuments | null
  readonly #counters: PathCounters
  readonly #formats: readonly Format[]
  readonly #formatOf: Readonly<Record<Tier, (accept: string | undefined) => Wanted>>
  readonly #pathNames: readonly string[]
  readonly #read: ReturnType<typeof requestReader>
  readonly #checkKnown: ReturnType<typeof knownValuesCheck>
  readonly #byUrl: ReturnType<RouteContext['cache']['urlIndex']>
  readonly #maker: ResponseMaker
  readonly #wait_ms: number
  /** Changes with the data. */
  #generation = 0

  constructor(
    parts: RouteContext,
    endpoint: Endpoint,
    options: { readonly handler: Handler; readonly documents: EndpointDocuments | null; readonly counters: PathCounters },
  ) {
    this.#parts = parts
    this.#endpoint = endpoint
    this.#handler = options.handler
    this.#documents = options.documents
    this.#counters = options.counters
    this.#formats = formatsOf(endpoint.returns)
    this.#formatOf = formatsByTier(parts, this.#formats)
    this.#pathNames = pathParams(endpoint.path)
    this.#read = requestReader(endpoint)
    this.#checkKnown = knownValuesCheck(endpoint, parts.kept)
    this.#byUrl = parts.cache.urlIndex()
    this.#wait_ms = endpoint.plan === 'FREE' ? FREE_WAIT_MS : 0
    this.#maker = new ResponseMaker({ cache: parts.cache, wait_ms: this.#wait_ms })
  }

  /** Forgets the responses by URL: the data has changed. */
  renew(): void {
    this.#generation++
    this.#byUrl.clear()
  }

  /** One request, from its key to its last byte; `posted` is the URL that has the parameter of its body too. Throws problems. */
  async serve(request: FastifyRequest, reply: FastifyReply, context: RequestContext, posted: string | null = null): Promise<void> {
    const { raw } = request
    const identifying = context.identify()
    if (identifying) await identifying
    context.needs(this.#endpoint.plan, this.#endpoint.path)
    const now = this.#parts.clock()
    const wanted = this.#formatOf[context.caller.tier](raw.headers.accept)
    const asked = { raw, posted, params: request.params as UrlRequest['params'], response: reply.raw, context, now, wanted }
    const found = await this.#found(asked).catch((error: unknown) => {
      const { state } = this.#parts
      throw withRetry(error, { ...state.system(), phase: state.live.workers()?.phase ?? 'STEADY' }, now)
    })
    await sendFound(raw, reply, { found, now, context })
    countRequest(this.#counters, context, reply.raw.statusCode)
  }

  async #found(asked: UrlRequest): Promise<MadeResponse> {
    const document = this.#documents && (await this.#document(this.#documents, asked))
    return document ?? (await this.#repeated(asked)) ?? (await this.#planned(asked))
  }

  /** The document that the request prefers to data; null for none. */
  async #document(documents: EndpointDocuments, asked: UrlRequest): Promise<MadeResponse | null> {
    const { raw, context } = asked
    const type = documents.preferred(raw.headers.accept, this.#formats)
    const values = type === null ? null : this.#valuesOf(asked)
    if (type === null || values?.page.format !== null) return null
    refuseBody(raw, asked.posted !== null)
    return await chargedDocument(raw, { context, documents, type, values })
  }

  /** The response that the same URL had, if the data is the same; null for none. */
  async #repeated({ raw, posted, wanted, context, now }: UrlRequest): Promise<MadeResponse | null> {
    const known = posted !== null || hasBody(raw) ? undefined : this.#byUrl.get(this.#urlKeyOf(raw, wanted, context))
    if (!known || !isCurrent(known.reply.head, now)) return null
    const { head } = known.reply
    if (known.plan) context.needs(known.plan, this.#endpoint.path)
    if (head.format) context.needsFormat(head.format)
    await context.charge(isNotModified(raw.headers, head) ? REVALIDATED_COST : FULL_COST)
    return known.reply
  }

  /**
   * The response of a request that has to be read: validated, planned by the handler, and made unless its tag is in the cache.
   */
  async #planned(asked: UrlRequest): Promise<MadeResponse> {
    const { raw, posted, context, now } = asked
    const generation = this.#generation
    // A caller who may have the answer already pays the rest once the answer is known to differ.
    const mayHaveIt = raw.headers['if-none-match'] !== undefined || raw.headers['if-modified-since'] !== undefined
    await context.charge(mayHaveIt ? REVALIDATED_COST : FULL_COST)
    refuseBody(raw, posted !== null)
    const values = this.#valuesOf(asked)
    const { format, wider } = this.#allowed(values, asked)
    await this.#checkKnown?.(values)
    const plan = await this.#handler(values, { format, now, plan: context.plan, lease: leaseOnce(() => context.lease(this.#wait_ms)) })
    const cached = this.#cached(plan)
    // A query of the lake is paid for, even if it only shows that nothing has changed since a time.
    const isCheap = plan.isFromMemory || cached !== undefined || knowsTag(raw.headers, plan.head)
    const hasIt = mayHaveIt && isCheap && isNotModified(raw.headers, plan.head)
    if (mayHaveIt && !hasIt) await context.charge(REMAINING_COST)
    const found = cached ?? (await this.#made(plan, asked, format))
    // A partial answer has its own tag.
    if (hasIt && !isNotModified(raw.headers, found.head)) await chargeRest(context, found)
    const isWhole = found.head.etag === plan.head.etag
    if (plan.isFromMemory && isWhole && posted === null && generation === this.#generation)
      this.#byUrl.put(this.#urlKeyOf(raw, asked.wanted, context), found, wider)
    return found
  }

  /** Returns the key of a response in the URL index. Callers of other plans find something else in a search. */
  #urlKeyOf({ url }: IncomingMessage, format: Wanted, { plan }: RequestContext): string {
    const { read } = this.#endpoint
    const key = read.kind === 'system' && read.search ? `${plan} ${url}` : (url as string)
    return format === 'json' ? key : `${format} ${key}`
  }

  #valuesOf({ raw, posted, params }: UrlRequest): RequestValues {
    return this.#read(posted ?? raw.url ?? '/', Object.fromEntries(this.#pathNames.map((name) => [name, params[name] ?? ''])))
  }

  /** The format of the response, and the plan that an early period needs. Throws the problem of what the caller may not have. */
  #allowed(values: RequestValues, { wanted, context, now }: UrlRequest): { readonly format: Format; readonly wider: Plan | null } {
    const { recent } = this.#endpoint
    const format = values.page.format ?? acceptable(wanted, this.#formats)
    context.needsFormat(format)
    const wider = recent?.period && isEarlier(values.own[recent.period] as Period, recent.hours, now) ? recent.wider : null
    if (wider) context.needs(wider, `A period that begins more than ${recent?.hours} hours ago`)
    checkRepresentation(this.#endpoint, values.page, format)
    return { format, wider }
  }

  #cached({ head }: ResponsePlan): MadeResponse | undefined {
    const found = this.#parts.cache.get(head.etag)
    if (found) touch(found, head.modified_at)
    return found
  }

  #made(plan: ResponsePlan, { raw, context, response }: UrlRequest, format: Format): Promise<MadeResponse> {
    if (canSkipBody(raw, plan, format)) return madeResponse(plan.head, [])
    return plan.isFromMemory ? this.#maker.shared(plan) : this.#maker.queried(plan, context, goneSignal(response))
  }
}

/** The format for an Accept header by plan: one outside the plan is not chosen for callers who also accept another. */
function formatsByTier(
  { plans }: RouteContext,
  formats: readonly Format[],
): Readonly<Record<Tier, (accept: string | undefined) => Wanted>> {
  const rows = TIERS.map((tier) => {
    const admitted = formats.filter((format) => plans[tier].formats.includes(format))
    return [tier, remembered((accept) => formatFor(accept, admitted) ?? formatFor(accept, formats) ?? 'none')] as const
  })
  return Object.fromEntries(rows) as Readonly<Record<Tier, (accept: string | undefined) => Wanted>>
}

async function chargeRest(context: RequestContext, { file }: MadeResponse): Promise<void> {
  try {
    await context.charge(REMAINING_COST)
  } catch (error) {
    await file?.close()
    throw error
  }
}

function acceptable(format: Wanted, formats: readonly Format[]): Format {
  if (format !== 'none') return format
  throw problem('not-acceptable', `The Accept header takes none of the media types of this path: ${formats.map(essenceOf).join(', ')}.`)
}
