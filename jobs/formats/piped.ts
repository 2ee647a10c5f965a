import { FormatError } from '../feeds/define.ts'
import { decodeUtf8 } from './text.ts'

/** Lines of a file, with the requested columns in order. */
export interface PipedLines {
  /** All columns of the header. */
  readonly header: readonly string[]
  /** Records in batches; one with another number of fields than the header is null, beside its text. */
  readonly batches: Iterable<readonly PipedLine[]>
}

/** A line and its requested fields in order; null if its number of fields differs from the header. */
export interface PipedLine {
  readonly text: string
  readonly fields: readonly string[] | null
}

const LINES_AT_ONCE = 5000

/**
 * Reads the ministry's `|` files: UTF-8, a header, one record per line, LF or CRLF, no quoting; `given` has the columns of a
 * file without a header. Throws `FormatError` if a column is missing or the last line is unterminated (a cut-off file).
 */
export function readPiped(bytes: Buffer, columns: readonly string[], given: readonly string[] | null = null): PipedLines {
  const text = decodeUtf8(bytes)
  const headerEnd = given ? -1 : text.indexOf('\n')
  const header = given ?? (headerEnd < 0 ? text : text.slice(0, headerEnd)).trimEnd().split('|')
  const at = columns.map((name) => header.indexOf(name))
  const missing = columns.filter((_, index) => (at[index] as number) < 0)
  if (missing.length > 0) throw new FormatError(`the header lacks ${missing.join(', ')}; it has ${header.join(', ').slice(0, 500)}`)
  if (!text.endsWith('\n')) throw new FormatError(`cut off: the last line has no end: ${JSON.stringify(text.slice(-60))}`)
  return { header, batches: batchesOf(text, { from: headerEnd + 1, width: header.length, at }) }
}

function* batchesOf(
  text: string,
  layout: { readonly from: number; readonly width: number; readonly at: readonly number[] },
): Generator<readonly PipedLine[]> {
  const { width, at } = layout
  let lines: PipedLine[] = []
  for (let from = layout.from; from < text.length; ) {
    const end = text.indexOf('\n', from)
    const line = text.slice(from, text.charCodeAt(end - 1) === 13 ? end - 1 : end)
    from = end + 1
    if (line === '') continue
    const all = line.split('|')
    lines.push({ text: line, fields: all.length === width ? at.map((index) => all[index] as string) : null })
    if (lines.length < LINES_AT_ONCE) continue
    yield lines
    lines = []
  }
  yield lines
}
