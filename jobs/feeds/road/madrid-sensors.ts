import { madrid } from '../../../lake/datasets/road/sources.ts'
import { trafficSensorEditions, trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { type CsvTable, readCsv } from '../../formats/csv.ts'
import { eitherNumber, wholeNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { openXlsx } from '../../formats/xlsx.ts'
import { batch, type Diagnostics, defineFeed, FormatError } from '../define.ts'
import { watchPresence } from '../presence.ts'
import { MADRID_PLACE, MADRID_ROAD, madridPosition } from './madrid-places.ts'
import { monthlyFiles, portalList } from './madrid-portal.ts'

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

/** Madrid's current catalogue of measuring points: a new edition each month. Past editions are an archive feed of their own. */
export const madridSensors = defineFeed({
  id: 'madrid_sensors',
  source: madrid,
  into: [trafficSensors],
  every_s: 86_400,
  get: {
    name: 'points',
    url: 'https://datos.madrid.es/egob/catalogo/202468-263-intensidad-trafico.csv',
    maxBytes: 16_000_000,
    expects: 'csv',
  },
  // Growth is unlimited: keys are unique, and after an incomplete edition was accepted, the next complete one must be
  // accepted too.
  bands: { traffic_sensors: { atLeast: 1000, minRatio: 0.8, maxRatio: 1000 } },
  groups: { traffic_sensors: { column: 'sensor_type' } },
  /** The file has no date, so the fetch time counts. */
  *rows(bodies, _clock, diagnostics) {
    const target = { into: trafficSensors, diagnostics }
    for (const { bytes } of bodies) {
      const points = readPoints(pointsOfCsv(bytes, target), target)
      yield batch(
        trafficSensors,
        points.map((point) => ({
          source: MADRID_PLACE.source,
          listing: 'CATALOGUE',
          ...point,
          access_code: null,
          subarea: null,
          capacity_veh_h: null,
          ...MADRID_ROAD,
        })),
      )
    }
  },
})

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/
/**
 * The dataset's files in the portal's list: CSV, or a workbook (`…-intensidad-trafico-xlsx.xlsx`); the shapefile version (zip)
 * is not used.
 */
const EDITION = /\/202468-\d+-intensidad-trafico[^/]*\.(?:csv|xlsx)$/i
/** A workbook of 2024 has 1.7 MB. */
const MOST_BYTES = 16_000_000

/**
 * Past editions of Madrid's catalogue of measuring points: about one file a month, as CSV or workbook, numbered arbitrarily in
 * the portal's list. A file has no date: its month comes from the list.
 */
export const madridSensorEditions = defineFeed({
  id: 'madrid_sensor_editions',
  source: madrid,
  into: [trafficSensorEditions],
  every_s: 7 * 86_400,
  get: {
    name: 'edition',
    url: 'https://datos.madrid.es/egob/catalogo/202468-156-intensidad-trafico-xlsx.xlsx',
    accept: 'text/csv, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    maxBytes: MOST_BYTES,
    expects: 'csv',
  },
  archive: {
    unit: 'month',
    index: [portalList('202468-0-intensidad-trafico')],
    // The last of several files of a month counts, and CSV goes before a workbook.
    files: (index) => monthlyFiles(index, EDITION).sort((one, other) => Number(isCsv(one.url)) - Number(isCsv(other.url))),
    recent: 2,
  },
  freshBy: 'fetch',
  bands: { traffic_sensor_editions: { atLeast: 1000, minRatio: 0.9, maxRatio: 1.1 } },
  async *rows(bodies, { fetched_at }, diagnostics) {
    const target = { into: trafficSensorEditions, diagnostics }
    for (const { name, bytes } of bodies) {
      // A file loaded for a trial has no month: it counts as today's catalogue.
      const edition = MONTH.test(name) ? name : madridDate(fetched_at).slice(0, 7)
      const isWorkbook = bytes.subarray(0, 2).toString('latin1') === 'PK'
      const points = readPoints(isWorkbook ? await pointsOfWorkbook(bytes) : pointsOfCsv(bytes, target), target)
      const valid_from = dayBounds(`${edition}-01`).start
      yield batch(
        trafficSensorEditions,
        points.map((point) => ({ source: MADRID_PLACE.source, edition, valid_from, ...point })),
      )
    }
  },
})

const isCsv = (url: string): boolean => /\.csv$/i.test(url)
