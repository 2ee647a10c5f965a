import { utmToPoint } from '../../../lake/places/utm.ts'
import { chance, hash } from '../random.ts'
import { idAt, type Sensor } from '../world/madrid-sensors.ts'
import { writeXlsx } from './xlsx.ts'

const HEADER = ['tipo_elem', 'distrito', 'id', 'cod_cent', 'nombre', 'utm_x', 'utm_y', 'longitud', 'latitud']
/** When some sensors were moved, and by how many metres. */
const MOVED = { at: Date.UTC(2023, 11, 31), by_m: 60 }

/** The catalogue of measuring points as of an instant (ms). */
interface Catalogue {
  readonly sensors: readonly Sensor[]
  readonly seed: number
  readonly editionAt: number
}

/** One of the catalogue's editions. */
interface CatalogueEdition extends Catalogue {
  readonly isWorkbook: boolean
  /** Time of (re)publication, ms: each publication renames one point. */
  readonly publishedAt: number
  readonly hasUnknownCodes: boolean
}

/** A line of the catalogue. */
interface PointRecord {
  readonly kind: string
  readonly district: number | null
  readonly id: number
  readonly code: string
  readonly name: string
  readonly x: number
  readonly y: number
}

/** The catalogue of measuring points, layout of 2023: no byte order mark, LF, `;`, quoted text, decimal point. */
export function madridPoints(catalogue: Catalogue): string {
  return csvOf2023(recordsOf(catalogue))
}

/** An edition of the catalogue with today's columns, as CSV or a workbook. */
export function madridEdition(edition: CatalogueEdition): string | Buffer {
  const { seed, isWorkbook, publishedAt, hasUnknownCodes } = edition
  const records = recordsOf(edition).map((one, at) => (hasUnknownCodes && at % 50 === 3 ? { ...one, kind: 'DRON' } : one))
  const renamed = hash(seed, 'renamed', publishedAt) % Math.max(1, records.length)
  const named = records.map((one, at) => (at === renamed ? { ...one, name: `(TÁCTICO) ${one.name}` } : one))
  return isWorkbook ? writeXlsx([{ name: 'Hoja1', rows: [HEADER, ...named.map(cellsOf)] }], publishedAt) : csvOf2023(named)
}

function recordsOf({ sensors, seed, editionAt }: Catalogue): PointRecord[] {
  const records: PointRecord[] = []
  for (const sensor of sensors) {
    // The catalogue lags behind: some reporting sensors are missing in it.
    if (chance(seed, 'catalogued', sensor.index) < 0.035) continue
    records.push(recordOf(sensor, { kind: sensor.kind, id: idAt(sensor, editionAt), seed, editionAt }))
  }
  // Some catalogued sensors do not report: mostly on the approaches to the M-30.
  for (const sensor of sensors.slice(0, 153)) {
    const kind = sensor.index % 6 === 0 ? 'URB' : 'other'
    records.push(recordOf(sensor, { kind, id: 1000 + ((records.length + 1) % 153), seed, editionAt }))
  }
  return records
}

function recordOf(
  sensor: Sensor,
  of: { readonly kind: string; readonly id: number; readonly seed: number; readonly editionAt: number },
): PointRecord {
  const { kind, id, seed, editionAt } = of
  // Between the two lists, a few positions of a sensor differ by some metres.
  const shift = chance(seed, 'moved', sensor.index) < 0.03 ? 25 : 0
  const before = editionAt < MOVED.at && sensor.index % 53 === 5 ? -MOVED.by_m : 0
  const code = kind === 'other' ? `03FL${sensor.centreCode}` : sensor.centreCode
  return { kind, district: sensor.district, id, code, name: sensor.name, x: sensor.position.x + shift + before, y: sensor.position.y }
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

function cellsOf({ kind, district, id, code, name, x, y }: PointRecord): (string | number | null)[] {
  const { lon, lat } = utmToPoint(x, y, 30)
  return [kind, district, id, code, name, x, y, lon, lat]
}

function csvOf2023(records: readonly PointRecord[]): string {
  const lines = records.map((one) => cellsOf(one).map((cell) => (typeof cell === 'string' ? quoted(cell) : (cell ?? ''))))
  return `${[HEADER.map(quoted), ...lines].map((fields) => fields.join(';')).join('\n')}\n`
}
