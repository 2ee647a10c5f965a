import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** The effect of the proxy on a request. */
export type Fault =
  /** Answers with this status; the server does not receive the request. */
  | { readonly kind: 'status'; readonly status: number }
  /** Forwards the request after a delay. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Cuts the connection after some bytes of the request's body, on the server's side too. */
  | { readonly kind: 'cut-request'; readonly bytes: number }
  /** Cuts the connection after some bytes of the reply's body. */
  | { readonly kind: 'cut-reply'; readonly bytes: number }
  /** The server executes the request, but its reply is lost: the connection is cut, or answered with another status. */
  | { readonly kind: 'lost'; readonly status?: number }

/** The requests that a fault affects. */
interface Strike {
  /** Only requests for which this is true. */
  readonly when?: (request: ProxiedRequest) => boolean
  /** Number of requests; all by default. */
  readonly times?: number
}

/** A request as the proxy saw it. */
export interface ProxiedRequest {
  readonly method: string
  /** Path with query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** A received request, the fault that affected it, and the number of bytes in the body of the server's reply. */
interface SeenRequest extends ProxiedRequest {
  readonly fault: Fault['kind'] | null
  readonly answered: number
}

/** A proxy on loopback in front of one HTTP server. */
export interface FaultProxy {
  /** `http://127.0.0.1:port`, to use in place of the server's own. */
  readonly url: string
  /** Adds a fault; if several match a request, the one added first wins. Returns a function that removes it. */
  inject(fault: Fault, strike?: Strike): () => void
  /** Removes all faults. */
  clear(): void
  /** Every request so far. */
  readonly seen: readonly SeenRequest[]
  close(): Promise<void>
}

interface Armed {
  readonly fault: Fault
  readonly when: (request: ProxiedRequest) => boolean
  left: number
}

/**
 * Starts a proxy for an HTTP server (`http://host:port`). It forwards requests byte for byte, including `Host`, so that signed
 * ones stay valid if the server checks the received Host header.
 */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const upstream = new URL(target)
  let armed: Armed[] = []
  const seen: SeenRequest[] = []
  const sockets = new Set<Socket>()
  const server = createServer((incoming, reply) => {
    const summary = { method: incoming.method ?? '', url: incoming.url ?? '', headers: incoming.headers }
    const strike = armed.find(({ when, left }) => left > 0 && when(summary))
    if (strike) strike.left--
    const request = { ...summary, fault: strike?.fault.kind ?? null, answered: 0 }
    seen.push(request)
    const count = (bytes: number): void => void (request.answered += bytes)
    void handle({ incoming, reply, upstream, count }, strike?.fault ?? null)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    inject: (fault, { when = () => true, times = Number.POSITIVE_INFINITY } = {}) => {
      const one: Armed = { fault, when, left: times }
      armed.push(one)
      return () => {
        armed = armed.filter((other) => other !== one)
      }
    },
    clear: () => {
      armed = []
    },
    seen,
    close: () => closeAll(server, sockets),
  }
}

interface Exchange {
  readonly incoming: IncomingMessage
  readonly reply: ServerResponse
  readonly upstream: URL
  readonly count: (bytes: number) => void
}

async function handle(exchange: Exchange, fault: Fault | null): Promise<void> {
  const { incoming, reply } = exchange
  if (fault?.kind === 'status') {
    incoming.resume()
    incoming.once('end', () => answer(reply, fault.status))
    return
  }
  if (fault?.kind === 'slow') await delay(fault.ms)
  if (incoming.destroyed && !incoming.complete) return
  forward(exchange, fault)
}

function forward({ incoming, reply, upstream, count }: Exchange, fault: Fault | null): void {
  const outgoing = request({
    host: upstream.hostname,
    port: upstream.port,
    method: incoming.method,
    path: incoming.url,
    // As received: order, case and Host stay.
    headers: incoming.rawHeaders,
    agent: false,
    setHost: false,
  })
  outgoing.on('error', () => reply.destroy())
  // A request whose reply is lost was executed, whether or not its sender still waits.
  reply.once('close', () => {
    if (!reply.writableFinished && fault?.kind !== 'lost') outgoing.destroy()
  })
  outgoing.on('response', (answered) => {
    answered.on('data', (chunk: Buffer) => count(chunk.length))
    giveBack(answered, reply, fault)
  })
  if (fault?.kind !== 'cut-request') {
    incoming.pipe(outgoing)
    return
  }
  let left = fault.bytes
  incoming.on('data', (chunk: Buffer) => {
    if (chunk.length < left) {
      outgoing.write(chunk)
      left -= chunk.length
      return
    }
    outgoing.write(chunk.subarray(0, left), () => {
      outgoing.destroy()
      incoming.socket.destroy()
    })
    incoming.pause()
  })
  incoming.once('end', () => incoming.socket.destroy())
}

function giveBack(answered: IncomingMessage, reply: ServerResponse, fault: Fault | null): void {
  answered.on('error', () => reply.destroy())
  if (fault?.kind === 'lost') {
    answered.resume()
    answered.once('end', () => (fault.status === undefined ? reply.destroy() : answer(reply, fault.status)))
    return
  }
  reply.writeHead(answered.statusCode ?? 502, answered.statusMessage, answered.rawHeaders)
  if (fault?.kind !== 'cut-reply') {
    answered.pipe(reply)
    return
  }
  let left = fault.bytes
  reply.flushHeaders()
  answered.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, left)
    left -= part.length
    reply.write(part, () => left <= 0 && reply.destroy())
  })
  answered.once('end', () => reply.destroy())
}

function answer(reply: ServerResponse, status: number): void {
  // Like a gateway's answer: not in the server's own error format.
  reply.writeHead(status, { 'content-type': 'text/html' }).end(`<html><body>${status}</body></html>`)
}

async function closeAll(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  for (const socket of sockets) socket.destroy()
  await closed
}
