import type { IncomingMessage } from 'node:http'
import { SESSION_MS, type Tokens } from './tokens.ts'

const COOKIE = /(?:^|;\s*)session=([\w.-]+)/

/**
 * The account that a request's session is of; null without one. A request that another site made a browser send has none, also where the
 * browser does not know SameSite.
 */
export function sessionOf({ headers }: IncomingMessage, tokens: Tokens): string | null {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return null
  const [, session] = COOKIE.exec(headers.cookie ?? '') ?? []
  return session === undefined ? null : tokens.sessionAccount(session)
}

/** The cookie that opens a session; null ends it. */
export function sessionCookie(session: string | null, baseUrl: string): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
  return `session=${session ?? ''}; Path=/; Max-Age=${session === null ? 0 : SESSION_MS / 1000}; HttpOnly; SameSite=Strict${secure}`
}
