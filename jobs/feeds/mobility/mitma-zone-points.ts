import { mitma } from '../../../lake/datasets/mobility/sources.ts'
import { mobilityZonePoints } from '../../../lake/datasets/mobility/zone-points.ts'
import { utmToPoint } from '../../../lake/places/utm.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { readDbf, readShapePoints } from '../../formats/shapefile.ts'
import { type Batch, batch, defineFeed, type FeedBody, type FeedClock, type FeedRequest, FormatError, type Notes } from '../define.ts'
import { ZONE_FILES } from './mitma-files.ts'

type ZonePoint = FeedRow<typeof mobilityZonePoints>

type Level = (typeof ZONE_FILES)[number]
const FIELD = 'ID'
/** The zone of UTM that all of Spain is told in, the Canaries too. */
const UTM_ZONE = 30

const requestsOf = (levels: readonly Level[]): FeedRequest[] =>
  levels.flatMap((level) => [fileRequest(level, 'dbf'), fileRequest(level, 'shp')])

/** Centroids of the zones of the study since 2022: a shapefile of each level, that of urban areas only where there is one. */
export const mitmaZonePoints = defineFeed({
  id: 'mitma_zone_points',
  domain: 'mobility',
  source: mitma,
  into: [mobilityZonePoints],
  every_s: 7 * 86_400,
  plans: [{ requests: requestsOf(ZONE_FILES) }, { requests: requestsOf(ZONE_FILES.filter(({ zone_level }) => zone_level !== 'GAU')) }],
  freshBy: 'fetch',
  bands: { mobility_zone_points: { atLeast: 100, minRatio: 0.9, maxRatio: 1.2 } },
  rows: readFiles,
})

function fileRequest({ word, folder }: Level, expects: 'dbf' | 'shp'): FeedRequest {
  return {
    name: `${word}.${expects}`,
    url: `https://movilidad-opendata.mitma.es/zonificacion/zonificacion_${folder}/zonificacion_${word}_centroides.${expects}`,
    accept: 'application/octet-stream, */*',
    maxBytes: 8_000_000,
    maxDecodedBytes: 8_000_000,
    timeout_ms: 60_000,
    expects,
  }
}

function* readFiles(bodies: readonly FeedBody[], _clock: FeedClock, notes: Notes): Generator<Batch> {
  const files = new Map(bodies.map(({ name, bytes }) => [name, bytes]))
  for (const { zone_level, word } of ZONE_FILES) {
    const [table, shapes] = [files.get(`${word}.dbf`), files.get(`${word}.shp`)]
    if (!table && !shapes) continue
    if (!table || !shapes) throw new FormatError(`${word}: a shapefile is a .shp and a .dbf, and one of them is not there`)
    yield batch(mobilityZonePoints, pointsOf({ zone_level, word, table, shapes }, notes))
  }
}

function pointsOf(
  { zone_level, word, table, shapes }: { zone_level: Level['zone_level']; word: string; table: Buffer; shapes: Buffer },
  notes: Notes,
): ZonePoint[] {
  const { fields, rows } = readDbf(table)
  const points = readShapePoints(shapes)
  const at = fields.indexOf(FIELD)
  if (at < 0) throw new FormatError(`${word}: the table has ${fields.join(', ')}, and no ${FIELD}`)
  if (rows.length !== points.length) throw new FormatError(`${word}: ${rows.length} rows of the table for ${points.length} points`)
  for (const field of fields) if (field !== FIELD) notes.unknownCode('mitma_column', field)
  return rows.flatMap((row, nth): ZonePoint[] => {
    // What is marked as deleted is none, in either file.
    if (row === null) return []
    const zone_id = row[at] as string
    const point = points[nth]
    if (zone_id === '' || !point || !Number.isFinite(point.x) || !Number.isFinite(point.y)) {
      notes.quarantine(mobilityZonePoints, zone_id === '' ? 'no id' : 'no point', `${zone_id} ${JSON.stringify(point)}`)
      return []
    }
    return [{ study: 'V2', zone_level, zone_id, position: utmToPoint(point.x, point.y, UTM_ZONE) }]
  })
}
