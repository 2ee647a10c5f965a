import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
} from '@duckdb/node-api'
import { type DataType, type Decimal, Type, tableFromIPC } from 'apache-arrow'
import { parse } from 'csv-parse/sync'
import { parquetReadObjects } from 'hyparquet'
// @ts-expect-error: the package has no types
import parquetjs from 'parquetjs-lite'
import { type Fields, isNested, placeOf } from '../../../api/kernel/fields.ts'
import { type CellType, tableColumns } from '../../../api/kernel/reads/table.ts'
import { ofWkb } from '../../../lake/query/wkb.ts'
import type { Column } from '../../../lake/schema/columns.ts'
import { GEOMETRY_TYPES, type GeometryKind, isGeometry } from '../../../lake/schema/columns.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { tempFolder } from '../../helpers/temp.ts'
import type { Reply } from '../service.ts'

/** A row as every reader returns it: JSON values by column, numbers as numbers or, beyond 2^53, as texts. */
export type FlatRow = Record<string, unknown>

/** A record of a JSON reply as a table shows it, built without the product's table code. */
export function flattened(fields: Fields, record: Reply): FlatRow {
  const row: FlatRow = {}
  for (const [name, field] of Object.entries(fields)) {
    const held = record?.[name] ?? null
    if (!isNested(field)) {
      if (field.kind !== 'point') row[name] = held
      else
        for (const axis of ['lat', 'lon'])
          row[name === 'position' ? axis : `${name}_${axis}`] = record?.[name === 'position' ? axis : `${name}_${axis}`] ?? null
    } else if (field.kind === 'objects') row[name] = held?.map((one: Reply) => flattened(field.fields, one)) ?? null
    else if (field.kind === 'object')
      for (const [inner, value] of Object.entries(flattened(field.fields, held))) row[`${name}_${inner}`] = value
    else {
      const { codes = {} } = field.keys ?? {}
      for (const code of Object.keys(codes))
        for (const [inner, value] of Object.entries(flattened(field.fields, held?.[code])))
          row[`${name}_${code.toLowerCase()}_${inner}`] = value
      const others = Object.entries(held ?? {}).filter(([code]) => !Object.hasOwn(codes, code))
      row[`${name}_other`] =
        others.length === 0 ? null : Object.fromEntries(others.map(([code, one]) => [code, flattened(field.fields, one)]))
    }
  }
  return row
}

/** Rows of CSV by csv-parse. */
export function rowsOfCsv(fields: Fields, text: string, { separator = ',', point = '.' } = {}): FlatRow[] {
  const types = new Map(tableColumns(fields).map(({ name, type }) => [name, type]))
  const cast = (value: string, { quoting, header, column }: { quoting: boolean; header: boolean; column: string | number }): unknown => {
    if (header) return value
    if (value === '' && !quoting) return null
    const type = types.get(String(column)) as CellType
    return ofText(type, type.kind === 'decimal' || type.kind === 'float' ? value.replace(point, '.') : value)
  }
  return parse(text, { columns: true, bom: true, delimiter: separator, cast: cast as never, record_delimiter: '\r\n' })
}

function ofText({ kind }: CellType, text: string): unknown {
  if (kind === 'boolean') return text === 'true'
  if (kind === 'decimal' || kind === 'float') return Number(text)
  if (kind === 'integer') return Number.isSafeInteger(Number(text)) ? Number(text) : text
  return ['json', 'list', 'rows'].includes(kind) || isGeometry(kind) ? JSON.parse(text) : text
}

/** Rows of NDJSON, line by line. */
export function rowsOfNdjson(fields: Fields, text: string): FlatRow[] {
  return recordsOfNdjson(text).map((record) => {
    const row = flattened(fields, record)
    const columns = tableColumns(fields).filter(({ member }) => Object.hasOwn(record, member))
    return Object.fromEntries(columns.map(({ name }) => [name, row[name]]))
  })
}

