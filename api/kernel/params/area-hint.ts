import type { Line } from '../../../lake/schema/columns.ts'
import type { Box } from '../reads/geo.ts'

/** Every place with data: Spain, its islands and the seas around them. Latitudes and longitudes do not overlap. */
const ALL_DATA = { west: -20, east: 6, south: 26, north: 46 } as const
/** Metres per degree of latitude; a degree of longitude has at least 0.69 times as many inside `ALL_DATA`. */
const DEGREE_M = 111_195
const LEAST_COSINE = 0.69

type Edges = Omit<Box, 'kind'>

/** A requested path, with the decimals of its polyline; null for GeoJSON. */
export interface RequestedLine {
  readonly line: Line
  readonly precision: number | null
}

/**
 * A hint if an area, point or path among a request's values, by parameter, is outside all data, so that nothing can be found;
 * null otherwise. It depends on the request alone, so that replies stay cacheable.
 */
export function areaHint(own: Readonly<Record<string, unknown>>): string | null {
  const values = Object.values(own)
  // A group's value may hold the point beside its other parts.
  for (const value of [own, ...values, ...values.flatMap(partsOf)]) {
    const edges = edgesOf(value)
    if (!edges || meetsData(edges)) continue
    const outside = `The requested area lies outside all data: longitude ${ALL_DATA.west} to ${ALL_DATA.east}, latitude ${ALL_DATA.south} to ${ALL_DATA.north}.`
    const swapped = { west: edges.south, south: edges.west, east: edges.north, north: edges.east }
    if (isPath(value) && value.precision === 6 && meetsData(scaled(edges)))
      return `${outside} As a polyline of five decimals it lies inside: precision=5.`
    return meetsData(swapped)
      ? `${outside} With latitude and longitude swapped it lies inside: ${written(value as object, swapped)}.`
      : outside
  }
  return null
}

function partsOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.values(value) : []
}

/** The box of a requested area, point or path, degrees; null for any other value. */
function edgesOf(value: unknown): Edges | null {
  if (typeof value !== 'object' || value === null) return null
  if ('west' in value) return value as Edges
  if (isPath(value)) return edgesOfLine(value.line)
  const { lat, lon, radius, radius_m = radius } = value as Readonly<Record<string, unknown>>
  if (typeof lat !== 'number' || typeof lon !== 'number') return null
  const reach = Number(radius_m ?? 0) / DEGREE_M
  return { west: lon - reach / LEAST_COSINE, east: lon + reach / LEAST_COSINE, south: lat - reach, north: lat + reach }
}

/** A train has a `line`, too. */
const isPath = (value: unknown): value is RequestedLine =>
  typeof value === 'object' && value !== null && 'line' in value && 'precision' in value

function edgesOfLine(line: Line): Edges {
  const edges = { west: 180, east: -180, south: 90, north: -90 }
  for (const [lon, lat] of line) {
    edges.west = Math.min(edges.west, lon)
    edges.east = Math.max(edges.east, lon)
    edges.south = Math.min(edges.south, lat)
    edges.north = Math.max(edges.north, lat)
  }
  return edges
}

/** What was read with a decimal too many. */
const scaled = ({ west, east, south, north }: Edges): Edges => ({ west: 10 * west, east: 10 * east, south: 10 * south, north: 10 * north })

function meetsData({ west, east, south, north }: Edges): boolean {
  return west <= ALL_DATA.east && east >= ALL_DATA.west && south <= ALL_DATA.north && north >= ALL_DATA.south
}

/** The parameters of the swapped area, or the order in a path. */
function written(value: object, { west, south, east, north }: Edges): string {
  if ('west' in value) return `bbox=${[west, south, east, north].join(',')}`
  if (isPath(value)) return value.precision === null ? 'GeoJSON has the longitude first' : 'an encoded polyline has the latitude first'
  const { lat, lon } = value as { readonly lat: number; readonly lon: number }
  return `lat=${lon}&lon=${lat}`
}
