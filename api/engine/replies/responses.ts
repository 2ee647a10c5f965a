import { once } from 'node:events'
import { OutgoingMessage, type ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { dataAge_s } from '../../../lake/live/freshness.ts'
import { STRICT_TRANSPORT } from '../../auth/https.ts'
import type { Format } from '../../kernel/formats.ts'
import { COMPRESS_FROM, compress, compressor, type Encoding } from '../../kernel/http/encodings.ts'
import { AS_TYPED, CORS_HEADERS, VARY } from '../../kernel/http/headers.ts'
import { Turn } from '../../kernel/http/turns.ts'
import type { Spooled } from '../tables/spool.ts'

/** The parts of a reply besides its body. */
export interface ResponseHead {
  readonly etag: string
  readonly content_type: string
  /** The data format, which may require a plan; null for a reply that is for everybody. */
  readonly format: Format | null
  /** False if compression would not make it smaller. */
  readonly isText: boolean
  readonly language: string | null
  /** Links to other documents, as the Link header lists them. */
  readonly links: readonly string[]
  /** Time of the data, ms since the epoch; null if the reply has none. */
  readonly data_time: number | null
  /** When the answer last changed, ms since the epoch; null if unknown. */
  readonly modified_at: number | null
  /** When newer data is expected (ms), and the seconds between two publications. */
  readonly refreshAt: () => number
  readonly cadence_s: number
  /** Step of the clock that the answer depends on (s; 0: none), and the index of its step. */
  readonly clockGranularity_s: number
  readonly step: number
  /** True for what never changes under its URL. */
  readonly isImmutable?: boolean
  /** Additional headers of this kind of reply. */
  readonly more?: Readonly<Record<string, string>>
}

/** A reply that is ready to be sent, with its compressed forms as they are made. */
export interface MadeResponse {
  /** Only `touch` changes it. */
  head: ResponseHead
  readonly body: Buffer
  /** A file that replaces the body and is sent once, because it is too large to be kept. */
  readonly file: Spooled | null
  readonly encoded: Map<Encoding, Buffer>
  readonly compressing: Map<Encoding, Promise<Buffer>>
  /** Header lists by coding (`304` for the answer without a body), valid for one second. */
  readonly lists: { second: number; readonly byForm: Map<string, readonly string[]> }
  /** The owner's callback for the bytes of each new compressed form; null while nobody keeps the reply. */
  onGrowth: ((bytes: number) => void) | null
}

/** Makes a reply ready from its text in pieces. */
export async function madeResponse(head: ResponseHead, pieces: readonly string[]): Promise<MadeResponse> {
  return cachedBytes(head, await bytesOf(pieces))
}

/** Largest file that is kept in memory as texts are, in bytes. */
const KEPT_BYTES = 4 * 1024 ** 2

/** Makes a reply ready from a file, which it then owns. A small file is read and closed. */
export async function fileResponse(head: ResponseHead, file: Spooled): Promise<MadeResponse> {
  if (file.bytes > KEPT_BYTES) return { ...cachedBytes(head, Buffer.alloc(0)), file }
  try {
    return cachedBytes(head, await file.read())
  } finally {
    await file.close()
  }
}

/** Makes a reply ready from its bytes. */
export function cachedBytes(head: ResponseHead, body: Buffer): MadeResponse {
  const lists = { second: -1, byForm: new Map() }
  return { head, body, file: null, encoded: new Map(), compressing: new Map(), lists, onGrowth: null }
}

/** Returns the UTF-8 bytes of a text in pieces. A long text takes several turns of the event loop. */
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

/** Updates the time of a cached reply: the same answer may return after a different one. */
export function touch(reply: MadeResponse, modified_at: number | null): void {
  if (reply.head.modified_at === modified_at) return
  reply.head = { ...reply.head, modified_at }
  reply.lists.second = -1
}

/** True while a reply is current: its step of the clock is not over. */
export function isCurrent(head: ResponseHead, now: number): boolean {
  return head.clockGranularity_s === 0 || stepOf(head.clockGranularity_s, now) === head.step
}

/** Returns the step of the clock that contains an instant. */
export function stepOf(clockGranularity_s: number, now: number): number {
  return clockGranularity_s === 0 ? 0 : Math.floor(now / (clockGranularity_s * 1000))
}

/** Returns the body in a coding, if it is in memory. */
export function availableBody(reply: MadeResponse, encoding: Encoding): Buffer | null {
  if (encoding === 'identity' || reply.body.length < COMPRESS_FROM || !reply.head.isText) return reply.body
  return reply.encoded.get(encoding) ?? null
}

/** Returns the body in a coding. Each coding is made once, also for concurrent requests. */
export async function bodyIn(reply: MadeResponse, encoding: Encoding): Promise<Buffer> {
  const atHand = availableBody(reply, encoding)
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

/** The receiver of a reply, and the time of sending. */
interface Sending {
  readonly now: number
  /** The caller's own headers; null if shared caches may keep the reply. */
  readonly own: Readonly<Record<string, string>> | null
  /** True if it is sent by HTTPS. */
  readonly isSecure: boolean
}

/** Sends a reply's head and, unless `body` is null, its body. */
export function sendCached(
  response: ServerResponse,
  reply: MadeResponse,
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

/** Sends a reply's file, and compresses text on the way. If it cannot be read, it cuts the connection and rejects. */
export async function sendFile(
  response: ServerResponse,
  head: ResponseHead,
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
    // A caller who has left gets nothing. Other errors cut the connection, so that a partial reply does not pass for a whole one.
    const isGone = error instanceof CallerGone || signal.aborted || response.destroyed
    if (!response.destroyed) response.destroy(error as Error)
    if (!isGone) throw error
  } finally {
    packer?.destroy()
  }
}

/** Reason for ending work whose caller has left before the answer was sent. */
export class CallerGone extends Error {
  constructor() {
    super('the caller has gone')
  }
}

/**
 * Returns a signal that is aborted when the caller leaves before the answer is sent, or has already left. It watches the
 * connection, because Node does not notify an answer that waits behind another.
 */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  const { socket } = response.req
  const stop = (): void => gone.abort(new CallerGone())
  if (socket.destroyed) stop()
  else {
    // One listener for each request under way on the connection.
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
      // A connection fails through its other end, before its close is reported.
      if (error) reject(target instanceof OutgoingMessage ? new CallerGone() : error)
      else resolve()
    })
  })
}

