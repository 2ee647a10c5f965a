import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { PROBLEMS, type Problem, type ProblemCode, problem } from '../define/problems.ts'
import { endWith } from './problem-replies.ts'

/** Longest URL, in characters. */
const URL_MOST = 16_384
/** What a Host header may hold (RFC 3986, host and port). */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/

/** What Node says of a request that its parser gives up. */
type ParserError = Error & { readonly code?: string; readonly reason?: string; readonly rawPacket?: unknown }

/** Throws where a URL is beyond all measure: such a one is not read. */
export function refuseLongUrl({ url = '' }: IncomingMessage): void {
  if (url.length > URL_MOST) throw tooLong()
}

function tooLong(): Problem {
  return problem('uri-too-long', `The URL is longer than ${URL_MOST} characters.`)
}

/** The problem of a request line or Host that Node lets pass although HTTP/1.1 (RFC 9112 §2.3, §3.2) has them refused; null where all is well. */
export function malformedHead({ headers, httpVersion, rawHeaders, method, url }: IncomingMessage): Problem | null {
  const { host } = headers
  if (host === undefined) {
    if (httpVersion === '1.1') return malformed('The Host header is missing; HTTP/1.1 requires it.')
  } else {
    if (!HOST.test(host)) return malformed('The Host header holds no name of a host.')
    // Whoever is in front of us may have gone by the other one.
    if (hostsOf(rawHeaders) > 1) return malformed('There are several Host headers.')
  }
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed('This server speaks HTTP/1.0 and HTTP/1.1.')
  return url === '*' && method !== 'OPTIONS' ? malformed('Only OPTIONS may ask for *.') : null
}

function malformed(detail: string): Problem {
  return problem('malformed-request', detail)
}

/** How often a request has a Host header: Node tells of the first alone. */
function hostsOf(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

const ANSWER = Symbol('answer')

/** A connection with the answer to the latest request that came by it, and whether it was told that it will end. */
interface Watched extends Socket {
  [ANSWER]?: ServerResponse | 'over'
}

/** Notes the answer to a request, so that what comes after it is told apart from it. */
export function noteAnswer(request: IncomingMessage, answer: ServerResponse): void {
  const socket = request.socket as Watched
  if (socket[ANSWER] !== 'over') socket[ANSWER] = answer
}

/**
 * Answers a request that never became one for Fastify: too long, too slow or no HTTP; and ends its connection. An answer that is under way
 * goes out first, or, where it cannot be the whole answer any more, the connection is cut: nothing is ever written into an answer. `told` is
 * told with what.
 */
export function answerClientError(
  error: ParserError,
  socket: Socket,
  { baseUrl, told }: { readonly baseUrl: string; readonly told: (code: ProblemCode) => void },
): void {
  const watched = socket as Watched
  const last = watched[ANSWER]
  if (last === 'over') return
  watched[ANSWER] = 'over'
  const tell = (): void => {
    if (socket.writable) told(endWith(socket, problemOfParser(error), { baseUrl, instance: '/' }))
    else socket.destroy()
  }
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else if (!last || (last.req.complete && last.writableFinished)) tell()
  // It is what follows the request that is wrong.
  else if (last.req.complete) last.once('finish', tell)
  // It is the request's body: nothing may be said where an answer has begun, or where that to an earlier request is still to go out.
  else if (last.headersSent || last.socket !== socket) socket.destroy()
  else tell()
}

/** Requests that Node's HTTP parser gives up, by its error code. */
const PARSER_PROBLEMS: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
}

function problemOfParser({ code = '', reason, rawPacket }: ParserError): Problem {
  const known = PARSER_PROBLEMS[code]
  if (known === 'headers-too-large' && Buffer.isBuffer(rawPacket) && hasLongUrl(rawPacket)) return tooLong()
  if (known) return problem(known, PROBLEMS[known].help)
  if (code === 'HPE_INVALID_METHOD') return malformed('The request line has no method of HTTP.')
  return malformed(`This is no well-formed HTTP${reason ? `: ${reason}` : ''}.`)
}

/** True for the first bytes of a request whose URL is too long by itself. */
function hasLongUrl(packet: Buffer): boolean {
  const end = packet.indexOf('\n')
  return (end === -1 ? packet.length : end) > URL_MOST && /^[A-Z]+ \//.test(packet.toString('latin1', 0, 20))
}
