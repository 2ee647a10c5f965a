import {
  type DuckDBBlobValue,
  type DuckDBDataChunk,
  type DuckDBDateValue,
  type DuckDBDecimalType,
  type DuckDBDecimalValue,
  type DuckDBListType,
  type DuckDBListValue,
  type DuckDBStructType,
  type DuckDBStructValue,
  type DuckDBTimestampTZValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api'
import { type Column, type Columns, isGeometry } from '../schema/columns.ts'
import type { AnyRow } from '../schema/dataset.ts'
import { type ColumnReader, vectorReader } from './read-vectors.ts'
import { dateOfDays, decimalOf, instantOfMicros, parseJson, wholeNumber } from './values.ts'
import { ofWkb } from './wkb.ts'

/** The names and types of a result's columns. */
interface Head {
  readonly names: readonly string[]
  readonly types: readonly DuckDBType[]
}

type ToRow = (value: DuckDBValue) => unknown

/**
 * Creates the reader of a result's chunks: instants in ms, decimals as numbers, integers beyond 2^53 as bigint, dates as
 * YYYY-MM-DD; JSON, geometries and points (from `_lat` and `_lon`) as `columns` declares. Names in `room` without a column become
 * null members.
 */
export function rowReader(head: Head, columns: Columns, room: readonly string[] = []): (chunk: DuckDBDataChunk) => AnyRow[] {
  const readers = head.types.map((type, at) => columnReader(type, columns[head.names[at] as string]))
  const points = pointsOf(head, columns)
  const parts = new Set(points.flatMap(({ lat, lon }) => [lat, lon]))
  const cells = head.names.flatMap((name, at) => (parts.has(at) ? [] : [{ name, at }]))
  const blank = blankRow([...cells, ...points].map(({ name }) => name).concat(room))
  return (chunk) => {
    const values = readers.map((read, at) => read(chunk, at))
    const rows: AnyRow[] = []
    const { rowCount } = chunk
    for (let at = 0; at < rowCount; at++) {
      const row = { ...blank }
      for (const cell of cells) row[cell.name] = (values[cell.at] as unknown[])[at]
      for (const { name, lat, lon } of points) row[name] = pointOf(values[lat]?.[at], values[lon]?.[at])
      rows.push(row)
    }
    return rows
  }
}

/**
 * A row of nulls to copy, so that rows have all members from the start: adding them one by one moves the row in memory. It is
 * parsed, as V8 turns objects that gain many computed names into hash tables, whose copies cost several times more.
 */
function blankRow(names: readonly string[]): AnyRow {
  return JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, null])))) as AnyRow
}

function columnReader(type: DuckDBType, declared: Column | undefined): ColumnReader {
  const quick = vectorReader(type, isJson(type, declared))
  if (quick) return quick
  const read = toRow(type, declared)
  return (chunk, at) => {
    const vector = chunk.getColumnVector(at)
    return Array.from({ length: vector.itemCount }, (_, row) => {
      const value = vector.getItem(row) as DuckDBValue
      return value === null ? null : read(value)
    })
  }
}

function isJson(type: DuckDBType, declared: Column | undefined): boolean {
  return declared ? declared.kind === 'json' : type.alias === 'JSON'
}

function pointsOf(head: Head, columns: Columns): { name: string; lat: number; lon: number }[] {
  return Object.keys(columns).flatMap((name) => {
    if (columns[name]?.kind !== 'point') return []
    const [lat, lon] = [head.names.indexOf(`${name}_lat`), head.names.indexOf(`${name}_lon`)]
    return lat < 0 || lon < 0 ? [] : [{ name, lat, lon }]
  })
}

function pointOf(lat: unknown, lon: unknown): { lat: number; lon: number } | null {
  return lat === null || lat === undefined || lon === null || lon === undefined ? null : { lat: lat as number, lon: lon as number }
}

const asIs: ToRow = (value) => value

function toRow(type: DuckDBType, declared: Column | undefined): ToRow {
  switch (type.typeId) {
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.UBIGINT:
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT:
      return (value) => wholeNumber(value as bigint)
    case DuckDBTypeId.DECIMAL: {
      const { scale } = type as DuckDBDecimalType
      return (value) => decimalOf((value as DuckDBDecimalValue).value, scale)
    }
    case DuckDBTypeId.TIMESTAMP_TZ:
    case DuckDBTypeId.TIMESTAMP:
      return (value) => instantOfMicros((value as DuckDBTimestampTZValue).micros)
    case DuckDBTypeId.DATE:
      return (value) => dateOfDays((value as DuckDBDateValue).days)
    case DuckDBTypeId.VARCHAR:
      return isJson(type, declared) ? (value) => parseJson(value as string) : asIs
    case DuckDBTypeId.BLOB: {
      const kind = declared?.kind
      if (isGeometry(kind)) return (value) => ofWkb(kind, (value as DuckDBBlobValue).bytes)
      return (value) => Buffer.from((value as DuckDBBlobValue).bytes)
    }
    case DuckDBTypeId.LIST: {
      const read = toRow((type as DuckDBListType).valueType, declared?.of)
      return (value) => (value as DuckDBListValue).items.map((item) => (item === null ? null : read(item)))
    }
    case DuckDBTypeId.STRUCT: {
      const { entryNames, entryTypes } = type as DuckDBStructType
      const readers = entryTypes.map((entry) => toRow(entry, undefined))
      return (value) => structOf(value as DuckDBStructValue, entryNames, readers)
    }
    case DuckDBTypeId.BOOLEAN:
    case DuckDBTypeId.TINYINT:
    case DuckDBTypeId.SMALLINT:
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.UTINYINT:
    case DuckDBTypeId.USMALLINT:
    case DuckDBTypeId.UINTEGER:
    case DuckDBTypeId.FLOAT:
    case DuckDBTypeId.DOUBLE:
    case DuckDBTypeId.ENUM:
      return asIs
    default:
      return String
  }
}

function structOf(value: DuckDBStructValue, names: readonly string[], readers: readonly ToRow[]): AnyRow {
  const row: AnyRow = {}
  for (const [at, name] of names.entries()) {
    const entry = value.entries[name] ?? null
    row[name] = entry === null ? null : (readers[at] as ToRow)(entry)
  }
  return row
}
