import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { feature } from 'topojson-client'

/** An area of the atlas: closed rings of lon, lat, lon, lat, … in WGS84 degrees, outer rings and holes together. */
export interface Area {
  readonly code: string
  readonly name: string
  readonly rings: readonly Float64Array[]
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** The boundaries of npm's es-atlas (IGN/CNIG, CC BY 4.0), quantized to about 0.002°: accurate to some 200 m. */
export interface Atlas {
  /** By INE code. Includes shared lands (prefix 53) and Gibraltar (54). */
  readonly municipalities: readonly Area[]
  readonly provinces: readonly Area[]
}

type Topology = Parameters<typeof feature>[0]

let atlas: Atlas | undefined

/** The atlas, read from the package on first use and cached: about 1.8 MB of JSON, 4 MB decoded. */
export function loadAtlas(): Atlas {
  atlas ??= readAtlas()
  return atlas
}

/** ISO 3166-1 code of Spain. */
const SPAIN = '724'

/** The land of all other countries, from npm's world-atlas (Natural Earth 1:10 million, public domain); not cached. */
export function readOtherCountries(): readonly Area[] {
  return areasOf(topologyOf('world-atlas/countries-10m.json'), 'countries').filter(({ code }) => code !== SPAIN)
}

const topologyOf = (file: string): Topology => JSON.parse(readFileSync(createRequire(import.meta.url).resolve(file), 'utf8')) as Topology

function readAtlas(): Atlas {
  const topology = topologyOf('es-atlas/es/municipalities.json')
  return { municipalities: areasOf(topology, 'municipalities'), provinces: areasOf(topology, 'provinces') }
}

function areasOf(topology: Topology, object: string): Area[] {
  const collection = topology.objects[object]
  if (collection?.type !== 'GeometryCollection') throw new Error(`the atlas has no collection ${object}`)
  return feature(topology, collection).features.map(({ id, properties, geometry }) => {
    const polygons = geometry.type === 'MultiPolygon' ? geometry.coordinates : geometry.type === 'Polygon' ? [geometry.coordinates] : []
    const rings = polygons.flat().map((ring) => Float64Array.from(ring.flat()))
    return { code: String(id), name: String(properties?.['name']), rings, ...boundsOf(rings) }
  })
}

function boundsOf(rings: readonly Float64Array[]): { west: number; south: number; east: number; north: number } {
  let west = Number.POSITIVE_INFINITY
  let south = Number.POSITIVE_INFINITY
  let east = Number.NEGATIVE_INFINITY
  let north = Number.NEGATIVE_INFINITY
  for (const ring of rings)
    for (let at = 0; at < ring.length; at += 2) {
      const lon = ring[at] as number
      const lat = ring[at + 1] as number
      if (lon < west) west = lon
      if (lon > east) east = lon
      if (lat < south) south = lat
      if (lat > north) north = lat
    }
  return { west, south, east, north }
}
