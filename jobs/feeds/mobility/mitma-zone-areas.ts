import { setImmediate } from 'node:timers/promises'
import { mitma } from '../../../lake/datasets/mobility/sources.ts'
import { mobilityZoneAreas } from '../../../lake/datasets/mobility/zones.ts'
import { ofWkb } from '../../../lake/query/wkb.ts'
import type { MultiPolygon } from '../../../lake/schema/columns.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import { batch, defineFeed } from '../define.ts'
import { areasInThread } from './mitma-areas.ts'
import { LEVEL_BLOCKS, levelFiles, namedShapes, shapefilePlans } from './mitma-shapefiles.ts'

/** Zones processed before yielding to the event loop. */
const ZONES_A_TURN = 200

/** Polygons of the zones of the study since 2022: a shapefile for each level; that of urban areas may be missing. */
export const mitmaZoneAreas = defineFeed({
  id: 'mitma_zone_areas',
  source: mitma,
  into: [mobilityZoneAreas],
  every_s: 7 * 86_400,
  plans: shapefilePlans({ suffix: '', maxBytes: 64_000_000 }),
  freshBy: 'fetch',
  bands: { mobility_zone_areas: { atLeast: 100, minRatio: 0.9, maxRatio: 1.2 } },
  groups: { mobility_zone_areas: LEVEL_BLOCKS },
  async *rows(bodies, { fetched_at }, diagnostics) {
    for (const { level, table, shapes } of levelFiles(bodies, { dataset: mobilityZoneAreas, diagnostics })) {
      const { areas, leftOut } = await areasInThread(shapes)
      if (leftOut > 0) diagnostics.warn(`${level.word}: ${leftOut} corners of areas are no position in Spain or beside it: left out`)
      const named = namedShapes({ level, table, shapes: areas }, { dataset: mobilityZoneAreas, lacks: 'no area', diagnostics })
      const common = { study: 'V2', zone_level: level.zone_level, edition: madridDate(fetched_at), observed_at: fetched_at }
      for (let from = 0; from < named.length; from += ZONES_A_TURN) {
        await setImmediate()
        const rows = named.slice(from, from + ZONES_A_TURN).map(({ zone_id, shape: { area, outline } }) => ({
          ...{ ...common, zone_id, area: ofWkb('multipolygon', area) as MultiPolygon },
          outline: ofWkb('multipolygon', outline) as MultiPolygon,
        }))
        yield batch(mobilityZoneAreas, rows)
      }
    }
  },
})
