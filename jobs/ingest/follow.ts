import type { FeedRequest } from '../feeds/define.ts'
import { decodeReply, FetchError, type FetchOptions, fetchReply, type Reply } from './http.ts'
import { bearerToken, forgetToken } from './token.ts'

/** What a request is asked with, beside its own address. */
export interface AskOptions extends Omit<FetchOptions, 'url' | 'headers'> {
  /** Where an address of the feed is really asked. */
  readonly origin: (url: string) => string
  /** See `CollectOptions`. */
  readonly secret?: (env: string) => string | null
}

/**
 * Asks for the document of a request: with its secret where it declares one, and in two steps where the first answer only says where the
 * document is. The second is asked without the secret. Throws `FetchError`, also for a slip that refuses or leads elsewhere.
 */
export async function fetchFollowed(request: FeedRequest, options: AskOptions): Promise<Reply> {
  const { origin, secret, ...rest } = options
  const first = await fetchWithSecret(request, options)
  if (!request.follow) return first
  const told = request.follow.to(await decodeReply(request, first))
  if ('refused' in told)
    throw new FetchError(`${request.url} answered: ${told.refused}`, { retryable: told.retryable, status: told.status ?? null })
  if (!leadsTo(told.url, request.follow.hosts))
    throw new FetchError(
      `${request.url} names ${told.url.slice(0, 200)}, which is no HTTPS address at ${request.follow.hosts.join(', ')}`,
      {
        retryable: false,
      },
    )
  return fetchReply(request, { ...rest, url: origin(told.url) })
}

function leadsTo(url: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, host, username, password } = new URL(url)
  return protocol === 'https:' && hosts.includes(host) && username === '' && password === ''
}

/** Asks with the secret of a request, if it has one. A token that is no longer accepted is renewed once. */
async function fetchWithSecret(request: FeedRequest, options: AskOptions): Promise<Reply> {
  const { origin, secret: valueOf, ...rest } = options
  const { secret, url } = request
  const ask = (headers: Record<string, string>): Promise<Reply> => fetchReply(request, { ...rest, url: origin(url), headers })
  if (!secret || !valueOf) return ask({})
  const { env, header, token } = secret
  const value = valueOf(env)
  if (value === null) throw new FetchError(`${url} wants a key of ours, and ${env} is not set`, { retryable: false })
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
