import type { Line } from '../../../../lake/schema/columns.ts'
import { InvalidParam } from '../../../kernel/problems.ts'

/** The most positions of a path. */
export const MAX_POSITIONS = 50_000

const WHERE = { parameter: 'path' } as const

/**
 * Reads a path: an encoded polyline (Google's algorithm) of a precision in decimals, or a GeoJSON LineString as text. Throws
 * `InvalidParam` for anything else, less than two different positions, or more than `MAX_POSITIONS`.
 */
export function readPath(text: string, precision: number): Line {
  const line = isGeoJson(text) ? fromGeoJson(text) : decoded(text, 10 ** precision)
  const outside = line.find(([lon, lat]) => !(Math.abs(lon) <= 180 && Math.abs(lat) <= 90))
  if (outside)
    throw new InvalidParam(
      `expected positions in degrees; ${outside[1]}, ${outside[0]} is none. An encoded polyline of six decimals needs precision=6`,
      WHERE,
    )
  const whole = line.filter(([lon, lat], at) => at === 0 || lon !== line[at - 1]?.[0] || lat !== line[at - 1]?.[1])
  if (whole.length < 2) throw new InvalidParam('expected at least two different positions', WHERE)
  return whole
}

/** Whether the text of a path is GeoJSON: a polyline may begin with a brace, but has no quotation mark. */
export const isGeoJson = (text: string): boolean => text.trimStart().startsWith('{') && text.includes('"')

/** Reads the coordinates of a LineString, or of a Feature with one. Heights are dropped. */
function fromGeoJson(text: string): Line {
  const given = parsed(text)
  const geometry = given?.type === 'Feature' ? given.geometry : given
  if (geometry?.type !== 'LineString' || !Array.isArray(geometry.coordinates))
    throw new InvalidParam('expected a GeoJSON LineString, or a Feature with one', WHERE)
  limit(geometry.coordinates.length)
  return geometry.coordinates.map((one: unknown) => {
    if (!Array.isArray(one) || typeof one[0] !== 'number' || typeof one[1] !== 'number')
      throw new InvalidParam(`expected positions [lon, lat], not ${JSON.stringify(one)?.slice(0, 60)}`, WHERE)
    return [one[0], one[1]] as const
  })
}

interface GeoJson {
  readonly type?: unknown
  readonly coordinates?: unknown
  readonly geometry?: GeoJson | null
}

function parsed(text: string): GeoJson | null {
  try {
    return JSON.parse(text) as GeoJson | null
  } catch {
    throw new InvalidParam('expected an encoded polyline or a GeoJSON LineString: this is no valid JSON', WHERE)
  }
}

/** Decodes a polyline: each number is a difference, in groups of five bits, least first, with the sign in the lowest bit. */
function decoded(text: string, parts: number): Line {
  const line: (readonly [lon: number, lat: number])[] = []
  let [lat, lon] = [0, 0]
  let at = 0
  const next = (): number => {
    let [value, weight, group] = [0, 1, 0]
    do {
      group = text.charCodeAt(at++) - 63
      if (!(group >= 0 && group < 64) || weight > 2 ** 30)
        throw new InvalidParam(`expected an encoded polyline: it is cut off or has an invalid character at ${at}`, WHERE)
      value += (group % 32) * weight
      weight *= 32
    } while (group >= 32)
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2
  }
  while (at < text.length) {
    lat += next()
    lon += next()
    line.push([lon / parts, lat / parts])
    limit(line.length)
  }
  return line
}

function limit(positions: number): void {
  if (positions > MAX_POSITIONS) throw new InvalidParam(`expected at most ${MAX_POSITIONS} positions`, WHERE)
}
