import type { IncomingMessage } from 'node:http'
import { type Problem, problem } from '../define/problems.ts'
import { redacted } from '../define/redact.ts'
import { isLoopback, proxiesPassed, type TrustedProxies } from './limits/address.ts'

/** How a request came: `unknown` where nobody says so that can be believed. */
export type Scheme = 'https' | 'http' | 'unknown'

/** What is asked of how requests come. */
export interface HttpsRule {
  /**
   * The problem of a request that came by plain HTTP, or may have and must not; null where it may be answered. One that came by HTTPS is
   * marked: see `cameByHttps`.
   */
  refusal(raw: IncomingMessage): Problem | null
  /** True for a request that a trusted proxy says came by HTTPS, whatever is refused. */
  isHttps(raw: IncomingMessage): boolean
}

interface HttpsOptions {
  /** Proxies that are believed how a request came to them. */
  readonly trusted: TrustedProxies
  /** False: nothing is refused. True: what is not known to have come by HTTPS is. Null: as the address says that clients use. */
  readonly required: boolean | null
  /** The address that clients use; null where it is the one listened on. */
  readonly publicUrl: string | null
}

/** What browsers that came by HTTPS are told: for two years to come no other way, here and at every name below (RFC 6797). */
export const STRICT_TRANSPORT = Object.freeze({ 'Strict-Transport-Security': 'max-age=63072000' })

const BY_HTTPS = Symbol('came by HTTPS')

interface Marked {
  [BY_HTTPS]?: true
}

/** True for a request that came by HTTPS, as far as the rule has seen it. */
export function cameByHttps(raw: IncomingMessage): boolean {
  return (raw as Marked)[BY_HTTPS] === true
}

/** Makes the rule. Nothing is remembered of a connection: a proxy's carries the requests of many. */
export function httpsRule({ trusted, required, publicUrl }: HttpsOptions): HttpsRule {
  const isRequired = required ?? publicUrl?.startsWith('https:') ?? false
  const isHttps = (raw: IncomingMessage): boolean => schemeOf(raw, trusted) === 'https'
  if (required === false || (!isRequired && !trusted.any)) return { refusal: () => null, isHttps }
  const isAllowed = (raw: IncomingMessage): boolean => {
    const scheme = schemeOf(raw, trusted)
    if (scheme === 'https') (raw as Marked)[BY_HTTPS] = true
    if (scheme !== 'unknown' || !isRequired) return scheme !== 'http'
    // What never left this machine cannot have been read on its way.
    return isLoopback(raw.socket.remoteAddress) && !(trusted.any && isForwarded(raw))
  }
  return { refusal: (raw) => (isAllowed(raw) ? null : refusalOf(raw, publicUrl)), isHttps }
}

/**
 * How a request came to the outermost trusted proxy that it passed. Where proxies add to X-Forwarded-Proto as they do to X-Forwarded-For, it
 * is that one's entry that counts. Where Forwarded says something else, the worse counts: a proxy may pass one of the two on as it came.
 */
export function schemeOf(raw: IncomingMessage, trusted: TrustedProxies): Scheme {
  const { headers, socket } = raw
  const { forwarded } = headers
  const proto = headers['x-forwarded-proto']?.toString()
  if (proto === undefined && forwarded === undefined) return 'unknown'
  const passed = proxiesPassed({ socket: socket.remoteAddress, forwardedFor: headers['x-forwarded-for']?.toString() }, trusted)
  if (passed === 0) return 'unknown'
  const said = [outermost(proto?.split(',') ?? [], passed), forwarded === undefined ? null : outermost(protosOf(forwarded), passed)]
  const known = said.filter((one) => one !== null)
  if (known.length === 0) return 'unknown'
  return known.every((one) => one === 'https') ? 'https' : 'http'
}

/** What the outermost of so many proxies said, or the first of fewer; null where it said nothing. */
function outermost(list: readonly string[], passed: number): string | null {
  const said = list.at(-Math.min(passed, list.length))?.trim().toLowerCase() ?? ''
  return said === '' ? null : said
}

/** The `proto` of each element of a Forwarded header (RFC 7239), empty where it has none. Quoted texts may hold anything. */
function protosOf(header: string): string[] {
  return splitUnquoted(header, ',').map((element) => {
    const pairs = splitUnquoted(element, ';').map((pair) => /^\s*proto\s*=\s*"?([^"\s]*)/i.exec(pair))
    return pairs.find((one) => one !== null)?.[1] ?? ''
  })
}

/** The parts between separators that stand in no quoted text, in one pass; a quote that is never closed reaches to the end. Without empty ones. */
function splitUnquoted(text: string, separator: string): string[] {
  const parts: string[] = []
  let [begin, isQuoted] = [0, false]
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (isQuoted && sign === '\\') at++
    else if (sign === '"') isQuoted = !isQuoted
    else if (!isQuoted && sign === separator) {
      parts.push(text.slice(begin, at))
      begin = at + 1
    }
  }
  return [...parts, text.slice(begin)].filter((part) => part !== '')
}

function isForwarded({ headers }: IncomingMessage): boolean {
  return headers['x-forwarded-for'] !== undefined || headers['x-forwarded-proto'] !== undefined || headers.forwarded !== undefined
}

function refusalOf(raw: IncomingMessage, publicUrl: string | null): Problem {
  const { headers, url = '/' } = raw
  const secure = publicUrl?.startsWith('https:') ? publicUrl : 'https://…'
  const sent = [headers.authorization, headers.cookie, url].join(' ')
  const hasKey = headers['x-api-key'] !== undefined || redacted(sent) !== sent
  const advice = hasKey
    ? ' The key that was sent could be read on its way: rotate it, with POST /api/keys/{id}/rotate by https or at /account, before you use it again.'
    : ''
  return problem('https-required', `This came by plain HTTP; ask ${secure} instead.${advice}`)
}
