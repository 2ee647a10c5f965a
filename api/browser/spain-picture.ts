// Draws places over an outline of Spain, for the server and for browsers.

/** A GeoJSON geometry, or what has such members. */
export interface Shape {
  readonly type: string
  readonly coordinates: unknown
}

/** Size of the picture, in its own units (px at a width of 480). */
export const PICTURE = { width: 480, height: 400 }

/** Units for a degree of latitude; degrees of longitude are shorter by the cosine of 40°. */
const UNITS = 44.4
const NARROWER = 0.766
/** The north-west corner of the main part, and of the Canary Islands with their scale and place in the picture. */
const MAIN = { lon: -9.6, lat: 43.9, scale: 1, x: 0, y: 4 }
const CANARIES = { lon: -18.3, lat: 29.5, scale: 0.7, x: 4, y: 336 }
/** Positions that are drawn at most. */
const MAX_POSITIONS = 6000
/** Lines and areas below this size are drawn as a dot, in degrees. */
const MIN_DEGREES = 0.12
const GEOMETRIES = ['Point', 'MultiPoint', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon']

/** Returns the place of a position (WGS84 degrees) in the picture, with the Canary Islands in the lower left corner. */
export function toPicture(lon: number, lat: number): readonly [x: number, y: number] {
  const part = lat < 30 && lon < -12 ? CANARIES : MAIN
  const units = UNITS * part.scale
  return [part.x + (lon - part.lon) * NARROWER * units, part.y + (part.lat - lat) * units]
}

/** True for a position that the picture shows: Spain with its islands. */
export function isOnPicture(lon: number, lat: number): boolean {
  const [x, y] = toPicture(lon, lat)
  return x >= 0 && y >= 0 && x <= PICTURE.width && y <= PICTURE.height
}

/** Finds the geometries in a reply: those of GeoJSON, else the positions of its records (`lat`, `lon`). */
export function geometriesOf(reply: unknown): readonly Shape[] {
  const found: Shape[] = []
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      for (const one of value) look(one)
      return
    }
    const { type, coordinates, lat, lon, ...others } = value as Readonly<Record<string, unknown>>
    if (GEOMETRIES.includes(String(type)) && Array.isArray(coordinates)) found.push({ type: String(type), coordinates })
    else if (typeof others['geometry'] === 'object' && others['geometry'] !== null) look(others['geometry'])
    else {
      if (typeof lat === 'number' && typeof lon === 'number') found.push({ type: 'Point', coordinates: [lon, lat] })
      for (const [name, one] of Object.entries(others)) if (name !== 'meta') look(one)
    }
  }
  look(reply)
  return found
}

/** Returns geometries as SVG path data: points as strokes of no length, and lines with areas. */
export function picturePaths(shapes: readonly Shape[]): { readonly dots: string; readonly lines: string } {
  const dots: string[] = []
  const lines: string[] = []
  let left = MAX_POSITIONS
  const place = ([lon, lat]: readonly number[]): string => {
    left -= 1
    return toPicture(lon as number, lat as number)
      .map((at) => at.toFixed(1))
      .join(' ')
  }
  const draw = (coordinates: unknown, isLine: boolean): void => {
    if (!Array.isArray(coordinates) || left <= 0) return
    const [first] = coordinates as readonly unknown[]
    if (typeof first === 'number') dots.push(`M${place(coordinates)}h0`)
    else if (isLine && Array.isArray(first) && typeof first[0] === 'number') {
      const places = thinned(coordinates.map(place))
      // What is smaller than a dot is drawn as one.
      if (extent(coordinates as number[][]) < MIN_DEGREES) dots.push(`M${places[0]}h0`)
      else lines.push(`M${places.join('L')}`)
    } else for (const one of coordinates) draw(one, isLine)
  }
  for (const { type, coordinates } of shapes) draw(coordinates, !type.endsWith('Point'))
  return { dots: dots.join(''), lines: lines.join('') }
}

/** The longer side of the box around positions, in degrees. */
function extent(positions: readonly (readonly number[])[]): number {
  const side = (at: 0 | 1): number => {
    const values = positions.map((one) => one[at] as number)
    return Math.max(...values) - Math.min(...values)
  }
  return Math.max(side(0), side(1))
}

/** Leaves out places that repeat the one before. */
function thinned(places: readonly string[]): readonly string[] {
  return places.filter((one, at) => one !== places[at - 1])
}
