import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request as a client sends it. */
export interface Request {
  /** Path and query. */
  readonly path: string
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: object
}

/** A complete answer, or none. Times are ms by `performance.now()`. */
export interface Answer {
  /** 0 if the connection ended before the answer was complete. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** When the request was due, when it was sent, and when its answer had arrived. */
  readonly intended: number
  readonly sent: number
  readonly received: number
}

/** Sends requests to the API at a URL, over connections that stay open. */
export interface Client {
  ask(asked: Request, intended?: number): Promise<Answer>
  close(): void
}

const PATIENCE_MS = 60_000

/** Opens a client; the value of `url` may change while it works. */
export function openClient(url: () => string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1000, scheduling: 'lifo' })
  return {
    ask: (asked, intended = performance.now()) =>
      new Promise((resolve) => {
        const sent = performance.now()
        const body = asked.body === undefined ? null : JSON.stringify(asked.body)
        const headers = { ...asked.headers, ...(body === null ? {} : { 'Content-Type': 'application/json' }) }
        const end = (status: number, responseHeaders: IncomingHttpHeaders, pieces: readonly Buffer[]): void =>
          resolve({ status, headers: responseHeaders, body: Buffer.concat(pieces), intended, sent, received: performance.now() })
        const asking = request(`${url()}${asked.path}`, { agent, method: asked.method ?? 'GET', headers, timeout: PATIENCE_MS })
        asking.on('timeout', () => asking.destroy())
        asking.on('error', () => end(0, {}, []))
        asking.on('response', (response) => {
          const pieces: Buffer[] = []
          response.on('data', (piece: Buffer) => pieces.push(piece))
          response.on('close', () => (response.complete ? end(response.statusCode as number, response.headers, pieces) : end(0, {}, [])))
        })
        asking.end(body ?? undefined)
      }),
    close: () => agent.destroy(),
  }
}

/**
 * Starts a fixed number of tasks per second at equal intervals, regardless of how long each takes, until it is stopped. Then it
 * waits for all of them. Delay counts as latency: `intended` is when a task was due.
 */
export async function openLoop(
  perSecond: number,
  isOver: () => boolean,
  work: (number: number, intended: number) => Promise<void>,
): Promise<void> {
  const began = performance.now()
  const underWay = new Set<Promise<void>>()
  for (let number = 0; !isOver(); ) {
    const due = ((performance.now() - began) * perSecond) / 1000
    for (; number < due; number++) {
      const one: Promise<void> = work(number, began + (number * 1000) / perSecond).finally(() => underWay.delete(one))
      underWay.add(one)
    }
    await sleep(2)
  }
  await Promise.all(underWay)
}

/** Count and quantiles of measured times, ms. */
export function quantiles(times: readonly number[]): Readonly<Record<string, number>> {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number): number => Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0) * 10) / 10
  return { count: sorted.length, p50_ms: at(0.5), p99_ms: at(0.99), max_ms: at(1) }
}

/** Runs `work` under a load and stops the load when the work ends or fails. Returns the result of the load. */
export async function underLoad<T>(load: (isOver: () => boolean) => Promise<T>, work: () => Promise<void>): Promise<T> {
  let isOver = false
  const loading = load(() => isOver)
  // Reported below; nothing awaits it until then.
  loading.catch(() => undefined)
  try {
    await work()
  } finally {
    isOver = true
    await Promise.allSettled([loading])
  }
  return await loading
}
