import { union } from 'polyclip-ts'
import type { MultiPolygon } from '../schema/columns.ts'
import { roundedLine } from './lines.ts'
import { isValidArea } from './valid-area.ts'

/** Units per degree of 5 decimals. */
const PARTS = 100_000
/** Rounds in which an area is repaired: rounding to 5 decimals may make rings meet again. */
const ROUNDS = 4

/**
 * The area without rings that cross, overlap or run along each other, at 5 decimals: its parts united. A valid area stays as it
 * is, and so does one without extent.
 */
export function repairedArea(area: MultiPolygon): MultiPolygon {
  let united = area
  for (let round = 0; round < ROUNDS && !isValidArea(united); round++) {
    const [first, ...others] = united.map((polygon) => [
      polygon.map((ring) => ring.map(([lon, lat]): [number, number] => [Math.round(lon * PARTS), Math.round(lat * PARTS)])),
    ])
    if (!first) return area
    united = union(first, ...others).map((rings) => rings.map((ring) => roundedLine(ring.map(([x, y]) => [x / PARTS, y / PARTS] as const))))
  }
  return united.length > 0 ? united : area
}
