import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Counter, Registry } from 'prom-client'
import { dataAge_s, type FeedHealth, type FeedListing, type FeedState, feedHealth } from '../../lake/live/freshness.ts'
import { counter, defineMetrics, gauge, openCounter, show } from '../../lake/metrics/define.ts'
import { type Series, Timings } from '../../lake/metrics/timings.ts'
import type { Limiter } from '../auth/limits/limiter.ts'
import { TIERS } from '../auth/plans.ts'
import type { RequestContext } from '../auth/request-context.ts'
import { PROBLEMS, type ProblemCode } from '../kernel/problems.ts'
import type { ResponseCache } from './replies/response-cache.ts'
import type { CachedViews } from './state/cached-views.ts'
import type { ServiceState } from './state/state.ts'
import type { Spool } from './tables/spool.ts'

/** Statuses of replies in metrics: `gone` if the caller left before the whole reply was sent. */
const STATUSES = ['2xx', '3xx', '4xx', '5xx', 'gone'] as const
/** Methods of requests in metrics: a fixed list, whatever callers send. */
const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'other'] as const
/** The route of requests with unknown paths. */
const UNMATCHED = 'unmatched'

/** Metrics of an API process, besides those of every process (`LAKE_METRICS`). */
export const API_METRICS = defineMetrics({
  requests: counter(
    'traffic_api_requests_total',
    'Requests by pattern of their path, method, class of status and plan of their key. Route is unmatched for unknown paths; status is gone if the caller left before the whole reply was sent; plan is none without a key, and for paths without data.',
    ['route', 'method', 'status', 'plan'],
  ),
  durations: {
    name: 'traffic_api_request_duration_seconds',
    kind: 'histogram',
    help: 'Time from reading the head of a request to sending its reply, by route, method and status as in traffic_api_requests_total.',
    labels: ['route', 'method', 'status'],
    // Replies from memory take less than 1 ms, queries of the lake tens of ms to seconds, and are stopped after 30 s.
    buckets_s: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  underWay: gauge('traffic_api_requests_under_way', 'Requests whose reply is not sent yet.'),
  problems: counter(
    'traffic_api_problems_total',
    'Replies that are a problem, by its code, such as quota-exceeded, invalid-key or plan-required; including those to malformed requests, which traffic_api_requests_total does not count.',
    ['code'],
  ),
  cached: gauge('traffic_api_reply_cache_entries', 'Replies kept in memory.'),
  cachedBytes: gauge('traffic_api_reply_cache_bytes', 'Approximate memory of kept replies.'),
  cacheLimit: gauge('traffic_api_reply_cache_limit_bytes', 'Memory that kept replies may take.'),
  cacheHits: counter(
    'traffic_api_reply_cache_hits_total',
    'Replies found in memory, by the kind of lookup: url before parsing, tag after it.',
    ['by'],
  ),
  cacheMisses: counter('traffic_api_reply_cache_misses_total', 'Replies that were not found in memory.'),
  spool: gauge('traffic_api_spool_bytes', 'Disk space of replies that are being made or sent.'),
  spoolLimit: gauge('traffic_api_spool_limit_bytes', 'Disk space that such replies may take.'),
  line: gauge('traffic_api_kept_reads_waiting', 'Reads of tables for memory that wait for earlier reads.'),
  alone: gauge('traffic_api_limiter_fallback_active', '1 while Redis counts no requests and this process limits alone, else 0.'),
  redisReadOnly: gauge('traffic_api_redis_read_only', '1 while Redis answers and refuses writes, else 0.'),
  storeFull: gauge('traffic_api_store_full', '1 if the object store had no room at the last check of /ready or /status, else 0.'),
  age: gauge(
    'traffic_feed_age_seconds',
    'Age of the newest data of a feed, by its publication time, as in /api/freshness; none before the first.',
    ['feed'],
  ),
  cadence: gauge('traffic_feed_cadence_seconds', 'Expected time between two fetches of a feed.', ['feed']),
  success: gauge('traffic_feed_last_success_timestamp_seconds', 'Last successful fetch of a feed; none before the first.', ['feed']),
  health: gauge(
    'traffic_feed_health',
    '1 for the health that a feed is in and 0 for the others: OK, LATE at twice, STALE at three times its cadence, DOWN.',
    ['feed', 'health'],
  ),
})

/** Sources of the values that are read only when metrics are collected. */
interface Sources {
  readonly state: ServiceState
  readonly cache: ResponseCache
  /** Most bytes that the cache may contain. */
  readonly cacheBytes: number
  readonly spool: Spool
  readonly spoolBytes: number
  readonly kept: Pick<CachedViews, 'waiting'>
  readonly limiter: Pick<Limiter, 'connected' | 'refusal'>
  /** True if the object store had no room at the last check. */
  readonly isStoreFull: () => boolean
  readonly clock: () => number
}

/** Requests of one route, method and class of status. */
interface Cell {
  /** By plan, in the order of the tiers. */
  readonly counts: number[]
  readonly durations: Series
}

/** Requests of one route, by method and status. */
interface Route {
  readonly pattern: string
  readonly cells: (Cell | undefined)[]
}

/** What is known about a request until its reply is sent. */
interface Exchange {
  readonly began_at: number
  route: Route | null
  visit: Pick<RequestContext, 'tier'> | null
  /** Its route counts if no other is set. */
  request: FastifyRequest | null
}

const EXCHANGE = Symbol('exchange')
type Watched = ServerResponse & { [EXCHANGE]?: Exchange }

/** Labels of plans, in the order of the tiers. */
const PLAN_LABELS = TIERS.map((tier) => (tier === 'ANONYMOUS' ? 'none' : tier))
const HEALTHS: readonly FeedHealth[] = ['OK', 'LATE', 'STALE', 'DOWN']
const GONE = STATUSES.indexOf('gone')

/**
 * Measures the requests to a process and the resources of its replies. Counters are found by number, which is faster than by
 * label.
 */
export class RequestMetrics {
  readonly #registry: Registry
  readonly #routes = new Map<string, Route>()
  readonly #durations: Timings
  readonly #problems: Counter
  #underWay = 0
  #urlOf: (request: FastifyRequest) => string | undefined = () => undefined

  constructor(registry: Registry) {
    this.#registry = registry
    this.#durations = new Timings(registry, API_METRICS.durations)
    this.#problems = openCounter(registry, API_METRICS.problems)
    for (const code of Object.keys(PROBLEMS)) this.#problems.inc({ code }, 0)
    show(registry, API_METRICS.requests, () => this.#counted())
    show(registry, API_METRICS.underWay, () => this.#underWay)
  }

  /** Measures every request to a server, however it is answered. `urlOf` returns the pattern of a request's path. */
  watch(server: Server, urlOf: (request: FastifyRequest) => string | undefined): void {
    this.#urlOf = urlOf
    const meter = this
    const ended = function (this: Watched): void {
      meter.#end(this)
    }
    server.prependListener('request', (_request: IncomingMessage, response: Watched) => {
      this.#underWay++
      response[EXCHANGE] = { began_at: performance.now(), route: null, visit: null, request: null }
      response.once('close', ended)
    })
  }

  /** Links a reply to its Fastify request, whose route counts if no other is set. */
  see(response: Watched, request: FastifyRequest): void {
    const exchange = response[EXCHANGE]
    if (exchange) exchange.request = request
  }

  /** Makes the function that assigns a reply to a route's pattern, such as `/api/things/{id}`, and to its caller's plan. */
  route(pattern: string): (response: Watched, visit: Pick<RequestContext, 'tier'>) => void {
    const route = this.#route(pattern)
    return (response, visit) => {
      const exchange = response[EXCHANGE]
      if (!exchange) return
      exchange.route = route
      exchange.visit = visit
    }
  }

  /** Counts a reply that is a problem. */
  refused(code: ProblemCode): void {
    this.#problems.inc({ code })
  }

  /** Adds the values that are read only when metrics are collected. */
  follow(sources: Sources): void {
    const { state, cache, cacheBytes, spool, spoolBytes, kept, limiter, isStoreFull, clock } = sources
    const registry = this.#registry
    show(registry, API_METRICS.cached, () => cache.entries)
    show(registry, API_METRICS.cachedBytes, () => cache.bytes)
    show(registry, API_METRICS.cacheLimit, () => cacheBytes)
    show(registry, API_METRICS.cacheHits, () => [
      [{ by: 'url' }, cache.lookups.url],
      [{ by: 'tag' }, cache.lookups.tag],
    ])
    show(registry, API_METRICS.cacheMisses, () => cache.lookups.missed)
    show(registry, API_METRICS.spool, () => spool.bytes)
    show(registry, API_METRICS.spoolLimit, () => spoolBytes)
    show(registry, API_METRICS.line, () => kept.waiting)
    show(registry, API_METRICS.alone, () => Number(!limiter.connected))
    show(registry, API_METRICS.redisReadOnly, () => Number(limiter.refusal !== null))
    show(registry, API_METRICS.storeFull, () => Number(isStoreFull()))
    const ofFeeds = <T>(read: (feed: FeedListing, known: FeedState | null) => readonly T[]): T[] => {
      const { feeds, states } = state.system()
      return feeds.filter(({ enabled }) => enabled).flatMap((feed) => read(feed, states.get(feed.id) ?? null))
    }
    show(registry, API_METRICS.cadence, () => ofFeeds(({ id, every_s }) => [[{ feed: id }, every_s] as const]))
    show(registry, API_METRICS.age, () =>
      ofFeeds(({ id }, known) => (known?.data_time == null ? [] : [[{ feed: id }, dataAge_s(known.data_time, clock())] as const])),
    )
    show(registry, API_METRICS.success, () =>
      ofFeeds(({ id }, known) => (known?.last_success_at == null ? [] : [[{ feed: id }, known.last_success_at / 1000] as const])),
    )
    show(registry, API_METRICS.health, () =>
      ofFeeds(({ id, every_s }, known) => {
        const now = feedHealth(known, every_s, clock())
        return HEALTHS.map((health) => [{ feed: id, health }, Number(health === now)] as const)
      }),
    )
  }

  #end(response: Watched): void {
    const exchange = response[EXCHANGE] as Exchange
    this.#underWay--
    const route = exchange.route ?? this.#route(patternOf(exchange.request ? this.#urlOf(exchange.request) : undefined))
    const method = methodAt(response.req.method ?? '')
    const status = response.writableFinished ? Math.floor(response.statusCode / 100) - 2 : GONE
    const at = method * STATUSES.length + status
    const cell = route.cells[at] ?? this.#cell(route, { at, method, status })
    const plan = TIERS.indexOf(exchange.visit?.tier ?? 'ANONYMOUS')
    cell.counts[plan] = (cell.counts[plan] as number) + 1
    cell.durations.observe((performance.now() - exchange.began_at) / 1000)
  }

  #route(pattern: string): Route {
    const known = this.#routes.get(pattern)
    if (known) return known
    const made: Route = { pattern, cells: Array.from({ length: METHODS.length * STATUSES.length }, () => undefined) }
    this.#routes.set(pattern, made)
    return made
  }

  #cell(
    { pattern, cells }: Route,
    { at, method, status }: { readonly at: number; readonly method: number; readonly status: number },
  ): Cell {
    const durations = this.#durations.series(pattern, METHODS[method] as string, STATUSES[status] as string)
    const made: Cell = { counts: TIERS.map(() => 0), durations }
    cells[at] = made
    return made
  }

  #counted(): (readonly [Readonly<Record<string, string>>, number])[] {
    return [...this.#routes.values()].flatMap(({ cells }) =>
      cells.flatMap((cell) =>
        (cell?.counts ?? []).flatMap((count, plan) =>
          count === 0 ? [] : [[{ ...(cell as Cell).durations.labels, plan: PLAN_LABELS[plan] as string }, count] as const],
        ),
      ),
    )
  }
}

/** Returns the pattern of a route as the description has it; one for all unknown paths. */
function patternOf(url: string | undefined): string {
  return url === undefined ? UNMATCHED : url.replaceAll(/:(\w+)/g, '{$1}')
}

function methodAt(method: string): number {
  const at = (METHODS as readonly string[]).indexOf(method)
  return at === -1 ? METHODS.length - 1 : at
}
