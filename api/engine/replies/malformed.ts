import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { MAX_URL, urlTooLong } from '../../kernel/http/headers.ts'
import { PROBLEMS, type Problem, type ProblemCode, problem } from '../../kernel/problems.ts'
import { endWith } from './problem-replies.ts'

/** Characters that a Host header may contain (RFC 3986, host and port). */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/

/** Node's error for a request that its parser rejects. */
type ParserError = Error & { readonly code?: string; readonly reason?: string; readonly rawPacket?: unknown }

/**
 * Returns the problem of a request line or Host that Node accepts against HTTP/1.1 (RFC 9112 §2.3, §3.2); null if it is valid.
 */
export function malformedHead({ headers, httpVersion, rawHeaders, method, url }: IncomingMessage): Problem | null {
  const { host } = headers
  if (host === undefined) {
    if (httpVersion === '1.1') return malformed('The Host header is missing; HTTP/1.1 requires it.')
  } else {
    if (!HOST.test(host)) return malformed('The Host header contains no host name.')
    // A proxy in front of the service may have used the other one.
    if (hostsOf(rawHeaders) > 1) return malformed('There are several Host headers.')
  }
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed('This server speaks HTTP/1.0 and HTTP/1.1.')
  return url === '*' && method !== 'OPTIONS' ? malformed('Only OPTIONS may ask for *.') : null
}

function malformed(detail: string): Problem {
  return problem('malformed-request', detail)
}

/** Counts the Host headers of a request: Node reports only the first. */
function hostsOf(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

const ANSWER = Symbol('answer')

/** A connection with the answer to its latest request, and whether it is being closed. */
interface Watched extends Socket {
  [ANSWER]?: ServerResponse | 'over'
}

/** Records the answer to each request, so that errors after a request are distinguished from errors in it. */
export function followAnswers(server: Server): void {
  server.prependListener('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
    const watched = socket as Watched
    if (watched[ANSWER] !== 'over') watched[ANSWER] = answer
  })
}

/**
 * Answers a request that Fastify never saw (too long, too slow, not HTTP) and ends its connection. An answer under way goes out
 * first; if it cannot be completed, the connection is cut. Nothing is written into an answer.
 * `onProblem` gets the code.
 */
export function answerClientError(
  error: ParserError,
  socket: Socket,
  { baseUrl, onProblem }: { readonly baseUrl: string; readonly onProblem: (code: ProblemCode) => void },
): void {
  const watched = socket as Watched
  const last = watched[ANSWER]
  if (last === 'over') return
  watched[ANSWER] = 'over'
  const answer = (): void => {
    if (socket.writable) onProblem(endWith(socket, problemOfParser(error), { baseUrl, instance: '/' }))
    else socket.destroy()
  }
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else if (!last || (last.req.complete && last.writableFinished)) answer()
  // The error is in the data after the request.
  else if (last.req.complete) last.once('finish', answer)
  // The error is in the request's body: an answer that has begun, or waits behind an earlier one, cannot be replaced.
  else if (last.headersSent || last.socket !== socket) socket.destroy()
  else answer()
}

/** Problems of requests that Node's HTTP parser rejects, by its error code. */
const PARSER_PROBLEMS: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
}

function problemOfParser({ code = '', reason, rawPacket }: ParserError): Problem {
  const known = PARSER_PROBLEMS[code]
  if (known === 'headers-too-large' && Buffer.isBuffer(rawPacket) && hasLongUrl(rawPacket)) return urlTooLong()
  if (known) return problem(known, PROBLEMS[known].help)
  if (code === 'HPE_INVALID_METHOD') return malformed('The request line has no HTTP method.')
  return malformed(`This is not well-formed HTTP${reason ? `: ${reason}` : ''}.`)
}

/** True for the first bytes of a request whose URL alone is too long. */
function hasLongUrl(packet: Buffer): boolean {
  const end = packet.indexOf('\n')
  return (end === -1 ? packet.length : end) > MAX_URL && /^[A-Z]+ \//.test(packet.toString('latin1', 0, 20))
}
