import { once } from 'node:events'
import { OutgoingMessage, type ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { dataAge_s } from '../../lake/live/freshness.ts'
import { STRICT_TRANSPORT } from '../access/https.ts'
import type { Format } from '../define/formats.ts'
import { COMPRESS_FROM, compress, compressor, type Encoding } from './encodings.ts'
import { AS_TYPED, CORS_HEADERS, VARY } from './headers.ts'
import type { Spooled } from './tables/spool.ts'
import { Turn } from './turns.ts'

/** What a reply is made of, besides its body. */
export interface ReplyHead {
  readonly etag: string
  readonly content_type: string
  /** The representation of data that it is, which not every plan has; null for what is for everybody. */
  readonly format: Format | null
  /** False where compressing it would not make it smaller. */
  readonly isText: boolean
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
  /** True for what stays as it is under its URL for ever. */
  readonly isImmutable?: boolean
  /** Headers that this kind of reply has besides. */
  readonly more?: Readonly<Record<string, string>>
}

/** A reply that is ready to be sent, with its compressed forms as they become known. */
export interface Ready {
  /** Changed by `renew` only. */
  head: ReplyHead
  readonly body: Buffer
  /** What is sent in place of the body, once: too large to be kept. */
  readonly file: Spooled | null
  readonly encoded: Map<Encoding, Buffer>
  readonly compressing: Map<Encoding, Promise<Buffer>>
  /** Header lists as they are sent, by coding (`304` for the answer without a body), good for one second of the clock. */
  readonly lists: { second: number; readonly byForm: Map<string, readonly string[]> }
  /** Told of the bytes of each compressed form by who keeps the reply; null while nobody does. */
  onGrowth: ((bytes: number) => void) | null
}

/** Makes a reply ready, of its text in pieces. */
export async function ready(head: ReplyHead, pieces: readonly string[]): Promise<Ready> {
  return readyBytes(head, await bytesOf(pieces))
}

/** Bytes of a file that is kept in memory, as texts are. */
const KEPT_BYTES = 4 * 1024 ** 2

/** Makes a reply ready, of a file that is then the reply's: a small one is read and closed. */
export async function readyFile(head: ReplyHead, file: Spooled): Promise<Ready> {
  if (file.bytes > KEPT_BYTES) return { ...readyBytes(head, Buffer.alloc(0)), file }
  try {
    return readyBytes(head, await file.read())
  } finally {
    await file.close()
  }
}

/** Makes a reply ready, of its bytes. */
export function readyBytes(head: ReplyHead, body: Buffer): Ready {
  const lists = { second: -1, byForm: new Map() }
  return { head, body, file: null, encoded: new Map(), compressing: new Map(), lists, onGrowth: null }
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
  if (encoding === 'identity' || reply.body.length < COMPRESS_FROM || !reply.head.isText) return reply.body
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
    reply.onGrowth?.(bytes.length)
    return bytes
  } finally {
    reply.compressing.delete(encoding)
  }
}

/** To whom a reply goes, and when. */
interface Sending {
  readonly now: number
  /** What it says to its caller alone; null where caches may keep it for anybody. */
  readonly own: Readonly<Record<string, string>> | null
  /** True where it goes out by HTTPS. */
  readonly isSecure: boolean
}

/** Sends a reply's head and, unless `body` is null, its body. */
export function sendReady(
  response: ServerResponse,
  reply: Ready,
  options: Sending & { readonly encoding: Encoding; readonly body: Buffer | null },
): void {
  const { encoding, body } = options
  if (!body) {
    response.writeHead(200, [...fixedHeaders(reply.head, options), ...movingHeaders(reply.head, options)])
    response.end()
    return
  }
  const form = body === reply.body ? 'identity' : encoding
  response.writeHead(200, headerList(reply, form, options))
  response.end(body)
}

/** Sends a reply's file, compressed on the way where it is text. Rejects where it could not be read, the connection cut. */
export async function sendFile(
  response: ServerResponse,
  head: ReplyHead,
  options: Sending & { readonly file: Spooled; readonly encoding: Encoding },
): Promise<void> {
  const { file } = options
  const encoding = head.isText ? options.encoding : 'identity'
  const form = encoding === 'identity' ? ['Content-Length', String(file.bytes)] : ['Content-Encoding', encoding]
  response.writeHead(200, [...fixedHeaders(head, options), ...movingHeaders(head, options), ...form])
  const packer = encoding === 'identity' ? null : compressor(encoding)
  packer?.pipe(response)
  const target = packer ?? response
  const signal = goneSignal(response)
  try {
    await file.eachPiece((piece) => written(target, piece, signal))
    target.end()
    if (!response.writableFinished) await once(response, 'finish', { signal })
  } catch (error) {
    // Who has gone gets nothing; anything else ends the connection before the reply is whole, so that it does not pass for it.
    const isGone = error instanceof CallerGone || signal.aborted || response.destroyed
    if (!response.destroyed) response.destroy(error as Error)
    if (!isGone) throw error
  } finally {
    packer?.destroy()
  }
}

