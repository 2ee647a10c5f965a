import { isUtf8 } from 'node:buffer'
import { FormatError } from '../feeds/define.ts'
import { decimalNumber } from './numbers.ts'
import { WINDOWS1252 } from './text.ts'
import type { Zip } from './zip.ts'

/** The columns that a reader uses; in records they are numbered by `requires`, then `takes`. */
export interface GtfsColumns {
  /** Names that the header must have. */
  readonly requires: readonly string[]
  /** Names that it may have. */
  readonly takes?: readonly string[]
}

const LINE_FEED = 10
/**
 * Bytes split into lines at once: few enough for the CPU cache and short-lived garbage, many enough to make waiting
 * negligible.
 */
const PIECE_BYTES = 256 * 1024
/** Longest line; a longer one is not a table. */
const LONGEST_LINE = 1024 * 1024

/**
 * Streams a member of a GTFS archive, some thousands of lines at a time. Publishers pad lines, names and values with blanks:
 * everything is trimmed. Throws `FormatError` if the member or a required column is missing.
 */
export async function* readGtfs(zip: Zip, member: string, columns: GtfsColumns): AsyncGenerator<GtfsRecords> {
  let records: GtfsRecords | null = null
  for await (const piece of pieces(zip, member)) {
    records ??= new GtfsRecords(member, columns)
    records.begin(piece)
    yield records
  }
  if (!records) throw new FormatError(`${member} is empty; expected a header line`)
}

/**
 * The archive seen from the folder with its stop times: some publishers zip the folder, on macOS with a `__MACOSX` of marks
 * beside it. An archive with several such folders, or with none, stays as it is.
 */
export function gtfsRoot(zip: Zip): Zip {
  const [name, ...others] = zip.names.filter((one) => /(?:^|\/)stop_times\.txt$/.test(one))
  const folder = name?.slice(0, name.lastIndexOf('/') + 1)
  if (!folder || others.length > 0) return zip
  return {
    names: zip.names.flatMap((one) => (one.startsWith(folder) ? [one.slice(folder.length)] : [])),
    stated: (one) => zip.stated(`${folder}${one}`),
    read: (one) => zip.read(`${folder}${one}`),
  }
}

/** Whole lines of a member, some at a time, always in the same memory. */
async function* pieces(zip: Zip, member: string): AsyncGenerator<Buffer> {
  let room = Buffer.allocUnsafeSlow(PIECE_BYTES)
  let size = 0
  for await (const chunk of zip.read(member)) {
    if (size + chunk.length > room.length) {
      const end = room.subarray(0, size).lastIndexOf(LINE_FEED) + 1
      if (end > 0) yield room.subarray(0, end)
      room.copyWithin(0, end, size)
      size -= end
      if (size + chunk.length > LONGEST_LINE) throw new FormatError(`${member} has a line of some ${LONGEST_LINE} bytes or more`)
      if (size + chunk.length > room.length) room = Buffer.concat([room], LONGEST_LINE)
    }
    size += chunk.copy(room, size)
  }
  if (size > 0) yield room.subarray(0, size)
}

/** `H:MM:SS` to `HHH:MM:SS`. */
const TIME = /^(\d{1,3}):([0-5]\d):([0-5]\d)$/

/**
 * A cursor over the records of a piece: `next` moves it, the other methods read the current record. One object serves the
 * whole member.
 */
export class GtfsRecords {
  readonly #member: string
  readonly #columns: GtfsColumns
  /** The position of each used column in a line; -1 if the header lacks it. */
  #places: readonly number[] = []
  #width = 0
  /** Its fields up to the last one with a name. */
  #named = 0
  #text = ''
  #at = 0
  #line = ''
  #fields: readonly string[] = []

  constructor(member: string, columns: GtfsColumns) {
    this.#member = member
    this.#columns = columns
  }

