import { stringify } from 'csv-stringify/sync'
import type { Json } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import type { RecordShape } from '../../define/fields.ts'
import type { Dialect } from '../../define/formats.ts'
import { recordTextWriter, recordWriter } from '../../define/shape.ts'
import { type CellType, cellJson, type TableColumn } from '../../define/table.ts'
import { Turn } from '../turns.ts'
import type { Draft, Parts } from './spool.ts'

/** Writes records into a draft, batch after batch. */
export interface TableWriter {
  write(records: readonly AnyRow[]): Promise<void>
  /** Writes what comes after the last record. */
  end(): Promise<void>
}

/** What takes texts of whole lines. */
type Lines = Pick<Draft | Parts, 'write'>

/** Records in a piece of text. A text of more than 128 KB is one that V8 keeps among the old: it costs a whole collection. */
const RECORDS_A_PIECE = 32

/** Writes CSV (RFC 4180): a header, lines that end with CR LF, nothing for null and `""` for an empty text; lists are JSON text. */
export function csvWriter(draft: Draft, columns: readonly TableColumn[], dialect: Dialect): TableWriter {
  const cells = columns.map(({ type, of }) => {
    const text = dialect === 'excel' ? excelText(type) : (value: unknown) => cellText(type, value)
    return (record: AnyRow): string | null => text(of(record))
  })
  const header = columns.map(({ name }) => name)
  let isBegun = false
  const begin = async (): Promise<void> => {
    isBegun = true
    await draft.write(csvLines([header]))
  }
  return {
    async write(records) {
      if (!isBegun) await begin()
      await inPieces(records, draft, (piece) => csvLines(piece.map((record) => cells.map((cell) => cell(record)))))
    },
    async end() {
      if (!isBegun) await begin()
    },
  }
}

/** Lines of CSV. */
export function csvLines(rows: readonly (readonly (string | null)[])[]): string {
  return stringify(rows as (string | null)[][], { record_delimiter: 'windows', quoted_match: /^$/ })
}

/** Writes NDJSON: each record as JSON replies have it, with all its members or only some, one a line. */
export function ndjsonWriter(draft: Lines, shape: RecordShape, fields: readonly string[] | null): TableWriter {
  const some = fields && recordWriter(shape, new Set(fields))
  const text = some ? (record: AnyRow) => JSON.stringify(some(record)) : recordTextWriter(shape)
  return lineWriter(draft, text)
}

/** Gives a cell's JSON value; the column's name is for errors. */
type CellWriter = (type: CellType, value: unknown, name: string) => Json

/** Writes rows for the engine to read: a JSON object a line, every column a member, of the value that `cell` gives. */
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

/** The text of a cell in CSV; null where it is empty. Decimals have all their digits, as the lake's engine writes them. */
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

function excelText(type: CellType): (value: unknown) => string | null {
  if (type.kind !== 'string' && type.kind !== 'code') return (value) => cellText(type, value)
  return (value) => (FORMULA.test(value as string) ? `'${value}` : (value as string | null))
}

/** A decimal with all the digits of its scale; with more where it has more. */
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
