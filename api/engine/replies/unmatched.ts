import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import findMyWay from 'find-my-way'
import { type ContextParts, RequestContext } from '../../auth/request-context.ts'
import { PREFLIGHT_HEADERS } from '../../kernel/http/headers.ts'
import type { Problem } from '../../kernel/problems.ts'
import type { PathCounters } from './context-replies.ts'
import { methodProblem, problemOf, unknownPath } from './problem-replies.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for paths that only our own pages may read. */
    isSameOrigin?: boolean
    /** Charges a request with a method that the path does not take; by default, it is charged to its key or address. */
    admit?: (request: FastifyRequest) => Promise<void>
    /** Counts such a request. */
    counters?: Partial<PathCounters>
  }
}

/** A known path. */
interface KnownPath {
  /** Its pattern, such as `/api/things/:id`. */
  readonly url: string
  /** Its methods, as the header Allow lists them. */
  readonly allow: string
  readonly config: NonNullable<RouteOptions['config']>
}

/** Answers requests without a route: other methods of known paths, and unknown paths. */
export interface Unmatched {
  /** Returns the path of a request without a route; null if it is unknown. */
  pathOf(request: FastifyRequest): KnownPath | null
  /** Answers OPTIONS. Rejects any other request with its problem, after it is charged and counted. */
  answer(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

/** Methods of routes, in the order of the header Allow. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Collects the routes that are registered from now on. `router` has the options of the application's own router. */
export function collectRoutes(
  app: FastifyInstance,
  parts: ContextParts & { readonly router: findMyWay.Config<findMyWay.HTTPVersion.V1>; readonly paths: readonly string[] },
): Unmatched {
  const router = findMyWay(parts.router)
  const byUrl = new Map<string, RouteOptions[]>()
  app.addHook('onRoute', (route) => {
    const routes = byUrl.get(route.url) ?? []
    if (routes.push(route) > 1) return
    byUrl.set(route.url, routes)
    router.on('GET', route.url, () => undefined, routes)
  })
  const pathOf = ({ raw }: FastifyRequest): KnownPath | null => {
    const routes = router.find('GET', raw.url ?? '/')?.store as readonly [RouteOptions, ...RouteOptions[]] | undefined
    if (!routes) return null
    const taken = routes.flatMap(({ method }) => method)
    const allow = [...METHODS.filter((method) => taken.includes(method)), 'OPTIONS'].join(', ')
    return { url: routes[0].url, allow, config: routes[0].config ?? {} }
  }
  /** Charges a request to its key or address. Returns its problem; that of an invalid key or a reached limit takes precedence. */
  const charged = async (context: RequestContext, refused: Problem): Promise<Problem> => {
    try {
      await context.identify()
    } catch (error) {
      return await context.chargeProblem(problemOf(error))
    }
    return await context.chargeProblem(refused)
  }
  return {
    pathOf,
    async answer(request, reply) {
      const { raw, method } = request
      const path = pathOf(request)
      const context = new RequestContext(parts, raw)
      if (!path) throw await charged(context, unknownPath(request, parts.paths))
      const { allow, config } = path
      if (method === 'OPTIONS') {
        await reply
          .code(204)
          .headers({ Allow: allow, ...(config.isSameOrigin ? {} : { ...PREFLIGHT_HEADERS, 'Access-Control-Allow-Methods': allow }) })
          .send()
        return
      }
      const refused = methodProblem(method, (raw.url ?? '').split('?', 1)[0] ?? '', allow)
      const problem = config.admit ? await config.admit(request).then(() => refused, problemOf) : await charged(context, refused)
      const { caller, dayUnits, began } = context
      config.counters?.count?.(caller.key, problem.status, dayUnits)
      config.counters?.countReply?.(problem.status, performance.now() - began, caller.slot)
      throw problem
    },
  }
}
