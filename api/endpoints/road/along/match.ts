import { isInPolygons } from '../../../../lake/places/rings.ts'
import { foldRoad } from '../../../../lake/places/road-key.ts'
import type { Line, Point } from '../../../../lake/schema/columns.ts'
import { distanceM } from '../../../define/geo.ts'
import { memo } from '../../../define/memo.ts'
import type { Posts } from '../posts.ts'
import { type Relation, ROAD_ITEMS, type RoadItemKind } from './kinds.ts'
import { BEARING_M, bearing, type PathLine } from './path-line.ts'
import type { Thing } from './things.ts'

/** Spacing of the points that stand for a stretch of road, m. */
const SPACING_M = 300
/** Spacing of the points at which a path is looked up in the areas of warnings, m. */
const STEP_M = 1000
/** The same near an area smaller than `SMALL_M`, which a longer step may pass over. */
const FINE_M = 100
const SMALL_M = 3 * STEP_M
/** Precision with which the border of an area is found, m. */
const BORDER_M = 10
/** A weather station describes the weather this far around it, m. */
export const WEATHER_M = 10_000
/** Roads that meet at a larger angle cross, degrees. */
const CROSSES_FROM = 50
/** How far from its road, as located, a thing may be for the road's bearing to be known, m. */
const ON_ROAD_M = 1000
/** Kinds that are areas. */
export const AREAS: ReadonlySet<RoadItemKind> = new Set(['WEATHER_WARNING', 'LOW_EMISSION_ZONE'])
/** Kinds that concern the traffic of one direction. */
const DIRECTED: ReadonlySet<RoadItemKind> = new Set(['INCIDENT', 'WORKS', 'BEACON', 'PANEL', 'SPEED_CAMERA', 'SENSOR'])

/** A thing on a path. */
export interface Met {
  readonly thing: Thing
  /** Where the path meets it first, m from the start. */
  readonly along_m: number
  /** The end of its stretch on the path, m from the start; null for a thing at a point. */
  readonly until_m: number | null
  readonly offset_m: number
  /** Positive left of the path; 0 for an area. */
  readonly turn: number
  readonly relation: Relation
  readonly position: Point | null
}

/** What to look for along a path. */
export interface Wanted {
  readonly kinds: ReadonlySet<string>
  /** Greatest distance from the path, m. */
  readonly buffer_m: number
  /** Set to leave out what concerns only the opposite direction, or a crossing road. */
  readonly onlyOwnDirection: boolean
}

/** The positions of some things in typed arrays, to choose among thousands quickly. */
interface Spots {
  readonly lons: Float64Array
  readonly lats: Float64Array
  /** The thing at each position. */
  readonly owners: Uint32Array
}

const spotsOf = memo((things: readonly Thing[]): Spots => {
  const [lons, lats, owners]: number[][] = [[], [], []] as [number[], number[], number[]]
  for (const [owner, { position, line }] of things.entries())
    for (const [lon, lat] of line ? pointsAlong(line) : position ? [[position.lon, position.lat] as const] : []) {
      ;(lons as number[]).push(lon)
      ;(lats as number[]).push(lat)
      ;(owners as number[]).push(owner)
    }
  return {
    lons: Float64Array.from(lons as number[]),
    lats: Float64Array.from(lats as number[]),
    owners: Uint32Array.from(owners as number[]),
  }
})

/** Points of a line about `SPACING_M` apart, both ends included. */
function pointsAlong(line: Line): Line {
  const points: Line[0][] = []
  for (const [at, to] of line.entries()) {
    const from = points.at(-1)
    const away_m = from ? distanceM({ lon: from[0], lat: from[1] }, { lon: to[0], lat: to[1] }) : 0
    if (from && away_m < SPACING_M && at < line.length - 1) continue
    const steps = Math.max(1, Math.ceil(away_m / SPACING_M))
    for (let step = 1; from && step < steps; step++)
      points.push([from[0] + (step / steps) * (to[0] - from[0]), from[1] + (step / steps) * (to[1] - from[1])])
    points.push(to)
  }
  return points
}

