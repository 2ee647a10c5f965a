import { merge } from 'topojson-client'
import { topology } from 'topojson-server'
import type { Area } from '../../../lake/places/atlas.ts'
import { ringArea } from '../../../lake/places/rings.ts'
import { pointToUtm } from '../../../lake/places/utm.ts'
import { chance } from '../random.ts'
import type { MobilityZone } from '../world/mobility-zones.ts'
import { readGazetteer } from '../world/municipalities.ts'
import { type ZoneLevel, zonesAt } from './mitma.ts'
import { dbfTable, shapePoints, shapePolygons } from './shapefile.ts'
import { withoutLoops } from './simple-ring.ts'

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

/**
 * The same for the polygons of a level. A zone consists of its municipalities with their parts and holes. One of several
 * districts is a strip of its municipality, and a foreign zone is a square.
 */
export function zonePolygons(zones: readonly MobilityZone[], file: ShapeFile): Buffer {
  const own = zonesAt(zones, file.level).map((zone) => ({ id: zone.id, rings: () => ringsOf(zone) }))
  const abroad = ABROAD.map(({ id, lat, lon }) => ({ id, rings: () => [squareAt(lon, lat)] }))
  const kept = listedOf([...own, ...abroad], file)
  if (file.what === 'dbf') return tableOf(kept, file)
  return shapePolygons(kept.map(({ rings }) => rings().map((ring) => withoutLoops(ring).map(([lon, lat]) => cornerOf(lon, lat)))))
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

type Ring = readonly (readonly [lon: number, lat: number])[]

const SQUARE_DEGREES = 0.2

function squareAt(lon: number, lat: number): Ring {
  const [west, east, south, north] = [lon - SQUARE_DEGREES, lon + SQUARE_DEGREES, lat - SQUARE_DEGREES, lat + SQUARE_DEGREES]
  return [
    [west, south],
    [west, north],
    [east, north],
    [east, south],
    [west, south],
  ]
}

/** The rings of a zone: in the atlas, as in shapefiles, outer rings are clockwise. */
function ringsOf({ id, municipalities, districts }: MobilityZone): Ring[] {
  const areas = readGazetteer().municipalities.filter(({ code }) => municipalities.includes(code))
  if (areas.length > 1) return mergedRings(areas)
  const rings = areas.flatMap(ringsOfArea)
  const strip = districts.length > 1 ? districts.indexOf(id) : -1
  if (strip < 0) return rings
  const [west, east] = [Math.min(...areas.map((area) => area.west)), Math.max(...areas.map((area) => area.east))]
  const width = (east - west) / districts.length
  return rings.flatMap((ring) => {
    const eastOf = halfOf(ring, west + strip * width, (lon, border) => lon >= border)
    const left = halfOf(eastOf, west + (strip + 1) * width, (lon, border) => lon <= border)
    return left.length < 4 ? [] : [left]
  })
}

function ringsOfArea({ rings }: Area): Ring[] {
  return rings.map((ring) => Array.from({ length: ring.length / 2 }, (_, at) => [ring[2 * at] as number, ring[2 * at + 1] as number]))
}

/** The union of areas, without the borders between them. */
function mergedRings(areas: readonly Area[]): Ring[] {
  const geometries = areas.map((area) => ({ type: 'MultiPolygon', coordinates: ringsOfArea(area).map((ring) => [ring]) }))
  const cut = topology({ areas: { type: 'GeometryCollection', geometries } as never })
  const { geometries: parts } = cut.objects['areas'] as unknown as { readonly geometries: Parameters<typeof merge>[1] }
  return merge(cut as Parameters<typeof merge>[0], parts).coordinates.flatMap((polygon) =>
    (polygon as unknown as Ring[]).map((ring, at) => (ringArea(ring) > 0 === at > 0 ? ring : ring.toReversed())),
  )
}

/** The part of a ring on one side of a meridian (Sutherland and Hodgman). */
function halfOf(ring: Ring, border: number, isKept: (lon: number, border: number) => boolean): Ring {
  const kept: (readonly [number, number])[] = []
  for (let at = 1; at < ring.length; at++) {
    const [from, to] = [ring[at - 1], ring[at]] as [Ring[number], Ring[number]]
    if (isKept(from[0], border) !== isKept(to[0], border)) {
      const share = (border - from[0]) / (to[0] - from[0])
      kept.push([border, from[1] + share * (to[1] - from[1])])
    }
    if (isKept(to[0], border)) kept.push(to)
  }
  const [first] = kept
  return first ? [...kept, first] : []
}
