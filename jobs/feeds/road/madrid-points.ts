import type { Point } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { type CsvTable, readCsv } from '../../formats/csv.ts'
import { eitherNumber, wholeNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { openXlsx } from '../../formats/xlsx.ts'
import { type Diagnostics, FormatError } from '../define.ts'
import { watchPresence } from '../presence.ts'
import { MADRID_PLACE, madridPosition } from './madrid-places.ts'

/** A measuring point in an edition of the catalogue. */
interface MeasuringPoint {
  readonly sensor_id: string
  readonly city: string
  readonly sensor_type: string
  readonly name: string | null
  readonly centre_code: string | null
  readonly district: number | null
  readonly position: Point | null
  readonly municipality_code: string
}

/** `tipo_elem`; in words until 2017, and the M-30 is spelt `M-30` in 2018 and `M30` since. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['URB', 'URBAN'],
  ['M30', 'M30'],
  ['M-30', 'M30'],
  ['PUNTOS DE MEDIDA URBANOS', 'URBAN'],
  ['PUNTOS DE MEDIDA M-30', 'M30'],
  ['other', 'OTHER'],
])

/** Columns of every edition, with the names of 2016 last. */
const COLUMNS = { id: ['id', 'idelem'], centre: ['cod_cent', 'identif'], name: ['nombre'], type: ['tipo_elem'] } as const
/** Coordinates: with a decimal comma and without district in 2018, with a decimal point since 2023. */
const PLACES = [
  ['x', 'y'],
  ['st_x', 'st_y'],
  ['utm_x', 'utm_y', 'distrito'],
] as const
/** Size limit of a decompressed workbook; one of 2024 has 13 MB, mostly blank rows. */
const MOST_UNPACKED = 128_000_000

/**
 * The table of a CSV edition. Records with another number of fields are quarantined. Throws `FormatError` for another format.
 */
export function pointsOfCsv(bytes: Buffer, { into, diagnostics }: { readonly into: Dataset; readonly diagnostics: Diagnostics }): CsvTable {
  const table = readCsv(decodeText(bytes), { delimiter: ';', requires: [], lenient: true, endsLines: true })
  for (const { line, text } of table.misshapen) diagnostics.reject(into, 'another number of fields', `line ${line}: ${text}`)
  return table
}

/**
 * The table of an edition published as a workbook: the first sheet whose first row has its columns, whatever its name. Throws
 * `FormatError` if there is none.
 */
export async function pointsOfWorkbook(bytes: Buffer): Promise<CsvTable> {
  const workbook = await openXlsx(bytes, { maxBytes: MOST_UNPACKED })
  for (const sheet of workbook.sheets) {
    let header: readonly string[] | null = null
    const records: (readonly string[])[] = []
    for await (const rows of workbook.rows(sheet)) {
      const lines = rows.map((cells) => cells.map((cell) => (cell === null ? '' : String(cell))))
      header ??= (lines.shift() as readonly string[]).map((name) => name.trim())
      if (missingOf(header).length > 0) break
      records.push(...lines)
    }
    const names = header
    if (names !== null && missingOf(names).length === 0) return { header: names, records, misshapen: [], at: (name) => names.indexOf(name) }
  }
  throw new FormatError(`no sheet of the workbook has the columns of measuring points; there are ${workbook.sheets.join(', ')}`)
}

/**
 * The points of an edition's table. Points without an id are quarantined, for the dataset `into`. Throws `FormatError` for a
 * missing column, or if no point has a name, a code or a position in Madrid, as in an edition whose coordinates a spreadsheet
 * damaged.
 */
export function readPoints(
  table: CsvTable,
  { into, diagnostics }: { readonly into: Dataset; readonly diagnostics: Diagnostics },
): MeasuringPoint[] {
  const missing = missingOf(table.header)
  if (missing.length > 0) throw new FormatError(`the header lacks ${missing.join(', ')}; it has ${table.header.join(', ').slice(0, 500)}`)
  const at = Object.fromEntries(Object.entries(COLUMNS).map(([what, names]) => [what, placeOf(table.header, names)]))
  const [x, y] = placesOf(table.header).map((name) => table.at(name)) as [number, number]
  const district = table.at('distrito')
  const presence = watchPresence<MeasuringPoint>('points', {
    'a nombre': (point) => point.name !== null,
    'a position in Madrid': (point) => point.position !== null,
  })
  for (const name of ['cod_cent', ...placesOf(table.header).slice(2)])
    if (placeOf(table.header, name === 'cod_cent' ? COLUMNS.centre : [name]) < 0) diagnostics.warn(`no column ${name}`)
  const points: MeasuringPoint[] = []
  for (const record of table.records) {
    const text = (column: number | undefined): string => record[column ?? -1]?.trim() ?? ''
    const sensor_id = text(at['id'])
    if (sensor_id === '') {
      diagnostics.reject(into, 'no id', record.join(';'))
      continue
    }
    const type = text(at['type'])
    const point: MeasuringPoint = {
      sensor_id,
      city: MADRID_PLACE.city,
      sensor_type: TYPES.get(type) ?? type,
      name: text(at['name']) || null,
      centre_code: text(at['centre']) || null,
      district: districtOf(text(district)),
      position: madridPosition(coordinate(text(x)), coordinate(text(y)), diagnostics),
      municipality_code: MADRID_PLACE.municipality_code,
    }
    presence.see(point)
    points.push(point)
  }
  presence.end()
  return points
}

/** Needed columns missing from a header, by their current names: those of every point, and the coordinates. */
function missingOf(header: readonly string[]): string[] {
  const { centre: _centre, ...needed } = COLUMNS
  const absent = Object.values(needed).filter((names) => placeOf(header, names) < 0)
  const [x, y] = placesOf(header) as [string, string]
  return [...absent.map(([name]) => name), ...[x, y].filter((name) => !header.includes(name))]
}

const placeOf = (header: readonly string[], names: readonly string[]): number => header.findIndex((name) => names.includes(name))

/** The coordinate columns of a header, recognized by the first one; the newest if unknown. */
function placesOf(header: readonly string[]): readonly string[] {
  return PLACES.find(([x]) => header.includes(x)) ?? (PLACES.at(-1) as readonly string[])
}

/** Null if empty; any other text that is not a number is invalid. */
function districtOf(text: string): number | null {
  return text === '' ? null : (wholeNumber(text) ?? Number.NaN)
}

/**
 * Recognizes the notation, which differs by edition; coordinates never have thousands separators. NaN for anything else,
 * including `n/d`.
 */
function coordinate(text: string): number | null {
  if (text === '') return null
  return eitherNumber(text) ?? Number.NaN
}