/** The things along a path, each once, in the order in which the path meets them. */
export function thingsAlong(path: PathLine, kinds: readonly (readonly Thing[])[], posts: Posts | null, wanted: Wanted): Met[] {
  const found = kinds.flatMap((things) => {
    const [first] = things
    if (!first || !things.some(({ kind }) => wanted.kinds.has(kind))) return []
    return AREAS.has(first.kind) ? areasOn(path, things) : spotsOn(path, things, { posts, wanted })
  })
  const isMet = ({ thing, relation }: Met): boolean =>
    wanted.kinds.has(thing.kind) &&
    !(wanted.onlyOwnDirection && DIRECTED.has(thing.kind) && (relation === 'OPPOSITE_DIRECTION' || relation === 'CROSSING_ROAD'))
  return found.filter(isMet).sort(byPlace)
}

const RANK = new Map(Object.keys(ROAD_ITEMS.codes).map((kind, at) => [kind, at]))

function byPlace(one: Met, other: Met): number {
  return (
    one.along_m - other.along_m ||
    (RANK.get(one.thing.kind) as number) - (RANK.get(other.thing.kind) as number) ||
    (one.thing.id < other.thing.id ? -1 : 1)
  )
}

function spotsOn(
  path: PathLine,
  things: readonly Thing[],
  { posts, wanted }: { readonly posts: Posts | null; readonly wanted: Wanted },
): Met[] {
  const { lons, lats, owners } = spotsOf(things)
  const within_m = things[0]?.kind === 'WEATHER_STATION' ? Math.max(wanted.buffer_m, WEATHER_M) : wanted.buffer_m
  const met = new Map<number, { along_m: number; until_m: number; offset_m: number; turn: number }>()
  const mayBeNear = path.nearness(within_m)
  for (let spot = 0; spot < lons.length; spot++) {
    const lon = lons[spot] as number
    const lat = lats[spot] as number
    if (!mayBeNear(lon, lat)) continue
    const beside = path.nearest(lon, lat, within_m)
    if (!beside) continue
    const owner = owners[spot] as number
    const there = met.get(owner)
    if (!there) {
      met.set(owner, { ...beside, until_m: beside.along_m })
      continue
    }
    there.along_m = Math.min(there.along_m, beside.along_m)
    there.until_m = Math.max(there.until_m, beside.along_m)
    if (beside.offset_m < there.offset_m) Object.assign(there, { offset_m: beside.offset_m, turn: beside.turn })
  }
  return [...met].map(([owner, { along_m, until_m, offset_m, turn }]) => {
    const thing = things[owner] as Thing
    const relation = DIRECTED.has(thing.kind) ? relationOf(thing, path.bearingAt(along_m), posts) : 'UNKNOWN'
    return { thing, along_m, until_m: thing.line ? until_m : null, offset_m, turn, relation, position: thing.position }
  })
}

/** The areas (warnings, low-emission zones) that a path enters: from where it first does to where it last leaves. */
function areasOn(path: PathLine, things: readonly Thing[]): Met[] {
  const steps = Math.max(1, Math.ceil(path.length_m / STEP_M))
  const coarse = Array.from({ length: steps + 1 }, (_, step) => (step / steps) * path.length_m)
  const coarsePoints = coarse.map((along_m) => path.at(along_m))
  return things.flatMap((thing) => {
    const { area } = thing
    if (!area) return []
    const bounds = boundsOf(thing)
    const isIn = (point: Point): boolean => isInBox(bounds, point) && isInPolygons(area, [point.lon, point.lat])
    const samples = bounds.size_m < SMALL_M ? fineNear(bounds, coarse, coarsePoints) : coarse
    const points = samples === coarse ? coarsePoints : samples.map((along_m) => path.at(along_m))
    const [first, last] = [points.findIndex(isIn), points.findLastIndex(isIn)]
    if (first < 0) return []
    /** Where the path crosses the border, between a place outside and one inside. */
    const border = (outside: number, inside: number): number => {
      let [far, near] = [samples[outside] ?? (samples[inside] as number), samples[inside] as number]
      while (Math.abs(near - far) > BORDER_M) {
        const middle = (near + far) / 2
        if (isIn(path.at(middle))) near = middle
        else far = middle
      }
      return near
    }
    const along_m = border(first - 1, first)
    const until_m = border(last + 1, last)
    return [{ thing, along_m, until_m, offset_m: 0, turn: 0, relation: 'UNKNOWN' as const, position: path.at(along_m) }]
  })
}

