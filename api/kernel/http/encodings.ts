import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib'

/** Content codings of replies, the preferred first; `identity` means none. */
export const ENCODINGS = ['br', 'zstd', 'gzip', 'identity'] as const
export type Encoding = (typeof ENCODINGS)[number]

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)
const toZstd = promisify(zstdCompress)

/** Smaller bodies, in bytes, are sent uncompressed: they fit one packet. */
export const COMPRESS_FROM = 1024

/** What compresses a body on its way. */
export function compressor(encoding: Exclude<Encoding, 'identity'>): Transform {
  if (encoding === 'br') return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
  return encoding === 'zstd' ? createZstdCompress() : createGzip()
}

/**
 * Largest body that is compressed synchronously, in bytes. This blocks the event loop for 0.25 ms, and so does the hand-over
 * to another thread, which also costs two thirds more CPU time and a wait behind queries of the lake.
 */
const MAX_AT_ONCE = 16_384

/** Compresses a body. */
export async function compress(body: Buffer, encoding: Exclude<Encoding, 'identity'>): Promise<Buffer> {
  const isSmall = body.length <= MAX_AT_ONCE
  if (encoding === 'br') return isSmall ? brotliCompressSync(body, brotli(body)) : await toBrotli(body, brotli(body))
  if (encoding === 'zstd') return isSmall ? zstdCompressSync(body) : await toZstd(body)
  return isSmall ? gzipSync(body) : await toGzip(body)
}

function brotli(body: Buffer): BrotliOptions {
  return { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }
}

/**
 * Returns the coding for an Accept-Encoding header (RFC 9110 §12.5.3): the greatest weight wins, then our preference. Without a
 * header there is no coding, for clients that know none. A client that refuses even identity gets it, as the RFC allows.
 */
export function encodingFor(header: string | undefined): Encoding {
  if (!header) return 'identity'
  const weights = new Map<string, number>()
  for (const part of header.split(',')) {
    const [name = '', ...params] = part.split(';').map((text) => text.trim().toLowerCase())
    const weight = params.find((text) => text.startsWith('q='))
    const value = weight === undefined ? 1 : Number(weight.slice(2))
    weights.set(name, value >= 0 && value <= 1 ? value : 0)
  }
  let best: Encoding = 'identity'
  let bestWeight = 0
  for (const encoding of ENCODINGS) {
    const weight = weights.get(encoding) ?? (encoding === 'identity' ? 0 : (weights.get('*') ?? 0))
    if (weight <= bestWeight) continue
    best = encoding
    bestWeight = weight
  }
  return best
}

/** Longest header whose result is cached, in characters. Headers of real clients are shorter. */
const MAX_REMEMBERED = 500

/** Caches the last results of a function of a header: headers of real clients are few and short. */
export function remembered<T>(make: (text: string | undefined) => T, most = 200): (text: string | undefined) => T {
  const known = new Map<string | undefined, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = make(text)
    if (text !== undefined && text.length > MAX_REMEMBERED) return made
    if (known.size >= most) known.clear()
    known.set(text, made)
    return made
  }
}
