import { setImmediate } from 'node:timers/promises'
import { mitma } from '../../../lake/datasets/mobility/sources.ts'
import { mobilityZoneAreas, OUTLINE_TOLERANCE_M } from '../../../lake/datasets/mobility/zone-areas.ts'
import { outlinesOf } from '../../../lake/places/outlines.ts'
import { utmToPoint } from '../../../lake/places/utm.ts'
import type { Line, MultiPolygon } from '../../../lake/schema/columns.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import { readShapePolygons, type ShapePolygons, type ShapeRing } from '../../formats/shapefile.ts'
import { type Batch, batch, defineFeed, type FeedBody, type FeedClock, type Notes } from '../define.ts'
import { levelFiles, namedShapes, shapefilePlans, UTM_ZONE } from './mitma-shapefiles.ts'

/** Zones that are read before others get their turn, and that are told at once. */
const ZONES_A_TURN = 200

/**
 * Polygons of the zones of the study since 2022: a shapefile of each level, that of urban areas only where there is one. That of districts has
 * 22 MB (April 2023).
 */
export const mitmaZoneAreas = defineFeed({
  id: 'mitma_zone_areas',
  domain: 'mobility',
  source: mitma,
  into: [mobilityZoneAreas],
  every_s: 7 * 86_400,
  plans: shapefilePlans({ suffix: '', maxBytes: 256_000_000 }),
  freshBy: 'fetch',
  bands: { mobility_zone_areas: { atLeast: 100, minRatio: 0.9, maxRatio: 1.2 } },
  rows: readFiles,
})

async function* readFiles(bodies: readonly FeedBody[], { fetched_at }: FeedClock, notes: Notes): AsyncGenerator<Batch> {
  for (const { level, table, shapes } of levelFiles(bodies)) {
    const areas: (MultiPolygon | null)[] = []
    for (const polygons of readShapePolygons(shapes)) {
      areas.push(areaOf(polygons))
      if (areas.length % ZONES_A_TURN === 0) await setImmediate()
    }
    const named = namedShapes({ level, table, shapes: areas }, { dataset: mobilityZoneAreas, lacks: 'no area', notes })
    const outlines = outlinesOf(
      named.map(({ shape }) => shape),
      OUTLINE_TOLERANCE_M,
    )
    const common = { study: 'V2', zone_level: level.zone_level, edition: madridDate(fetched_at), observed_at: fetched_at }
    for (let from = 0; from < named.length; from += ZONES_A_TURN) {
      await setImmediate()
      const rows = named
        .slice(from, from + ZONES_A_TURN)
        .map(({ zone_id, shape }, nth) => ({ ...common, zone_id, area: shape, outline: outlines[from + nth] as MultiPolygon }))
      yield batch(mobilityZoneAreas, rows)
    }
  }
}

/** A shape in WGS84, where outer rings run counter-clockwise; null for one without polygons, or that is nowhere on Earth. */
function areaOf(polygons: ShapePolygons): MultiPolygon | null {
  const area = polygons?.map((rings) => rings.map(ringOf)) ?? null
  return area?.flat(2).every((point) => point.every(Number.isFinite)) ? area : null
}

function ringOf(ring: ShapeRing): Line {
  return ring
    .map(([x, y]) => {
      const { lat, lon } = utmToPoint(x, y, UTM_ZONE)
      return [lon, lat] as const
    })
    .reverse()
}