/** The records of NDJSON, one a line. */
export function recordsOfNdjson(text: string): Reply[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

let duckdb: DuckDBConnection | null = null

/** Rows of Parquet by DuckDB, and the file's key-values. */
export async function rowsOfDuckdb(fields: Fields, bytes: Buffer): Promise<{ rows: FlatRow[]; about: Map<string, string> }> {
  const path = join(tempFolder(), 'table.parquet')
  await writeFile(path, bytes)
  duckdb ??= await (await DuckDBInstance.create(':memory:')).connect()
  const types = typesOf(fields)
  const found = await duckdb.runAndReadAll(`SELECT * FROM read_parquet('${path}')`)
  const names = found.columnNames()
  const rows = found
    .getRows()
    .map((row) =>
      withoutGeometry(fields, Object.fromEntries(row.map((value, at) => [names[at], plain(types.get(names[at] as string), value)]))),
    )
  const keys = await duckdb.runAndReadAll(`SELECT decode(key), decode(value) FROM parquet_kv_metadata('${path}')`)
  return { rows, about: new Map(keys.getRows() as [string, string][]) }
}

/** The points in the column `geometry` of GeoParquet, as [lon, lat]; null for other shapes and none. */
export async function pointsOfDuckdb(bytes: Buffer): Promise<(readonly [number, number] | null)[]> {
  const path = join(tempFolder(), 'points.parquet')
  await writeFile(path, bytes)
  duckdb ??= await (await DuckDBInstance.create(':memory:')).connect()
  const found = await duckdb.runAndReadAll(`SELECT geometry FROM read_parquet('${path}')`)
  return found.getRows().map(([value]) => {
    const wkb = (value as { bytes?: Uint8Array } | null)?.bytes
    if (!wkb || wkb[1] !== WKB_POINT) return null
    const view = new DataView(wkb.buffer, wkb.byteOffset)
    return [view.getFloat64(5, true), view.getFloat64(13, true)]
  })
}

/** Rows of Parquet by hyparquet, which supports snappy. */
export async function rowsOfHyparquet(fields: Fields, bytes: Buffer): Promise<FlatRow[]> {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
  const types = typesOf(fields)
  const rows = await parquetReadObjects({ file })
  return rows.map((row) =>
    withoutGeometry(fields, Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(types.get(name), value)]))),
  )
}

/** Rows of Parquet by parquetjs-lite, which is old. */
export async function rowsOfParquetjs(fields: Fields, bytes: Buffer): Promise<FlatRow[]> {
  const types = typesOf(fields)
  const reader = await parquetjs.ParquetReader.openBuffer(bytes)
  const cursor = reader.getCursor()
  const rows: FlatRow[] = []
  const names = Object.keys(reader.getSchema().schema)
  for (let row = await cursor.next(); row; row = await cursor.next())
    rows.push(withoutGeometry(fields, Object.fromEntries(names.map((name) => [name, plain(types.get(name), row[name] ?? null)]))))
  return rows
}

/** Rows of an Arrow stream by apache-arrow, and the schema's metadata. */
export function rowsOfArrow(fields: Fields, bytes: Uint8Array): { rows: FlatRow[]; about: Map<string, string> } {
  const types = typesOf(fields)
  const table = tableFromIPC(bytes)
  const rows = [...table].map((row) =>
    Object.fromEntries(table.schema.fields.map(({ name, type }) => [name, plain(types.get(name), ofArrow(type, row?.[name] ?? null))])),
  )
  return { rows, about: table.schema.metadata }
}

function ofArrow(type: DataType, value: unknown): unknown {
  if (value === null) return null
  if (type.typeId === Type.Decimal) {
    const { precision, scale } = type as Decimal
    return new DuckDBDecimalValue(bigOf(value as Uint32Array), precision, scale)
  }
  if (type.typeId === Type.List) return [...(value as Iterable<unknown>)].map((item) => ofArrow(type.children[0]?.type as DataType, item))
  if (type.typeId === Type.Struct)
    return Object.fromEntries(
      type.children.map((field: { name: string; type: DataType }) => [field.name, ofArrow(field.type, (value as Reply)[field.name])]),
    )
  return value
}

