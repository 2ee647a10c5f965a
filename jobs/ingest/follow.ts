import type { FeedRequest } from '../feeds/define.ts'
import { decodeReply, FetchError, type FetchOptions, fetchReply, type Reply } from './http.ts'

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
  const first = await fetchReply(request, { ...rest, url: origin(request.url), headers: secretHeader(request, secret) })
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

function secretHeader({ secret, url }: FeedRequest, valueOf: AskOptions['secret']): Record<string, string> {
  if (!secret || !valueOf) return {}
  const value = valueOf(secret.env)
  if (value === null) throw new FetchError(`${url} wants a key of ours, and ${secret.env} is not set`, { retryable: false })
  return { [secret.header]: value }
}
