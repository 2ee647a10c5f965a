import { OUTLINE_TOLERANCE_M } from '../../../lake/datasets/mobility/zones.ts'
import { outlinesOf } from '../../../lake/places/outlines.ts'
import { toWkb } from '../../../lake/query/wkb.ts'
import type { Line } from '../../../lake/schema/columns.ts'
import { messageOf } from '../../../models/in-thread.ts'
import { readShapePolygons } from '../../formats/shapefile.ts'
import { FormatError } from '../define.ts'
import { zonePoint } from './mitma-shapefiles.ts'

/** A zone's area and outline as well-known binary, each in its own buffer, so they move between threads without a copy. */
export interface ZoneArea {
  readonly area: Uint8Array<ArrayBuffer>
  readonly outline: Uint8Array<ArrayBuffer>
}

/** The zones of a file in order, null for one without an area, and how many corners were left out as out of range. */
interface ZoneAreas {
  readonly areas: readonly (ZoneArea | null)[]
  readonly leftOut: number
}

/** A thread's result for a file: its zones, or why it is not a file of zones. */
export type ReadAreas = ZoneAreas | { readonly refused: string }

/**
 * Limits of a file's thread. A file of 64 MB takes 15 seconds and half of this memory, one of 22 MB seconds and 180 MB; only a
 * hostile file takes more.
 */
const LIMITS = { timeout_ms: 5 * 60_000, heap_mb: 1024 }
/** Young generation, MB: V8's default is several times larger, and this thread keeps most of its objects. */
const YOUNG_MB = 16

/**
 * Runs `areasOf` in a thread, so other feeds continue. Throws `FormatError` like it, and above the limits of time or memory.
 */
export async function areasInThread(shapes: Buffer, limits = LIMITS): Promise<ZoneAreas> {
  const { timeout_ms, heap_mb } = limits
  const signal = AbortSignal.timeout(timeout_ms)
  const resources = { maxOldGenerationSizeMb: heap_mb, maxYoungGenerationSizeMb: YOUNG_MB }
  const file = new URL('./mitma-area-thread.ts', import.meta.url)
  const read = await messageOf<ReadAreas>(file, shapes, signal, resources).catch((error: NodeJS.ErrnoException) => {
    if (signal.aborted) throw new FormatError(`the polygons were not read within ${timeout_ms / 1000} seconds`)
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') throw new FormatError(`the polygons take more than ${heap_mb} MB of memory`)
    throw error
  })
  if ('refused' in read) throw new FormatError(read.refused)
  return read
}

/** The zones of a polygon shapefile, with their outlines. Throws `FormatError` like `readShapePolygons`. */
export function areasOf(shapes: Buffer): ZoneAreas {
  let leftOut = 0
  const areas = Array.from(
    readShapePolygons(shapes, (x, y) => {
      const place = placeOf(x, y)
      if (place === null) leftOut++
      return place
    }),
  )
  const outlines = outlinesOf(
    areas.filter((area) => area !== null),
    OUTLINE_TOLERANCE_M,
  ).values()
  const zones = areas.map((area, nth) => {
    // Coordinates take four times the memory of their bytes: converted ones are released.
    areas[nth] = null
    return area && { area: toWkb('multipolygon', 'area', area), outline: toWkb('multipolygon', 'outline', outlines.next().value) }
  })
  return { areas: zones, leftOut }
}

/** A corner in WGS84. */
function placeOf(x: number, y: number): Line[0] | null {
  const point = zonePoint(x, y)
  return point && [point.lon, point.lat]
}
