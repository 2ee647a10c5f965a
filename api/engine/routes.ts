import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { RequestContext } from '../auth/request-context.ts'
import { type Deprecation, deprecationHeaders, goneFrom } from '../kernel/deprecation.ts'
import { datasetsOf, type Endpoint, lakeOf } from '../kernel/endpoint.ts'
import { problem } from '../kernel/problems.ts'
import type { Handler } from './answers/response-plan.ts'
import { EndpointRoute, type RouteContext } from './endpoint-route.ts'
import { countRequest } from './replies/context-replies.ts'
import type { EndpointDocuments } from './replies/document-answer.ts'
import { sendFailure } from './replies/send-failure.ts'

/** Conditions that are only for GET and HEAD (RFC 9110 §13.1). */
const CONDITIONS = ['if-none-match', 'if-modified-since'] as const

/** Registers an endpoint's path. Its responses by URL are forgotten whenever its data changes. */
export function registerEndpoint(
  app: FastifyInstance,
  parts: RouteContext,
  endpoint: Endpoint,
  handler: Handler,
  documents: EndpointDocuments | null = null,
): void {
  const { clock, log } = parts
  const counters = { count: parts.requests.usageOf(endpoint.path), countReply: parts.groups.ofEndpoint(endpoint) }
  const measured = parts.meter?.route(endpoint.path)
  const route = new EndpointRoute(parts, endpoint, { handler, documents, counters })
  const ends = onChanges(parts, endpoint, () => route.renew())
  app.addHook('onClose', async () => {
    for (const end of ends) end()
  })
  const shared = {
    ...(endpoint.deprecated ? { onRequest: deprecationHook(endpoint.deprecated, clock) } : {}),
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { counters },
  }
  const answer = (request: FastifyRequest, reply: FastifyReply, posted: string | null): void => {
    const context = new RequestContext(parts, request.raw)
    measured?.(reply.raw, context)
    route
      .serve(request, reply, context, posted)
      .catch(async (error: unknown) => countRequest(counters, context, await sendFailure(reply, error, { context, log })))
  }
  // Not async, and no hooks: a reply in memory is sent as soon as it is charged.
  app.route({ ...shared, method: ['GET', 'HEAD'], handler: (request, reply) => answer(request, reply, null) })
  const { takesBody } = endpoint
  if (!takesBody) return
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser([...takesBody.mediaTypes], { parseAs: 'string', bodyLimit: takesBody.maxBytes }, (_request, body, done) =>
      done(null, body),
    )
    scope.route({
      ...shared,
      method: 'POST',
      bodyLimit: takesBody.maxBytes,
      handler: (request, reply) => {
        const { raw } = request
        for (const name of CONDITIONS) delete raw.headers[name]
        const url = raw.url ?? '/'
        const text = typeof request.body === 'string' ? request.body : ''
        answer(request, reply, `${url}${url.includes('?') ? '&' : '?'}${takesBody.param}=${encodeURIComponent(text)}`)
      },
    })
  })
}

/** Makes the hook that adds the headers of a deprecation to every reply, and answers 410 after the last day. */
function deprecationHook(deprecated: Deprecation, clock: () => number): onRequestHookHandler {
  const headers = Object.entries(deprecationHeaders(deprecated))
  return (_request, reply, done) => {
    // Bypasses Fastify, as replies with data do. Their own Link header contains these links too.
    for (const [name, value] of headers) reply.raw.setHeader(name, value)
    done(clock() < goneFrom(deprecated) ? undefined : problem('gone', `The path answered until ${deprecated.sunset}. See /changelog.`))
  }
}

/** Calls `renew` whenever something changes that the endpoint reads. Each of the returned functions ends one subscription. */
function onChanges({ state, kept, watch }: RouteContext, endpoint: Endpoint, renew: () => void): (() => void)[] {
  const { read } = endpoint
  const tables = lakeOf(endpoint)
  const ends = [state.onChange(read.kind === 'system' ? null : datasetsOf(endpoint), renew)]
  if (tables.length > 0) ends.push(kept.onChange(tables, renew))
  if (read.kind === 'system' && read.tables) ends.push(watch.tables.onChange(renew))
  if (read.kind === 'system' && read.quality) ends.push(watch.quality.onChange(renew))
  if (read.kind === 'system' && read.search) ends.push(watch.search.onChange(renew))
  return ends
}
