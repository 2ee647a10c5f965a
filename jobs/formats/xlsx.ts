import { TextDecoder } from 'node:util'
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { FormatError } from '../feeds/define.ts'
import { decimalNumber } from './numbers.ts'
import { openZip, type Zip } from './zip.ts'

/** A cell's value: text, a number (dates are numbers of days), true or false, or null for an empty cell or an error. */
export type Cell = string | number | boolean | null

/** Limits of a workbook. */
interface XlsxLimits {
  /** Most bytes of all its parts together, unpacked. */
  readonly maxBytes: number
  /** Most characters of all shared texts; 64 million by default. They are the only part in memory. */
  readonly maxSharedChars?: number
}

/** A workbook whose sheets are read as streams. */
export interface Workbook {
  /** Names of the worksheets, in their order. */
  readonly sheets: readonly string[]
  /** Day 0 of its dates, ms; see `serialDate`. */
  readonly dayZero: number
  /**
   * The non-empty rows of a sheet, in batches, cells by column (A is 0); a row ends with its last value. Throws `FormatError`
   * for an unknown sheet or invalid content.
   */
  rows(sheet: string): AsyncGenerator<(readonly Cell[])[]>
}

/** Day 0 of both date systems (ECMA-376 part 1, 18.17.4.1), after 1900-02-28 in the first; Excel on macOS wrote the second. */
const [SYSTEM_1900, SYSTEM_1904] = [Date.UTC(1899, 11, 30), Date.UTC(1904, 0, 1)]
const DAY_MS = 86_400_000
const SHARED_CHARS = 64_000_000
/** Rows per batch. */
const BATCH = 512
/** The most columns a sheet has (XFD); ECMA-376 allows no more. */
const MOST_COLUMNS = 16_384
/** Characters of one cell that Excel allows. */
const MOST_CELL_CHARS = 32_767

/**
 * Opens an Office Open XML workbook (ECMA-376). The sheet list and shared texts are read at once, cells on demand: a sheet of
 * any size takes the memory of a batch. Formulas give their last value. Throws `FormatError` for an invalid or incomplete
 * workbook, one above the limits, or one with a DTD.
 */
export async function openXlsx(bytes: Buffer, limits: XlsxLimits): Promise<Workbook> {
  const zip = await openZip(bytes, { maxBytes: limits.maxBytes })
  const parts = await partsOf(zip)
  const shared = parts.shared === null ? [] : await sharedTexts(zip, parts.shared, limits.maxSharedChars ?? SHARED_CHARS)
  return {
    sheets: parts.sheets.map(({ name }) => name),
    dayZero: parts.dayZero,
    async *rows(name) {
      const sheet = parts.sheets.find((one) => one.name === name)
      if (!sheet) throw new FormatError(`the workbook has no sheet ${name}; it has ${parts.sheets.map((one) => one.name).join(', ')}`)
      yield* sheetRows(zip, sheet.part, shared)
    },
  }
}

/** The date (YYYY-MM-DD) of a cell's number of days; `dayZero` of its workbook, by default that of Excel. */
export function serialDate(days: number, dayZero = SYSTEM_1900): string {
  return new Date(dayZero + Math.floor(days) * DAY_MS).toISOString().slice(0, 10)
}

interface Parts {
  readonly sheets: readonly { readonly name: string; readonly part: string }[]
  readonly shared: string | null
  readonly dayZero: number
}

const MAIN = 'xl/workbook.xml'

