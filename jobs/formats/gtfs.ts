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

const COMMA = 44
const QUOTE = 34
const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const TAB = 9
const BLANK = 32
const COLON = 58
const ZERO = 48
const ASCII_END = 0x80
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

/** A cache of recent texts, so that repeated ids are one string: a power of two. */
const REMEMBERED = 8192
/** Longest cached text. */
const SHORT = 32

/**
 * A cursor over the records of a piece: `next` moves it, the other methods read the current record. One object serves the
 * whole member.
 */
export class GtfsRecords {
  readonly #member: string
  readonly #columns: GtfsColumns
  readonly #known: string[] = new Array<string>(REMEMBERED).fill('')
  /** The position of each used column in a line; -1 if the header lacks it. */
  #places: readonly number[] = []
  #width = 0
  /** Its fields up to the last one with a name. */
  #named = 0
  #starts = new Int32Array(0)
  #ends = new Int32Array(0)
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  #lineStart = 0
  #lineEnd = 0
  #fields = 0
  /** Whether the line is UTF-8; null until it is needed. */
  #isUtf8: boolean | null = null
  /** The fields of a line that has quotes; null for all others. */
  #quoted: readonly string[] | null = null

  constructor(member: string, columns: GtfsColumns) {
    this.#member = member
    this.#columns = columns
  }

