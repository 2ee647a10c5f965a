import { parentPort, workerData } from 'node:worker_threads'
import { GeoJSONVT } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import { type Area, loadAtlas, readOtherCountries } from '../../../lake/places/atlas.ts'
import { CAPITALS } from '../../../lake/places/capitals.ts'
import { areaMiddle } from '../../../lake/places/middles.ts'
import { TILE_ZOOMS } from '../../browser/map/base.ts'
import type { Answer } from '../../kernel/question-thread.ts'
import type { BaseLine, BaseMapInput, TileAddress } from './tiles.ts'

// Makes the vector tiles of the base map, each on request, from indexes over the whole country.

type Properties = Readonly<Record<string, string | number>>
type Position = [number, number]
type Index = InstanceType<typeof GeoJSONVT>

/** A layer of the tiles: the first zoom that has it, and its index, made for the first tile. */
interface Layer {
  readonly name: string
  readonly from: number
  index(): Index
}

const { roads, railways, people } = workerData as BaseMapInput

const positions = (points: Float64Array): Position[] =>
  Array.from({ length: points.length / 2 }, (_, at) => [points[2 * at] as number, points[2 * at + 1] as number])
const feature = (type: string, coordinates: unknown, properties: Properties) => ({
  type: 'Feature' as const,
  geometry: { type, coordinates },
  properties,
})

function layer(name: string, from: number, features: () => readonly ReturnType<typeof feature>[], buffer = 64): Layer {
  let made: Index | undefined
  const make = (): Index => {
    const collection = { type: 'FeatureCollection', features: features() } as unknown as GeoJSON.FeatureCollection
    return new GeoJSONVT(collection, { maxZoom: TILE_ZOOMS.to, indexMaxZoom: TILE_ZOOMS.from, tolerance: 3, buffer })
  }
  return { name, from, index: () => (made ??= make()) }
}

const boundaries = (areas: readonly Area[]) => areas.map(({ code, rings }) => feature('MultiLineString', rings.map(positions), { code }))
/** Areas by their outer rings: holes, such as lakes, are filled. */
const land = (areas: readonly Area[]) =>
  areas.map(({ code, rings }) =>
    feature(
      'MultiPolygon',
      rings.map((ring) => [positions(ring)]),
      { code },
    ),
  )
/** What the map can show of the world, degrees. */
const isAround = ({ west, south, east, north }: Area): boolean => west < 13 && east > -27 && south < 50 && north > 22
const lines = (all: readonly BaseLine[], propertiesOf: (line: BaseLine) => Properties) =>
  all.map((line) => feature('LineString', positions(line.points), propertiesOf(line)))

/** Class of a road by its designation: 1 for motorways of the State, 2 for its other main roads, 3 for the rest. */
function classOf(name: string): 1 | 2 | 3 {
  if (/^(A|AP|R)-\d{1,2}\b/.test(name)) return 1
  return /^N-/.test(name) ? 2 : 3
}

/** Names of places as points, the largest first. */
function places(areas: readonly Area[]) {
  const all = areas.flatMap((area) => {
    if (area.rings.length === 0) return []
    const { lat, lon } = areaMiddle(area.rings.map((ring) => [positions(ring)]))
    const count = people.get(area.code) ?? 0
    const rank = CAPITALS.has(area.code) ? 1 : count >= 50_000 ? 2 : count >= 10_000 ? 3 : 4
    return [feature('Point', [lon, lat], { name: area.name, rank, people: count })]
  })
  return all.toSorted((one, other) => (other.properties['people'] as number) - (one.properties['people'] as number))
}

const { provinces, municipalities } = loadAtlas()
const isMain = ({ name }: BaseLine): boolean => classOf(name) < 3
const towns = (isWanted: (rank: number) => boolean) =>
  places(municipalities).filter(({ properties }) => isWanted(properties['rank'] as number))
const layers: readonly Layer[] = [
  // Its edge is drawn wide, see the style of the map.
  layer('other_land', 0, () => land(readOtherCountries().filter(isAround)), 512),
  layer('land', 0, () => land(provinces)),
  layer('province', 0, () => boundaries(provinces)),
  layer('municipality', 9, () => boundaries(municipalities)),
  layer('railway', 6, () => lines(railways, ({ name }) => ({ network: name }))),
  layer('road', 0, () => lines(roads.filter(isMain), ({ name }) => ({ ref: name, class: classOf(name) }))),
  layer('lesser_road', 9, () =>
    lines(
      roads.filter((one) => !isMain(one)),
      ({ name }) => ({ ref: name, class: 3 }),
    ),
  ),
  layer('province_name', 0, () => places(provinces)),
  layer('town', 0, () => towns((rank) => rank <= 2)),
  layer('lesser_town', 8, () => towns((rank) => rank > 2)),
]

function tileOf({ z, x, y }: TileAddress): Uint8Array | null {
  const found = layers.flatMap(({ name, from, index }) => {
    const tile = z < from ? null : index().getTile(z, x, y)
    return tile && tile.features.length > 0 ? [[name, tile] as const] : []
  })
  return found.length === 0 ? null : fromGeojsonVt(Object.fromEntries(found), { version: 2, extent: 4096 })
}

parentPort?.on('message', ({ id, ...address }: TileAddress & { readonly id: number }) => {
  try {
    parentPort?.postMessage({ id, given: tileOf(address) } satisfies Answer)
  } catch (error) {
    parentPort?.postMessage({ id, error: error as Error } satisfies Answer)
  }
})
