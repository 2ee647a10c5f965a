import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request as a client sends it. */
export interface Request {
  /** Path and query. */
  readonly path: string
  readonly method?: 'GET' | 'POST' | 'DELETE'
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
  readonly sent: number
  readonly received: number
}

/** Sends requests to the API at a URL, over connections that stay open. */
export interface Client {
  ask(asked: Request): Promise<Answer>
  close(): void
}

const PATIENCE_MS = 60_000

/** Opens a client; the value of `url` may change while it works. */
export function openClient(url: () => string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1000, scheduling: 'lifo' })
  return {
    ask: (asked) =>
      new Promise((resolve) => {
        const sent = performance.now()
        const body = asked.body === undefined ? null : JSON.stringify(asked.body)
        const headers = { ...asked.headers, ...(body === null ? {} : { 'Content-Type': 'application/json' }) }
        const end = (status: number, responseHeaders: IncomingHttpHeaders, pieces: readonly Buffer[]): void =>
          resolve({ status, headers: responseHeaders, body: Buffer.concat(pieces), sent, received: performance.now() })
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
 * Starts a number of tasks per second at equal intervals, however long each takes. When it is stopped, it waits for all of them.
 */
export async function openLoop(perSecond: number, isOver: () => boolean, work: () => Promise<void>): Promise<void> {
  const began = performance.now()
  const underWay = new Set<Promise<void>>()
  for (let number = 0; !isOver(); ) {
    const due = ((performance.now() - began) * perSecond) / 1000
    for (; number < due; number++) {
      const one: Promise<void> = work().finally(() => underWay.delete(one))
      underWay.add(one)
    }
    await sleep(2)
  }
  await Promise.all(underWay)
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

/** Returns the items of a list in turn. */
export function byTurns<T>(items: readonly T[]): () => T {
  let next = 0
  return () => items[next++ % items.length] as T
}

/** Returns headers of a different address each time, up to a quarter of a million: none reaches its limit. */
export function addresses(): () => Readonly<Record<string, string>> {
  let next = 0
  return () => {
    const at = next++ % 2 ** 18
    return { 'X-Forwarded-For': `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` }
  }
}
