import type { onRequestHookHandler } from 'fastify'
import { type Deprecation, deprecatedFrom, goneFrom } from '../../kernel/deprecation.ts'
import { type Endpoint, endpointId } from '../../kernel/endpoint.ts'
import { problem } from '../../kernel/problems.ts'

/** Returns the name of an endpoint's line in the changelog. */
export function deprecationId(endpoint: Pick<Endpoint, 'path'>): string {
  return `deprecated-${endpointId(endpoint.path).replaceAll('_', '-')}`
}

/** Returns the Link header's entries that explain why an endpoint goes and what replaces it. */
export function deprecationLinks(endpoint: Pick<Endpoint, 'path' | 'deprecated'>): string[] {
  const { deprecated } = endpoint
  if (!deprecated) return []
  const page = `</changelog#${deprecationId(endpoint)}>`
  const { replacement } = deprecated
  return [
    ...['deprecation', 'sunset'].map((rel) => `${page}; rel="${rel}"; type="text/html"`),
    // A path with parameters in it is no URL.
    ...(replacement && !replacement.includes('{') ? [`<${replacement}>; rel="successor-version"`] : []),
  ]
}

/** Returns the headers with the day of an endpoint's deprecation (RFC 9745) and its last day (RFC 8594). */
export function deprecationHeaders(deprecation: Deprecation): { readonly Deprecation: string; readonly Sunset: string } {
  return {
    Deprecation: `@${deprecatedFrom(deprecation) / 1000}`,
    Sunset: new Date(goneFrom(deprecation) - 1000).toUTCString(),
  }
}

/**
 * Makes the hook for requests of a deprecated endpoint: it adds the headers to every reply, and answers 410 after the last day.
 */
export function deprecationHook(endpoint: Endpoint, clock: () => number): { readonly onRequest?: onRequestHookHandler } {
  const { path, deprecated } = endpoint
  if (!deprecated) return {}
  const headers = { ...deprecationHeaders(deprecated), Link: deprecationLinks(endpoint).join(', ') }
  const { sunset, replacement } = deprecated
  const instead = replacement ? ` ${replacement} takes its place.` : ''
  return {
    onRequest: (_request, reply, done) => {
      // Bypasses Fastify, as replies with data do. Their own Link header contains these links too.
      for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, value)
      if (clock() < goneFrom(deprecated)) done()
      else done(problem('gone', `${path} answered until ${sunset}.${instead} See /changelog#${deprecationId(endpoint)}.`))
    },
  }
}
