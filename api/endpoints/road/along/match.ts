import { firstIndex } from '../../../../lake/first-index.ts'
import { isInPolygons } from '../../../../lake/places/rings.ts'
import { foldRoad } from '../../../../lake/places/road-key.ts'
import type { Line, Point } from '../../../../lake/schema/columns.ts'
import { distanceM } from '../../../kernel/reads/geo.ts'
import { memo } from '../../../kernel/reads/memo.ts'
import type { Posts } from '../posts.ts'
import { BEARING_M, type Beside, bearing, LEAST_COSINE, type PathLine, SHORT_M } from './path-line.ts'
import { type Relation, ROAD_ITEMS, type RoadItemKind } from './route-item.ts'
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
/** A detector measures a path at most this far from it, m: positions are up to 100 m off. */
const DETECTOR_M = 300
/** How far from its road, as located, a thing may be for the road's bearing to be known, m. */
const ON_ROAD_M = 1000
/** Kinds that are areas. */
export const AREAS: ReadonlySet<RoadItemKind> = new Set(['WEATHER_WARNING', 'LOW_EMISSION_ZONE'])
/** Kinds that concern the traffic of one direction. */
const DIRECTED: ReadonlySet<RoadItemKind> = new Set(['INCIDENT', 'WORKS', 'BEACON', 'PANEL', 'SPEED_CAMERA', 'SENSOR'])
/** Kinds with a direction: cameras are of use to the other one, too. */
const HEADED: ReadonlySet<RoadItemKind> = new Set([...DIRECTED, 'CAMERA'])

/** Relations to a path that has another direction. */
const NOT_OWN: ReadonlySet<Relation> = new Set(['OPPOSITE_DIRECTION', 'CROSSING_ROAD'])
const RAD = Math.PI / 180

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

/** The positions of some things in typed arrays from west to east, to choose among thousands quickly. */
interface Spots {
  readonly lons: Float64Array
  readonly lats: Float64Array
  /** The thing at each position, and the bearing of its line there, degrees; NaN for one without a line. */
  readonly owners: Uint32Array
  readonly bearings: Float64Array
}

const spotsOf = memo((things: readonly Thing[]): Spots => {
  const spots = things.flatMap(({ position, to, line }, owner) => {
    const points = line ? pointsAlong(line) : [position, to].flatMap((one) => (one ? [[one.lon, one.lat] as const] : []))
    return points.map((point, at) => {
      const [before, after] = [points[at - 1] ?? point, points[at + 1] ?? point]
      return { point, owner, bearing_deg: line ? bearing(pointOf(before), pointOf(after)) : Number.NaN }
    })
  })
  spots.sort((one, other) => one.point[0] - other.point[0])
  return {
    lons: Float64Array.from(spots, ({ point }) => point[0]),
    lats: Float64Array.from(spots, ({ point }) => point[1]),
    owners: Uint32Array.from(spots, ({ owner }) => owner),
    bearings: Float64Array.from(spots, ({ bearing_deg }) => bearing_deg),
  }
})

const pointOf = ([lon, lat]: Line[0]): Point => ({ lon, lat })

