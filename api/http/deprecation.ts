import type { onRequestHookHandler } from 'fastify'
import { type Deprecation, deprecatedFrom, goneFrom } from '../define/deprecation.ts'
import { type Endpoint, endpointId } from '../define/endpoint.ts'
import { problem } from '../define/problems.ts'

/** The name of an endpoint's line in the list of changes. */
export function deprecationId(endpoint: Pick<Endpoint, 'path'>): string {
  return `deprecated-${endpointId(endpoint.path).replaceAll('_', '-')}`
}

/** Where people read why an endpoint goes and what takes its place, as entries of the Link header. */
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

/** The day on which an endpoint is deprecated (RFC 9745) and its last one (RFC 8594), as headers. */
export function deprecationHeaders(deprecation: Deprecation): { readonly Deprecation: string; readonly Sunset: string } {
  return {
    Deprecation: `@${deprecatedFrom(deprecation) / 1000}`,
    Sunset: new Date(goneFrom(deprecation) - 1000).toUTCString(),
  }
}

/** What is done before a request of a deprecated endpoint: whatever is answered says that it goes, and from then on nothing is but that it went. */
export function deprecationHook(endpoint: Endpoint, clock: () => number): { readonly onRequest?: onRequestHookHandler } {
  const { path, deprecated } = endpoint
  if (!deprecated) return {}
  const headers = { ...deprecationHeaders(deprecated), Link: deprecationLinks(endpoint).join(', ') }
  const { sunset, replacement } = deprecated
  const instead = replacement ? ` ${replacement} takes its place.` : ''
  return {
    onRequest: (_request, reply, done) => {
      // Past Fastify, as replies with data are: their own Link header holds these links, too.
      for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, value)
      if (clock() < goneFrom(deprecated)) done()
      else done(problem('gone', `${path} answered until ${sunset}.${instead} See /changelog#${deprecationId(endpoint)}.`))
    },
  }
}
