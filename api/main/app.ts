import type { Socket } from 'node:net'
import { join } from 'node:path'
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import type { Events } from '../../lake/events/open.ts'
import type { Lake } from '../../lake/open.ts'
import { unitsReader, usageDaysReader } from '../../lake/requests/usage.ts'
import type { ReaderAccess } from '../../lake/store/reader-access.ts'
import type { Access } from '../auth/access.ts'
import { addressLimitHeaders } from '../auth/address-limit.ts'
import { openCallers } from '../auth/callers.ts'
import { cameByHttps, type HttpsRule, STRICT_TRANSPORT } from '../auth/https.ts'
import type { CallerOf } from '../auth/limits/address.ts'
import type { Limiter } from '../auth/limits/limiter.ts'
import { pageTokens } from '../auth/page-access.ts'
import type { PlanTable } from '../auth/plans.ts'
import type { ContextParts } from '../auth/request-context.ts'
import { browserSessions } from '../auth/sessions/sessions.ts'
import { watchDays } from '../auth/usage/day-watch.ts'
import { pathGroups } from '../auth/usage/path-groups.ts'
import type { RequestLog } from '../auth/usage/request-log.ts'
import { domains } from '../endpoints/catalog.ts'
import { changesHandler } from '../engine/answers/changes-answers.ts'
import { lakeHandler } from '../engine/answers/lake-answers.ts'
import { memoryHandler } from '../engine/answers/memory-answers.ts'
import { ownAnswers, type Served } from '../engine/answers/own-answers.ts'
import type { AnswerContext, Handler } from '../engine/answers/response-plan.ts'
import { systemHandler } from '../engine/answers/system-answers.ts'
import { answerClientError, followAnswers, malformedHead } from '../engine/replies/malformed.ts'
import { answerConnect, answerExpectation, answerProblems } from '../engine/replies/problem-replies.ts'
import { ResponseCache } from '../engine/replies/response-cache.ts'
import { collectRoutes } from '../engine/replies/unmatched.ts'
import type { Cursors } from '../engine/request/cursor.ts'
import { RequestMetrics } from '../engine/request-metrics.ts'
import { registerEndpoint } from '../engine/routes.ts'
import { type CachedViews, openCachedViews } from '../engine/state/cached-views.ts'
import type { ServiceState } from '../engine/state/state.ts'
import { type SystemWatch, watchSystem } from '../engine/state/system-watch.ts'
import { Spool } from '../engine/tables/spool.ts'
import { Tables } from '../engine/tables/tables.ts'
import { datasetFile, signedLinks } from '../features/exports/signed-links.ts'
import { followSearch } from '../features/search/follow.ts'
import { openHome } from '../features/site/home.ts'
import { PLANS_PATH } from '../features/site/plans-page.ts'
import { OPEN_TO_PLAIN_HTTP } from '../features/site/platform-openapi.ts'
import { failedPage } from '../features/site/problem-page.ts'
import type { StreamHub } from '../features/stream/hub.ts'
import type { DestinationRules } from '../features/webhooks/destination.ts'
import { webhookOwner } from '../features/webhooks/owner.ts'
import type { Endpoint, SystemView } from '../kernel/endpoint.ts'
import { AS_TYPED, withoutCharset } from '../kernel/http/headers.ts'
import type { ProblemCode } from '../kernel/problems.ts'
import { type Describe, openDescriptions } from './describe/descriptions.ts'
import { replyVersion } from './describe/openapi-replies.ts'
import { endpointDocuments } from './endpoint-documents.ts'
import { FEATURES, type FeatureParts } from './features.ts'

/** What the HTTP side works with. */
export interface AppParts {
  readonly endpoints: readonly Endpoint[]
  readonly state: ServiceState
  readonly lake: Lake
  /** The log of events, and what sends it to streams. */
  readonly events: Events
  /** The destinations that webhooks may be sent to. */
  readonly destinations: DestinationRules
  readonly hub: StreamHub
  readonly access: Access
  readonly limiter: Limiter
  readonly requests: RequestLog
  /** Returns whom a request without a key is counted to. */
  readonly callerOf: CallerOf
  /** Returns how a request came, and refuses plain HTTP. */
  readonly https: HttpsRule
  readonly plans: PlanTable
  /** The page where people change their plan; null if they must ask, as the page of plans explains. */
  readonly upgradeUrl: string | null
  /** The address for support, as a URI; null if there is none. */
  readonly supportContact: string | null
  /** IRI of the publisher of the catalogue in DIR3; null if the operator has none. */
  readonly catalogPublisher: string | null
  /** The address for reports of vulnerabilities; null if there is none. */
  readonly securityContact: string | null
  readonly cursors: Cursors
  /** How engines read the bucket of the lake themselves; null if the lake is in a folder. */
  readonly bucket: ReaderAccess | null
  readonly clients: ClientLimits
  readonly log: FastifyBaseLogger
  readonly clock: () => number
  /** The address that clients use, without trailing slash. It is a function because the port may be chosen late. */
  readonly baseUrl: () => string
  /** Bytes of replies kept in memory. */
  readonly cacheBytes: number
  /** Disk space for replies that are not sent yet, in bytes. */
  readonly spoolBytes: number
  /** The registry for metrics; null if they are not exported. */
  readonly metrics: Registry | null
  /** Time between two polls of the tables that cached queries read, in ms. */
  readonly lakePoll_ms: number
  /** Makes the OpenAPI description. */
  readonly describe: Describe
  /** True if the search index and the description are made at the start, not on the first request. */
  readonly isWarmed: boolean
  /** Time between two probes of each group of paths, in ms. */
  readonly probe_ms: number
}

