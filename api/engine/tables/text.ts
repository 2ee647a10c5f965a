import { stringify } from 'csv-stringify/sync'
import type { Json } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import type { RecordShape } from '../../kernel/fields.ts'
import { DIALECT_KINDS, type Dialect } from '../../kernel/formats.ts'
import { Turn } from '../../kernel/http/turns.ts'
import { recordTextWriter, recordWriter } from '../../kernel/reads/shape.ts'
import { type CellType, cellJson, type TableColumn } from '../../kernel/reads/table.ts'
import type { Draft, Parts } from './spool.ts'

/** Writes records into a draft, batch after batch. */
export interface TableWriter {
  write(records: readonly AnyRow[]): Promise<void>
  /** Writes what comes after the last record. */
  end(): Promise<void>
}

/** Accepts texts of whole lines. */
type Lines = Pick<Draft | Parts, 'write'>

/** Records in one piece of text. V8 moves texts above 128 KB to its old generation, which costs a full collection. */
const RECORDS_A_PIECE = 32

/** Writes CSV: a header, CR LF after each line, nothing for null, `""` for an empty text, and JSON text for lists. */
export function csvWriter(draft: Draft, columns: readonly TableColumn[], dialect: Dialect): TableWriter {
  const { begin: mark, separator } = DIALECT_KINDS[dialect]
  const cells = columns.map(({ type, of }) => {
    const text = dialectText(type, dialect)
    return (record: AnyRow): string | null => text(of(record))
  })
  const header = columns.map(({ name }) => name)
  let isBegun = false
  const begin = async (): Promise<void> => {
    isBegun = true
    await draft.write(mark + csvLines([header], separator))
  }
  return {
    async write(records) {
      if (!isBegun) await begin()
      await inPieces(records, draft, (piece) =>
        csvLines(
          piece.map((record) => cells.map((cell) => cell(record))),
          separator,
        ),
      )
    },
    async end() {
      if (!isBegun) await begin()
    },
  }
}

/** Writes lines of CSV. */
export function csvLines(rows: readonly (readonly (string | null)[])[], delimiter = ','): string {
  return stringify(rows as (string | null)[][], { delimiter, record_delimiter: 'windows', quoted_match: /^$/ })
}

/** Writes NDJSON: one record per line, as in JSON replies, with all or some members. */
export function ndjsonWriter(draft: Lines, shape: RecordShape, fields: readonly string[] | null): TableWriter {
  const some = fields && recordWriter(shape, new Set(fields))
  const text = some ? (record: AnyRow) => JSON.stringify(some(record)) : recordTextWriter(shape)
  return lineWriter(draft, text)
}

/** Returns a cell's JSON value; the column's name is for errors. */
type CellWriter = (type: CellType, value: unknown, name: string) => Json

/** Writes rows for the engine to read: one JSON object per line, with a member for every column as `cell` returns it. */
export function stagedWriter(draft: Lines, columns: readonly TableColumn[], cell: CellWriter): TableWriter {
  const members = columns.map(({ name, type, of }, at) => {
    const begin = `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`
    return (record: AnyRow): string => begin + JSON.stringify(cell(type, of(record), name))
  })
  return lineWriter(draft, (record) => `${members.map((member) => member(record)).join('')}}`)
}

function lineWriter(draft: Lines, text: (record: AnyRow) => string): TableWriter {
  return {
    write: (records) => inPieces(records, draft, (piece) => piece.map((record) => `${text(record)}\n`).join('')),
    end: async () => {},
  }
}

/** Returns the text of a cell in CSV; null if it is empty. Decimals have all their digits, as the lake's engine writes them. */
export function cellText(type: CellType, value: unknown): string | null {
  if (value === null || value === undefined) return null
  switch (type.kind) {
    case 'string':
    case 'code':
      return value as string
    case 'decimal':
      return decimalText(value as number, type.scale ?? 0)
    case 'json':
    case 'line':
    case 'polygon':
    case 'multipolygon':
    case 'list':
    case 'rows':
      return JSON.stringify(cellJson(type, value))
    default:
      return String(cellJson(type, value))
  }
}

/** Texts that a spreadsheet takes for formulas. */
const FORMULA = /^[=+\-@\t\r]/
/** Texts that a spreadsheet takes for numbers or dates: `08796` would lose its zero, `="08796"` stays a text. RE2 syntax. */
export const NUMBER_LIKE = '^[0-9][0-9.,/eE+-]*$'
const numberLike = new RegExp(NUMBER_LIKE)

function guarded(text: string | null): string | null {
  if (text === null || text === undefined) return null
  if (FORMULA.test(text)) return `'${text}`
  return numberLike.test(text) ? `="${text}"` : text
}

function dialectText(type: CellType, dialect: Dialect): (value: unknown) => string | null {
  const { isGuarded, point } = DIALECT_KINDS[dialect]
  const { kind } = type
  if (isGuarded && (kind === 'string' || kind === 'code')) return (value) => guarded(value as string | null)
  if (point !== '.' && (kind === 'decimal' || kind === 'float')) return (value) => cellText(type, value)?.replace('.', point) ?? null
  return (value) => cellText(type, value)
}

/** Returns a decimal with all digits of its scale, or more if it has more. */
export function decimalText(value: number, scale: number): string {
  const text = value.toFixed(scale)
  return Number(text) === value ? text : String(value)
}

async function inPieces(records: readonly AnyRow[], draft: Lines, textOf: (piece: readonly AnyRow[]) => string): Promise<void> {
  const turn = new Turn()
  for (let at = 0; at < records.length; at += RECORDS_A_PIECE) {
    await draft.write(textOf(records.slice(at, at + RECORDS_A_PIECE)))
    if (turn.isOver) await turn.next()
  }
}
