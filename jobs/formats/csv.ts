import { CsvError, parse } from 'csv-parse/sync'
import { FormatError } from '../feeds/define.ts'

/** How a CSV file is written. */
interface CsvOptions {
  readonly delimiter: ',' | ';' | '\t'
  /** Names that the header must have, in any order. */
  readonly requires: readonly string[]
  /** Quote character; `"` by default. */
  readonly quote?: string
  /** True if publishers leave quotes inside fields unescaped. */
  readonly lenient?: boolean
  /**
   * True if every edition ends its last line: a file that does not, or whose last record is short, was cut off and is
   * rejected.
   */
  readonly endsLines?: boolean
}

/** A CSV file read whole. */
export interface CsvTable {
  /** Names of the columns, trimmed. */
  readonly header: readonly string[]
  /** Fields of each record, as many as the header has; text as in the file. */
  readonly records: readonly (readonly string[])[]
  /** Records with another number of fields, by line number and text; the caller quarantines them. */
  readonly misshapen: readonly { readonly line: number; readonly text: string }[]
  /** Position of a column in a record; -1 if the header lacks it. */
  at(name: string): number
}

/**
 * Reads CSV text with a header, using csv-parse. Lines end with LF, CR or CRLF; blank lines are skipped; a nameless last
 * column (trailing delimiter) stays nameless. Throws `FormatError` for a missing required column, an unclosed quote, or a
 * cut-off file.
 */
export function readCsv(text: string, options: CsvOptions): CsvTable {
  const lines = parseLines(text, options)
  const first = lines[0]
  if (!first) throw new FormatError('an empty file; expected a header line')
  const header = first.record.map((name) => name.trim())
  const missing = options.requires.filter((name) => !header.includes(name))
  if (missing.length > 0) throw new FormatError(`the header lacks ${missing.join(', ')}; it has ${header.join(', ').slice(0, 500)}`)
  const records: string[][] = []
  const misshapen: { line: number; text: string }[] = []
  for (let at = 1; at < lines.length; at++) {
    const { record, info } = lines[at] as ParsedLine
    if (record.length === header.length) records.push(record)
    else misshapen.push({ line: info.lines, text: record.join(options.delimiter).slice(0, 200) })
  }
  if (options.endsLines) refuseCut(text, lines)
  return { header, records, misshapen, at: (name) => header.indexOf(name) }
}

function refuseCut(text: string, lines: readonly ParsedLine[]): void {
  const fields = lines[0]?.record.length ?? 0
  const last = lines.findLast(({ record }) => record.some((field) => field.trim() !== ''))
  if (!last) return
  const where = `cut off: line ${last.info.lines}, the last,`
  const shown = JSON.stringify(last.record.join(' ').slice(-60))
  if (!/[\r\n]$/.test(text)) throw new FormatError(`${where} has no end: ${shown}`)
  if (last.record.length < fields) throw new FormatError(`${where} has ${last.record.length} of ${fields} fields: ${shown}`)
}

/** The delimiter of a CSV text: the most frequent of `,`, `;` and tab in its first line, outside quotes. */
export function delimiterOf(text: string): ',' | ';' | '\t' {
  const end = text.search(/[\r\n]/)
  const first = text.slice(0, end < 0 ? text.length : end).replaceAll(/"[^"]*"/g, '')
  const count = (mark: string): number => first.split(mark).length
  return ([';', '\t'] as const).find((mark) => count(mark) > count(',')) ?? ','
}

interface ParsedLine {
  readonly record: string[]
  readonly info: { readonly lines: number }
}

function parseLines(text: string, options: CsvOptions): readonly ParsedLine[] {
  try {
    return parse(text, {
      bom: true,
      delimiter: options.delimiter,
      quote: options.quote ?? '"',
      relax_quotes: options.lenient ?? false,
      relax_column_count: true,
      skip_empty_lines: true,
      info: true,
    }) as unknown as readonly ParsedLine[]
  } catch (cause) {
    if (cause instanceof CsvError) throw new FormatError(`not a CSV file: ${cause.message}`, { cause })
    throw cause
  }
}
