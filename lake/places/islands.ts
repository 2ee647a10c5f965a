import type { Point } from '../schema/columns.ts'
import { loadAtlas } from './atlas.ts'

/** An island with municipalities of its own. */
export interface Island {
  /** INE code, three digits; the first two are the province. */
  readonly code: string
  /** Official name. */
  readonly name: string
  /** Further names in use. */
  readonly names: readonly string[]
  /** INE codes of its municipalities. */
  readonly municipality_codes: readonly string[]
  /** A box around its land that contains no other island. */
  readonly box: Box
}

interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** INE's list (`Relación de municipios por islas`), each with a box around its land; islets belong to its municipalities. */
const LIST: readonly (readonly [
  code: string,
  name: string,
  names: readonly string[],
  box: readonly [west: number, south: number, east: number, north: number],
])[] = [
  ['071', 'Formentera', [], [1.3, 38.6, 1.7, 38.815]],
  ['072', 'Eivissa', ['Ibiza'], [1.05, 38.815, 1.75, 39.2]],
  ['073', 'Mallorca', ['Majorca'], [2.2, 39.05, 3.6, 40.05]],
  ['074', 'Menorca', ['Minorca'], [3.7, 39.75, 4.45, 40.15]],
  ['351', 'Fuerteventura', [], [-14.6, 28, -13.75, 28.8]],
  ['352', 'Gran Canaria', [], [-15.95, 27.7, -15.3, 28.25]],
  ['353', 'Lanzarote', [], [-13.95, 28.8, -13.3, 29.45]],
  ['381', 'La Gomera', ['Gomera'], [-17.4, 27.95, -17.02, 28.27]],
  ['382', 'El Hierro', ['Hierro'], [-18.2, 27.6, -17.83, 27.9]],
  ['383', 'La Palma', [], [-18.05, 28.4, -17.68, 28.9]],
  ['384', 'Tenerife', [], [-16.98, 27.95, -16.05, 28.65]],
]

let known: readonly Island[] | undefined

/** The islands of Spain with municipalities, by code. Reads the atlas on first use. */
export function allIslands(): readonly Island[] {
  known ??= Object.freeze(
    LIST.map(([code, name, names, [west, south, east, north]]) => {
      const box = { west, south, east, north }
      return { code, name, names, municipality_codes: inside(code.slice(0, 2), box), box }
    }),
  )
  return known
}

function inside(province_code: string, box: Box): string[] {
  const own = loadAtlas().municipalities.filter((area) => {
    const middle = { lon: (area.west + area.east) / 2, lat: (area.south + area.north) / 2 }
    return area.code.startsWith(province_code) && isIn(box, middle)
  })
  return own.map(({ code }) => code).sort()
}

/** The code of the island of a position in a province; null in provinces without islands. */
export function islandAt(province_code: string | null, position: Point | null): string | null {
  if (province_code === null || position === null) return null
  return allIslands().find(({ code, box }) => code.startsWith(province_code) && isIn(box, position))?.code ?? null
}

const isIn = ({ west, south, east, north }: Box, { lat, lon }: Point): boolean => lon > west && lon < east && lat > south && lat < north
