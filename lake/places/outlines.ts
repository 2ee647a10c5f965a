import { feature } from 'topojson-client'
import { topology } from 'topojson-server'
import type { Line, MultiPolygon, Polygon } from '../schema/columns.ts'
import { roundedLine, simplifiedLine } from './lines.ts'
import { ringArea } from './rings.ts'
import { isValidArea } from './valid-area.ts'

/** Shares of the tolerance to try in turn while an area of the border is invalid. */
const SHARES = [1, 1 / 4, 1 / 16, 0] as const

/** Greatest distance by which rounding to 5 decimals moves a point, m: half a unit north and one east. */
const ROUNDING_M = 0.8

type GeoJsonObject = Parameters<typeof topology>[0][string]
type GeometryCollection = Extract<Parameters<typeof feature>[1], { type: 'GeometryCollection' }>

/**
 * Simplifies areas (`simplifiedLine`): borders are at most `tolerance_m` metres off (one or more), at 5 decimals. Identical
 * borders stay shared. Smaller parts and holes are omitted, but an area keeps its largest part. An area that becomes invalid
 * (`isValidArea`) gets a finer tolerance, unless it is invalid with all its points.
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

/** The border numbers of an area. TopoJSON uses the complement of a border in reverse direction. */
function bordersOf(geometry: unknown): number[] {
  const { arcs } = geometry as { readonly arcs: readonly (readonly (readonly number[])[])[] }
  return arcs.flat(2).map((arc) => (arc < 0 ? ~arc : arc))
}

function drawnArea(area: MultiPolygon, { coordinates }: { readonly coordinates: MultiPolygon }): MultiPolygon {
  const left = coordinates.flatMap((part, at) => partsLeft(part, area[at] as Polygon))
  return left.length > 0 ? left : [[largestRing(area)]]
}

/** A polygon without its collapsed rings; empty if the outer ring collapsed. */
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