/** Sheets and shared texts by the relations of the main part. */
async function partsOf(zip: Zip): Promise<Parts> {
  if (!zip.names.includes(MAIN)) throw new FormatError(`no workbook: the zip has ${zip.names.join(', ').slice(0, 300)}`)
  const listed: { name: string; relation: string }[] = []
  let dayZero = SYSTEM_1900
  await parsePart(zip, MAIN, {
    open: (name, attributes) => {
      if (name === 'workbookPr' && /^(?:1|true|on)$/.test(attributes['date1904'] ?? '')) dayZero = SYSTEM_1904
      if (name === 'sheet') listed.push({ name: attributes['name'] ?? '', relation: valueOf(attributes, 'id') ?? '' })
    },
  })
  const targets = new Map<string, string>()
  let shared: string | null = null
  await parsePart(zip, 'xl/_rels/workbook.xml.rels', {
    open: (name, { Id = '', Type = '', Target = '' }) => {
      if (name !== 'Relationship') return
      const part = Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`
      if (Type.endsWith('/sharedStrings')) shared = part
      if (Type.endsWith('/worksheet')) targets.set(Id, part)
    },
  })
  // Sheets other than worksheets (charts) have no rows.
  const sheets = listed.flatMap(({ name, relation }) => {
    const part = targets.get(relation)
    return part === undefined ? [] : [{ name, part }]
  })
  return { sheets, shared, dayZero }
}

async function sharedTexts(zip: Zip, part: string, most: number): Promise<string[]> {
  const texts: string[] = []
  let chars = 0
  let text = ''
  // Readings of Asian scripts (rPh) are no part of the text.
  let inPhonetic = false
  await parsePart(zip, part, {
    open: (name) => {
      if (name === 'si') text = ''
      if (name === 'rPh') inPhonetic = true
    },
    text: (piece, within) => {
      if (within === 't' && !inPhonetic) text += piece
    },
    close: (name) => {
      if (name === 'rPh') inPhonetic = false
      if (name !== 'si') return
      chars += text.length
      if (chars > most) throw new FormatError(`the workbook has more than ${most} characters of shared texts`)
      texts.push(text)
    },
  })
  return texts
}

async function* sheetRows(zip: Zip, part: string, shared: readonly string[]): AsyncGenerator<(readonly Cell[])[]> {
  let rows: Cell[][] = []
  let row: Cell[] = []
  let at = -1
  let type = 'n'
  let text = ''
  let isFull = false
  const reader = partReader(part, {
    open: (name, attributes) => {
      if (name === 'row') {
        row = []
        at = -1
      } else if (name === 'c') {
        const { r } = attributes
        at = r === undefined ? at + 1 : columnOf(r)
        type = attributes['t'] ?? 'n'
        text = ''
      }
    },
    text: (piece, within) => {
      if (within === 'v' || (within === 't' && type === 'inlineStr')) text += piece
      if (text.length > MOST_CELL_CHARS) throw new FormatError(`a cell of ${part} has more than ${MOST_CELL_CHARS} characters`)
    },
    close: (name) => {
      if (name === 'c') {
        const value = cellOf(type, text, shared)
        if (value === null) return
        while (row.length < at) row.push(null)
        row[at] = value
      } else if (name === 'row' && row.length > 0) {
        rows.push(row)
        isFull ||= rows.length >= BATCH
      }
    },
  })
  for await (const chunk of zip.read(part)) {
    reader.write(chunk)
    if (!isFull) continue
    yield rows
    rows = []
    isFull = false
  }
  reader.end()
  if (rows.length > 0) yield rows
}

/** The value of a cell's text, by the cell's type (ECMA-376 part 1, 18.18.11). */
function cellOf(type: string, text: string, shared: readonly string[]): Cell {
  if (text === '' || type === 'e') return null
  if (type === 's') {
    const found = shared[Number(text)]
    if (found === undefined) throw new FormatError(`a cell names shared text ${text}; there are ${shared.length}`)
    return found === '' ? null : found
  }
  if (type === 'b') return text === '1' || text === 'true'
  if (type !== 'n') return text
  const number = decimalNumber(text)
  if (Number.isNaN(number)) throw new FormatError(`a cell has ${JSON.stringify(text.slice(0, 40))} for a number`)
  return number
}

/** The column of a reference such as `BC12`; A is 0. */
function columnOf(reference: string): number {
  let column = 0
  let letters = 0
  for (; letters < reference.length; letters++) {
    const code = reference.charCodeAt(letters)
    if (code < 65 || code > 90) break
    column = column * 26 + (code - 64)
  }
  if (letters === 0 || column > MOST_COLUMNS) throw new FormatError(`${JSON.stringify(reference.slice(0, 20))} is no place of a cell`)
  return column - 1
}

type Attributes = Readonly<Record<string, string>>

/** Handlers of a part's elements, by local names. */
interface PartHandlers {
  readonly open: (name: string, attributes: Attributes) => void
  /** A piece of text and the element it stands in. */
  readonly text?: (piece: string, within: string) => void
  readonly close?: (name: string) => void
}

async function parsePart(zip: Zip, part: string, handlers: PartHandlers): Promise<void> {
  const reader = partReader(part, handlers)
  for await (const chunk of zip.read(part)) reader.write(chunk)
  reader.end()
}

/** Parses one part as it streams in. Office Open XML is UTF-8 or UTF-16; all known writers use UTF-8. */
function partReader(part: string, { open, text, close }: PartHandlers): { write(chunk: Buffer): void; end(): void } {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parser = new SaxesParser()
  const within: string[] = []
  parser.on('error', (error) => {
    throw new FormatError(`${part} of the workbook is not well-formed: ${error.message}`)
  })
  parser.on('doctype', () => {
    throw new FormatError(`${part} of the workbook has a DTD`)
  })
  parser.on('opentag', (tag: SaxesTagPlain) => {
    const name = localName(tag.name)
    within.push(name)
    open(name, tag.attributes as Attributes)
  })
  parser.on('closetag', () => {
    const name = within.pop() as string
    close?.(name)
  })
  if (text) parser.on('text', (piece) => text(piece, within.at(-1) ?? ''))
  const decode = (chunk?: Buffer): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch (cause) {
      throw new FormatError(`${part} of the workbook is no UTF-8`, { cause })
    }
  }
  return {
    write: (chunk) => void parser.write(decode(chunk)),
    end: () => void parser.write(decode()).close(),
  }
}

function localName(name: string): string {
  const colon = name.indexOf(':')
  return colon < 0 ? name : name.slice(colon + 1)
}

/** An attribute by its local name: writers choose the prefix of relations freely. */
function valueOf(attributes: Attributes, local: string): string | undefined {
  return attributes[local] ?? Object.entries(attributes).find(([name]) => localName(name) === local)?.[1]
}
