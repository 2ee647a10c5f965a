import type { Line, Point } from '../../../lake/schema/columns.ts'
import { matchPath } from '../../kernel/reads/map-matching.ts'

/** Maximum distance between a simplified track and the published one, m. */
export const TRACK_TOLERANCE_M = 10

/**
 * Maximum distance of a station from its published track, m. Of 2,946 stops on 263 routes of 2026-08-22 with both, 2,829 are
 * within 418 m (2,801 within 100 m) and the others 817 m to 82 km away.
 */
export const TRACK_REACH_M = 500

/** Trips of a route with the same stops. */
export interface Pattern {
  readonly network: string
  readonly route_id: string
  readonly shape_id: string | null
  readonly direction: number | null
  readonly trips: number
  readonly stop_ids: readonly string[]
}

/** The path of a route's trips. */
export interface RouteWay {
  /** Number of stop sequences of its trips, and the most frequent one. */
  readonly patterns: number
  readonly stop_ids: readonly string[]
  readonly geometry: Line | null
  readonly geometry_source: 'SHAPE' | 'SHAPE_AND_STATIONS' | 'STATIONS' | null
}

/**
 * The path of a route, from its patterns and the shapes by network and id. Shapes cover whole lines in either direction:
 * stations cut and orient them; where a shape does not pass them, the path is straight. Of 263 routes with both (2026-08-22),
 * 238 follow it fully, 12 in parts, 9 not at all; 4 stop once. All take 0.15 s of CPU with simplified shapes.
 */
export function routeWay(
  patterns: readonly Pattern[],
  places: ReadonlyMap<string, { readonly position: Point | null }>,
  shapes: ReadonlyMap<string, Line>,
): RouteWay {
  // The publisher numbers the stops of similar trips differently.
  const stopping = patterns.filter(({ stop_ids }) => stop_ids.length > 0)
  const sequences = Map.groupBy(stopping, ({ stop_ids }) => stop_ids.join(' '))
  const stop_ids = mostTrips(sequences)?.[0]?.stop_ids ?? []
  const tracked = patterns.filter(({ network, shape_id }) => shapes.has(`${network} ${shape_id}`))
  const [shape] = mostTrips(Map.groupBy(tracked, ({ network, shape_id }) => `${network} ${shape_id}`)) ?? []
  const track = shape && shapes.get(`${shape.network} ${shape.shape_id}`)
  const stations = stop_ids.flatMap((stop_id) => {
    const position = places.get(stop_id)?.position
    return position ? [[position.lon, position.lat] as const] : []
  })
  const { line, parts, following } = matchPath(track ?? [], stations, TRACK_REACH_M)
  return {
    patterns: sequences.size,
    stop_ids,
    geometry: line,
    geometry_source: line === null ? null : following === 0 ? 'STATIONS' : following === parts ? 'SHAPE' : 'SHAPE_AND_STATIONS',
  }
}

/** The group with most trips; the first of equals. */
function mostTrips(groups: ReadonlyMap<string, readonly Pattern[]>): readonly Pattern[] | undefined {
  const sums = [...groups.values()].map((group) => ({ group, trips: group.reduce((sum, { trips }) => sum + trips, 0) }))
  return sums.sort((one, other) => other.trips - one.trips)[0]?.group
}
