import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isQueryError } from '../../lake/query/errors.ts'
import { cameByHttps } from '../access/https.ts'
import { isConcurrency, leaseOnce } from '../access/limits/in-lease.ts'
import { TIERS, type Tier } from '../access/plans.ts'
import { type ContextParts, FULL_COST, REMAINING_COST, REVALIDATED_COST, RequestContext } from '../access/request-context.ts'
import type { RequestLog } from '../access/usage/request-log.ts'
import { datasetsOf, type Endpoint, lakeOf, pathParams } from '../define/endpoint.ts'
import { essenceOf, type Format, formatsOf } from '../define/formats.ts'
import { isEarlier, type Period } from '../define/params-time.ts'
import { problem } from '../define/problems.ts'
import type { PathGroups } from '../status/groups.ts'
import { type Handler, type ReplyPlan, weakTag } from './answer.ts'
import type { CachedViews } from './cached-views.ts'
import { deprecationHook } from './deprecation.ts'
import { chargedDocument, type EndpointDocuments } from './document-answer.ts'
import { encodingFor, remembered } from './encodings.ts'
import { isNotModified } from './headers.ts'
import { knownValuesCheck } from './known-values.ts'
import { refuseLongUrl } from './malformed.ts'
import { problemOf } from './problem-replies.ts'
import {
  availableBody,
  bodyIn,
  type CachedResponse,
  CallerGone,
  cachedFile,
  cachedResponse,
  goneSignal,
  isCurrent,
  sendCached,
  sendFile,
  sendNotModified,
  touch,
} from './replies.ts'
import type { ReplyCache } from './reply-cache.ts'
import { formatFor } from './representation.ts'
import { checkRepresentation, requestReader } from './request.ts'
import type { RequestMetrics } from './request-metrics.ts'
import { canSkipBody } from './skip-body.ts'
import type { ServiceState } from './state.ts'
import type { SystemWatch } from './system-watch.ts'

/** What routes share. */
export interface RouteContext extends ContextParts {
  readonly state: ServiceState
  readonly kept: CachedViews
  readonly watch: SystemWatch
  readonly cache: ReplyCache
  readonly clock: () => number
  /** Counts requests for data. */
  readonly requests: Pick<RequestLog, 'usageOf'>
  /** Measures requests; null if metrics are not exported. */
  readonly meter: RequestMetrics | null
  /** Counts the outcome and duration of requests. */
  readonly groups: Pick<PathGroups, 'ofEndpoint'>
  readonly log: Pick<FastifyBaseLogger, 'error'>
}

const encodingOf = remembered(encodingFor)
/**
 * How long a request to a FREE path waits for one of its caller's slots, in ms: a page with several charts sends several at once.
 */
const FREE_WAIT_MS = 1000
/** The signal of work that several requests share. */
const NEVER = new AbortController().signal

/**
 * Registers an endpoint's path: GET and HEAD answer, OPTIONS lists the methods, any other method is refused. A URL that was
 * answered before is answered from memory, without parsing, as long as the data is the same.
 */
