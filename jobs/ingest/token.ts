import { request } from 'undici'
import type { ClientCredentials } from '../feeds/define.ts'
import { FetchError } from './http.ts'

/** Tokens are renewed this long before they expire, ms. */
const EARLY_MS = 60_000
const TIMEOUT_MS = 15_000
const MAX_BYTES = 65_536

interface Token {
  readonly value: string
  readonly until: number
}

/** Tokens of this process, by issuing address and client. */
const tokens = new Map<string, Token>()
const keyOf = ({ url }: ClientCredentials, client: string): string => `${url} ${client}`

/** Options of a token request. */
export interface TokenOptions {
  /** Maps an address to the address to fetch. */
  readonly origin: (url: string) => string
  readonly signal: AbortSignal
  readonly userAgent: string
}

/**
 * A token for a client, `<id>:<secret>`, by OAuth 2.0 client credentials; cached until shortly before it expires. Throws
 * `FetchError`, whose message never contains the secret.
 */
export async function bearerToken(credentials: ClientCredentials, client: string, options: TokenOptions): Promise<string> {
  const known = tokens.get(keyOf(credentials, client))
  if (known && known.until > Date.now()) return known.value
  const token = await askToken(credentials, client, options)
  tokens.set(keyOf(credentials, client), token)
  return token.value
}

/** Forgets a token that the publisher no longer accepts. */
export function forgetToken(credentials: ClientCredentials, client: string): void {
  tokens.delete(keyOf(credentials, client))
}

async function askToken({ url }: ClientCredentials, client: string, { origin, signal, userAgent }: TokenOptions): Promise<Token> {
  const colon = client.indexOf(':')
  const form = { grant_type: 'client_credentials', client_id: client.slice(0, colon), client_secret: client.slice(colon + 1) }
  let text: string
  try {
    const reply = await request(origin(url), {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', 'user-agent': userAgent },
      body: new URLSearchParams(form).toString(),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    text = (await reply.body.text()).slice(0, MAX_BYTES)
    if (reply.statusCode !== 200)
      throw new FetchError(`${url} answered ${reply.statusCode}`, { retryable: reply.statusCode >= 500, status: reply.statusCode })
  } catch (cause) {
    if (cause instanceof FetchError) throw cause
    throw new FetchError(`${url} did not answer`, { retryable: true, cause })
  }
  const { access_token, expires_in } = asObject(text)
  if (typeof access_token !== 'string' || typeof expires_in !== 'number')
    throw new FetchError(`${url} gave no access_token and expires_in`, { retryable: true })
  return { value: access_token, until: Date.now() + 1000 * expires_in - EARLY_MS }
}

function asObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}
