import { distance_m, type Place } from './geometry.ts'

/** A place on a road, as `/api/geo/pk` lists those around a position. */
export interface RoadPlace {
  readonly road: string
  readonly km: number
  readonly lat: number
  readonly lon: number
  readonly distance_m: number
}

/** A stretch of one road between two places, in the order of travel. */
export interface Stretch {
  readonly road: string
  readonly from: RoadPlace
  readonly to: RoadPlace
}

/** Kilometres of a road may count this much less or more than the straight line between two places, and this many m besides. */
const LEAST_DETOUR = 0.8
const MOST_DETOUR = 2.5
const SLACK_M = 3000
/** Roads this near to each other meet. */
const JUNCTION_M = 800
/** How much a metre beside the roads counts compared with one on them. */
const ACCESS = 4

/** The nearest road that passes both places, with a length that fits; null if none does. */
export function commonRoad(near: readonly RoadPlace[], far: readonly RoadPlace[]): Stretch | null {
  const pairs = near.flatMap((from) => far.filter(({ road }) => road === from.road).map((to) => ({ road: from.road, from, to })))
  const fits = pairs.filter(({ from, to }) => {
    const straight_m = distance_m([from.lon, from.lat], [to.lon, to.lat])
    const length_m = 1000 * Math.abs(to.km - from.km)
    return length_m > 100 && length_m >= LEAST_DETOUR * straight_m - SLACK_M && length_m <= MOST_DETOUR * straight_m + SLACK_M
  })
  const cost = ({ from, to }: Stretch): number => from.distance_m + to.distance_m
  return fits.toSorted((one, other) => cost(one) - cost(other))[0] ?? null
}

/** The points of a road's parts as one line in the order of its kilometres. */
export function lineOf(parts: readonly GeoJSON.Feature[]): Place[] {
  return parts.flatMap(({ geometry }) => (geometry?.type === 'LineString' ? (geometry.coordinates as [number, number][]) : []))
}

function nearestOf(line: readonly Place[], to: Place): { readonly at: number; readonly away_m: number } {
  let best = { at: 0, away_m: Number.POSITIVE_INFINITY }
  for (const [at, place] of line.entries()) {
    const away_m = distance_m(place, to)
    if (away_m < best.away_m) best = { at, away_m }
  }
  return best
}

/** The points of a line from one to another, in this order. */
const between = (line: readonly Place[], from: number, to: number): Place[] =>
  from <= to ? line.slice(from, to + 1) : line.slice(to, from + 1).toReversed()

export const length_m = (line: readonly Place[]): number =>
  line.reduce((sum, place, at) => (at === 0 ? 0 : sum + distance_m(line[at - 1] as Place, place)), 0)

/** The part of a road between two places. */
export function partOf(line: readonly Place[], from: Place, to: Place): Place[] {
  return between(line, nearestOf(line, from).at, nearestOf(line, to).at)
}

/** The shortest way from one place to another over a road of the first and one of the second that meet; null without one. */
export function wayOverTwo(
  first: readonly (readonly Place[])[],
  second: readonly (readonly Place[])[],
  [from, to]: readonly [Place, Place],
): Place[] | null {
  let best: { readonly way: Place[]; readonly cost: number } | null = null
  for (const one of first)
    for (const other of second) {
      const [begin, end] = [nearestOf(one, from), nearestOf(other, to)]
      let junction = { one: 0, other: 0, away_m: Number.POSITIVE_INFINITY }
      for (const [at, place] of one.entries()) {
        const near = nearestOf(other, place)
        if (near.away_m < junction.away_m) junction = { one: at, other: near.at, away_m: near.away_m }
      }
      if (junction.away_m > JUNCTION_M) continue
      const way = [...between(one, begin.at, junction.one), ...between(other, junction.other, end.at)]
      const cost = length_m(way) + ACCESS * (begin.away_m + end.away_m)
      if (way.length > 1 && (best === null || cost < best.cost)) best = { way, cost }
    }
  return best?.way ?? null
}

/** Encodes a line as a polyline of five decimals, as `/api/trafico/ruta` takes it. */
export function encoded(line: readonly Place[]): string {
  let text = ''
  let [last_lat, last_lon] = [0, 0]
  const put = (value: number): void => {
    let rest = value < 0 ? ~(value << 1) : value << 1
    while (rest >= 0x20) {
      text += String.fromCharCode((0x20 | (rest & 0x1f)) + 63)
      rest >>= 5
    }
    text += String.fromCharCode(rest + 63)
  }
  for (const [lon, lat] of line) {
    const [x, y] = [Math.round(lon * 1e5), Math.round(lat * 1e5)]
    put(y - last_lat)
    put(x - last_lon)
    ;[last_lat, last_lon] = [y, x]
  }
  return text
}
