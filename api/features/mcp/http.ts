import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { CallerOf } from '../../auth/limits/address.ts'
import { problem } from '../../kernel/problems.ts'
import type { ApiReply, Ask } from './ask.ts'

/** The path of the MCP server. */
export const MCP_PATH = '/mcp'
/** Headers that identify the caller and the route of the request; passed on to the endpoints. */
const PASSED_ON = ['x-api-key', 'x-forwarded-for', 'x-forwarded-proto', 'forwarded', 'host'] as const

/** Dependencies of the MCP server. */
export interface McpHttpParts {
  readonly baseUrl: () => string
  readonly callerOf: CallerOf
  readonly clock: () => number
  readonly log: Pick<FastifyBaseLogger, 'error'>
}

/**
 * Registers the MCP server: streamable HTTP without sessions. Tools ask the endpoints of this process as the caller would, with
 * the same key, plan and limits; the protocol itself is not charged. A key may also be sent as `Authorization: Bearer`.
 */
export function registerMcp(app: FastifyInstance, root: FastifyInstance, parts: McpHttpParts): void {
  const { baseUrl, callerOf, clock, log } = parts
  let loaded: ReturnType<typeof loadServer> | null = null
  app.post(MCP_PATH, { config: { isSameOrigin: true } }, async (request, reply) => {
    checkOrigin(request, baseUrl())
    const headers = passedOn(request.headers)
    const caller = hash('sha256', JSON.stringify([headers['x-api-key'] ?? null, callerOf(request.raw)]))
    const ask = askWithin(root, { headers, remoteAddress: request.raw.socket.remoteAddress ?? '' })
    const failures: unknown[] = []
    loaded ??= loadServer()
    const { createMcpHandler, mcpServer, recent } = await loaded
    const handler = createMcpHandler(() => mcpServer({ ask, baseUrl: baseUrl(), clock, recent, caller }), {
      onerror: (error) => failures.push(error),
    })
    try {
      const answer = await handler.fetch(webRequest(request, baseUrl()), { parsedBody: request.body })
      const own = Object.fromEntries(answer.headers)
      const body = Buffer.from(await answer.arrayBuffer())
      // The server also reports what callers did wrong: their reply says so, and an operator can do nothing about it.
      if (answer.status < 400 || answer.status >= 500) for (const err of failures) log.error({ err }, 'mcp')
      return reply
        .code(answer.status)
        .headers({ ...own, 'cache-control': 'no-store' })
        .send(body)
    } finally {
      await handler.close()
    }
  })
}

/** Loads the protocol and the tools, 16 MB that a service without assistants does not need. */
async function loadServer() {
  const [{ createMcpHandler }, { mcpServer, recentAnswers }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./server.ts'),
  ])
  return { createMcpHandler, mcpServer, recent: recentAnswers() }
}

/**
 * A page of another site must not use a key stored in a browser; programs send no Origin (MCP, "Security Warning" of the
 * transport).
 */
function checkOrigin({ headers }: FastifyRequest, baseUrl: string): void {
  const { origin } = headers
  if (origin === undefined || origin === new URL(baseUrl).origin) return
  throw problem('foreign-origin', `The MCP server does not answer pages of ${origin.slice(0, 200)}.`)
}

function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const known = PASSED_ON.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])] as const]))
  return { ...(bearer ? { 'x-api-key': bearer } : {}), ...Object.fromEntries(known) }
}

/** Sends requests to the endpoints of this process without a connection. */
function askWithin(
  app: FastifyInstance,
  { headers, remoteAddress }: { readonly headers: Readonly<Record<string, string>>; readonly remoteAddress: string },
): Ask {
  return async (url): Promise<ApiReply> => {
    const reply = await app.inject({ method: 'GET', url, remoteAddress, headers: { ...headers, accept: 'application/json' } })
    const get = (name: string): string | null => {
      const value = reply.headers[name]
      return value === undefined ? null : String(value)
    }
    return { status: reply.statusCode, headers: { get }, body: reply.json() }
  }
}

function webRequest(request: FastifyRequest, baseUrl: string): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) if (typeof value === 'string') headers.set(name, value)
  return new Request(`${baseUrl}${MCP_PATH}`, { method: 'POST', headers, body: JSON.stringify(request.body) })
}
