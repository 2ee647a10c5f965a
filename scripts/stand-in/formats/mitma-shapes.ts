import { pointToUtm } from '../../../lake/places/utm.ts'
import { chance } from '../random.ts'
import type { MobilityZone } from '../world/mobility-zones.ts'
import { type ZoneLevel, zonesAt } from './mitma.ts'
import { dbfTable, shapePoints, shapePolygons } from './shapefile.ts'

/** Foreign zones in the shapefiles of every level: two of the 117. */
const ABROAD = [
  { id: 'FR101', lat: 48.857, lon: 2.343 },
  { id: 'PT16D', lat: 40.641, lon: -8.654 },
] as const

/** A file of a shapefile of zones. */
interface ShapeFile {
  readonly what: 'dbf' | 'shp'
  readonly level: ZoneLevel
  readonly publishedAt: number
  readonly share: number
  readonly hasUnknownCodes: boolean
}

/**
 * A file of the shapefile of a level's centroids: its table, whose only field is `ID`, or its points. All points are in ETRS89 /
 * UTM 30N, including the Canaries and foreign zones. Each month a few of them move by some metres.
 */
export function zoneCentroids(zones: readonly MobilityZone[], file: ShapeFile): Buffer {
  const kept = listedOf([...zonesAt(zones, file.level), ...ABROAD], file)
  if (file.what === 'dbf') return tableOf(kept, file)
  return shapePoints(
    kept.map(({ id, ...place }) => {
      const [x, y] = cornerOf(place.lon, place.lat)
      return { x: x + (chance('moved', id, file.publishedAt) < 0.05 ? 12 : 0), y }
    }),
  )
}

/** The same for the polygons of a level: a square around each centroid, the larger the more municipalities a zone has. */
export function zonePolygons(zones: readonly MobilityZone[], file: ShapeFile): Buffer {
  const kept = listedOf([...zonesAt(zones, file.level), ...ABROAD.map((zone) => ({ ...zone, municipalities: [] }))], file)
  if (file.what === 'dbf') return tableOf(kept, file)
  return shapePolygons(kept.map(({ lon, lat, municipalities }) => [squareAt(lon, lat, 0.02 * (1 + municipalities.length))]))
}

function listedOf<T>(listed: readonly T[], { share }: ShapeFile): readonly T[] {
  return listed.slice(0, Math.floor(listed.length * share))
}

function tableOf(zones: readonly { readonly id: string }[], { hasUnknownCodes }: ShapeFile): Buffer {
  return dbfTable(
    hasUnknownCodes ? ['ID', 'FUENTE'] : ['ID'],
    zones.map(({ id }) => (hasUnknownCodes ? [id, 'IGN'] : [id])),
  )
}

function cornerOf(lon: number, lat: number): readonly [x: number, y: number] {
  const { easting_m, northing_m } = pointToUtm({ lat, lon }, 30)
  return [easting_m, northing_m]
}

function squareAt(lon: number, lat: number, half: number): (readonly [x: number, y: number])[] {
  const corners = [
    [-1, -1],
    [-1, 1],
    [1, 1],
    [1, -1],
    [-1, -1],
  ] as const
  return corners.map(([east, north]) => cornerOf(lon + half * east, lat + half * north))
}
