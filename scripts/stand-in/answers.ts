import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import type { Capture } from './captures.ts'
import type { Document } from './editions.ts'
import { gzipBomb, HTML_PAGE, XML_BOMB } from './fault-bodies.ts'
import type { ActiveFault, FaultName } from './faults.ts'
import { streamZip } from './formats/zip.ts'
import type { FeedStandIn, TextToPack } from './publisher.ts'

/** An HTTP answer of the stand-in. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | TextToPack
  /** Bytes after which the connection is cut; null if it is not cut. */
  readonly cutAfter: number | null
  /** True if the body is the complete, correct document. */
  readonly isWhole: boolean
}

/** The parts of a request besides its path. */
export interface Conditions {
  readonly ifNoneMatch: string | undefined
  readonly ifModifiedSince: string | undefined
}

const START_OF_BOMB = 256

/** An answer with only a line of text. */
export function plainAnswer(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
    body: Buffer.from(`${text}\n`),
    cutAfter: null,
    isWhole: false,
  }
}

/**
 * A generated document with its publisher's validators. A document that is packed while it is sent is held in memory if faults
 * are set, because faults may change its bytes.
 */
export async function documentAnswer(
  feed: FeedStandIn,
  document: Document,
  conditions: Conditions,
  faults: ReadonlyMap<FaultName, ActiveFault>,
): Promise<Answer> {
  const headers = { 'Content-Type': document.contentType, ...feed.headers, ...validatorsOf(feed, document, faults) }
  const { body } = document
  if (Buffer.isBuffer(body)) return answerWith({ body, headers, conditions, faults })
  if (faults.size > 0) return answerWith({ body: await buffer(packedAsSent(body)), headers, conditions, faults })
  return isUnchanged(headers, conditions) ? unchanged(headers) : { status: 200, headers, body, cutAfter: null, isWhole: true }
}

/** The stream of a text that is packed while it is sent, in pieces, so that other requests are answered meanwhile. */
export function packedAsSent({ text, zip }: TextToPack): Readable {
  return zip ? Readable.from(streamZip(text, zip)) : Readable.from(text).compose(createGzip({ level: 1 }))
}

/**
 * A recorded capture, with the instant of its capture if known. It always has a validator, so that requests after the last
 * capture get 304.
 */
export function captureAnswer(
  { feed, resource }: { readonly feed: FeedStandIn; readonly resource: string },
  capture: Capture,
  conditions: Conditions,
  faults: ReadonlyMap<FaultName, ActiveFault>,
): Answer {
  const captured: Record<string, string> =
    capture.capturedAt === null ? {} : { 'X-Captured-At': new Date(capture.capturedAt).toISOString() }
  const headers = { 'Content-Type': feed.contentTypes?.[resource] ?? feed.contentType, ETag: capture.etag, ...captured }
  return answerWith({ body: capture.bytes(), headers, conditions, faults })
}

/** The answer of a fault that needs no document; null if no such fault is set. */
export function faultAnswer(faults: ReadonlyMap<FaultName, ActiveFault>, url: URL): Answer | null {
  if (faults.has('redirect_loop')) {
    // Like a cookie wall: it redirects to the same page with a growing suffix.
    const next = new URL(url)
    next.searchParams.set('turn', String(Number(url.searchParams.get('turn') ?? 0) + 1))
    return plainAnswer(302, 'Found', { Location: `${next.pathname}${next.search}` })
  }
  const status = faults.get('status')
  if (status) return plainAnswer(status.status ?? 503, 'Service unavailable', { 'Retry-After': '1' })
  if (faults.has('html')) return bytesAnswer(HTML_PAGE, 'text/html; charset=utf-8')
  if (faults.has('xml_bomb')) return bytesAnswer(XML_BOMB, 'application/xml')
  return null
}

interface Parts {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly conditions: Conditions
  readonly faults: ReadonlyMap<FaultName, ActiveFault>
}

function answerWith({ body, headers, conditions, faults }: Parts): Answer {
  if (faults.has('gzip_bomb')) {
    return {
      ...bytesAnswer(gzipBomb(body.subarray(0, START_OF_BOMB)), headers['Content-Type'] ?? ''),
      headers: { ...headers, 'Content-Encoding': 'gzip' },
    }
  }
  const wrong = faults.get('wrong_type')
  const sent = wrong ? { ...headers, 'Content-Type': wrong.type ?? 'text/html' } : headers
  const truncated = faults.get('truncated')
  if (truncated) return { ...bytesAnswer(part(body, truncated.share), ''), headers: sent }
  const cut = faults.get('cut')
  if (cut) return { status: 200, headers: sent, body, cutAfter: part(body, cut.share).length, isWhole: false }
  if (isUnchanged(headers, conditions)) return unchanged(sent)
  return { status: 200, headers: sent, body, cutAfter: null, isWhole: true }
}

function unchanged(headers: Readonly<Record<string, string>>): Answer {
  return { status: 304, headers, body: Buffer.alloc(0), cutAfter: null, isWhole: false }
}

function bytesAnswer(body: Buffer, type: string): Answer {
  return { status: 200, headers: { 'Content-Type': type }, body, cutAfter: null, isWhole: false }
}

function part(body: Buffer, share = 0.5): Buffer {
  return body.subarray(0, Math.floor(body.length * share))
}

function validatorsOf(feed: FeedStandIn, document: Document, faults: ReadonlyMap<FaultName, ActiveFault>): Record<string, string> {
  if (feed.validators === 'none' || faults.has('repeated')) return {}
  const modified = { 'Last-Modified': new Date(document.publishedAt).toUTCString() }
  return feed.validators === 'etag' ? { ...modified, ETag: document.etag } : modified
}

/** RFC 9110, 13.2.2: the entity tag decides; the date counts only without one. */
function isUnchanged(headers: Readonly<Record<string, string>>, { ifNoneMatch, ifModifiedSince }: Conditions): boolean {
  const etag = headers['ETag']
  if (ifNoneMatch !== undefined) {
    if (etag === undefined) return false
    const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    return tags.includes(etag) || tags.includes('*')
  }
  const modified = headers['Last-Modified']
  if (ifModifiedSince === undefined || modified === undefined) return false
  return Date.parse(modified) <= Date.parse(ifModifiedSince)
}