export function registerEndpoint(
  app: FastifyInstance,
  context: RouteContext,
  endpoint: Endpoint,
  handler: Handler,
  documents: EndpointDocuments | null = null,
): void {
  const { state, kept, watch, cache, clock, plans, log } = context
  const count = context.requests.usageOf(endpoint.path)
  const measured = context.meter?.route(endpoint.path)
  const countReply = context.groups.ofEndpoint(endpoint)
  const url = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1')
  const formats = formatsOf(endpoint.returns)
  // A format outside the plan is not chosen for callers who also accept another.
  const formatOf = Object.fromEntries(
    TIERS.map((tier) => {
      const admitted = formats.filter((format) => plans[tier].formats.includes(format))
      return [tier, remembered((accept) => formatFor(accept, admitted) ?? formatFor(accept, formats) ?? 'none')]
    }),
  ) as Readonly<Record<Tier, (accept: string | undefined) => Format | 'none'>>
  const read = requestReader(endpoint)
  const checkKnown = knownValuesCheck(endpoint, kept)
  const pathNames = pathParams(endpoint.path)
  const shelf = cache.shelf()
  const { read: way, recent } = endpoint
  const wait_ms = endpoint.plan === 'FREE' ? FREE_WAIT_MS : 0
  let generation = 0
  const renewed = (): void => {
    generation++
    shelf.clear()
  }
  const ends = [state.onChange(way.kind === 'system' ? null : datasetsOf(endpoint), renewed)]
  const tables = lakeOf(endpoint)
  if (tables.length > 0) ends.push(kept.onChange(tables, renewed))
  if (way.kind === 'system' && way.tables) ends.push(watch.tables.onChange(renewed))
  if (way.kind === 'system' && way.quality) ends.push(watch.quality.onChange(renewed))
  if (way.kind === 'system' && way.search) ends.push(watch.search.onChange(renewed))
  app.addHook('onClose', async () => {
    for (const end of ends) end()
  })

  const make = async (prepared: ReplyPlan, signal?: AbortSignal): Promise<CachedResponse> => {
    const { pieces, file, links, next_cursor, isPartial } = await prepared.answer(signal ?? NEVER)
    const whole = {
      ...prepared.head,
      links: [...links, ...prepared.head.links],
      ...(next_cursor === null ? {} : { more: { ...prepared.head.more, 'X-Next-Cursor': next_cursor } }),
    }
    // It has its own tag and no time, so that no copy of it passes for the whole answer.
    const head = isPartial ? { ...whole, etag: weakTag(`${whole.etag} in part`), modified_at: null } : whole
    const made = file ? await cachedFile(head, file) : await cachedResponse(head, pieces)
    if (!isPartial && !made.file) cache.put(made)
    return made
  }
  // A long list takes several turns of the event loop, in which others may request the same.
  const underWay = new Map<string, Promise<CachedResponse>>()
  const sharing = async (etag: string, begin: () => Promise<CachedResponse>): Promise<CachedResponse> => {
    const others = underWay.get(etag)
    const making = others ?? begin().finally(() => underWay.delete(etag))
    underWay.set(etag, making)
    const made = await making.catch((error: unknown) => {
      // The shared work failed because its caller has no free slot; this caller may have one.
      if (others && isConcurrency(error)) return begin()
      throw error
    })
    // A file is sent once, to the request that started it.
    return others && made.file ? await begin() : made
  }

  /** Makes an answer that costs a query of history. A caller has a limited number of slots. */
  const makeInTurn = async (prepared: ReplyPlan, visit: RequestContext, signal: AbortSignal): Promise<CachedResponse> => {
    const lease = await visit.lease(wait_ms)
    try {
      return await make(prepared, signal)
    } finally {
      void lease.release()
    }
  }

  const answer = async (request: FastifyRequest, reply: FastifyReply, one: { visit: RequestContext; now: number; wanted: Wanted }) => {
    const { raw } = request
    const { visit, now } = one
    // A caller who may have the answer already pays the rest once the answer is known to differ.
    const mayHaveIt = raw.headers['if-none-match'] !== undefined || raw.headers['if-modified-since'] !== undefined
    await visit.charge(mayHaveIt ? REVALIDATED_COST : FULL_COST)
    refuseBody(raw)
    const asked = generation
    const values = read(raw.url ?? '/', pick(request.params as Record<string, string>, pathNames))
    const format = values.page.format ?? acceptable(one.wanted, formats)
    visit.needsFormat(format)
    const plan = recent?.period && isEarlier(values.own[recent.period] as Period, recent.hours, now) ? recent.wider : null
    if (plan) visit.needs(plan, `A period that begins more than ${recent?.hours} hours ago`)
    checkRepresentation(endpoint, values.page, format)
    await checkKnown?.(values)
    const prepared = await handler(values, { format, now, lease: leaseOnce(() => visit.lease(wait_ms)) })
    const { head } = prepared
    let found = cache.get(head.etag)
    if (found) touch(found, head.modified_at)
    const canSkip = !found && canSkipBody(raw, prepared, format)
    const hasIt = mayHaveIt && isNotModified(raw.headers, head)
    if (mayHaveIt && !hasIt) await visit.charge(REMAINING_COST)
    if (canSkip) found = await cachedResponse(head, [])
    else if (!found)
      found = await (prepared.isFromMemory ? sharing(head.etag, () => make(prepared)) : makeInTurn(prepared, visit, goneSignal(reply.raw)))
    // A partial answer has its own tag.
    if (hasIt && !isNotModified(raw.headers, found.head))
      await visit.charge(REMAINING_COST).catch(async (error: unknown) => {
        await found.file?.close()
        throw error
      })
    if (prepared.isFromMemory && asked === generation && found.head.etag === head.etag) shelf.put(urlKeyOf(raw, one.wanted), found, plan)
    await sendFound(raw, reply, { found, now, visit })
  }

  const counted = (status: number, visit: RequestContext): void => {
    count(visit.caller.key, status, visit.dayUnits)
    countReply(status, performance.now() - visit.began, visit.caller.slot)
  }

  const serve = async (request: FastifyRequest, reply: FastifyReply, visit: RequestContext): Promise<void> => {
    const { raw } = request
    const finding = visit.identify()
    if (finding) await finding
    visit.needs(endpoint.plan, endpoint.path)
    const now = clock()
    const { accept } = raw.headers
    const type = documents?.preferred(accept, formats) ?? null
    const values = type === null ? null : read(raw.url ?? '/', pick(request.params as Record<string, string>, pathNames))
    if (documents && type !== null && values?.page.format === null) {
      refuseBody(raw)
      await sendFound(raw, reply, { found: await chargedDocument(raw, { context: visit, documents, type, values }), now, visit })
      return counted(reply.raw.statusCode, visit)
    }
    const wanted = formatOf[visit.caller.tier](accept)
    const known = hasBody(raw) ? undefined : shelf.get(urlKeyOf(raw, wanted))
    const found = known?.reply
    if (!found || !isCurrent(found.head, now)) await answer(request, reply, { visit, now, wanted })
    else {
      if (known.plan) visit.needs(known.plan, endpoint.path)
      if (found.head.format) visit.needsFormat(found.head.format)
      await visit.charge(isNotModified(raw.headers, found.head) ? REVALIDATED_COST : FULL_COST)
      await sendFound(raw, reply, { found, now, visit })
    }
    counted(reply.raw.statusCode, visit)
  }

  app.route({
    method: ['GET', 'HEAD'],
    ...deprecationHook(endpoint, clock),
    url,
    exposeHeadRoute: false,
    config: { counters: { count, countReply } },
    // Not async, and no hooks: a reply in memory is sent as soon as it is charged.
    handler: (request, reply) => {
      const visit = new RequestContext(context, request.raw)
      measured?.(reply.raw, visit)
      serve(request, reply, visit).catch(async (error: unknown) => counted(await fail(reply, error, { visit, log }), visit))
    },
  })
}

