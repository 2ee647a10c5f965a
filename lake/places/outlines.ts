import { feature } from 'topojson-client'
import { topology } from 'topojson-server'
import type { Line, MultiPolygon, Polygon } from '../schema/columns.ts'
import { roundedLine, simplifiedLine } from './lines.ts'
import { hasCrossing, ringArea } from './rings.ts'

/** Shares of the tolerance that borders of areas are drawn with which cross themselves when drawn with more, one after the other. */
const FINER = [1 / 4, 1 / 16, 0]

type GeoJsonObject = Parameters<typeof topology>[0][string]
type GeometryCollection = Extract<Parameters<typeof feature>[1], { type: 'GeometryCollection' }>

/**
 * Areas with fewer points, in their order: of each border none that is left out lies farther than `tolerance_m` (metres) from what is left
 * (`simplifiedLine`), coordinates are rounded to 5 decimals, and what two areas share they share again, for borders are cut where three areas meet
 * and each piece is simplified once. Parts and holes too small for that are left out; of an area of which nothing would be left its largest
 * part stays. Borders that would cross themselves are drawn finer: what crosses itself did so before, or within a metre.
 */
export function outlinesOf(areas: readonly MultiPolygon[], tolerance_m: number): MultiPolygon[] {
  const { objects, arcs: borders, ...cut } = topology({ areas: collectionOf(areas) })
  const collection = objects['areas'] as GeometryCollection
  const lines = borders.map((border) => simplifiedLine(border as unknown as Line, tolerance_m))
  const drawn = (): MultiPolygon[] => {
    const { features } = feature({ ...cut, objects, arcs: lines as never }, collection)
    return areas.map((area, nth) => drawnArea(area, features[nth]?.geometry as unknown as { readonly coordinates: MultiPolygon }))
  }
  let outlines = drawn()
  for (const share of FINER) {
    const crossing = new Set(outlines.flatMap((outline, nth) => (hasCrossing(outline) ? bordersOf(collection.geometries[nth]) : [])))
    if (crossing.size === 0) break
    for (const border of crossing) lines[border] = simplifiedLine(borders[border] as unknown as Line, share * tolerance_m)
    outlines = drawn()
  }
  return outlines
}

function collectionOf(areas: readonly MultiPolygon[]): GeoJsonObject {
  return { type: 'GeometryCollection', geometries: areas.map((coordinates) => ({ type: 'MultiPolygon', coordinates })) } as GeoJsonObject
}

/** The numbers of the borders of an area; TopoJSON has those that are walked the other way round as their complements. */
function bordersOf(geometry: unknown): number[] {
  const { arcs } = geometry as { readonly arcs: readonly (readonly (readonly number[])[])[] }
  return arcs.flat(2).map((arc) => (arc < 0 ? ~arc : arc))
}

function drawnArea(area: MultiPolygon, { coordinates }: { readonly coordinates: MultiPolygon }): MultiPolygon {
  const left = coordinates.flatMap((part, at) => partsLeft(part, area[at] as Polygon))
  return left.length > 0 ? left : [[largestRing(area)]]
}

/** A polygon without the rings that have collapsed; none where its outer ring has. */
function partsLeft(part: Polygon, from: Polygon): Polygon[] {
  const rings = part.filter((ring, at) => ringArea(ring) * ringArea(from[at] as Line) > 0)
  return rings.length > 0 && rings[0] === part[0] ? [rings] : []
}

function largestRing(area: MultiPolygon): Line {
  const rings = area.map(([outer]) => outer as Line)
  const largest = rings.reduce((one, other) => (Math.abs(ringArea(other)) > Math.abs(ringArea(one)) ? other : one))
  const rounded = roundedLine(largest)
  return rounded.length >= 4 && ringArea(rounded) !== 0 ? rounded : largest
}
