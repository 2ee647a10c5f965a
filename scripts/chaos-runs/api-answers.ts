import { hash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Answer } from './api-client.ts'

/** What an answer says, without what no two answers have in common. */
export interface Said {
  readonly status: number
  readonly type: string
  readonly tag: string | undefined
  /** The body as it is compared, where it is JSON; else its digest. */
  readonly text: string
  /** Code of the problem; null where it is none. */
  readonly code: string | null
}

/**
 * Members that tell of the moment and not of the data, at any depth: ids of requests, whether a feed is late by now, and cursors, which say
 * until when they are good; of these only counts whether there is one.
 */
const OF_THE_MOMENT = new Set(['request_id', 'stale', 'is_stale'])
const CURSORS = new Set(['next_cursor'])

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
}

/** What an answer says. Throws where its body cannot be read as its headers tell. */
export function saidIn({ status, headers, body }: Answer): Said {
  const type = headers['content-type'] ?? ''
  const plain = DECODERS[headers['content-encoding'] ?? '']?.(body) ?? body
  const isJson = /^application\/(?:[a-z]+\+)?json/.test(type)
  const text = isJson && plain.length > 0 ? JSON.stringify(JSON.parse(plain.toString(), lasting)) : hash('sha256', rowsIn(type, plain))
  const code = type.startsWith('application/problem+json') ? (JSON.parse(plain.toString()) as { code: string }).code : null
  return { status, type, tag: headers.etag, text, code }
}

/** True for an answer that begins a log of changes anew: it says whether its caller has to read the list again, and tells of no change. */
export function beginsAnew({ headers, body }: Answer, name: string): boolean {
  const plain = DECODERS[headers['content-encoding'] ?? '']?.(body) ?? body
  // A HEAD has no body; a table says it beside its rows.
  if (!headers['content-type']?.startsWith('application/json')) return /reset="(?:true|false)"/.test(String(headers['link']))
  if (plain.length === 0) return true
  const said = JSON.parse(plain.toString()) as Readonly<Record<string, unknown>>
  const changes = said[name]
  return typeof said['reset'] === 'boolean' && Array.isArray(changes) && changes.length === 0
}

/**
 * The bytes of a table's rows: what Parquet and Arrow say of the page lies apart, behind the rows (a footer, whose length comes before the
 * last four bytes) or before them (a message of the schema, after a mark and its length), and has members that tell of the moment.
 */
function rowsIn(type: string, bytes: Buffer): Buffer {
  if (type.includes('parquet')) return bytes.subarray(0, bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8))
  return type.includes('arrow') ? bytes.subarray(8 + bytes.readUInt32LE(4)) : bytes
}

function lasting(name: string, value: unknown): unknown {
  if (OF_THE_MOMENT.has(name)) return undefined
  return CURSORS.has(name) ? value !== null : value
}

/** A request as far as it decides what is right to answer. */
interface Asked {
  readonly method: string
  /** True where its caller has the answer, under the tag that it names. */
  readonly hasIt: boolean
  /** The tag that it names. */
  readonly named?: string | undefined
  /** True where the answer still has to have the tag that it had before: nothing has changed that tags are made of. */
  readonly keepsTag?: boolean
}

/** Compares answers to one request with the one that was right before; bytes that were compared once are not read again. */
export class Reference {
  readonly said: Said
  /** The tag that the answer had when it was last given whole; undefined where it has none. */
  tag: string | undefined
  readonly #known = new Map<string, string | null>()

  constructor(answer: Answer) {
    this.said = saidIn(answer)
    this.tag = this.said.tag
  }

  /** What is wrong with an answer; null where nothing is. A 304 is right for who has the answer, a HEAD has no body. */
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

  /** What is wrong with a tag: who names that of the answer is told by 304 to keep what it has, and nobody else is. */
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

/** Where two texts begin to differ. */
function differenceOf(one: string, other: string): string {
  let at = 0
  while (one[at] === other[at]) at++
  const from = Math.max(0, at - 60)
  return `…${one.slice(from, at + 100)}… in place of …${other.slice(from, at + 100)}…`
}