/** Answers that the caller's copy is still valid. */
export function sendNotModified(response: ServerResponse, reply: MadeResponse, options: Sending): void {
  response.writeHead(304, headerList(reply, '304', options))
  response.end()
}

/** Returns the headers of a reply in one form. All but the caller's own are made once a second, as busy paths repeat them. */
function headerList(reply: MadeResponse, form: Encoding | '304', { now, own, isSecure }: Sending): string[] {
  const shared = sharedHeaders(reply, form, { now, isPrivate: own !== null, isSecure }) as string[]
  if (own === null) return shared
  const all = shared.slice()
  for (const name in own) all.push(name, own[name] as string)
  return all
}

function sharedHeaders(
  reply: MadeResponse,
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
  // A 304 omits the headers of a body; the content type is the first pair.
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

/** Returns the headers that stay the same, the content type first. */
function fixedHeaders(head: ResponseHead, { isSecure }: Pick<Sending, 'isSecure'>): string[] {
  const headers = ['Content-Type', head.content_type, 'ETag', head.etag, 'Vary', VARY, ...FIXED]
  if (isSecure) headers.push(...flat(STRICT_TRANSPORT))
  if (head.modified_at !== null) headers.push('Last-Modified', new Date(head.modified_at).toUTCString())
  if (head.language !== null) headers.push('Content-Language', head.language)
  if (head.links.length > 0) headers.push('Link', head.links.join(', '))
  if (head.more) headers.push(...Object.entries(head.more).flat())
  return headers
}

/** Returns the headers that depend on the caller and the moment. */
function movingHeaders(head: ResponseHead, { now, own }: Sending): string[] {
  return [...agingHeaders(head, { now, isPrivate: own !== null }), ...flat(own ?? {})]
}

/** Longest freshness of a reply that can change, in s. */
const HOUR_S = 3600
const MINUTE_S = 60

/** Returns the headers with the age of the data, the freshness of the reply and who may cache it. */
function agingHeaders(head: ResponseHead, { now, isPrivate }: { readonly now: number; readonly isPrivate: boolean }): string[] {
  const untilStep_s =
    head.clockGranularity_s === 0 ? Number.POSITIVE_INFINITY : ((head.step + 1) * head.clockGranularity_s * 1000 - now) / 1000
  // A publication that comes hourly or less often may be late, so it is not expected to the second.
  const due_s = Math.max((head.refreshAt() - now) / 1000, head.cadence_s >= HOUR_S ? MINUTE_S : 0)
  const fresh_s = Math.ceil(Math.min(due_s, untilStep_s, head.cadence_s, head.isImmutable ? Number.POSITIVE_INFINITY : HOUR_S))
  const cache = `${isPrivate ? 'private' : 'public'}, max-age=${Math.max(1, fresh_s)}, ${head.isImmutable ? 'immutable' : 'stale-if-error=600'}`
  if (head.data_time === null) return ['Cache-Control', cache]
  return ['Cache-Control', cache, 'X-Data-Age', String(dataAge_s(head.data_time, now))]
}
