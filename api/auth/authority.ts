import type { IncomingMessage } from 'node:http'
import { checkedKey, keyRequired } from './access-problems.ts'
import type { AccountParts } from './account-parts.ts'

/** The account that a request may see or change. */
export interface Authority {
  readonly account: string
  /** The request's key, which is then all that it may see and change; null in a session. */
  readonly only: string | null
}

/**
 * Returns what a request may see and change by its key, or else its session. Throws the problem of an invalid key, or of neither.
 */
export async function authorityOf(
  raw: IncomingMessage,
  { access, sessions }: Pick<AccountParts, 'access' | 'sessions'>,
): Promise<Authority> {
  const text = raw.headers['x-api-key']
  if (text !== undefined) {
    const { account, id } = await checkedKey(access.keys, String(text))
    return { account, only: id }
  }
  const session = await sessions.of(raw)
  if (session === null) throw keyRequired()
  return { account: session.account, only: null }
}
