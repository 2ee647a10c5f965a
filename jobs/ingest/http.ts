import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { type Dispatcher, request } from 'undici'
import { type FeedRequest, FormatError } from '../feeds/define.ts'
import { isBzip2, unpackBzip2 } from '../formats/bzip2.ts'
import { isProtobuf } from '../formats/protobuf.ts'
import { readTar } from '../formats/tar.ts'
import { openZip } from '../formats/zip.ts'

/** Why a request gave no usable bytes; `retryable` if a retry soon may help. */
export class FetchError extends Error {
  override readonly name = 'FetchError'
  readonly retryable: boolean
  /** The publisher's Retry-After, ms. */
  readonly retryAfter_ms: number | null
  /** The response status; null if there was no response, or if its bytes are the problem. */
  readonly status: number | null

  constructor(message: string, options: { retryable: boolean; retryAfter_ms?: number | null; status?: number | null; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.retryable = options.retryable
    this.status = options.status ?? null
    this.retryAfter_ms = options.retryAfter_ms ?? null
  }
}

/** A complete reply: bytes as received, still content-encoded. */
export interface Reply {
  /** Address that answered, after redirects. */
  readonly url: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly received: Buffer
}

const MOST_REDIRECTS = 5
const KEPT_HEADERS = ['content-type', 'content-encoding', 'content-length', 'etag', 'last-modified', 'date', 'age', 'x-captured-at']

/** Validators of the last accepted reply, for a conditional request. */
export interface Validators {
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
}

/** Options of a request. */
export interface FetchOptions {
  /** Address to ask, the feed's own or its place at a stand-in. */
  readonly url: string
  readonly validators?: Validators
  readonly signal: AbortSignal
  readonly userAgent: string
  /** Headers for the origin of `url` only: a redirect to another origin is followed without them. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Makes one request of a feed. Follows redirects, and limits bytes and time. A 304 has no bytes. Throws `FetchError`. */
export async function fetchReply(feedRequest: FeedRequest, options: FetchOptions): Promise<Reply> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(feedRequest.timeout_ms)])
  let url = options.url
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const headers = new URL(url).origin === new URL(options.url).origin ? (options.headers ?? {}) : {}
    const reply = await ask(feedRequest, { ...options, url, signal, headers })
    if (![301, 302, 303, 307, 308].includes(reply.statusCode)) return finish(feedRequest, url, reply)
    await reply.body.dump()
    const next = redirectTarget(url, reply.headers.location)
    if (!next)
      throw new FetchError(`${url} answered ${reply.statusCode} to ${String(reply.headers.location)}, which is no address to follow`, {
        retryable: false,
      })
    url = next
  }
  throw new FetchError(`${options.url} redirects more than ${MOST_REDIRECTS} times, lastly to ${url}`, { retryable: false })
}

async function ask(feedRequest: FeedRequest, options: FetchOptions): Promise<Dispatcher.ResponseData> {
  const headers: Record<string, string> = {
    accept: feedRequest.accept,
    'accept-encoding': 'gzip, br, zstd',
    'user-agent': options.userAgent,
    ...options.headers,
  }
  if (options.validators?.etag) headers['if-none-match'] = options.validators.etag
  if (options.validators?.lastModified) headers['if-modified-since'] = options.validators.lastModified
  try {
    return await request(options.url, {
      method: 'GET',
      headers,
      signal: options.signal,
      headersTimeout: feedRequest.timeout_ms,
      bodyTimeout: feedRequest.timeout_ms,
    })
  } catch (cause) {
    throw asFetchError(cause, `${options.url} did not answer`, options.signal)
  }
}

async function finish(feedRequest: FeedRequest, url: string, reply: Dispatcher.ResponseData): Promise<Reply> {
  const headers: Record<string, string> = {}
  for (const name of KEPT_HEADERS) {
    const value = reply.headers[name]
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  if (reply.statusCode === 304) {
    await reply.body.dump()
    return { url, status: 304, headers, received: Buffer.alloc(0) }
  }
  if (reply.statusCode !== 200) {
    await reply.body.dump()
    const retryable = reply.statusCode >= 500 || reply.statusCode === 429 || reply.statusCode === 408
    throw new FetchError(`${url} answered ${reply.statusCode}`, {
      retryable,
      retryAfter_ms: retryAfter(reply.headers['retry-after']),
      status: reply.statusCode,
    })
  }
  return { url, status: 200, headers, received: await readBounded(reply.body, { most: feedRequest.maxBytes, what: url }) }
}

async function readBounded(body: AsyncIterable<Buffer>, bound: { most: number; what: string }): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > bound.most) throw new FetchError(`${bound.what} gives more than ${bound.most} bytes`, { retryable: false })
      chunks.push(chunk)
    }
  } catch (cause) {
    throw asFetchError(cause, `${bound.what} broke off after ${bytes} bytes`, null)
  }
  return Buffer.concat(chunks, bytes)
}

/**
 * Decodes a reply's content-encoding, with a size limit. Throws `FetchError` for a decompression bomb, a damaged stream or an
 * encoding that we did not accept.
 */
