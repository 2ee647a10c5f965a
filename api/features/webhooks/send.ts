import { Webhook } from 'standardwebhooks'
import { buildConnector, Client } from 'undici'
import { addressesOf, type DestinationRules } from './destination.ts'

/** The result of one attempt. */
export interface Attempt {
  /** When it began, ms since the epoch. */
  readonly at: number
  /** HTTP status of the reply; null without one. */
  readonly status: number | null
  readonly ms: number
  /** Why it failed; null for a success. */
  readonly error: string | null
  /** The wait that the receiver requested, in seconds; null if none. */
  readonly retryAfter_s: number | null
}

/** A message to be sent. */
export interface Message {
  readonly url: string
  /** The same for every attempt. */
  readonly id: string
  readonly body: string
  /** The secrets that are valid now, newest first. */
  readonly secrets: readonly string[]
}

const TIMEOUT_MS = 15_000
const MAX_REPLY = 65_536
const USER_AGENT = 'traffic-intelligence-webhooks/1 (standardwebhooks)'

/**
 * Sends a message once, as Standard Webhooks 1.0.0 defines: signed with every valid secret. Only 2xx is a success; redirects are
 * not followed. Each attempt resolves and checks the host, and connects to the checked address. Never rejects.
 */
export async function sendOnce(
  { url, id, body, secrets }: Message,
  { clock, timeout_ms = TIMEOUT_MS, ...rules }: DestinationRules & { readonly clock: () => number; readonly timeout_ms?: number },
): Promise<Attempt> {
  const at = clock()
  const began = performance.now()
  const done = (status: number | null, error: string | null, retryAfter_s: number | null = null): Attempt => ({
    ...{ at, status, ms: Math.round(performance.now() - began), error, retryAfter_s },
  })
  let client: Client | null = null
  try {
    const target = new URL(url)
    const addresses = await addressesOf(target, rules)
    const connect = buildConnector({
      timeout: timeout_ms,
      lookup: (_host, options, found) => {
        const [first] = addresses
        if (options.all) found(null, addresses)
        else found(null, first?.address ?? '', first?.family)
      },
    })
    // A connection per attempt, so that each goes to its checked address.
    client = new Client(target.origin, { connect, pipelining: 0 })
    const seconds = Math.floor(at / 1000)
    const reply = await client.request({
      method: 'POST',
      path: target.pathname + target.search,
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, new Date(seconds * 1000), body)).join(' '),
      },
      signal: AbortSignal.timeout(timeout_ms),
      headersTimeout: timeout_ms,
      bodyTimeout: timeout_ms,
    })
    const { statusCode: status, headers } = reply
    await reply.body.dump({ limit: MAX_REPLY }).catch(() => undefined)
    if (status >= 200 && status < 300) return done(status, null)
    return done(status, `answered ${status}`, retryAfterOf(headers['retry-after'], clock()))
  } catch (error) {
    return done(null, reasonOf(error, timeout_ms))
  } finally {
    client?.destroy().catch(() => undefined)
  }
}

function retryAfterOf(header: string | string[] | undefined, now: number): number | null {
  const text = String(header ?? '')
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null
}

function reasonOf(error: unknown, timeout_ms: number): string {
  const { name, message, code, cause } = error as Error & { readonly code?: string }
  if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'UND_ERR_HEADERS_TIMEOUT')
    return `no reply within ${timeout_ms / 1000} s`
  const text = message || (cause instanceof Error ? cause.message : '') || code || name
  return text.slice(0, 200)
}
