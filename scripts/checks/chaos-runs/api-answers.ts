import { hash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Answer } from './api-client.ts'

/** The content of an answer, without the parts that differ between any two answers. */
export interface Said {
  readonly status: number
  readonly type: string
  readonly tag: string | undefined
  /** The body in a comparable form: normalized JSON, or a digest of other types. */
  readonly text: string
  /** Code of the problem; null if it is none. */
  readonly code: string | null
}

/**
 * Members that depend on the moment of the request and not on the data, at any depth: request ids, whether a feed is stale, and
 * cursors, which contain their expiry. A cursor is compared only by whether it exists.
 */
const OF_THE_MOMENT = new Set(['request_id', 'stale', 'is_stale'])
const CURSORS = new Set(['next_cursor'])

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
}

/** Returns the comparable content of an answer. Throws if the body cannot be read as its headers declare. */
export function saidIn({ status, headers, body }: Answer): Said {
  const type = headers['content-type'] ?? ''
  const plain = DECODERS[headers['content-encoding'] ?? '']?.(body) ?? body
  const isJson = /^application\/(?:[a-z]+\+)?json/.test(type)
  const text = isJson && plain.length > 0 ? JSON.stringify(JSON.parse(plain.toString(), lasting)) : hash('sha256', rowsIn(type, plain))
  const code = type.startsWith('application/problem+json') ? (JSON.parse(plain.toString()) as { code: string }).code : null
  return { status, type, tag: headers.etag, text, code }
}

/**
 * True for an answer with which a log of changes restarts: it states whether the caller has to read the list again and contains
 * no changes.
 */
export function beginsAnew({ headers, body }: Answer, name: string): boolean {
  const plain = DECODERS[headers['content-encoding'] ?? '']?.(body) ?? body
  // A HEAD has no body, and a table format has no member for it: both state it in the Link header.
  if (!headers['content-type']?.startsWith('application/json')) return /reset="(?:true|false)"/.test(String(headers['link']))
  if (plain.length === 0) return true
  const said = JSON.parse(plain.toString()) as Readonly<Record<string, unknown>>
  const changes = said[name]
  return typeof said['reset'] === 'boolean' && Array.isArray(changes) && changes.length === 0
}

/**
 * The bytes of a table's rows. Parquet keeps its metadata in a footer, whose length is in the last four bytes. Arrow keeps it in
 * a schema message at the start, after a marker and a length. That metadata depends on the moment of the request.
 */
function rowsIn(type: string, bytes: Buffer): Buffer {
  if (type.includes('parquet')) return bytes.subarray(0, bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8))
  return type.includes('arrow') ? bytes.subarray(8 + bytes.readUInt32LE(4)) : bytes
}

function lasting(name: string, value: unknown): unknown {
  if (OF_THE_MOMENT.has(name)) return undefined
  return CURSORS.has(name) ? value !== null : value
}

/** The parts of a request that decide which answer is right. */
interface Asked {
  readonly method: string
  /** True if the caller already has the answer, under the tag that it sends. */
  readonly hasIt: boolean
  /** The tag that the request sends. */
  readonly named?: string | undefined
  /** True if the answer must still have its previous tag: nothing that tags are made of has changed. */
  readonly keepsTag?: boolean
}

/** Compares the answers to one request with the previous correct one. Bytes that were already compared are not parsed again. */
export class Reference {
  readonly said: Said
  /** The tag of the last full answer; undefined if it had none. */
  tag: string | undefined
  readonly #known = new Map<string, string | null>()

  constructor(answer: Answer) {
    this.said = saidIn(answer)
    this.tag = this.said.tag
  }

  /**
   * Describes the error in an answer; null if it is right. A 304 is right for a caller that has the answer; a HEAD has no body.
   */
  wrongIn(answer: Answer, asked: Asked): string | null {
    const { said } = this
    const { status, headers, body } = answer
    if (status === 304 && !asked.hasIt) return '304 to who has it not'
    if (status !== 304 && status !== said.status) return `${status} in place of ${said.status}: ${body.toString('utf8', 0, 300)}`
    const wrongTag = this.#wrongTag(answer, asked)
    if (wrongTag !== null || status === 304) return wrongTag
    if (headers['content-type'] !== said.type) return `${headers['content-type']} in place of ${said.type}`
    if (asked.method === 'HEAD') return body.length === 0 ? null : 'HEAD has a body'
    const name = `${headers['content-encoding'] ?? ''} ${hash('sha256', body)}`
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const wrong = this.#compare(answer)
    this.#known.set(name, wrong)
    return wrong
  }

  /** Describes the error in a tag: a request with the current tag gets 304, any other request does not. */
  #wrongTag({ status, headers: { etag } }: Answer, { named, keepsTag }: Asked): string | null {
    if (status === 304) return etag === named ? null : `304 under the tag ${etag} to who has ${named}`
    if ((etag === undefined) !== (this.said.tag === undefined)) return `the tag ${etag} in place of ${this.said.tag}`
    if (etag !== undefined && etag === named) return `${status} in place of 304 to who has ${named}`
    if (keepsTag && etag !== this.said.tag) return `the tag ${etag} in place of ${this.said.tag}`
    this.tag = etag
    return null
  }

  #compare(answer: Answer): string | null {
    try {
      const { text } = saidIn(answer)
      return text === this.said.text ? null : `another body: ${differenceOf(text, this.said.text)}`
    } catch (error) {
      return `a body that cannot be read: ${(error as Error).message}`
    }
  }
}

/** Returns the first difference between two texts. */
function differenceOf(one: string, other: string): string {
  let at = 0
  while (one[at] === other[at]) at++
  const from = Math.max(0, at - 60)
  return `…${one.slice(from, at + 100)}… in place of …${other.slice(from, at + 100)}…`
}