/** Longest request line and headers, in bytes; Node refuses more with 431. */
const MAX_HEADERS = 32_768

/** Limits of clients' time, and of a process's connections. */
export interface ClientLimits {
  /** Longest time until a request's head and body have arrived, in ms. A slower client gets 408. */
  readonly head_ms: number
  readonly request_ms: number
  /** How often Node checks that limit, in ms. */
  readonly look_ms: number
  /** Longest silence on a connection with a request under way, in ms: longer than any answer takes. */
  readonly idle_ms: number
  /** How long an idle connection stays open, in ms: longer than load balancers keep theirs. */
  readonly between_ms: number
  /** Connections at the same time; more are closed at once. */
  readonly connections: number
}

/** As the service runs. */
export const CLIENT_LIMITS: ClientLimits = Object.freeze({
  head_ms: 10_000,
  request_ms: 30_000,
  look_ms: 5000,
  idle_ms: 90_000,
  between_ms: 72_000,
  connections: 8192,
})

/** Builds the HTTP application: one route per endpoint, and the few paths without data. It does not listen yet. */
export function buildApp(parts: AppParts): FastifyInstance {
  const { endpoints, state, access, limiter, callerOf, plans, upgradeUrl, log, clock, baseUrl, https, clients } = parts
  const meter = parts.metrics && new RequestMetrics(parts.metrics)
  const countProblem = (code: ProblemCode): void => meter?.refused(code)
  const app = fastify({
    // Fastify's own logger would watch the end of every reply. Failures are logged where they are answered.
    genReqId: () => '',
    // Most routes answer HEAD themselves.
    exposeHeadRoutes: false,
    routerOptions: ROUTER,
    bodyLimit: 65_536,
    http: {
      maxHeaderSize: MAX_HEADERS,
      requireHostHeader: false,
      headersTimeout: clients.head_ms,
      connectionsCheckingInterval: clients.look_ms,
    },
    connectionTimeout: clients.idle_ms,
    requestTimeout: clients.request_ms,
    keepAliveTimeout: clients.between_ms,
    forceCloseConnections: true,
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerClientError(error, socket as Socket, { baseUrl: baseUrl(), onProblem: countProblem }),
    frameworkErrors: (error, request, reply) => {
      const refused = https.refusal(request.raw)
      if (cameByHttps(request.raw)) reply.headers(STRICT_TRANSPORT)
      void app.errorHandler(refused ?? error, request, reply)
    },
  })
  app.server.maxConnections = clients.connections
  followAnswers(app.server)
  app.server.on('connect', (request, socket) => countProblem(answerConnect(request, socket as Socket, baseUrl())))
  app.server.on('checkExpectation', (request, response) => countProblem(answerExpectation(request, response, baseUrl())))
  meter?.watch(app.server, (request) => routeOf(request)?.url)
  const days = watchDays({ clock, notify: (used) => access.mailUsage({ ...used, page: `${baseUrl()}/account` }) })
  app.addHook('onClose', () => days.close())
  const changePlanUrl = () => upgradeUrl ?? `${baseUrl()}${PLANS_PATH}`
  const pages = pageTokens(parts.cursors, clock)
  const visits: ContextParts = {
    callers: openCallers({ keys: access.keys, callerOf, plans, pages }),
    limiter,
    plans,
    upgradeUrl: changePlanUrl,
    days,
  }
  const unmatched = collectRoutes(app, { ...visits, router: ROUTER, paths: endpoints.map(({ path }) => path) })
  const routeOf = (request: FastifyRequest) => (request.is404 ? unmatched.pathOf(request) : request.routeOptions)
  const isSameOrigin = (request: FastifyRequest): boolean => routeOf(request)?.config.isSameOrigin === true
  answerProblems(app, { baseUrl, log, onProblem: countProblem, isSameOrigin, pageOf: ({ raw }, failed) => failedPage(raw, failed) })
  // Replies that bypass Fastify set these headers themselves.
  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.headers(cameByHttps(request.raw) ? BY_HTTPS : AS_TYPED).headers(addressLimitHeaders(request, reply.statusCode))
    const type = reply.getHeader('content-type')
    if (type !== undefined) reply.header('content-type', withoutCharset(String(type)))
    done()
  })
  app.addHook('onRequest', (request, reply, done) => {
    meter?.see(reply.raw, request)
    // Before anything else: no key that plain HTTP may have exposed is looked up or charged.
    const refused = https.refusal(request.raw)
    const malformed = malformedHead(request.raw)
    if (malformed) done(malformed)
    else if (refused && !OPEN_TO_PLAIN_HTTP.includes(routeOf(request)?.url ?? '')) done(refused)
    // Here, because an unwanted body could also be unreadable.
    else if (request.is404) unmatched.answer(request, reply).catch(done)
    else done()
  })
  const cache = new ResponseCache({ bytes: parts.cacheBytes })
  const kept = openCachedViews({
    lake: parts.lake,
    poll_ms: parts.lakePoll_ms,
    clock,
    onError: (err) => log.warn({ err }, 'the lake cannot be read'),
  })
  const search = followSearch({
    ...{ state, kept, endpoints, clock },
    onError: (err) => log.warn({ err }, 'a part of the search index cannot be made'),
  })
  const watch = watchSystem({
    lake: parts.lake,
    datasets: state.system().datasets,
    search,
    poll_ms: WATCHED * parts.lakePoll_ms,
    searchPoll_ms: parts.lakePoll_ms,
    onError: (err) => log.warn({ err }, 'what describes the lake cannot be read'),
  })
  const undescribed = (err: unknown): void => log.warn({ err }, 'the API cannot be described')
  const descriptions = openDescriptions({ describe: parts.describe, plans, clock, baseUrl, onError: undescribed })
  if (parts.isWarmed)
    app.addHook('onListen', () => {
      const searched = watch.search.value().catch((err: unknown) => log.warn({ err }, 'no search index'))
      // The failure is logged already.
      void searched.then(() => descriptions.find('en')).catch(() => undefined)
    })
  app.addHook('onClose', async () => {
    kept.close()
    watch.close()
    await search.close()
  })
  // In the engine's own folder, which it may write to and which is deleted with the process.
  const spool = new Spool({ folder: join(parts.lake.engine.folder, 'replies'), bytes: parts.spoolBytes })
  const tables = new Tables({ lake: parts.lake, spool })
  let isStoreFull = false
  const onStore = (isFull: boolean): void => {
    isStoreFull = isFull
  }
  meter?.follow({
    isStoreFull: () => isStoreFull,
    state,
    cache,
    cacheBytes: parts.cacheBytes,
    spool,
    spoolBytes: parts.spoolBytes,
    kept,
    limiter,
    clock,
  })
  const groups = pathGroups(endpoints, domains, parts.requests)
  const links = signedLinks({ store: parts.lake.store, cursors: parts.cursors, baseUrl })
  const link: SystemView['link'] = (dataset, file, now) => links.link(datasetFile(dataset, file), now)
  const documents = endpointDocuments({ ...parts, watch, link })
  const served: Served[] = []
  for (const endpoint of endpoints) {
    const context = { endpoint, state, cursors: parts.cursors, tables, replyVersion: once(() => replyVersion(endpoint)) }
    const handler = handlerOf(context, { lake: parts.lake, kept, watch, endpoints, link })
    served.push({ endpoint, handler })
    registerEndpoint(
      app,
      { ...visits, state, kept, watch, cache, clock, requests: parts.requests, groups, meter, log },
      endpoint,
      handler,
      documents(endpoint),
    )
  }
  const sessions = browserSessions({ tokens: access.tokens, https, baseUrl, clock })
  const webhooks = webhookOwner({ store: parts.lake.store, events: parts.events, clock })
  app.addHook('onClose', async () => webhooks.close())
  const home = openHome(ownAnswers(served, clock), { redisUrl: parts.events.redisUrl, clock })
  app.addHook('onClose', async () => home.close())
  const all: FeatureParts = {
    ...parts,
    ...visits,
    ...{ onStore, groups, links, descriptions, served, sessions, webhooks, kept, pages },
    store: parts.lake.store,
    changePlanUrl: parts.upgradeUrl,
    home,
    usageDays: usageDaysReader(parts.lake),
    units: unitsReader(parts.lake, parts.requests),
  }
  for (const feature of FEATURES) feature.register(app, all)
  return app
}

/** Polls of the tables of cached queries for each poll of the tables that the catalogue describes. */
const WATCHED = 12
const BY_HTTPS = Object.freeze({ ...AS_TYPED, ...STRICT_TRANSPORT })
const NO_QUERY: Readonly<Record<string, never>> = Object.freeze({})
/** Every path part reaches its parameter, which reports what is wrong with it. */
const ROUTER = { maxParamLength: MAX_HEADERS, querystringParser: () => NO_QUERY, caseSensitive: true, ignoreTrailingSlash: true }

/** Makes a value on first use. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function handlerOf(
  context: AnswerContext,
  parts: {
    readonly lake: Lake
    readonly kept: CachedViews
    readonly watch: SystemWatch
    readonly endpoints: readonly Endpoint[]
    readonly link: SystemView['link']
  },
): Handler {
  const { lake, kept } = parts
  const { read } = context.endpoint
  switch (read.kind) {
    case 'lake':
      return lakeHandler(context, read, lake)
    case 'changes':
      return changesHandler(context, read, lake)
    case 'system':
      return systemHandler(context, read, parts)
    case 'memory':
      return memoryHandler(context, read, lake, kept)
  }
}
