import type { IncomingMessage } from 'node:http'
import { type Problem, problem } from '../kernel/problems.ts'
import { redacted } from '../kernel/redact.ts'
import { isLoopback, proxiesPassed, type TrustedProxies } from './limits/address.ts'

/** How a request came: `unknown` if no trusted source states it. */
export type Scheme = 'https' | 'http' | 'unknown'

/** The rule for requests by HTTPS and plain HTTP. */
export interface HttpsRule {
  /**
   * Returns the problem of a request that came by plain HTTP, or possibly did, and must not; null if it may be answered. A
   * request by HTTPS is marked: see `cameByHttps`.
   */
  refusal(raw: IncomingMessage): Problem | null
  /** True if a trusted proxy reports HTTPS for a request, whether or not it is refused. */
  isHttps(raw: IncomingMessage): boolean
}

interface HttpsOptions {
  /** Proxies whose reports are trusted. */
  readonly trusted: TrustedProxies
  /** False: nothing is refused. True: every request not known to use HTTPS is refused. Null: as `publicUrl` implies. */
  readonly required: boolean | null
  /** The address that clients use; null if it is the listening address. */
  readonly publicUrl: string | null
}

/** Makes browsers use only HTTPS for two years, on this name and all names below it (RFC 6797). */
export const STRICT_TRANSPORT = Object.freeze({ 'Strict-Transport-Security': 'max-age=63072000' })

const BY_HTTPS = Symbol('came by HTTPS')

interface Marked {
  [BY_HTTPS]?: true
}

/** True for a request that came by HTTPS, as the rule found. */
export function cameByHttps(raw: IncomingMessage): boolean {
  return (raw as Marked)[BY_HTTPS] === true
}

/** Makes the rule. It keeps no state per connection: a proxy's connection has requests of many callers. */
export function httpsRule({ trusted, required, publicUrl }: HttpsOptions): HttpsRule {
  const isRequired = required ?? publicUrl?.startsWith('https:') ?? false
  const isHttps = (raw: IncomingMessage): boolean => schemeOf(raw, trusted) === 'https'
  if (required === false || (!isRequired && !trusted.any)) return { refusal: () => null, isHttps }
  const isAllowed = (raw: IncomingMessage): boolean => {
    const scheme = schemeOf(raw, trusted)
    if (scheme === 'https') (raw as Marked)[BY_HTTPS] = true
    if (scheme !== 'unknown' || !isRequired) return scheme !== 'http'
    // A request from this machine cannot have been read on its way.
    return isLoopback(raw.socket.remoteAddress) && !(trusted.any && isForwarded(raw))
  }
  return { refusal: (raw) => (isAllowed(raw) ? null : refusalOf(raw, publicUrl)), isHttps }
}

/**
 * Returns how a request came to the outermost trusted proxy. If proxies append to X-Forwarded-Proto as to X-Forwarded-For, that
 * proxy's entry counts. If Forwarded disagrees, the worse counts: a proxy may pass one of the two unchanged.
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

/** Returns the entry of the outermost proxy, or the first if there are fewer; null if it made none. */
function outermost(list: readonly string[], passed: number): string | null {
  const said = list.at(-Math.min(passed, list.length))?.trim().toLowerCase() ?? ''
  return said === '' ? null : said
}

/**
 * Returns the `proto` of each element of a Forwarded header (RFC 7239); empty if it has none. Quoted texts may contain anything.
 */
function protosOf(header: string): string[] {
  return splitUnquoted(header, ',').map((element) => {
    const pairs = splitUnquoted(element, ';').map((pair) => /^\s*proto\s*=\s*"?([^"\s]*)/i.exec(pair))
    return pairs.find((one) => one !== null)?.[1] ?? ''
  })
}

/** Splits at separators outside quoted texts, in one pass, without empty parts. An unclosed quote extends to the end. */
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
