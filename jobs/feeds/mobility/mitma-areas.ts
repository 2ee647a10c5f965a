import { OUTLINE_TOLERANCE_M } from '../../../lake/datasets/mobility/zone-areas.ts'
import { outlinesOf } from '../../../lake/places/outlines.ts'
import { toWkb } from '../../../lake/query/wkb.ts'
import type { Line } from '../../../lake/schema/columns.ts'
import { inThread } from '../../../models/in-thread.ts'
import { readShapePolygons } from '../../formats/shapefile.ts'
import { FormatError } from '../define.ts'
import { zonePoint } from './mitma-shapefiles.ts'

/** The area of a zone and its outline, as well-known binary, each in memory of its own: it passes between threads without a copy. */
export interface ZoneArea {
  readonly area: Uint8Array<ArrayBuffer>
  readonly outline: Uint8Array<ArrayBuffer>
}

/** What a thread says of a file: its zones in order, null for one without an area; or why it is no file of zones. */
export type ReadAreas = { readonly areas: readonly (ZoneArea | null)[] } | { readonly refused: string }

/** What the thread of a file may take. */
interface AreaLimits {
  readonly timeout_ms: number
  readonly heap_mb: number
}

/** A file of 64 MB takes a quarter of a minute and half of this memory, one of 22 MB seconds and 180 MB; one that takes this much was made to. */
const LIMITS: AreaLimits = { timeout_ms: 5 * 60_000, heap_mb: 1024 }
/** Room for what is new, MB: V8 takes several times more unless told, and this thread keeps most of what it makes. */
const YOUNG_MB = 16

/**
 * `areasOf` in a thread of its own, so that other feeds go on meanwhile. Throws `FormatError` as that does, and where it takes longer or more memory
 * than `limits`.
 */
export async function areasInThread(shapes: Buffer, limits = LIMITS): Promise<readonly (ZoneArea | null)[]> {
  const { timeout_ms, heap_mb } = limits
  const signal = AbortSignal.timeout(timeout_ms)
  const resources = { maxOldGenerationSizeMb: heap_mb, maxYoungGenerationSizeMb: YOUNG_MB }
  const file = new URL('./mitma-area-thread.ts', import.meta.url)
  const read = await inThread<ReadAreas>(file, shapes, signal, resources).catch((error: NodeJS.ErrnoException) => {
    if (signal.aborted) throw new FormatError(`the polygons were not read within ${timeout_ms / 1000} seconds`)
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') throw new FormatError(`the polygons take more than ${heap_mb} MB of memory`)
    throw error
  })
  if ('refused' in read) throw new FormatError(read.refused)
  return read.areas
}

/** The zones of a shapefile of polygons, with their outlines. Throws `FormatError` as `readShapePolygons` does. */
export function areasOf(shapes: Buffer): (ZoneArea | null)[] {
  const areas = Array.from(readShapePolygons(shapes, placeOf))
  const outlines = outlinesOf(
    areas.filter((area) => area !== null),
    OUTLINE_TOLERANCE_M,
  ).values()
  return areas.map((area, nth) => {
    // Coordinates take four times the memory of their bytes: those that have become bytes are let go.
    areas[nth] = null
    return area && { area: toWkb('multipolygon', 'area', area), outline: toWkb('multipolygon', 'outline', outlines.next().value) }
  })
}

/** A corner in WGS84. */
function placeOf(x: number, y: number): Line[0] | null {
  const point = zonePoint(x, y)
  return point && [point.lon, point.lat]
}
