import type { Box } from './geo.ts'

/** Every place with data: Spain, its islands and the seas around them. Latitudes and longitudes do not overlap. */
const ALL_DATA = { west: -20, east: 6, south: 26, north: 46 } as const
/** Metres per degree of latitude; a degree of longitude has at least 0.69 times as many inside `ALL_DATA`. */
const DEGREE_M = 111_195
const LEAST_COSINE = 0.69

type Edges = Omit<Box, 'kind'>

/**
 * A hint if an area or point among a request's values, by parameter, lies outside all data, so that nothing can be found; null
 * otherwise. It depends on the request alone, so that replies stay cacheable.
 */
export function areaHint(own: Readonly<Record<string, unknown>>): string | null {
  const values = Object.values(own)
  // A group's value may hold the point beside its other parts.
  for (const value of [own, ...values, ...values.flatMap(partsOf)]) {
    const edges = edgesOf(value)
    if (!edges || meetsData(edges)) continue
    const outside = `The requested area lies outside all data: longitude ${ALL_DATA.west} to ${ALL_DATA.east}, latitude ${ALL_DATA.south} to ${ALL_DATA.north}.`
    const swapped = { west: edges.south, south: edges.west, east: edges.north, north: edges.east }
    return meetsData(swapped)
      ? `${outside} With latitude and longitude swapped it lies inside: ${written(value as object, swapped)}.`
      : outside
  }
  return null
}

function partsOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.values(value) : []
}

/** The box of a requested area or point, degrees; null for any other value. */
function edgesOf(value: unknown): Edges | null {
  if (typeof value !== 'object' || value === null) return null
  if ('west' in value) return value as Edges
  const { lat, lon, radius, radius_m = radius } = value as Readonly<Record<string, unknown>>
  if (typeof lat !== 'number' || typeof lon !== 'number') return null
  const reach = Number(radius_m ?? 0) / DEGREE_M
  return { west: lon - reach / LEAST_COSINE, east: lon + reach / LEAST_COSINE, south: lat - reach, north: lat + reach }
}

function meetsData({ west, east, south, north }: Edges): boolean {
  return west <= ALL_DATA.east && east >= ALL_DATA.west && south <= ALL_DATA.north && north >= ALL_DATA.south
}

/** The parameters of the swapped area. */
function written(value: object, { west, south, east, north }: Edges): string {
  if ('west' in value) return `bbox=${[west, south, east, north].join(',')}`
  const { lat, lon } = value as { readonly lat: number; readonly lon: number }
  return `lat=${lon}&lon=${lat}`
}