  /** Takes the next whole lines; the first ones include the header. */
  begin(bytes: Buffer): void {
    this.#bytes = bytes
    this.#at = 0
    if (this.#width === 0) this.#readHeader()
  }

  /** Moves to the next record that is not blank; false after the last one of the piece. */
  next(): boolean {
    const bytes = this.#bytes
    const { length } = bytes
    while (this.#at < length) {
      this.#scan(bytes, length)
      if (this.#fields > 1 || this.#trimmed(this.#lineStart, this.#lineEnd) !== null) return true
    }
    return false
  }

  /** True if the record has as many fields as the header, aside from empty ones at their ends; the caller quarantines others. */
  get isWhole(): boolean {
    if (this.#fields <= this.#width) return this.#fields >= this.#named
    if (this.#quoted) return this.#quoted.slice(this.#width).every((text) => text.trim() === '')
    for (let at = this.#ends[this.#width - 1] as number; at < this.#lineEnd; at++) {
      const byte = this.#bytes[at] as number
      if (byte !== COMMA && !isBlank(byte)) return false
    }
    return true
  }

  /** The record as in the file, trimmed, for diagnostics. */
  get line(): string {
    return this.#decode(this.#lineStart, this.#lineEnd).trim()
  }

  /** Text of a column; null if blank or if the member lacks the column. */
  text(column: number): string | null {
    const place = this.#places[column] as number
    if (place < 0) return null
    if (this.#quoted) return this.#quoted[place]?.trim() || null
    return this.#trimmed(this.#starts[place] as number, this.#ends[place] as number)
  }

  /** Like `text`, untrimmed, for fields whose blanks matter; null if the member lacks the column. */
  rawText(column: number): string | null {
    const place = this.#places[column] as number
    if (place < 0) return null
    return this.#quoted ? (this.#quoted[place] ?? null) : this.#decode(this.#starts[place] as number, this.#ends[place] as number)
  }

  /** Number of a column, as in `decimalNumber`; null if blank, NaN if not a number. */
  number(column: number): number | null {
    const text = this.text(column)
    return text === null ? null : decimalNumber(text)
  }

  /** Unsigned whole number of a column; null if blank, NaN if not one. */
  whole(column: number): number | null {
    const place = this.#places[column] as number
    if (place < 0 || this.#quoted) return this.number(column)
    const from = this.#begin(place)
    const to = this.#end(place, from)
    if (from === to) return null
    let whole = 0
    for (let at = from; at < to; at++) {
      const digit = (this.#bytes[at] as number) - ZERO
      if (!(digit >= 0 && digit <= 9)) return Number.NaN
      whole = whole * 10 + digit
    }
    return whole
  }

  /**
   * Seconds since the start of the service day, from `H:MM:SS` or `HH:MM:SS`, which may exceed 24 h; null if blank, NaN if not
   * a time.
   */
  time(column: number): number | null {
    const place = this.#places[column] as number
    if (place < 0) return null
    if (this.#quoted) return timeOf(Buffer.from(this.#quoted[place] ?? ''), ...boundsOf(Buffer.from(this.#quoted[place] ?? '')))
    const from = this.#begin(place)
    return timeOf(this.#bytes, from, this.#end(place, from))
  }

  /** The start of a field, after blanks. */
  #begin(place: number): number {
    const end = this.#ends[place] as number
    let from = this.#starts[place] as number
    while (from < end && isBlank(this.#bytes[from] as number)) from++
    return from
  }

  /** Where it ends. */
  #end(place: number, from: number): number {
    let to = this.#ends[place] as number
    while (to > from && isBlank(this.#bytes[to - 1] as number)) to--
    return to
  }

  /** The trimmed text between two positions, from the cache if possible. Null if blank. */
  #trimmed(start: number, end: number): string | null {
    const bytes = this.#bytes
    let from = start
    let to = end
    while (from < to && isBlank(bytes[from] as number)) from++
    while (to > from && isBlank(bytes[to - 1] as number)) to--
    const length = to - from
    if (length === 0) return null
    if (length > SHORT) return this.#decode(from, to)
    let hash = length
    let all = 0
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number
      all |= byte
      hash = Math.imul(hash ^ byte, 0x01000193)
    }
    if (all >= ASCII_END) return this.#decode(from, to)
    const slot = (hash ^ (hash >>> 15)) & (REMEMBERED - 1)
    const known = this.#known[slot] as string
    if (known.length === length && isSame(known, bytes, from)) return known
    const text = bytes.toString('latin1', from, to)
    this.#known[slot] = text
    return text
  }

  /** Text of a part of the line: as UTF-8 if the whole line is, else as Windows-1252, as in `decodeText`. */
  #decode(from: number, to: number): string {
    this.#isUtf8 ??= isUtf8(this.#bytes.subarray(this.#lineStart, this.#lineEnd))
    return this.#isUtf8 ? this.#bytes.toString('utf8', from, to) : WINDOWS1252.decode(this.#bytes.subarray(from, to))
  }

  /** Finds the fields of the line at the current position. */
  #scan(bytes: Buffer, length: number): void {
    const starts = this.#starts
    const ends = this.#ends
    const width = starts.length
    let at = this.#at
    let fields = 0
    let hasQuotes = false
    this.#lineStart = at
    if (width > 0) starts[0] = at
    for (; at < length; at++) {
      const byte = bytes[at] as number
      if (byte === COMMA) {
        if (fields < width) ends[fields] = at
        fields++
        if (fields < width) starts[fields] = at + 1
      } else if (byte === LINE_FEED) break
      else if (byte === QUOTE) hasQuotes = true
    }
    if (fields < width) ends[fields] = at
    for (let lacking = fields + 1; lacking < width; lacking++) starts[lacking] = ends[lacking] = at
    this.#fields = fields + 1
    this.#lineEnd = at
    this.#at = at + 1
    this.#quoted = null
    this.#isUtf8 = null
    if (!hasQuotes) return
    this.#quoted = quotedFields(this.#decode(this.#lineStart, at))
    this.#fields = this.#quoted.length
  }

  #readHeader(): void {
    const { requires, takes = [] } = this.#columns
    this.#scan(this.#bytes, this.#bytes.length)
    const names = quotedFields(this.line.replace(/^\uFEFF/, '')).map((name) => name.trim())
    const missing = requires.filter((name) => !names.includes(name))
    if (missing.length > 0)
      throw new FormatError(`${this.#member} lacks ${missing.join(', ')}; its header is ${names.join(', ').slice(0, 500)}`)
    this.#places = [...requires, ...takes].map((name) => names.indexOf(name))
    this.#width = names.length
    this.#named = names.findLastIndex((name) => name !== '') + 1
    this.#starts = new Int32Array(names.length)
    this.#ends = new Int32Array(names.length)
  }
}

function isBlank(byte: number): boolean {
  return byte === BLANK || byte === CARRIAGE_RETURN || byte === TAB
}

function isSame(text: string, bytes: Buffer, from: number): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) !== bytes[from + at]) return false
  return true
}

function boundsOf(bytes: Buffer): [from: number, to: number] {
  const text = bytes.toString('latin1')
  return [text.length - text.trimStart().length, text.trimEnd().length]
}

function timeOf(bytes: Buffer, from: number, to: number): number | null {
  if (from >= to) return null
  const colon = to - 6
  if (colon <= from || colon - from > 3 || bytes[colon] !== COLON || bytes[to - 3] !== COLON) return Number.NaN
  const hours = digits(bytes, from, colon)
  const minutes = digits(bytes, colon + 1, to - 3)
  const seconds = digits(bytes, to - 2, to)
  return minutes < 60 && seconds < 60 ? hours * 3600 + minutes * 60 + seconds : Number.NaN
}

function digits(bytes: Buffer, from: number, to: number): number {
  let number = 0
  for (let at = from; at < to; at++) {
    const digit = (bytes[at] as number) - ZERO
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    number = number * 10 + digit
  }
  return number
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