function bigOf(words: Uint32Array): bigint {
  return BigInt.asIntN(
    128,
    [...words].reduceRight((whole, word) => (whole << 32n) | BigInt(word), 0n),
  )
}

function typesOf(fields: Fields): Map<string, CellType> {
  return new Map(tableColumns(fields).map(({ name, type }) => [name, type]))
}

/** The geometry of GeoParquet must be the point of `lat` and `lon`, unless the record has one of its own; then it is left out. */
function withoutGeometry(fields: Fields, row: FlatRow): FlatRow {
  if (placeOf(fields) !== 'position' || !('geometry' in row)) return row
  const { geometry, ...others } = row
  const wkb = geometry as Uint8Array | { coordinates: unknown } | null
  const place = wkb === null ? null : wkb instanceof Uint8Array ? pointOf(wkb) : wkb.coordinates
  if (JSON.stringify(place) !== JSON.stringify(row['lat'] === null ? null : [row['lon'], row['lat']]))
    throw new Error(`geometry ${JSON.stringify(place)} is not the place`)
  return others
}

function pointOf(wkb: Uint8Array): [number, number] {
  const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength)
  return [view.getFloat64(5, true), view.getFloat64(13, true)]
}

/** A reader's value as JSON has it. */
function plain(type: CellType | undefined, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (!type) return value instanceof Object && 'bytes' in value ? (value as { bytes: Uint8Array }).bytes : value
  switch (type.kind) {
    case 'rows':
      return itemsOf(value).map((item) => {
        const entries = item instanceof DuckDBStructValue ? item.entries : (item as Record<string, unknown>)
        return Object.fromEntries(type.columns.map((column) => [column.name, plain(column.type, entries[column.name])]))
      })
    case 'list':
      return itemsOf(value).map((item) => plain(type.of as Column, item))
    case 'json':
      return typeof value === 'string' ? JSON.parse(value) : value
    case 'integer':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
    case 'service_time':
      return [Math.floor(Number(value) / 3600), Math.floor(Number(value) / 60) % 60, Number(value) % 60]
        .map((part) => String(part).padStart(2, '0'))
        .join(':')
    case 'decimal':
      if (value instanceof DuckDBDecimalValue) return Number(`${value.value}e-${value.scale}`)
      return Number(value)
    case 'instant':
      if (value instanceof DuckDBTimestampTZValue) return isoInstant(Number(value.micros) / 1000)
      return isoInstant(value instanceof Date ? value.getTime() : Number(value))
    case 'local_date':
      if (value instanceof DuckDBDateValue) return new Date(value.days * 86_400_000).toISOString().slice(0, 10)
      return new Date(value as number).toISOString().slice(0, 10)
    case 'line':
    case 'polygon':
    case 'multipolygon':
      return geometryOf(type.kind, value)
    default:
      return Buffer.isBuffer(value) ? value.toString() : value
  }
}

const WKB_POINT = 1

function geometryOf(kind: GeometryKind, value: unknown): unknown {
  const { bytes, type } = value as { readonly bytes?: Uint8Array; readonly type?: string }
  const wkb = value instanceof Uint8Array ? value : bytes
  // A record without a shape has its position there, as in GeoJSON.
  if (wkb?.[1] === WKB_POINT || type === 'Point') return null
  if (!wkb) return value
  return { type: GEOMETRY_TYPES[kind], coordinates: ofWkb(kind, wkb) }
}

function itemsOf(value: unknown): unknown[] {
  if (value instanceof DuckDBListValue) return [...value.items]
  if (Array.isArray(value)) return value
  const { list } = value as { list?: { element: unknown }[] }
  return (list ?? []).map(({ element }) => element)
}
