import type { IncomingMessage } from 'node:http'
import { problem } from '../../kernel/problems.ts'
import type { HttpsRule } from '../https.ts'
import type { Session, Tokens } from './tokens.ts'

const COOKIE = /(?:^|;\s*)session=([\w.-]+)/

/** Sessions of browsers: in a cookie, and only for requests from our own pages. */
export interface BrowserSessions {
  /** Returns the session of a request; null without one, and for a request sent by a page of another site. */
  of(raw: IncomingMessage): Promise<Session | null>
  /** Throws the problem of a request that a page of another site made a browser send. */
  refuseForeign(raw: IncomingMessage): void
  /** The same, only for a request with a session and without a key, as a key proves the caller. */
  refuseForeignSession(raw: IncomingMessage): void
  /** Returns the cookie that sets a session; null removes it. */
  cookie(raw: IncomingMessage, session: Session | null): string
}

interface SessionsOptions {
  readonly tokens: Tokens
  readonly https: Pick<HttpsRule, 'isHttps'>
  /** The address that clients use. */
  readonly baseUrl: () => string
  readonly clock: () => number
}

/** Opens the sessions of browsers. */
export function browserSessions({ tokens, https, baseUrl, clock }: SessionsOptions): BrowserSessions {
  /** True for our own origin: the address that clients use, or that of the request itself. */
  const isOurs = (origin: string, raw: IncomingMessage): boolean => {
    // A page by plain HTTP does not send requests by HTTPS: it may be an attacker's on the way.
    if (origin.startsWith('http:') && https.isHttps(raw)) return false
    return [new URL(baseUrl()).origin, `https://${raw.headers.host}`, `http://${raw.headers.host}`].includes(origin)
  }
  // Browsers identify the sending page by Sec-Fetch-Site; older ones, and all by plain HTTP, only by Origin.
  const isForeign = (raw: IncomingMessage): boolean => {
    const { 'sec-fetch-site': site, origin } = raw.headers
    if (site !== undefined) return site !== 'same-origin' && site !== 'none'
    return origin !== undefined && !isOurs(origin, raw)
  }
  const textOf = ({ headers }: IncomingMessage): string | undefined => COOKIE.exec(headers.cookie ?? '')?.[1]
  const refuseForeign = (raw: IncomingMessage): void => {
    if (isForeign(raw)) throw problem('foreign-origin', 'A page of another site sent this; accounts are for pages of our own.')
  }
  return {
    of: async (raw) => {
      const text = isForeign(raw) ? undefined : textOf(raw)
      return text === undefined ? null : await tokens.session(text)
    },
    refuseForeign,
    refuseForeignSession: (raw) => {
      if (raw.headers['x-api-key'] === undefined && textOf(raw) !== undefined) refuseForeign(raw)
    },
    cookie: (raw, session) => {
      const secure = https.isHttps(raw) || baseUrl().startsWith('https:') ? '; Secure' : ''
      const [text, left_s] = session ? [tokens.textOf(session), Math.round((session.ends_at - clock()) / 1000)] : ['', 0]
      return `session=${text}; Path=/; Max-Age=${left_s}; HttpOnly; SameSite=Strict${secure}`
    },
  }
}