/** Status that counts a request whose caller left before the answer was sent; nginx uses the same. */
const GONE = 499

/** The representation in a request's headers, if its URL does not set one. */
type Wanted = Format | 'none'

/** Returns the key of an answer in the URL index. */
function urlKeyOf({ url }: IncomingMessage, format: Wanted): string {
  return format === 'json' ? (url as string) : `${format} ${url}`
}

/** A reply and its receiver, by default anybody. */
interface FoundReply {
  readonly found: CachedResponse
  readonly now: number
  readonly visit?: RequestContext
}

/** Sends a reply to GET or HEAD in the coding that the request prefers, or 304. */
export async function sendFound(raw: IncomingMessage, reply: FastifyReply, one: FoundReply): Promise<void> {
  const { found, now } = one
  const encoding = encodingOf(raw.headers['accept-encoding'] as string | undefined)
  const { file } = found
  if (file) {
    try {
      if (raw.method === 'GET' && !isNotModified(raw.headers, found.head)) {
        reply.hijack()
        return await sendFile(reply.raw, found.head, { file, now, encoding, own: ownHeaders(one, 200), isSecure: cameByHttps(raw) })
      }
    } finally {
      await file.close()
    }
  }
  if (sendAtHand(raw, reply, one)) return
  const body = await bodyIn(found, encoding)
  reply.hijack()
  sendCached(reply.raw, found, { now, encoding, body, own: ownHeaders(one, 200), isSecure: cameByHttps(raw) })
}

/** Returns the caller's own headers; null if anybody may have the reply. */
function ownHeaders({ visit }: FoundReply, status: number): Readonly<Record<string, string>> | null {
  return visit?.isPrivate ? visit.headers(status) : null
}

/** Sends a reply that is in memory; returns false if it first has to be compressed. */
function sendAtHand(raw: IncomingMessage, reply: FastifyReply, one: FoundReply): boolean {
  const { headers, method } = raw
  const { found, now } = one
  if (isNotModified(headers, found.head)) {
    reply.hijack()
    sendNotModified(reply.raw, found, { now, own: ownHeaders(one, 304), isSecure: cameByHttps(raw) })
    return true
  }
  const encoding = encodingOf(headers['accept-encoding'] as string | undefined)
  const body = method === 'HEAD' ? null : availableBody(found, encoding)
  if (body === null && method !== 'HEAD') return false
  reply.hijack()
  sendCached(reply.raw, found, { now, encoding, body, own: ownHeaders(one, 200), isSecure: cameByHttps(raw) })
  return true
}

/** The caller of a failed request, and the log for its error. */
interface Failing extends Pick<RouteContext, 'log'> {
  readonly visit: RequestContext
}

/** Answers with a problem and charges its caller, unless the caller has left. Returns the status. */
async function fail(reply: FastifyReply, error: unknown, { visit, log }: Failing): Promise<number> {
  if (isGone(error)) {
    // Not a fault of the service, and charged: the work was done.
    reply.hijack()
    return GONE
  }
  const settled = await visit.chargeProblem(problemOf(error))
  const { url } = reply.request.raw
  // The head is sent, so the rest of the body is cut off.
  if (reply.raw.headersSent) log.error({ path: url?.slice(0, 500), status: settled.status, err: error }, 'reply cut off')
  else if (reply.raw.destroyed) reply.hijack()
  else reply.headers(visit.limits(settled.status)).send(settled)
  return settled.status
}

function isGone(error: unknown): boolean {
  return error instanceof CallerGone || (isQueryError(error, 'aborted') && error.cause instanceof CallerGone)
}

/** True for a request with a body, even an empty one in chunks. */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return false
  return headers['content-length'] !== '0'
}

/** Requests for data have no body and no excessively long URL: such a request is not read. */
function refuseBody(raw: IncomingMessage): void {
  refuseLongUrl(raw)
  if (hasBody(raw)) throw problem('payload-too-large', 'Requests for data have no body.', { headers: { Connection: 'close' } })
}

function acceptable(format: Format | 'none', formats: readonly Format[]): Format {
  if (format !== 'none') return format
  throw problem('not-acceptable', `The Accept header takes none of the media types of this path: ${formats.map(essenceOf).join(', ')}.`)
}

const pick = (params: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, params[name] ?? '']))