/** The box of an area, degrees, and its shorter side, m. */
type Bounds = { readonly west: number; readonly east: number; readonly south: number; readonly north: number; readonly size_m: number }

const boundsOf = memo((thing: Thing): Bounds => {
  const corners = (thing.area ?? []).flatMap(([outer = []]) => outer)
  const [lons, lats] = [corners.map(([lon]) => lon), corners.map(([, lat]) => lat)]
  const box = { west: Math.min(...lons), east: Math.max(...lons), south: Math.min(...lats), north: Math.max(...lats) }
  const { west, east, south, north } = box
  const wide_m = distanceM({ lat: south, lon: west }, { lat: south, lon: east })
  return { ...box, size_m: Math.min(wide_m, distanceM({ lat: south, lon: west }, { lat: north, lon: west })) }
})

function isInBox({ west, east, south, north }: Bounds, { lon, lat }: Point, margin = 0): boolean {
  return lon >= west - margin && lon <= east + margin && lat >= south - margin && lat <= north + margin
}

/** Places along the path, m, at short steps where it is near a box: between two of `coarse` of which one is a step from it. */
function fineNear(bounds: Bounds, coarse: readonly number[], points: readonly Point[]): number[] {
  // A step in degrees of longitude, as far north as Spain reaches; of latitude it is more than a step.
  const isNear = (at: number): boolean => isInBox(bounds, points[at] as Point, (1.5 * STEP_M) / 111_195)
  const found: number[] = []
  for (let at = 1; at < coarse.length; at++) {
    if (!isNear(at - 1) && !isNear(at)) continue
    const [from, to] = [coarse[at - 1] as number, coarse[at] as number]
    for (let along_m = from; along_m < to; along_m += FINE_M) found.push(along_m)
    found.push(to)
  }
  return found
}

/** How the traffic of a thing runs relative to a path with a bearing there. */
export function relationOf(thing: Thing, along_deg: number, posts: Posts | null): Relation {
  const growing_deg = growingBearing(thing, posts)
  if (growing_deg === null) return 'UNKNOWN'
  const apart = angleBetween(along_deg, growing_deg)
  if (Math.min(apart, 180 - apart) > CROSSES_FROM) return 'CROSSING_ROAD'
  const { direction } = thing
  if (direction === 'BOTH') return 'BOTH_DIRECTIONS'
  if (direction !== 'POSITIVE' && direction !== 'NEGATIVE') return 'UNKNOWN'
  return apart < 90 === (direction === 'POSITIVE') ? 'SAME_DIRECTION' : 'OPPOSITE_DIRECTION'
}

/** The bearing of growing kilometres at a thing, degrees from north; null if unknown. */
const growingBearing = memo((thing: Thing, posts: Posts | null): number | null => {
  const { road, position, line, km, km_to } = thing
  if (road === null || !position) return null
  const place = posts?.nearest(position, ON_ROAD_M, foldRoad(road))[0]?.place
  if (posts && place && place.direction !== 'UNKNOWN') {
    // On a measured axis, between points as far apart as those of the path's bearing: posts may be on either side of a bend.
    const at = (km: number): Point => posts.axes.at(foldRoad(road), km, place)[0]?.position ?? place.position
    const [from, to] = [at(place.km - BEARING_M / 1000), at(place.km + BEARING_M / 1000)]
    if (from !== to) return bearing(from, to)
  }
  if (place && place.before !== place.after) return bearing(place.before.position, place.after.position)
  const [begin, end] = [line?.[0], line?.at(-1)]
  if (!begin || !end || km === null || km_to === null || km === km_to) return null
  const [from, to] = km < km_to ? [begin, end] : [end, begin]
  return bearing({ lon: from[0], lat: from[1] }, { lon: to[0], lat: to[1] })
})

function angleBetween(one: number, other: number): number {
  const apart = Math.abs(one - other) % 360
  return apart > 180 ? 360 - apart : apart
}
