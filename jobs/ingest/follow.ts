import { isoInstant } from '../../lake/schema/time.ts'
import type { FeedRequest } from '../feeds/define.ts'
import { decodeReply, FetchError, type FetchOptions, fetchReply, type Reply } from './http.ts'
import { statedExpiry } from './key-expiry.ts'
import { bearerToken, forgetToken } from './token.ts'

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
