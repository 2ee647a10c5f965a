import { utmToPoint } from '../../../lake/places/utm.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { readDbf } from '../../formats/shapefile.ts'
import { type Diagnostics, type FeedBody, FormatError, type Get } from '../define.ts'
import { ZONE_FILES } from './mitma-files.ts'

export type Level = (typeof ZONE_FILES)[number]

/** The UTM zone of all coordinates in Spain, including the Canaries: ETRS89 / UTM 30N (EPSG:25830). */
const UTM_ZONE = 30
/**
 * Bounds of the zones, degrees: Spain, and the parts of Portugal and France with trips. Outside, the coordinate system is
 * another.
 */
const BOUNDS = { south: 25, north: 55, west: -20, east: 15 } as const
const FIELD = 'ID'

/** Which of the ministry's zone shapefiles: `suffix` follows the word for the level, `maxBytes` is per file. */
interface Files {
  readonly suffix: '' | '_centroides'
  readonly maxBytes: number
}

/** The request plans: the shapefiles of all levels or, if there is none of urban areas, of the others. */
export function shapefilePlans(files: Files): { readonly requests: Get[] }[] {
  return [ZONE_FILES, ZONE_FILES.filter(({ zone_level }) => zone_level !== 'GAU')].map((levels) => ({
    requests: levels.flatMap((level) => [fileRequest(level, 'dbf', files), fileRequest(level, 'shp', files)]),
  }))
}

/** Converts coordinates of the ministry's shapefiles (m) to a position; null outside the zones' bounds. */
export function zonePoint(x: number, y: number): Point | null {
  // The projection throws on what is no number.
  if (!Number.isFinite(x) || !Number.isFinite(y)) return null
  const point = utmToPoint(x, y, UTM_ZONE)
  const isThere = point.lat >= BOUNDS.south && point.lat <= BOUNDS.north && point.lon >= BOUNDS.west && point.lon <= BOUNDS.east
  return isThere ? point : null
}

function fileRequest({ word, folder }: Level, expects: 'dbf' | 'shp', { suffix, maxBytes }: Files): Get {
  return {
    name: `${word}.${expects}`,
    url: `https://movilidad-opendata.mitma.es/zonificacion/zonificacion_${folder}/zonificacion_${word}${suffix}.${expects}`,
    maxBytes,
    timeout_ms: 300_000,
    expects,
  }
}

/** A whole level may be missing, such as urban areas in the second plan: only levels in both publications are compared. */
export const LEVEL_BLOCKS = { column: 'zone_level' } as const

/**
 * The shapefiles of a publication by level: the table that names the shapes, and the shapes. A missing level is reported to
 * `notes`, so it is known from the first publication on. Throws `FormatError` if only one of both files exists.
 */
export function* levelFiles(
  bodies: readonly FeedBody[],
  { dataset, diagnostics }: { readonly dataset: Dataset; readonly diagnostics: Diagnostics },
): Generator<{ readonly level: Level; readonly table: Buffer; readonly shapes: Buffer }> {
  const files = new Map(bodies.map(({ name, bytes }) => [name, bytes]))
  for (const level of ZONE_FILES) {
    const [table, shapes] = [files.get(`${level.word}.dbf`), files.get(`${level.word}.shp`)]
    if (!table && !shapes) {
      diagnostics.missingGroup(dataset, level.zone_level)
      continue
    }
    if (!table || !shapes) throw new FormatError(`${level.word}: a shapefile is a .shp and a .dbf, and one of them is not there`)
    yield { level, table, shapes }
  }
}

/**
 * The table of a shapefile, each row with its shape, without deleted rows. Throws `FormatError` if the numbers of rows and
 * shapes differ.
 */
export function shapeTable<S>(file: { readonly level: Level; readonly table: Buffer; readonly shapes: readonly S[] }): {
  readonly fields: readonly string[]
  readonly rows: readonly { readonly texts: readonly string[]; readonly shape: S; readonly number: number }[]
} {
  const { level, table, shapes } = file
  const { fields, rows } = readDbf(table)
  if (rows.length !== shapes.length) throw new FormatError(`${level.word}: ${rows.length} rows of the table for ${shapes.length} shapes`)
  const paired = rows.map((texts, nth) => ({ texts, shape: shapes[nth] as S, number: nth + 1 }))
  return { fields, rows: paired.flatMap(({ texts, ...rest }) => (texts === null ? [] : [{ texts, ...rest }])) }
}

/** The shapes of a shapefile with their zone ids. Rows without an id, or without a shape (`lacks`), are counted in `notes`. */
export function namedShapes<S>(
  file: { readonly level: Level; readonly table: Buffer; readonly shapes: readonly (S | null)[] },
  options: { readonly dataset: Dataset; readonly lacks: string; readonly diagnostics: Diagnostics },
): { readonly zone_id: string; readonly shape: S }[] {
  const { dataset, lacks, diagnostics } = options
  const { fields, rows } = shapeTable(file)
  const { word } = file.level
  const at = fields.indexOf(FIELD)
  if (at < 0) throw new FormatError(`${word}: the table has ${fields.join(', ')}, and no ${FIELD}`)
  for (const field of fields) if (field !== FIELD) diagnostics.unknownCode('mitma_column', field)
  return rows.flatMap(({ texts, shape, number }) => {
    const zone_id = texts[at] as string
    if (zone_id !== '' && shape !== null) return [{ zone_id, shape }]
    diagnostics.reject(dataset, zone_id === '' ? 'no id' : lacks, `${word} ${number} ${zone_id}`)
    return []
  })
}
