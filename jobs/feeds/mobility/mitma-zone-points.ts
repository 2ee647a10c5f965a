import { mitma } from '../../../lake/datasets/mobility/sources.ts'
import { mobilityZonePoints } from '../../../lake/datasets/mobility/zones.ts'
import { readShapePoints } from '../../formats/shapefile.ts'
import { type Diagnostics, type FeedBody, FormatError } from '../define.ts'
import { type RecordFile, recordFeed } from '../kit/record-feed.ts'
import { LEVEL_BLOCKS, levelFiles, shapefilePlans, shapeTable, zonePoint } from './mitma-shapefiles.ts'

/** Centroids of the zones of the study since 2022: a shapefile for each level; that of urban areas may be missing. */
export const mitmaZonePoints = recordFeed(
  {
    id: 'mitma_zone_points',
    source: mitma,
    into: mobilityZonePoints,
    every_s: 7 * 86_400,
    plans: shapefilePlans({ suffix: '_centroides', maxBytes: 8_000_000 }),
    freshBy: 'fetch',
    band: { atLeast: 100, minRatio: 0.9, maxRatio: 1.2 },
    groups: { mobility_zone_points: LEVEL_BLOCKS },
    columns: { id: 'ID', x: 'x', y: 'y' },
    needs: ['id', 'x', 'y'],
    file: ({ name }) => ({ zone_level: name }),
    row(r, { zone_level }) {
      const position = zonePoint(r.number('x'), r.number('y'))
      if (position === null) throw new FormatError('the point is outside the area of the zones')
      return { study: 'V2', zone_level, zone_id: r.text('id'), position }
    },
  },
  openLevels,
)

function* openLevels(bodies: readonly FeedBody[], diagnostics: Diagnostics): Generator<RecordFile> {
  for (const { level, table, shapes } of levelFiles(bodies, { dataset: mobilityZonePoints, diagnostics })) {
    const { fields, rows } = shapeTable({ level, table, shapes: readShapePoints(shapes) })
    const names = [...fields, 'x', 'y']
    const records = rows.map(({ texts, shape }) => ({ names, values: [...texts, shape?.x, shape?.y] }))
    yield { name: level.zone_level, header: names, records }
  }
}
