import type { ServerResponse } from 'node:http'
import { dataAge_s } from '../../lake/live/freshness.ts'
import { COMPRESS_FROM, compress, type Encoding } from './encodings.ts'
import { CORS_HEADERS, VARY } from './headers.ts'
import { Turn } from './turns.ts'

/** What a reply is made of, besides its body. */
export interface ReplyHead {
  readonly etag: string
  readonly content_type: string
  readonly language: string | null
  /** Links to other documents, as the Link header lists them. */
  readonly links: readonly string[]
  /** Time of the data, ms since the epoch; null where the reply has none. */
  readonly data_time: number | null
  /** When the answer last changed, ms since the epoch; null where nothing is known of that. */
  readonly modified_at: number | null
  /** When newer data is expected (ms), and how many seconds lie between two publications. */
  readonly refreshAt: () => number
  readonly cadence_s: number
  /** Steps in which the answer depends on the clock (s; 0: it does not), and the step this one is for. */
  readonly clock_s: number
  readonly step: number
}

/** A reply that is ready to be sent, with its compressed forms as they become known. */
export interface Ready {
  /** Changed by `renew` only. */
  head: ReplyHead
  readonly body: Buffer
  readonly encoded: Map<Encoding, Buffer>
  readonly compressing: Map<Encoding, Promise<Buffer>>
  /** Header lists as they are sent, by coding (`304` for the answer without a body), good for one second of the clock. */
  readonly lists: { second: number; readonly byForm: Map<Encoding | '304', readonly string[]> }
}

/** Makes a reply ready, of its text in pieces. */
export async function ready(head: ReplyHead, pieces: readonly string[]): Promise<Ready> {
  const lists = { second: -1, byForm: new Map() }
  return { head, body: await bytesOf(pieces), encoded: new Map(), compressing: new Map(), lists }
}

/** The UTF-8 bytes of a text in pieces; of a long one in several turns of the event loop. */
async function bytesOf(pieces: readonly string[]): Promise<Buffer> {
  const turn = new Turn()
  let length = 0
  for (const piece of pieces) {
    length += Buffer.byteLength(piece)
    if (turn.isOver) await turn.next()
  }
  const bytes = Buffer.allocUnsafeSlow(length)
  let end = 0
  for (const piece of pieces) {
    end += bytes.write(piece, end)
    if (turn.isOver) await turn.next()
  }
  return bytes
}

/** Gives a reply kept for later its present time: the same answer may come back after another one was given in between. */
export function renew(reply: Ready, modified_at: number | null): void {
  if (reply.head.modified_at === modified_at) return
  reply.head = { ...reply.head, modified_at }
  reply.lists.second = -1
}

/** True where a reply still is what a request would get now: its step of the clock is not over. */
export function isCurrent(head: ReplyHead, now: number): boolean {
  return head.clock_s === 0 || stepOf(head.clock_s, now) === head.step
}

/** The step of the clock that an instant lies in. */
export function stepOf(clock_s: number, now: number): number {
  return clock_s === 0 ? 0 : Math.floor(now / (clock_s * 1000))
}

/** The body in a coding, if it is at hand. */
export function bodyAtHand(reply: Ready, encoding: Encoding): Buffer | null {
  if (encoding === 'identity' || reply.body.length < COMPRESS_FROM) return reply.body
  return reply.encoded.get(encoding) ?? null
}

/** The body in a coding; each is made once, however many ask for it. */
export async function bodyIn(reply: Ready, encoding: Encoding): Promise<Buffer> {
  const atHand = bodyAtHand(reply, encoding)
  if (atHand || encoding === 'identity') return atHand ?? reply.body
  const running = reply.compressing.get(encoding)
  if (running) return await running
  const made = compress(reply.body, encoding)
  reply.compressing.set(encoding, made)
  try {
    const bytes = await made
    reply.encoded.set(encoding, bytes)
    return bytes
  } finally {
    reply.compressing.delete(encoding)
  }
}

/** Sends a reply's head and, unless `body` is null, its body. */
export function sendReady(
  response: ServerResponse,
  reply: Ready,
  options: { readonly now: number; readonly encoding: Encoding; readonly body: Buffer | null },
): void {
  const { now, encoding, body } = options
  if (!body) {
    response.writeHead(200, [...fixedHeaders(reply.head), ...movingHeaders(reply.head, now)])
    response.end()
    return
  }
  const form = body === reply.body ? 'identity' : encoding
  response.writeHead(200, headerList(reply, form, now) as string[])
  response.end(body)
}

/** Answers that the caller's copy is still good. */
export function sendNotModified(response: ServerResponse, reply: Ready, now: number): void {
  response.writeHead(304, headerList(reply, '304', now) as string[])
  response.end()
}

/** The headers of a reply in one form, made once a second: a busy path sends the same ones thousands of times. */
function headerList(reply: Ready, form: Encoding | '304', now: number): readonly string[] {
  const { head, lists } = reply
  const second = Math.floor(now / 1000)
  if (lists.second !== second) {
    lists.second = second
    lists.byForm.clear()
  }
  const known = lists.byForm.get(form)
  if (known) return known
  const fixed = fixedHeaders(head)
  // A 304 leaves out what describes a body; the content type is the first pair.
  const made = [...(form === '304' ? fixed.slice(2) : fixed), ...movingHeaders(head, now)]
  if (form !== '304') made.push('Content-Length', String((form === 'identity' ? reply.body : reply.encoded.get(form))?.length))
  if (form !== '304' && form !== 'identity') made.push('Content-Encoding', form)
  lists.byForm.set(form, made)
  return made
}

/** The headers that stay the same, the content type first. */
function fixedHeaders(head: ReplyHead): string[] {
  const headers = ['Content-Type', head.content_type, 'ETag', head.etag, 'Vary', VARY, ...Object.entries(CORS_HEADERS).flat()]
  if (head.modified_at !== null) headers.push('Last-Modified', new Date(head.modified_at).toUTCString())
  if (head.language !== null) headers.push('Content-Language', head.language)
  if (head.links.length > 0) headers.push('Link', head.links.join(', '))
  return headers
}

/** The headers that tell the age of the data and how long the reply is fresh. */
function movingHeaders(head: ReplyHead, now: number): string[] {
  const untilStep_s = head.clock_s === 0 ? Number.POSITIVE_INFINITY : ((head.step + 1) * head.clock_s * 1000 - now) / 1000
  const fresh_s = Math.ceil(Math.min((head.refreshAt() - now) / 1000, untilStep_s, head.cadence_s))
  const cache = `public, max-age=${Math.max(1, fresh_s)}, stale-if-error=600`
  if (head.data_time === null) return ['Cache-Control', cache]
  return ['Cache-Control', cache, 'X-Data-Age', String(dataAge_s(head.data_time, now))]
}
