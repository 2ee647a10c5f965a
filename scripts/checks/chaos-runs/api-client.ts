/** A complete answer, or none. Times are ms by `performance.now()`. */
export interface Answer {
  /** 0 if the connection ended before the answer was complete. */
  readonly status: number
  readonly body: string
  readonly sent: number
  readonly received: number
}

/** A request as a client sends it; the body is sent as JSON. */
interface Request {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

/** Sends a request for a path and query. */
export type Ask = (path: string, request?: Request) => Promise<Answer>

const PATIENCE_MS = 60_000

/** A client of the API at a URL, which may change while it works. */
export function clientOf(url: () => string): Ask {
  return async (path, { method = 'GET', headers = {}, body } = {}) => {
    const sent = performance.now()
    const end = (status: number, text: string): Answer => ({ status, body: text, sent, received: performance.now() })
    try {
      const json = body === undefined ? {} : { body: JSON.stringify(body) }
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
      const how = { method, headers: { ...headers, ...type }, signal: AbortSignal.timeout(PATIENCE_MS), ...json }
      const reply = await fetch(`${url()}${path}`, how)
      return end(reply.status, await reply.text())
    } catch {
      return end(0, '')
    }
  }
}

/** Returns headers of a different address each time, up to a quarter of a million: none reaches its limit. */
export function addresses(): () => Readonly<Record<string, string>> {
  let next = 0
  return () => {
    const at = next++ % 2 ** 18
    return { 'X-Forwarded-For': `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` }
  }
}
