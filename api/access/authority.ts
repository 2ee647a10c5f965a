import type { IncomingMessage } from 'node:http'
import type { AccountParts } from './account-parts.ts'
import { checkedKey, keyRequired } from './refusals.ts'

/** Whose account a request may see or act on. */
export interface Authority {
  readonly account: string
  /** The key that it brings, which is then all it may see and act on; null in a session. */
  readonly only: string | null
}

/** What a request may see and act on by its key, or else by its session. Throws the problem of one that has neither, or a key that does not work. */
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
