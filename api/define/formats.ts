import { type Fields, placeOf, type RecordShape } from './fields.ts'

/** Representations of a reply, by the value of `format`, in order of preference. */
export const FORMATS = ['json', 'geojson', 'csv', 'ndjson', 'parquet', 'arrow'] as const
export type Format = (typeof FORMATS)[number]

/** Representations that are tables: rows of columns, made by one rule (`table.ts`). */
export const TABLE_FORMATS = ['csv', 'ndjson', 'parquet', 'arrow'] as const satisfies readonly Format[]
export type TableFormat = (typeof TABLE_FORMATS)[number]

/** Maximum rows of a table, for every endpoint. */
export const TABLE_ROWS_MOST = 100_000

/** Properties of a representation. */
interface FormatKind {
  /** Media type as the Content-Type header has it. */
  readonly type: string
  /** False if it is already compressed. */
  readonly isText: boolean
}

/** Every representation. */
export const FORMAT_KINDS: Readonly<Record<Format, FormatKind>> = Object.freeze({
  json: { type: 'application/json', isText: true },
  geojson: { type: 'application/geo+json', isText: true },
  csv: { type: 'text/csv; charset=utf-8', isText: true },
  ndjson: { type: 'application/x-ndjson', isText: true },
  parquet: { type: 'application/vnd.apache.parquet', isText: false },
  arrow: { type: 'application/vnd.apache.arrow.stream', isText: false },
})

/** CSV dialects: unchanged cells, or cells that spreadsheets do not interpret as formulas. */
export const DIALECTS = ['exact', 'excel'] as const
export type Dialect = (typeof DIALECTS)[number]

/** Parquet compression. */
export const CODECS = ['zstd', 'snappy'] as const
export type Codec = (typeof CODECS)[number]

/** Returns the formats of a reply in order of preference; the first is the default. Records without a place have no GeoJSON. */
export function formatsOf({ record, prefers }: { readonly record: RecordShape; readonly prefers?: Format }): readonly Format[] {
  const formats = isLocated(record.fields) ? FORMATS : FORMATS.filter((format) => format !== 'geojson')
  return prefers ? [prefers, ...formats.filter((format) => format !== prefers)] : formats
}

/** True if records have a place, and therefore a GeoJSON form. */
export function isLocated(fields: Fields): boolean {
  return placeOf(fields) !== null
}

/** True for a representation that is a table. */
export function isTable(format: Format): format is TableFormat {
  return (TABLE_FORMATS as readonly Format[]).includes(format)
}

/** The media type of a representation without its parameters, as Accept names it. */
export function essenceOf(format: Format): string {
  return FORMAT_KINDS[format].type.split(';')[0] as string
}