  /** Takes the next whole lines; the first ones include the header. */
  begin(bytes: Buffer): void {
    this.#text = decode(bytes)
    this.#at = 0
    if (this.#width === 0) this.#readHeader()
  }

  /** Moves to the next record that is not blank; false after the last one of the piece. */
  next(): boolean {
    while (this.#at < this.#text.length) {
      this.#read()
      if (this.#fields.length > 1 || this.#line.trim() !== '') return true
    }
    return false
  }

  /** True if the record has as many fields as the header, aside from empty ones at their ends; the caller quarantines others. */
  get isWhole(): boolean {
    const { length } = this.#fields
    return length <= this.#width ? length >= this.#named : this.#fields.slice(this.#width).every((text) => text.trim() === '')
  }

  /** The record as in the file, trimmed, for diagnostics. */
  get line(): string {
    return this.#line.trim()
  }

  /** Text of a column; null if blank or if the member lacks the column. */
  text(column: number): string | null {
    return this.rawText(column)?.trim() || null
  }

  /** Like `text`, untrimmed, for fields whose blanks matter; null if the member lacks the column. */
  rawText(column: number): string | null {
    const place = this.#places[column] as number
    return place < 0 ? null : (this.#fields[place] ?? '')
  }

  /** Number of a column, as in `decimalNumber`; null if blank, NaN if not a number. */
  number(column: number): number | null {
    const text = this.text(column)
    return text === null ? null : decimalNumber(text)
  }

  /** Unsigned whole number of a column; null if blank, NaN if not one. */
  whole(column: number): number | null {
    const text = this.text(column)
    return text === null ? null : /^\d+$/.test(text) ? Number(text) : Number.NaN
  }

  /**
   * Seconds since the start of the service day, from `H:MM:SS` or `HH:MM:SS`, which may exceed 24 h; null if blank, NaN if not
   * a time.
   */
  time(column: number): number | null {
    const text = this.text(column)
    if (text === null) return null
    const [, hours, minutes, seconds] = TIME.exec(text) ?? []
    return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  }

  /** Reads the fields of the line at the current position. */
  #read(): void {
    const end = this.#text.indexOf('\n', this.#at)
    const line = this.#text.slice(this.#at, end < 0 ? undefined : end)
    this.#at = end < 0 ? this.#text.length : end + 1
    this.#line = line
    this.#fields = line.includes('"') ? quotedFields(line) : line.split(',')
  }

  #readHeader(): void {
    const { requires, takes = [] } = this.#columns
    this.#read()
    const names = quotedFields(this.line.replace(/^\uFEFF/, '')).map((name) => name.trim())
    const missing = requires.filter((name) => !names.includes(name))
    if (missing.length > 0)
      throw new FormatError(`${this.#member} lacks ${missing.join(', ')}; its header is ${names.join(', ').slice(0, 500)}`)
    this.#places = [...requires, ...takes].map((name) => names.indexOf(name))
    this.#width = names.length
    this.#named = names.findLastIndex((name) => name !== '') + 1
  }
}

/** Text of some lines: each as UTF-8 if it is, else as Windows-1252, as in `decodeText`. */
function decode(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, at)
    const line = bytes.subarray(at, end < 0 ? bytes.length : end + 1)
    text += isUtf8(line) ? line.toString('utf8') : WINDOWS1252.decode(line)
    at += line.length
  }
  return text
}

/** The fields of a line with quotes (RFC 4180); after an unclosed quote the rest is one field. */
function quotedFields(line: string): string[] {
  const fields: string[] = []
  for (let at = 0; at <= line.length; ) {
    const quoted = /^\s*"((?:[^"]|"")*)"\s*(?:,|$)/.exec(line.slice(at))
    const [whole, text] = quoted ? [quoted[0], (quoted[1] as string).replaceAll('""', '"')] : plainField(line.slice(at))
    fields.push(text)
    at += whole.length
    if (!whole.endsWith(',')) break
  }
  return fields
}

function plainField(rest: string): [whole: string, text: string] {
  const end = rest.indexOf(',')
  return end === -1 ? [rest, rest] : [rest.slice(0, end + 1), rest.slice(0, end)]
}
