import { OUTLINE_TOLERANCE_M } from '../../../lake/datasets/mobility/zone-areas.ts'
import { outlinesOf } from '../../../lake/places/outlines.ts'
import { ringArea } from '../../../lake/places/rings.ts'
import { toWkb } from '../../../lake/query/wkb.ts'
import type { Line, MultiPolygon } from '../../../lake/schema/columns.ts'
import { inThread } from '../../../models/in-thread.ts'
import { readShapePolygons, type ShapePolygons, type ShapeRing } from '../../formats/shapefile.ts'
import { FormatError } from '../define.ts'
import { zonePoint } from './mitma-shapefiles.ts'

/** The area of a zone and its outline, as well-known binary: what passes between threads without a copy of each corner. */
export interface ZoneArea {
  readonly area: Uint8Array
  readonly outline: Uint8Array
}

/** What a thread says of a file: its zones in order, null for one without an area; or why it is no file of zones. */
export type ReadAreas = { readonly areas: readonly (ZoneArea | null)[] } | { readonly refused: string }

/** A file of 64 MB takes a quarter of a minute; one that takes this long was made to. */
const TIMEOUT_MS = 5 * 60_000

/** `areasOf` in a thread of its own, so that other feeds go on meanwhile. Throws `FormatError` as that does, and where it takes longer than minutes. */
export async function areasInThread(shapes: Buffer): Promise<readonly (ZoneArea | null)[]> {
  const limit = AbortSignal.timeout(TIMEOUT_MS)
  const read = await inThread<ReadAreas>(new URL('./mitma-area-thread.ts', import.meta.url), shapes, limit).catch((error: unknown) => {
    if (limit.aborted) throw new FormatError(`the polygons were not read within ${TIMEOUT_MS / 60_000} minutes`)
    throw error
  })
  if ('refused' in read) throw new FormatError(read.refused)
  return read.areas
}

/** The zones of a shapefile of polygons, with their outlines. Throws `FormatError` as `readShapePolygons` does. */
export function areasOf(shapes: Buffer): (ZoneArea | null)[] {
  const areas = Array.from(readShapePolygons(shapes), areaOf)
  const outlines = outlinesOf(
    areas.filter((area) => area !== null),
    OUTLINE_TOLERANCE_M,
  ).values()
  return areas.map(
    (area) =>
      area && {
        area: toWkb('multipolygon', 'area', area),
        outline: toWkb('multipolygon', 'outline', outlines.next().value),
      },
  )
}

/** A shape in WGS84, where outer rings run counter-clockwise; null for one without an area, or that is not where zones are. */
function areaOf(polygons: ShapePolygons): MultiPolygon | null {
  const area = (polygons ?? []).map((rings) => rings.map(ringOf))
  if (area.flat().includes(null)) return null
  const found = area as MultiPolygon
  return found.some(([outer]) => ringArea(outer as Line) > 0) ? found : null
}

function ringOf(ring: ShapeRing): Line | null {
  const line = ring.map(([x, y]) => {
    const point = zonePoint(x, y)
    return point && ([point.lon, point.lat] as const)
  })
  return line.includes(null) ? null : (line as Line).toReversed()
}
