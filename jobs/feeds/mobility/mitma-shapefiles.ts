import { utmToPoint } from '../../../lake/places/utm.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { readDbf } from '../../formats/shapefile.ts'
import { type FeedBody, type FeedRequest, FormatError, type Notes } from '../define.ts'
import { ZONE_FILES } from './mitma-files.ts'

export type Level = (typeof ZONE_FILES)[number]

/** The zone of UTM that all of Spain is told in, the Canaries too: ETRS89 / UTM 30N (EPSG:25830). */
const UTM_ZONE = 30
/** Where zones are, in degrees: Spain, and what of Portugal and France trips are told of. What is elsewhere is in another system of coordinates. */
const BOUNDS = { south: 25, north: 55, west: -20, east: 15 } as const
const FIELD = 'ID'

/** Which of the ministry's shapefiles of zones: `suffix` stands behind the word for the level, `maxBytes` is of each file. */
interface Files {
  readonly suffix: '' | '_centroides'
  readonly maxBytes: number
}

/** What is asked for: the shapefiles of all levels, or, where there is none of urban areas, those of the others. */
export function shapefilePlans(files: Files): { readonly requests: FeedRequest[] }[] {
  return [ZONE_FILES, ZONE_FILES.filter(({ zone_level }) => zone_level !== 'GAU')].map((levels) => ({
    requests: levels.flatMap((level) => [fileRequest(level, 'dbf', files), fileRequest(level, 'shp', files)]),
  }))
}

/** The place of coordinates of the ministry's shapefiles (m); null for one that is not where zones are. */
export function zonePoint(x: number, y: number): Point | null {
  const point = utmToPoint(x, y, UTM_ZONE)
  const isThere = point.lat >= BOUNDS.south && point.lat <= BOUNDS.north && point.lon >= BOUNDS.west && point.lon <= BOUNDS.east
  return isThere ? point : null
}

function fileRequest({ word, folder }: Level, expects: 'dbf' | 'shp', { suffix, maxBytes }: Files): FeedRequest {
  return {
    name: `${word}.${expects}`,
    url: `https://movilidad-opendata.mitma.es/zonificacion/zonificacion_${folder}/zonificacion_${word}${suffix}.${expects}`,
    accept: 'application/octet-stream, */*',
    maxBytes,
    maxDecodedBytes: maxBytes,
    timeout_ms: 300_000,
    expects,
  }
}

/** Levels may be missing whole, as that of urban areas is from what the second plan fetches: what is compared is levels that two publications have. */
export const LEVEL_BLOCKS = { column: 'zone_level' } as const

/**
 * The shapefiles of a publication, of each level that it has: what names the shapes, and these. A level that it lacks is told in `notes`, so that it is
 * known from the first publication on. Throws `FormatError` where one of both is not there.
 */
export function* levelFiles(
  bodies: readonly FeedBody[],
  { dataset, notes }: { readonly dataset: Dataset; readonly notes: Notes },
): Generator<{ readonly level: Level; readonly table: Buffer; readonly shapes: Buffer }> {
  const files = new Map(bodies.map(({ name, bytes }) => [name, bytes]))
  for (const level of ZONE_FILES) {
    const [table, shapes] = [files.get(`${level.word}.dbf`), files.get(`${level.word}.shp`)]
    if (!table && !shapes) {
      notes.missingBlock(dataset, level.zone_level)
      continue
    }
    if (!table || !shapes) throw new FormatError(`${level.word}: a shapefile is a .shp and a .dbf, and one of them is not there`)
    yield { level, table, shapes }
  }
}

/** The table of a shapefile, each row with its shape, without rows that are marked as deleted. Throws `FormatError` where one is without the other. */
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

/** The shapes of a shapefile with the zones that its table names. What has no id or no shape is counted in `notes` as that (`lacks`). */
export function namedShapes<S>(
  file: { readonly level: Level; readonly table: Buffer; readonly shapes: readonly (S | null)[] },
  told: { readonly dataset: Dataset; readonly lacks: string; readonly notes: Notes },
): { readonly zone_id: string; readonly shape: S }[] {
  const { dataset, lacks, notes } = told
  const { fields, rows } = shapeTable(file)
  const { word } = file.level
  const at = fields.indexOf(FIELD)
  if (at < 0) throw new FormatError(`${word}: the table has ${fields.join(', ')}, and no ${FIELD}`)
  for (const field of fields) if (field !== FIELD) notes.unknownCode('mitma_column', field)
  return rows.flatMap(({ texts, shape, number }) => {
    const zone_id = texts[at] as string
    if (zone_id !== '' && shape !== null) return [{ zone_id, shape }]
    notes.quarantine(dataset, zone_id === '' ? 'no id' : lacks, `${word} ${number} ${zone_id}`)
    return []
  })
}
