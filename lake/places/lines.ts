import type { Line } from '../schema/columns.ts'
import { distanceM, EARTH_M } from './distance.ts'

const RAD = Math.PI / 180
/** Units per degree: five decimals, about a metre. */
const PARTS = 100_000

/**
 * Simplifies a line (Douglas and Peucker): omitted points are at most `tolerance_m` metres from the result, whose coordinates
 * have 5 decimals. Both ends stay.
 */
export function simplifiedLine(line: Line, tolerance_m: number): Line {
  return roundedLine(simplifiedPoints(line, tolerance_m).map((at) => line[at] as Line[0]))
}

/** Length of a line over ground, in metres. */
export function lengthM(line: Line): number {
  return line.reduce((sum, [lon, lat], at) => {
    const before = line[at - 1]
    return before ? sum + distanceM({ lon: before[0], lat: before[1] }, { lon, lat }) : sum
  }, 0)
}

/** The indices of the points that `simplifiedLine` keeps, in order. */
export function simplifiedPoints(line: Line, tolerance_m: number): number[] {
  const kept = new Uint8Array(line.length)
  kept[0] = 1
  kept[line.length - 1] = 1
  const open: [number, number][] = [[0, line.length - 1]]
  for (let part = open.pop(); part; part = open.pop()) {
    const [from, to] = part
    let farthest = -1
    let most = tolerance_m
    for (let at = from + 1; at < to; at++) {
      const away = metresAway(line[at] as Line[0], line[from] as Line[0], line[to] as Line[0])
      if (away <= most) continue
      farthest = at
      most = away
    }
    if (farthest === -1) continue
    kept[farthest] = 1
    open.push([from, farthest], [farthest, to])
  }
  return [...line.keys()].filter((at) => kept[at] === 1)
}

/** The line with coordinates of 5 decimals, without repeated points. Both ends stay. */
export function roundedLine(line: Line): Line {
  const points = line.map(([lon, lat]) => [rounded(lon), rounded(lat)] as const)
  return points.filter(
    ([lon, lat], at) => at === 0 || at === points.length - 1 || lon !== points[at - 1]?.[0] || lat !== points[at - 1]?.[1],
  )
}

/** Distance of a point from a segment, in metres, on the tangent plane at the point; accurate for segments of some kilometres. */
export function metresAway(point: Line[0], from: Line[0], to: Line[0]): number {
  const share = nearestShare(point, from, to)
  const scale = Math.cos(point[1] * RAD)
  const east = (from[0] + share * (to[0] - from[0]) - point[0]) * scale
  const north = from[1] + share * (to[1] - from[1]) - point[1]
  return Math.hypot(east, north) * RAD * EARTH_M
}

/** Position on a segment nearest to a point, on that plane: 0 at its start, 1 at its end. */
export function nearestShare([lon, lat]: Line[0], [fromLon, fromLat]: Line[0], [toLon, toLat]: Line[0]): number {
  const scale = Math.cos(lat * RAD)
  const [ax, ay] = [(fromLon - lon) * scale, fromLat - lat]
  const [dx, dy] = [(toLon - fromLon) * scale, toLat - fromLat]
  const length = dx * dx + dy * dy
  return length === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / length))
}

function rounded(degrees: number): number {
  return Math.round(degrees * PARTS) / PARTS
}

/**
 * The longest path, m, between two points of a road that are some kilometres apart: 1.6 times the kilometres and 1.5 km. A longer
 * one is another way, or of another road with the same name (found by others on IGN's network of 2026).
 */
export function longestRoadM(km: number): number {
  return 1600 * km + 1500
}
