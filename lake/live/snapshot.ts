import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as breathe } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createZstdCompress, createZstdDecompress, zstdDecompress } from 'node:zlib'
import type { LiveRow, LiveUpdate } from './types.ts'

const decompress = promisify(zstdDecompress)

const FORMAT = 'live-rows 1'
// Rows are encoded and decoded in chunks of this size, with the event loop free in between: 12,000 rows take longer than a
// request may wait.
const ROWS_AT_ONCE = 1000
const BYTES_AT_ONCE = 128 * 1024
const NEWLINE = 10

/** Rows as JSON text by entity key. */
export type RowTexts = ReadonlyMap<string, string>

/** Encodes each row as JSON. */
export async function rowTexts(rows: LiveUpdate['rows']): Promise<RowTexts> {
  const texts = new Map<string, string>()
  for (const [key, row] of rows) {
    texts.set(key, JSON.stringify(row))
    if (texts.size % ROWS_AT_ONCE === 0) await breathe()
  }
  return texts
}

/** Encodes a part's snapshot: zstd over lines of a format mark, the count n, n keys as JSON, n rows as JSON. */
export async function encodeSnapshot(texts: RowTexts): Promise<Buffer> {
  return await buffer(Readable.from(snapshotPieces(texts)).pipe(createZstdCompress()))
}

function* snapshotPieces(texts: RowTexts): Generator<string> {
  let piece = `${FORMAT}\n${texts.size}`
  for (const line of linesOf(texts)) {
    piece += `\n${line}`
    if (piece.length < BYTES_AT_ONCE) continue
    yield piece
    piece = ''
  }
  yield piece
}

function* linesOf(texts: RowTexts): Generator<string> {
  for (const key of texts.keys()) yield JSON.stringify(key)
  yield* texts.values()
}

/** Rows to write and delete to turn one snapshot into another. */
export interface SnapshotDifference {
  /** Key and text alternate. */
  readonly sets: readonly string[]
  readonly dels: readonly string[]
}

/** The difference between rows and a snapshot, which is read in chunks. Throws if the bytes are not a snapshot of this format. */
export async function snapshotDifference(bytes: Buffer, texts: RowTexts): Promise<SnapshotDifference> {
  const keys: string[] = []
  const dels: string[] = []
  const same = new Set<string>()
  let line = 0
  let count = 0
  for await (const lines of linesIn(bytes)) {
    for (const text of lines) {
      const at = line++ - 2
      if (at === -2) checkFormat(text)
      else if (at === -1) count = countOf(text)
      else if (at < count) keys.push(JSON.parse(text) as string)
      else {
        const key = keys[at - count] as string
        const now = texts.get(key)
        if (now === undefined) dels.push(key)
        else if (now === text) same.add(key)
      }
    }
  }
  if (line !== 2 + 2 * count) throw new Error(`live snapshot: ${line} lines for ${count} rows`)
  const sets: string[] = []
  for (const [key, text] of texts) if (!same.has(key)) sets.push(key, text)
  return { sets, dels }
}

async function* linesIn(bytes: Buffer): AsyncGenerator<string[]> {
  const text = createZstdDecompress().setEncoding('utf8')
  text.end(bytes)
  let rest = ''
  for await (const piece of text) {
    const lines = (rest + (piece as string)).split('\n')
    rest = lines.pop() as string
    yield lines
  }
  yield [rest]
}

/** Rows of a snapshot, in published order, and by key. Throws if the bytes are not a snapshot of this format. */
export async function decodeSnapshot(bytes: Buffer): Promise<{ rows: readonly LiveRow[]; byKey: ReadonlyMap<string, LiveRow> }> {
  const { body, count, at } = await unwrap(bytes)
  const keys: string[] = []
  const rows: LiveRow[] = []
  const byKey = new Map<string, LiveRow>()
  for (let from = at; from < body.length; ) {
    const end = body.indexOf(NEWLINE, from + BYTES_AT_ONCE)
    const to = end === -1 ? body.length : end
    // JSON never contains a raw newline, so each one in the text separates two values.
    for (const value of JSON.parse(`[${body.toString('utf8', from, to).replaceAll('\n', ',')}]`) as unknown[]) {
      if (keys.length < count) keys.push(value as string)
      else byKey.set(keys[rows.push(value as LiveRow) - 1] as string, value as LiveRow)
    }
    from = to + 1
    await breathe()
  }
  if (rows.length !== count || byKey.size !== count) throw new Error(`live snapshot: ${rows.length} rows for ${count} keys`)
  return { rows, byKey }
}

async function unwrap(bytes: Buffer): Promise<{ body: Buffer; count: number; at: number }> {
  const body = await decompress(bytes)
  const first = body.indexOf(NEWLINE)
  const found = body.indexOf(NEWLINE, first + 1)
  const second = found === -1 ? body.length : found
  checkFormat(body.toString('utf8', 0, first))
  return { body, count: countOf(body.toString('utf8', first + 1, second)), at: second + 1 }
}

function checkFormat(mark: string): void {
  if (mark !== FORMAT) throw new Error(`live snapshot: begins with ${mark.slice(0, 40)}, not ${FORMAT}`)
}

function countOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`live snapshot: ${text.slice(0, 40)} is no number of rows`)
  return Number(text)
}
