import { mitma } from '../../../lake/datasets/mobility/sources.ts'
import { mobilityZonePoints } from '../../../lake/datasets/mobility/zone-points.ts'
import { readShapePoints } from '../../formats/shapefile.ts'
import { type Batch, batch, defineFeed, type FeedBody, type FeedClock, type Notes } from '../define.ts'
import { LEVEL_BLOCKS, levelFiles, namedShapes, shapefilePlans, zonePoint } from './mitma-shapefiles.ts'

/** Centroids of the zones of the study since 2022: a shapefile of each level, that of urban areas only where there is one. */
export const mitmaZonePoints = defineFeed({
  id: 'mitma_zone_points',
  domain: 'mobility',
  source: mitma,
  into: [mobilityZonePoints],
  every_s: 7 * 86_400,
  plans: shapefilePlans({ suffix: '_centroides', maxBytes: 8_000_000 }),
  freshBy: 'fetch',
  bands: { mobility_zone_points: { atLeast: 100, minRatio: 0.9, maxRatio: 1.2 } },
  blocks: { mobility_zone_points: LEVEL_BLOCKS },
  rows: readFiles,
})

function* readFiles(bodies: readonly FeedBody[], _clock: FeedClock, notes: Notes): Generator<Batch> {
  for (const { level, table, shapes } of levelFiles(bodies, { dataset: mobilityZonePoints, notes })) {
    const points = readShapePoints(shapes).map((point) => point && zonePoint(point.x, point.y))
    const named = namedShapes({ level, table, shapes: points }, { dataset: mobilityZonePoints, lacks: 'no point', notes })
    const { zone_level } = level
    yield batch(
      mobilityZonePoints,
      named.map(({ zone_id, shape }) => ({ study: 'V2', zone_level, zone_id, position: shape })),
    )
  }
}