/** Points of a line about `SPACING_M` apart, both ends included. */
function pointsAlong(line: Line): Line {
  const points: Line[0][] = []
  for (const [at, to] of line.entries()) {
    const from = points.at(-1)
    const away_m = from ? distanceM(pointOf(from), pointOf(to)) : 0
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
    wanted.kinds.has(thing.kind) && !(wanted.onlyOwnDirection && DIRECTED.has(thing.kind) && NOT_OWN.has(relation))
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
  const { lons, lats, owners, bearings } = spotsOf(things)
  const within_m = things[0]?.kind === 'WEATHER_STATION' ? Math.max(wanted.buffer_m, WEATHER_M) : wanted.buffer_m
  // By thing and by how it agrees with the path: of a stretch that the path follows in both directions, each has its part.
  const senses = new Map<number, Sense>()
  const mayBeNear = path.nearness(within_m)
  const [west, east] = path.longitudes(within_m)
  for (let spot = firstIndex(0, lons.length, (at) => (lons[at] as number) >= west); spot < lons.length; spot++) {
    const lon = lons[spot] as number
    if (lon > east) break
    const lat = lats[spot] as number
    if (!mayBeNear(lon, lat)) continue
    const owner = owners[spot] as number
    const pass = passOf(path, things[owner] as Thing, { lon, lat, within_m, posts, line_deg: bearings[spot] as number })
    if (!pass) continue
    const { along_m, offset_m, turn, cosine } = pass
    const key = 2 * owner + Number(cosine < 0)
    const there = senses.get(key)
    if (!there) {
      senses.set(key, { along_m, until_m: along_m, offset_m, turn, agreement: Math.abs(cosine), spots: 1 })
      continue
    }
    there.along_m = Math.min(there.along_m, along_m)
    there.until_m = Math.max(there.until_m, along_m)
    there.agreement += Math.abs(cosine)
    there.spots++
    if (offset_m < there.offset_m) Object.assign(there, { offset_m, turn })
  }
  const met: Met[] = []
  for (const [key, { along_m, until_m, offset_m, turn, agreement, spots }] of senses) {
    const other = senses.get(key ^ 1)
    if (other && (other.agreement > agreement || (other.agreement === agreement && key % 2 === 1))) continue
    const thing = things[key >> 1] as Thing
    const { position, line, to, direction } = thing
    const relation = relationBy(direction, (key % 2 === 0 ? agreement : -agreement) / spots)
    met.push({ thing, along_m, until_m: line || to ? until_m : null, offset_m, turn, relation, position })
  }
  return met
}

/** Where a path meets the spots of a thing in one sense, and the sum of the cosines between their bearings. */
interface Sense {
  along_m: number
  until_m: number
  offset_m: number
  turn: number
  agreement: number
  spots: number
}

/** A position of a thing, and how its line runs there: NaN for none. */
interface Spot extends Point {
  readonly within_m: number
  readonly posts: Posts | null
  readonly line_deg: number
}

/** The pass of a path whose direction fits a thing at a spot, else the first; the cosine is NaN where a bearing is unknown. */
function passOf(path: PathLine, thing: Thing, spot: Spot): (Beside & { readonly cosine: number }) | null {
  const { lon, lat, within_m, posts, line_deg } = spot
  const [first] = path.passes(lon, lat, within_m)
  if (!first) return null
  const { along_m, offset_m, turn } = first
  const growing_deg = HEADED.has(thing.kind) ? growingAt(thing, posts, line_deg) : null
  if (growing_deg === null) return { along_m, offset_m, turn, cosine: Number.NaN }
  const cosine = Math.cos((path.bearingAt(along_m) - growing_deg) * RAD)
  const relation = relationBy(thing.direction, cosine)
  const passes = NOT_OWN.has(relation) ? passesIn(path, { lon, lat, within_m, growing_deg, direction: thing.direction }) : []
  // Farther along the same bend the path may run otherwise: that is no other pass.
  const least_m = relation === 'CROSSING_ROAD' ? SHORT_M : 0
  return passes.find((pass) => Math.abs(pass.along_m - along_m) > least_m) ?? { along_m, offset_m, turn, cosine }
}

/** A position where the bearing of growing kilometres is known, and the direction of its traffic. */
interface Headed extends Point {
  readonly within_m: number
  readonly growing_deg: number
  readonly direction: string | null
}

/** The passes of a path at a position in the direction of its traffic, in order. */
function passesIn(path: PathLine, { lon, lat, within_m, growing_deg, direction }: Headed): (Beside & { readonly cosine: number })[] {
  const headings = [direction === 'NEGATIVE' ? [] : growing_deg, direction === 'POSITIVE' ? [] : growing_deg + 180].flat()
  return headings
    .flatMap((heading) => path.passes(lon, lat, within_m, heading))
    .map((pass) => ({ ...pass, cosine: Math.cos((path.bearingAt(pass.along_m) - growing_deg) * RAD) }))
    .filter(({ cosine }) => !NOT_OWN.has(relationBy(direction, cosine)))
    .sort((one, other) => one.along_m - other.along_m)
}

/** A detector where a path passes it. */
export type Passed = Pick<Met, 'thing' | 'along_m'>

/** The detectors on a path, where it passes them in the direction of their traffic, as often as it does. */
export function detectorsOn(path: PathLine, kinds: readonly (readonly Thing[])[], posts: Posts | null): Passed[] {
  const mayBeNear = path.nearness(DETECTOR_M)
  return (kinds.find(([first]) => first?.kind === 'SENSOR') ?? []).flatMap((thing) => {
    const { position, direction } = thing
    if (!position || !mayBeNear(position.lon, position.lat) || (direction !== 'POSITIVE' && direction !== 'NEGATIVE')) return []
    const growing_deg = growingBearing(thing, posts)
    if (growing_deg === null) return []
    return passesIn(path, { ...position, within_m: DETECTOR_M, growing_deg, direction }).map(({ along_m }) => ({ thing, along_m }))
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

/** How traffic of a direction runs relative to a path, by the cosine between the path and growing kilometres; NaN if unknown. */
export function relationBy(direction: string | null, cosine: number): Relation {
  if (Number.isNaN(cosine)) return 'UNKNOWN'
  if (Math.abs(cosine) < LEAST_COSINE) return 'CROSSING_ROAD'
  if (direction === 'BOTH') return 'BOTH_DIRECTIONS'
  if (direction !== 'POSITIVE' && direction !== 'NEGATIVE') return 'UNKNOWN'
  return cosine > 0 === (direction === 'POSITIVE') ? 'SAME_DIRECTION' : 'OPPOSITE_DIRECTION'
}

/** The bearing of growing kilometres where a thing's line has a bearing, NaN for a thing without one; null if unknown. */
function growingAt(thing: Thing, posts: Posts | null, line_deg: number): number | null {
  if (Number.isNaN(line_deg)) return growingBearing(thing, posts)
  const growth = growthOf(thing, posts)
  return growth === 0 ? null : growth > 0 ? line_deg : line_deg + 180
}

/** 1 if the kilometres grow along a thing's line, -1 if they fall, 0 if unknown. */
const growthOf = memo((thing: Thing, posts: Posts | null): number => {
  const { line, km, km_to } = thing
  if (km !== null && km_to !== null && km !== km_to) return Math.sign(km_to - km)
  const growing_deg = growingBearing(thing, posts)
  const [begin, next] = line ? pointsAlong(line) : []
  if (growing_deg === null || !begin || !next) return 0
  return Math.sign(Math.cos((bearing(pointOf(begin), pointOf(next)) - growing_deg) * RAD))
})

/** The bearing of growing kilometres at a thing, degrees from north; null if unknown. */
const growingBearing = memo((thing: Thing, posts: Posts | null): number | null => {
  const { road, position, to, km, km_to } = thing
  if (road === null || !position) return null
  const place = posts?.nearest(position, ON_ROAD_M, foldRoad(road))[0]?.place
  if (posts && place && place.direction !== 'UNKNOWN') {
    // On a measured axis, between points as far apart as those of the path's bearing: posts may be on either side of a bend.
    const at = (km: number): Point => posts.axes.at(foldRoad(road), km, { ...place, near: place.position })[0]?.position ?? place.position
    const [from, to] = [at(place.km - BEARING_M / 1000), at(place.km + BEARING_M / 1000)]
    if (from !== to) return bearing(from, to)
  }
  if (place && place.before !== place.after) return bearing(place.before.position, place.after.position)
  if (!to || km === null || km_to === null || km === km_to) return null
  return km < km_to ? bearing(position, to) : bearing(to, position)
})