export async function decodeReply(
  feedRequest: FeedRequest,
  reply: { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly received: Buffer },
): Promise<Buffer> {
  const encodings = (reply.headers['content-encoding'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name && name !== 'identity')
  let bytes = reply.received
  const unpack = (encoding: string): Promise<Buffer> => inflate(bytes, { encoding, most: feedRequest.maxDecodedBytes, what: reply.url })
  for (const encoding of encodings.reverse()) bytes = await unpack(encoding)
  if (feedRequest.isStreamed) return bytes
  if (feedRequest.packed === 'bzip2' && isBzip2(bytes)) return bunzip(bytes, { most: feedRequest.maxDecodedBytes, what: reply.url })
  // Some servers declare a compressed file as content-encoding; then it is already decompressed here.
  return feedRequest.packed === 'gzip' && bytes[0] === 0x1f && bytes[1] === 0x8b ? unpack('gzip') : bytes
}

async function inflate(bytes: Buffer, bound: { encoding: string; most: number; what: string }): Promise<Buffer> {
  const stream = decoder(bound.encoding)
  if (!stream)
    throw new FetchError(`${bound.what} has content-encoding ${bound.encoding}; gzip, deflate, br and zstd are understood`, {
      retryable: false,
    })
  const chunks: Buffer[] = []
  let size = 0
  stream.end(bytes)
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > bound.most) throw new FetchError(`${bound.what} unpacks to more than ${bound.most} bytes`, { retryable: false })
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof FetchError) throw cause
    throw new FetchError(`${bound.what} has damaged ${bound.encoding} data: ${(cause as Error).message}`, { retryable: true, cause })
  } finally {
    stream.destroy()
  }
  return Buffer.concat(chunks, size)
}

function bunzip(bytes: Buffer, { most, what }: { readonly most: number; readonly what: string }): Buffer {
  try {
    return unpackBzip2(bytes, most)
  } catch (cause) {
    throw cause instanceof FormatError ? new FetchError(`${what}: ${cause.message}`, { retryable: true, cause }) : cause
  }
}

function decoder(encoding: string): ReturnType<typeof createGunzip> | null {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip()
  if (encoding === 'deflate') return createInflate()
  if (encoding === 'br') return createBrotliDecompress()
  return encoding === 'zstd' ? createZstdDecompress() : null
}

/**
 * First bytes of documents: a zip with its first member's header (APPNOTE 4.3.7), a tar with a header that names its format
 * or with its end (then it is refused as empty), a
 * shapefile with 9994, its table with the dBASE version.
 */
const PAGE = /^<(!doctype\s+html|html|head|body)\b/i
const BEGINS = {
  ...{ xml: /^</, html: PAGE, json: /^[[{]/, csv: /^[^<{]/, zip: /^PK\u0003\u0004/, tar: /^(?:[^]{257}ustar|\0{512}$)/ },
  ...{ shp: /^\0\0'\n/, dbf: /^\u0003/ },
}

/**
 * Checks bytes: an HTML page, or anything but the expected format, is an error and never data. Zips and tars are checked to
 * the end: a truncated one, or one that would decompress beyond the request's limit, is a retryable error.
 */
export async function sniff(feedRequest: FeedRequest, bytes: Buffer): Promise<void> {
  const head = bytes
    .subarray(0, 512)
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .trimStart()
  const wrong = (found: string): FetchError =>
    new FetchError(`request ${feedRequest.name} expects ${feedRequest.expects} and got ${found}`, { retryable: true })
  if (bytes.length === 0) throw wrong('nothing')
  if (feedRequest.expects !== 'html' && PAGE.test(head)) throw wrong(`an HTML page: ${head.slice(0, 80).replace(/\s+/g, ' ')}`)
  if (feedRequest.isStreamed && bytes[0] === 0x1f && bytes[1] === 0x8b) return
  const { expects } = feedRequest
  if (!(expects === 'protobuf' ? isProtobuf(bytes) : BEGINS[expects].test(head)))
    throw wrong(`something that begins with ${JSON.stringify(head.slice(0, 20))}`)
  try {
    if (expects === 'zip') await openZip(bytes, { maxBytes: feedRequest.maxDecodedBytes })
    if (expects === 'tar') await readTar(bytes)
  } catch (cause) {
    throw cause instanceof FormatError ? wrong(`another: ${cause.message}`) : cause
  }
}

function redirectTarget(from: string, location: string | string[] | undefined): string | null {
  if (typeof location !== 'string' || !URL.canParse(location, from)) return null
  const target = new URL(location, from)
  if (target.protocol !== 'http:' && target.protocol !== 'https:') return null
  if (new URL(from).protocol === 'https:' && target.protocol === 'http:') return null
  return target.href
}

function retryAfter(value: string | string[] | undefined): number | null {
  if (typeof value !== 'string') return null
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return seconds * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now())
}

function asFetchError(cause: unknown, what: string, signal: AbortSignal | null): FetchError {
  if (cause instanceof FetchError) return cause
  const reason = signal?.aborted ? 'out of time' : cause instanceof Error ? cause.message : String(cause)
  return new FetchError(`${what}: ${reason}`, { retryable: true, cause })
}
