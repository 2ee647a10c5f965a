import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Counter, Registry } from 'prom-client'
import { dataAge_s, type FeedHealth, type FeedListing, type FeedState, feedHealth } from '../../lake/live/freshness.ts'
import { openCounter, show } from '../../lake/metrics/define.ts'
import { type Series, Timings } from '../../lake/metrics/timings.ts'
import type { Limiter } from '../auth/limits/limiter.ts'
import { TIERS } from '../auth/plans.ts'
import type { RequestContext } from '../auth/request-context.ts'
import { PROBLEMS, type ProblemCode } from '../kernel/problems.ts'
import { API_METRICS, METHODS, STATUSES, UNMATCHED } from './metrics.ts'
import type { ResponseCache } from './replies/response-cache.ts'
import type { CachedViews } from './state/cached-views.ts'
import type { ServiceState } from './state/state.ts'
import type { Spool } from './tables/spool.ts'

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
