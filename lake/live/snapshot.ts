import { setImmediate as breathe } from 'node:timers/promises'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import type { LiveRow } from './types.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

const FORMAT = 'live-rows 1'
// Rows are made and read in pieces of this size, with the event loop free in between: 12,000 rows take longer than a request may wait.
const ROWS_AT_ONCE = 1000
const BYTES_AT_ONCE = 128 * 1024
const NEWLINE = 10

/** Rows as JSON text by entity key. */
export type RowTexts = ReadonlyMap<string, string>

/** Writes each row as JSON. */
export async function rowTexts(rows: ReadonlyMap<string, LiveRow>): Promise<RowTexts> {
  const texts = new Map<string, string>()
  for (const [key, row] of rows) {
    texts.set(key, JSON.stringify(row))
    if (texts.size % ROWS_AT_ONCE === 0) await breathe()
  }
  return texts
}

/** A part's snapshot: zstd over lines of a format mark, the count n, n keys as JSON, n rows as JSON. */
export async function encodeSnapshot(texts: RowTexts): Promise<Buffer> {
  const keys = [...texts.keys()].map((key) => JSON.stringify(key))
  return await compress([FORMAT, String(texts.size), ...keys, ...texts.values()].join('\n'))
}

/** Keys and row texts of a snapshot, unparsed, to tell which rows differ. Throws where the bytes are no snapshot of this format. */
export async function snapshotTexts(bytes: Buffer): Promise<RowTexts> {
  const { body, count, at } = await unwrap(bytes)
  const lines = count === 0 ? [] : body.toString('utf8', at).split('\n')
  if (lines.length !== 2 * count) throw new Error(`live snapshot: ${lines.length} lines for ${count} rows`)
  const texts = new Map<string, string>()
  for (let index = 0; index < count; index++) texts.set(JSON.parse(lines[index] as string) as string, lines[count + index] as string)
  return texts
}

/** Rows of a snapshot, in the order they were published, and by key. Throws where the bytes are no snapshot of this format. */
export async function decodeSnapshot(bytes: Buffer): Promise<{ rows: readonly LiveRow[]; byKey: ReadonlyMap<string, LiveRow> }> {
  const { body, count, at } = await unwrap(bytes)
  const keys: string[] = []
  const rows: LiveRow[] = []
  const byKey = new Map<string, LiveRow>()
  for (let from = at; from < body.length; ) {
    const end = body.indexOf(NEWLINE, from + BYTES_AT_ONCE)
    const to = end === -1 ? body.length : end
    // JSON holds no raw newline, so each one in the text parts two values.
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
  const mark = body.toString('utf8', 0, first)
  const count = Number(body.toString('utf8', first + 1, second))
  if (mark !== FORMAT || !Number.isInteger(count)) throw new Error(`live snapshot: begins with ${mark.slice(0, 40)}, not ${FORMAT}`)
  return { body, count, at: second + 1 }
}
