import { request } from 'undici'
import { isoInstant } from '../../lake/schema/time.ts'
import type { ClientCredentials, FeedRequest } from '../feeds/define.ts'
import { decodeReply, FetchError, type FetchOptions, fetchReply, type Reply } from './http.ts'
import { statedExpiry } from './key-expiry.ts'

/** Options of a request, beside its address. */
export interface AskOptions extends Omit<FetchOptions, 'url' | 'headers'> {
  /** Maps an address of the feed to the address to fetch. */
  readonly origin: (url: string) => string
  /** See `CollectOptions`. */
  readonly secret?: (env: string) => string | null
}

/**
 * Fetches the document of a request, with its secret, in two steps if the first answer only names the document's address. The
 * second request sends the secret only if declared, to the same host. Throws `FetchError`, also if the first answer refuses or
 * points to another host.
 */
export async function fetchFollowed(request: FeedRequest, options: AskOptions): Promise<Reply> {
  try {
    return await follow(request, options)
  } catch (error) {
    throw withRefusedKey(error, request, options)
  }
}

async function follow(request: FeedRequest, options: AskOptions): Promise<Reply> {
  const { origin, secret, ...rest } = options
  const first = await fetchWithSecret(request, options)
  if (!request.twoStep) return first
  const followed = request.twoStep.to(await decodeReply(request, first))
  if ('refused' in followed)
    throw new FetchError(`${request.url} answered: ${followed.refused}`, { retryable: followed.retryable, status: followed.status ?? null })
  if (!leadsTo(followed.url, request.twoStep.hosts))
    throw new FetchError(
      `${request.url} names ${followed.url.slice(0, 200)}, which is no HTTPS address at ${request.twoStep.hosts.join(', ')}`,
      {
        retryable: false,
      },
    )
  if (request.twoStep.needsSecret && new URL(followed.url).host === new URL(request.url).host)
    return fetchWithSecret({ ...request, url: followed.url }, options)
  return fetchReply(request, { ...rest, url: origin(followed.url) })
}

function leadsTo(url: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, host, username, password } = new URL(url)
  return protocol === 'https:' && hosts.includes(host) && username === '' && password === ''
}

/** Sends a request with its secret, if it has one. A rejected token is renewed once. */
async function fetchWithSecret(request: FeedRequest, options: AskOptions): Promise<Reply> {
  const { origin, secret: valueOf, ...rest } = options
  const { secret, url } = request
  const ask = (headers: Record<string, string>): Promise<Reply> => fetchReply(request, { ...rest, url: origin(url), headers })
  if (!secret || !valueOf) return ask({})
  const { env, header, token } = secret
  const value = valueOf(env)
  if (value === null) throw new FetchError(`${url} needs a key: ${env} is not set`, { retryable: false })
  if (!token) return ask({ [header]: value })
  const askWithToken = async (): Promise<Reply> => ask({ [header]: `Bearer ${await bearerToken(token, value, options)}` })
  try {
    return await askWithToken()
  } catch (error) {
    if (!(error instanceof FetchError) || error.status !== 401) throw error
    forgetToken(token, value)
    return askWithToken()
  }
}

/** The error; if the key was refused (401, 403), it names the key's variable and the day of its expiry, never the key. */
function withRefusedKey(error: unknown, { secret }: FeedRequest, { secret: valueOf }: AskOptions): unknown {
  const value = secret && !secret.token ? valueOf?.(secret.env) : null
  if (!secret || !value || !(error instanceof FetchError) || (error.status !== 401 && error.status !== 403)) return error
  const expiry = statedExpiry(value, secret.validFor_s)
  const until = expiry === null ? '' : `; it is valid until ${isoInstant(expiry).slice(0, 10)}`
  const message = `${error.message}: the key in ${secret.env} is refused${until}. Request a new one and restart the worker`
  return new FetchError(message, { retryable: false, status: error.status, cause: error })
}

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
interface TokenOptions {
  /** Maps an address to the address to fetch. */
  readonly origin: (url: string) => string
  readonly signal: AbortSignal
  readonly userAgent: string
}

/**
 * A token for a client, `<id>:<secret>`, by OAuth 2.0 client credentials; cached until shortly before it expires. Throws
 * `FetchError`, whose message never contains the secret.
 */
async function bearerToken(credentials: ClientCredentials, client: string, options: TokenOptions): Promise<string> {
  const known = tokens.get(keyOf(credentials, client))
  if (known && known.until > Date.now()) return known.value
  const token = await askToken(credentials, client, options)
  tokens.set(keyOf(credentials, client), token)
  return token.value
}

/** Forgets a token that the publisher no longer accepts. */
function forgetToken(credentials: ClientCredentials, client: string): void {
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
