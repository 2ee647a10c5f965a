import type { SectionCity } from '../../../lake/datasets/road/section-cities.ts'
import type { trafficSections } from '../../../lake/datasets/road/traffic-sections.ts'
import { areaMiddle, lineLength, lineMiddle } from '../../../lake/places/middles.ts'
import { ringArea } from '../../../lake/places/rings.ts'
import type { Line, MultiPolygon } from '../../../lake/schema/columns.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { decodeUtf8 } from '../../formats/text.ts'
import { type Diagnostics, type FeedBody, FormatError } from '../define.ts'

export type Section = FeedRow<typeof trafficSections>
type Position = Line[0]

/** A GeoJSON feature as published. */
export interface ReadFeature {
  readonly properties: Readonly<Record<string, unknown>>
  readonly geometry: { readonly type?: unknown; readonly coordinates?: unknown } | null
}

/** The features of a GeoJSON document. Throws `FormatError` for anything else, such as an error in JSON. */
export function geoJsonFeatures({ name, bytes }: FeedBody): readonly ReadFeature[] {
  let found: { readonly features?: unknown } | null
  try {
    found = JSON.parse(decodeUtf8(bytes)) as { features?: unknown } | null
  } catch (cause) {
    if (cause instanceof FormatError) throw cause
    throw new FormatError(`${name} is no JSON`, { cause })
  }
  if (!Array.isArray(found?.features)) throw new FormatError(`${name} has no features: ${JSON.stringify(found).slice(0, 200)}`)
  return found.features.map((feature: Partial<ReadFeature> | null) => {
    if (typeof feature?.properties !== 'object' || feature.properties === null)
      throw new FormatError(`${name} has a feature without properties`)
    return { properties: feature.properties, geometry: feature.geometry ?? null }
  })
}

/** A section of a catalogue with its geometry: line or area, length and position. */
export function sectionOf(
  place: SectionCity,
  section: Pick<Section, 'section_id' | 'name'> & Partial<Section>,
  shape: { readonly line?: Line | null; readonly area?: MultiPolygon | null },
): Section {
  const { line = null, area = null } = shape
  return {
    ...{ source: place.source, city: place.city, municipality_code: place.municipality_code, section_number: null, is_underpass: null },
    ...section,
    ...{ line, area, length_m: line && Math.round(lineLength(line)) },
    position: line ? lineMiddle(line) : area ? areaMiddle(area) : null,
  }
}

/** A line of at least two different points in the city, to six decimals; otherwise null, with a count. */
export function cityLine(place: SectionCity, given: unknown, notes: Pick<Diagnostics, 'warn'>): Line | null {
  const line = pointsOf(place, given)
  if (line === null || line.length < 2) notes.warn(`an invalid line, or one outside ${place.city}: left out`)
  return line === null || line.length < 2 ? null : line
}

/** The polygons of a GeoJSON Polygon or MultiPolygon, outer rings counter-clockwise; otherwise null, with a count. */
export function cityArea(place: SectionCity, geometry: ReadFeature['geometry'], notes: Pick<Diagnostics, 'warn'>): MultiPolygon | null {
  const { type, coordinates } = geometry ?? {}
  const polygons = type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' && Array.isArray(coordinates) ? coordinates : []
  const area = polygons.map((rings: unknown) => (Array.isArray(rings) ? rings.map((ring) => closedRing(place, ring)) : [null]))
  const isWhole = area.length > 0 && area.every((rings) => rings.length > 0 && rings.every((ring) => ring !== null))
  if (!isWhole) notes.warn(`an invalid area, or one outside ${place.city}: left out`)
  return isWhole ? area.map((rings) => rings.map((ring, at) => turned(ring as Line, at === 0))) : null
}

function closedRing(place: SectionCity, given: unknown): Line | null {
  const ring = pointsOf(place, given)
  if (ring === null || ring.length < 3) return null
  const [first, last] = [ring[0] as Position, ring.at(-1) as Position]
  const closed = first[0] === last[0] && first[1] === last[1] ? ring : [...ring, first]
  return closed.length < 4 || ringArea(closed) === 0 ? null : closed
}

const turned = (ring: Line, isOuter: boolean): Line => (ringArea(ring) > 0 === isOuter ? ring : ring.toReversed())

/** Points inside the city, without consecutive duplicates; null if one is invalid or outside. */
function pointsOf({ box }: SectionCity, given: unknown): Line | null {
  if (!Array.isArray(given)) return null
  const points: Position[] = []
  for (const one of given as readonly unknown[]) {
    const [lon, lat] = (Array.isArray(one) ? one : []) as unknown[]
    if (typeof lon !== 'number' || typeof lat !== 'number') return null
    if (!(lon > box.west && lon < box.east && lat > box.south && lat < box.north)) return null
    const point = [Math.round(lon * 1e6) / 1e6, Math.round(lat * 1e6) / 1e6] as const
    const before = points.at(-1)
    if (before?.[0] !== point[0] || before[1] !== point[1]) points.push(point)
  }
  return points
}
