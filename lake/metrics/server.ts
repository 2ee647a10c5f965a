import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'

/** A server for metrics. */
export interface MetricsServer {
  /** The address to scrape. */
  readonly url: string
  close(): Promise<void>
}

/** Longest time for receiving a request, ms. */
const REQUEST_MS = 5000
/** Maximum connections: enough for a few collectors. */
const MAX_CONNECTIONS = 32
const PATH = '/metrics'

/** Serves a registry's metrics over HTTP, and nothing else. Rejects if it cannot listen; `port` 0 takes a free one. */
export async function serveMetrics(options: {
  readonly registry: Registry
  readonly host: string
  readonly port: number
}): Promise<MetricsServer> {
  const { registry, host, port } = options
  let collecting: Promise<string> | null = null
  const collect = (): Promise<string> => {
    collecting ??= registry.metrics().finally(() => {
      collecting = null
    })
    return collecting
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = '/' } = request
    // Bodies are ignored.
    request.resume()
    if (url.split('?')[0] !== PATH) return end(response, 404, `Only ${PATH} exists.\n`)
    if (method !== 'GET' && method !== 'HEAD') return end(response, 405, `${PATH} accepts GET and HEAD.\n`, { Allow: 'GET, HEAD' })
    end(response, 200, await collect(), { 'Content-Type': registry.contentType })
  }
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, connectionsCheckingInterval: REQUEST_MS },
    (request, response) => {
      answer(request, response).catch((error: Error) => response.destroy(error))
    },
  )
  server.maxConnections = MAX_CONNECTIONS
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ host, port }, resolve))
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}${PATH}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function end(response: ServerResponse, status: number, text: string, headers: Readonly<Record<string, string>> = {}): void {
  const body = Buffer.from(text)
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  })
  // Node omits the body of a reply to HEAD.
  response.end(body)
}