/** Why work for a caller ended who has gone before its answer was sent. */
export class CallerGone extends Error {
  constructor() {
    super('the caller has gone')
  }
}

/**
 * Aborted when the caller has gone before the answer was sent, or is so already. It goes by the connection: Node tells nothing to an answer
 * that waits behind another one.
 */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  const { socket } = response.req
  const stop = (): void => gone.abort(new CallerGone())
  if (socket.destroyed) stop()
  else {
    // As many as requests are under way on it.
    socket.setMaxListeners(0).once('close', stop)
    response.once('finish', () => socket.off('close', stop))
  }
  return gone.signal
}

/** Writes a piece; resolves once it is no longer needed. */
function written(target: Writable, piece: Buffer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    target.write(piece, (error) => {
      signal.removeEventListener('abort', stop)
      // A connection fails by whoever is at its other end, before it tells that it is closed.
      if (error) reject(target instanceof OutgoingMessage ? new CallerGone() : error)
      else resolve()
    })
  })
}

/** Answers that the caller's copy is still good. */
export function sendNotModified(response: ServerResponse, reply: Ready, options: Sending): void {
  response.writeHead(304, headerList(reply, '304', options))
  response.end()
}

/** The headers of a reply in one form; but for the caller's own made once a second: a busy path sends the same ones thousands of times. */
function headerList(reply: Ready, form: Encoding | '304', { now, own, isSecure }: Sending): string[] {
  const shared = sharedHeaders(reply, form, { now, isPrivate: own !== null, isSecure }) as string[]
  if (own === null) return shared
  const all = shared.slice()
  for (const name in own) all.push(name, own[name] as string)
  return all
}

function sharedHeaders(
  reply: Ready,
  form: Encoding | '304',
  sending: { readonly now: number; readonly isPrivate: boolean; readonly isSecure: boolean },
): readonly string[] {
  const { head, lists } = reply
  const { now, isPrivate, isSecure } = sending
  const second = Math.floor(now / 1000)
  if (lists.second !== second) {
    lists.second = second
    lists.byForm.clear()
  }
  const name = `${isPrivate ? 'private ' : ''}${isSecure ? 'secure ' : ''}${form}`
  const known = lists.byForm.get(name)
  if (known) return known
  const fixed = fixedHeaders(head, sending)
  // A 304 leaves out what describes a body; the content type is the first pair.
  const made = [...(form === '304' ? fixed.slice(2) : fixed), ...agingHeaders(head, sending)]
  if (form !== '304') made.push('Content-Length', String((form === 'identity' ? reply.body : reply.encoded.get(form))?.length))
  if (form !== '304' && form !== 'identity') made.push('Content-Encoding', form)
  lists.byForm.set(name, made)
  return made
}

function flat(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flat()
}

const FIXED: readonly string[] = Object.freeze([...flat(CORS_HEADERS), ...flat(AS_TYPED)])

/** The headers that stay the same, the content type first. */
function fixedHeaders(head: ReplyHead, { isSecure }: Pick<Sending, 'isSecure'>): string[] {
  const headers = ['Content-Type', head.content_type, 'ETag', head.etag, 'Vary', VARY, ...FIXED]
  if (isSecure) headers.push(...flat(STRICT_TRANSPORT))
  if (head.modified_at !== null) headers.push('Last-Modified', new Date(head.modified_at).toUTCString())
  if (head.language !== null) headers.push('Content-Language', head.language)
  if (head.links.length > 0) headers.push('Link', head.links.join(', '))
  if (head.more) headers.push(...Object.entries(head.more).flat())
  return headers
}

/** The headers that are not the same for every caller and moment. */
function movingHeaders(head: ReplyHead, { now, own }: Sending): string[] {
  return [...agingHeaders(head, { now, isPrivate: own !== null }), ...flat(own ?? {})]
}

/** Longest that any reply is fresh, unless it never changes. */
const HOUR_S = 3600
const MINUTE_S = 60

/** The headers that tell the age of the data, and for how long and for whom the reply is fresh. */
function agingHeaders(head: ReplyHead, { now, isPrivate }: { readonly now: number; readonly isPrivate: boolean }): string[] {
  const untilStep_s = head.clock_s === 0 ? Number.POSITIVE_INFINITY : ((head.step + 1) * head.clock_s * 1000 - now) / 1000
  // A publication that comes hourly or less often is not awaited by the second; one that is due now may come at any moment.
  const due_s = Math.max((head.refreshAt() - now) / 1000, head.cadence_s >= HOUR_S ? MINUTE_S : 0)
  const fresh_s = Math.ceil(Math.min(due_s, untilStep_s, head.cadence_s, head.isImmutable ? Number.POSITIVE_INFINITY : HOUR_S))
  const cache = `${isPrivate ? 'private' : 'public'}, max-age=${Math.max(1, fresh_s)}, ${head.isImmutable ? 'immutable' : 'stale-if-error=600'}`
  if (head.data_time === null) return ['Cache-Control', cache]
  return ['Cache-Control', cache, 'X-Data-Age', String(dataAge_s(head.data_time, now))]
}
