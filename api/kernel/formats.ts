import { type Fields, placeOf, type RecordShape } from './fields.ts'

/** Representations of a reply, by the value of `format`, in order of preference. */
export const FORMATS = ['json', 'geojson', 'csv', 'ndjson', 'parquet', 'arrow'] as const
export type Format = (typeof FORMATS)[number]

/** Representations that are tables: rows of columns, made by one rule (`table.ts`). */
export const TABLE_FORMATS = ['csv', 'ndjson', 'parquet', 'arrow'] as const satisfies readonly Format[]
export type TableFormat = (typeof TABLE_FORMATS)[number]

/** Maximum rows of a table, for every endpoint. */
export const MAX_TABLE_ROWS = 100_000

/** Properties of a representation. */
interface FormatKind {
  /** Media type as the Content-Type header has it. */
  readonly type: string
  /** False if it is already compressed. */
  readonly isText: boolean
  /** Ending of the name of a saved file; null for replies that browsers show. */
  readonly ending: string | null
}

/** Every representation. `arrows` is IANA's ending of Arrow streams; `arrow` is that of Arrow files. */
export const FORMAT_KINDS: Readonly<Record<Format, FormatKind>> = Object.freeze({
  json: { type: 'application/json', isText: true, ending: null },
  geojson: { type: 'application/geo+json', isText: true, ending: 'geojson' },
  csv: { type: 'text/csv; charset=utf-8', isText: true, ending: 'csv' },
  ndjson: { type: 'application/x-ndjson', isText: true, ending: 'ndjson' },
  parquet: { type: 'application/vnd.apache.parquet', isText: false, ending: 'parquet' },
  arrow: { type: 'application/vnd.apache.arrow.stream', isText: false, ending: 'arrows' },
})

/** How a dialect of CSV writes cells. */
interface DialectKind {
  /** Text before the header. Excel takes a file without a byte order mark for Windows-1252. */
  readonly begin: string
  readonly separator: string
  /** The decimal separator of numbers. */
  readonly point: string
  /** True if texts stay texts in spreadsheets: an apostrophe before formulas, `="08796"` for what looks like a number. */
  readonly isGuarded: boolean
}

/** CSV dialects: RFC 4180 with unchanged cells, and what Excel opens by double click with Spanish or English settings. */
export const DIALECT_KINDS = Object.freeze({
  exact: { begin: '', separator: ',', point: '.', isGuarded: false },
  excel: { begin: '\uFEFF', separator: ';', point: ',', isGuarded: true },
  'excel-en': { begin: '\uFEFF', separator: ',', point: '.', isGuarded: true },
}) satisfies Readonly<Record<string, DialectKind>>
export type Dialect = keyof typeof DIALECT_KINDS
export const DIALECTS = Object.freeze(Object.keys(DIALECT_KINDS)) as readonly Dialect[]

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
