import { feature } from 'topojson-client'
import { topology } from 'topojson-server'
import type { Line, MultiPolygon, Polygon } from '../schema/columns.ts'
import { roundedLine, simplifiedLine } from './lines.ts'
import { ringArea } from './rings.ts'
import { isValidArea } from './valid-area.ts'

/** Shares of the tolerance that a border is drawn with, one after the other, while an area that it is of is not valid. */
const SHARES = [1, 1 / 4, 1 / 16, 0] as const

/** How far rounding to 5 decimals moves a point at most, in metres: half a part of a degree to the north and one to the east. */
const ROUNDING_M = 0.8

type GeoJsonObject = Parameters<typeof topology>[0][string]
type GeometryCollection = Extract<Parameters<typeof feature>[1], { type: 'GeometryCollection' }>

/**
 * Areas with fewer points, in their order: of each border none lies farther than `tolerance_m` (metres, one or more) from what is left
 * (`simplifiedLine`) once coordinates are rounded to 5 decimals, and what two areas share they share again, for borders are cut where three areas meet
 * and each piece is simplified once. A border is shared where both areas have the same points of it. Parts and holes too small for that are left out;
 * an area of which nothing would be left keeps its largest part, with all decimals where it needs them. An area that would not be valid (`isValidArea`),
 * as where it crosses itself or a hole is where a headland was, is drawn finer until it is, or is not with all of its points.
 */
export function outlinesOf(areas: readonly MultiPolygon[], tolerance_m: number): MultiPolygon[] {
  const { objects, arcs: borders, ...cut } = topology({ areas: collectionOf(areas) })
  const { geometries } = objects['areas'] as GeometryCollection
  const bordersOfAreas = geometries.map(bordersOf)
  const fineness = new Uint8Array(borders.length)
  const lineOf = (border: number): Line =>
    simplifiedLine(
      borders[border] as unknown as Line,
      Math.max(0, (SHARES[fineness[border] as number] as number) * tolerance_m - ROUNDING_M),
    )
  const lines = borders.map((_, border) => lineOf(border))
  const outlines: MultiPolygon[] = []
  let open = areas.map((_, nth) => nth)
  while (open.length > 0) {
    const collection = { type: 'GeometryCollection', geometries: open.map((nth) => geometries[nth]) } as GeometryCollection
    const { features } = feature({ ...cut, objects, arcs: lines as never }, collection)
    const finer = new Set<number>()
    for (const [at, nth] of open.entries()) {
      const outline = drawnArea(areas[nth] as MultiPolygon, features[at]?.geometry as unknown as { readonly coordinates: MultiPolygon })
      outlines[nth] = outline
      if (isValidArea(outline)) continue
      for (const border of bordersOfAreas[nth] as number[]) if ((fineness[border] as number) + 1 < SHARES.length) finer.add(border)
    }
    for (const border of finer) {
      fineness[border] = (fineness[border] as number) + 1
      lines[border] = lineOf(border)
    }
    open = areas.flatMap((_, nth) => (bordersOfAreas[nth]?.some((border) => finer.has(border)) ? [nth] : []))
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
