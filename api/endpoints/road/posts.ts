import { roadAxes, roadPoints } from '../../../lake/datasets/road/road-network.ts'
import { firstIndex } from '../../../lake/first-index.ts'
import { Axes, type AxisRow, type Ends } from '../../../lake/places/axes.ts'
import type { PlaceOnRoad, Post, RoadLine } from '../../../lake/places/place-on-road.ts'
import { isWithinRegion, provincesOf, type Region } from '../../../lake/places/regions.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { col, type Point } from '../../../lake/schema/columns.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { distanceM } from '../../kernel/reads/geo.ts'

/** Maximum distance between posts along the road, km: places in longer gaps are not located. */
export const GAP_KM = 5
/** Tolerance of kilometres, which posts state to a tenth. */
const SAME_KM = 0.05

/** A stretch of road between two consecutive posts, at most `GAP_KM` apart. */
interface Stretch {
  readonly before: Post
  readonly after: Post
  /** Its length by the posts and along the straight line, m. */
  readonly length_m: number
  readonly chord_m: number
}

/** Cell size of the grid of stretches, in degrees. */
const CELL_DEG = 0.1
const cellOf = (lat: number, lon: number): string => `${Math.floor(lat / CELL_DEG)} ${Math.floor(lon / CELL_DEG)}`

/**
 * The places of all roads, with an index: by their measured axes where the road network is imported, elsewhere by located posts.
 */
export class Posts {
  /** The measured axes. */
  readonly axes: Axes
  readonly #roads: ReadonlyMap<string, readonly Post[]>
  readonly #cells = new Map<string, Stretch[]>()

  /** Posts and axes in any order. */
  constructor(posts: readonly Post[], axes: Iterable<AxisRow> = []) {
    this.axes = new Axes(axes)
    this.#roads = Map.groupBy(
      [...posts].sort((one, other) => one.km - other.km),
      ({ road }) => foldRoad(road),
    )
    for (const road of this.#roads.values())
      for (const chain of chainsOf(road))
        for (const [at, post] of chain.entries()) {
          const stretch = at === 0 ? null : stretchOf(chain[at - 1] as Post, post)
          if (stretch) this.#put(stretch)
        }
  }

  /** Designations of roads with posts or axes, as `foldRoad` writes them. */
  get roads(): ReadonlySet<string> {
    return new Set([...this.#roads.keys(), ...this.axes.roads])
  }

  /** The posts of a road in kilometre order. */
  of(road: string): readonly Post[] {
    return this.#roads.get(road) ?? []
  }

  /** The kilometres of a road with a known place, in order: located posts, and those that measure its axes. */
  marks(road: string): readonly Post[] {
    const measured = this.axes.of(road).flatMap((axis) => this.axes.marks(axis))
    return measured.length === 0 ? this.of(road) : [...this.of(road), ...measured].sort((one, other) => one.km - other.km)
  }

  /**
   * The continuous parts of a road in each province without a measured axis: posts at most `GAP_KM` apart, without contradiction.
   */
  runs(road: string): (readonly [Post, ...Post[]])[] {
    const measured = new Set(this.axes.of(road).map(({ province_code }) => province_code))
    const provinces = Map.groupBy(this.of(road), ({ province_code }) => province_code)
    return [...provinces].flatMap(([province, posts]) => {
      if (measured.has(province)) return []
      const runs: [Post, ...Post[]][] = []
      for (const post of posts) {
        const run = runs.at(-1)
        const last = run?.at(-1)
        if (run && last && stretchOf(last, post)) run.push(post)
        else runs.push([post])
      }
      return runs
    })
  }

  /**
   * Locates a kilometre of a road: one place, or several if provinces have a road of that name, or it is re-numbered; none if
   * posts are too far away or contradict each other. A measured axis takes precedence, of the direction's carriageway, then posts
   * of one province over posts on both sides of a border.
   */
  at(road: string, km: number, province_code: string | null, direction: string | null = null): PlaceOnRoad[] {
    const measured = this.axes.at(road, km, { province_code, direction })
    const isMeasured = new Set(this.axes.of(road).map((axis) => axis.province_code))
    const others = this.#atPosts(road, km, province_code).filter(
      (place) => measured.length === 0 || (!isMeasured.has(place.province_code) && measured.every((one) => isApart(one, place))),
    )
    return [...measured, ...others]
  }

  /** The same in a region, or everywhere. */
  inRegion(road: string, km: number, region: Region | null, direction: string | null = null): PlaceOnRoad[] {
    if (region === null) return this.at(road, km, null, direction)
    return provincesOf(region).flatMap((code) => this.at(road, km, code, direction).filter(isWithinRegion(region)))
  }

  #atPosts(road: string, km: number, province_code: string | null): PlaceOnRoad[] {
    const posts = (this.#roads.get(road) ?? []).filter((post) => province_code === null || post.province_code === province_code)
    const [whole = [], ...provinces] = chainsOf(posts)
    const places = (provinces.length > 0 ? provinces : [whole]).flatMap((chain) => placeAt(chain, km) ?? [])
    return places.length > 0 ? places : [placeAt(whole, km) ?? []].flat()
  }

  /**
   * The line of a road between two kilometres, through the posts between them, and its maximum error; null if an end is not
   * located or posts are too far apart or contradictory. The measured axis takes precedence, then posts of the province over all
   * posts of the road.
   */
  line(road: string, ends: Ends): RoadLine | null {
    const measured = this.axes.line(road, ends)
    if (measured) return measured
    const posts = this.#roads.get(road) ?? []
    const own = posts.filter(({ province_code }) => province_code === ends.province_code)
    return lineOf(own, ends) ?? lineOf(posts, ends)
  }

  /** The nearest place on each road to a position, at most `radius_m` away, nearest first. */
  nearest(position: Point, radius_m: number, road: string | null): { readonly place: PlaceOnRoad; readonly distance_m: number }[] {
    const measured = this.axes.nearest(position, radius_m, road)
    const best = new Map<string, { place: PlaceOnRoad; distance_m: number }>(measured)
    for (const stretch of this.#around(position, radius_m)) {
      const key = foldRoad(stretch.before.road)
      // A line between posts may be nearer only because it cuts a bend.
      if ((road !== null && key !== road) || measured.has(key)) continue
      const place = placeIn(stretch, fractionOf(stretch, position))
      const distance_m = distanceM(position, place.position)
      const known = best.get(key)
      if (distance_m <= radius_m && (!known || distance_m < known.distance_m)) best.set(key, { place, distance_m })
    }
    return [...best.values()].sort((one, other) => one.distance_m - other.distance_m)
  }

  #put(stretch: Stretch): void {
    for (const cell of cellsOf([stretch.before.position, stretch.after.position], 0)) {
      const held = this.#cells.get(cell)
      if (held) held.push(stretch)
      else this.#cells.set(cell, [stretch])
    }
  }

  #around(position: Point, radius_m: number): Set<Stretch> {
    return new Set(cellsOf([position], radius_m).flatMap((cell) => this.#cells.get(cell) ?? []))
  }
}

/** Posts of a road in kilometre order, as runs that may be continuous: all of them, then per province if there are several. */
function chainsOf(posts: readonly Post[]): (readonly Post[])[] {
  const provinces = [...Map.groupBy(posts, ({ province_code }) => province_code).values()]
  return provinces.length > 1 ? [posts, ...provinces] : [posts]
}

/** The stretch between two posts; null if too far apart, or if their straight line exceeds their kilometres plus errors. */
function stretchOf(before: Post, after: Post): Stretch | null {
  const km = after.km - before.km
  if (km > GAP_KM) return null
  const chord_m = distanceM(before.position, after.position)
  const length_m = 1000 * km
  return chord_m <= 1.1 * length_m + before.error_m + after.error_m ? { before, after, length_m, chord_m } : null
}

function placeAt(chain: readonly Post[], km: number): PlaceOnRoad | null {
  const at = firstIndex(0, chain.length, (one) => (chain[one] as Post).km >= km)
  const [before, after] = [chain[at - 1], chain[at]]
  for (const post of [before, after])
    if (post && Math.abs(post.km - km) <= SAME_KM) return placeIn({ before: post, after: post, length_m: 0, chord_m: 0 }, 0)
  const stretch = before && after ? stretchOf(before, after) : null
  return stretch && placeIn(stretch, (km - stretch.before.km) / (stretch.after.km - stretch.before.km))
}

function lineOf(chain: readonly Post[], { km_from, km_to }: { readonly km_from: number; readonly km_to: number }): RoadLine | null {
  const [low, high] = km_from <= km_to ? [km_from, km_to] : [km_to, km_from]
  const [first, last] = [placeAt(chain, low), placeAt(chain, high)]
  if (!first || !last) return null
  const between = chain.filter(({ km }) => km > first.after.km && km < last.before.km)
  // The accuracy between the ends is that of the stretches: from the post before one end to the post after the other.
  const run = first.after.km <= last.before.km ? [first.after, ...between, last.before] : []
  for (const [at, post] of run.entries()) {
    const before = run[at - 1]
    if (before && before !== post && !stretchOf(before, post)) return null
  }
  const line = [first, ...run.filter(({ km }) => km > low && km < high), last].map(({ position }) => [position.lon, position.lat] as const)
  const whole = line.filter(([lon, lat], at) => at === 0 || lon !== line[at - 1]?.[0] || lat !== line[at - 1]?.[1])
  if (whole.length < 2) return null
  // Between two posts the road may bend away from the line by half of what its length exceeds the chord (Pythagoras).
  const legs = [[first.before, first.after], ...run.map((post, at) => [run[at - 1] ?? post, post]), [last.before, last.after]] as [
    Post,
    Post,
  ][]
  const bends = legs.map(([one, other]) => {
    const [length_m, chord_m] = [1000 * (other.km - one.km), distanceM(one.position, other.position)]
    return Math.sqrt(Math.max(0, length_m ** 2 - chord_m ** 2)) / 2
  })
  const error_m = Math.ceil(Math.max(first.error_m, last.error_m, ...run.map((post) => post.error_m)) + Math.max(...bends))
  return { line: km_from <= km_to ? whole : whole.toReversed(), error_m }
}

/**
 * The place at a fraction of a stretch, and its maximum error. For a road of length L between posts at straight distance c, the
 * place at fraction f is at most `sqrt(f (1 - f) (L² - c²))` from that on the line (Stewart's theorem, with radii `f L` and `(1
 * - f) L`). If L < c, the kilometres are wrong by the difference.
 */
function placeIn({ before, after, length_m, chord_m }: Stretch, f: number): PlaceOnRoad {
  const along = (one: number, other: number): number => one + f * (other - one)
  const bend_m = Math.sqrt(f * (1 - f) * Math.abs(length_m ** 2 - chord_m ** 2))
  const { road, province_code } = f < 0.5 ? before : after
  return {
    road,
    province_code,
    direction: 'UNKNOWN',
    km: Math.round(1000 * along(before.km, after.km)) / 1000,
    position: {
      lat: roundTo6(along(before.position.lat, after.position.lat)),
      lon: roundTo6(along(before.position.lon, after.position.lon)),
    },
    error_m: Math.ceil(Math.max(before.error_m, after.error_m) + bend_m),
    before,
    after,
  }
}

/** The fraction of a stretch's straight line nearest to a position. Distances are short, so the Earth counts as flat. */
function fractionOf({ before, after }: Stretch, position: Point): number {
  const scale = Math.cos((position.lat * Math.PI) / 180)
  const [x, y] = [(after.position.lon - before.position.lon) * scale, after.position.lat - before.position.lat]
  const [px, py] = [(position.lon - before.position.lon) * scale, position.lat - before.position.lat]
  const square = x * x + y * y
  return square === 0 ? 0 : Math.min(1, Math.max(0, (px * x + py * y) / square))
}

/** The grid cells of a box around positions, widened by a margin in metres. */
function cellsOf(positions: readonly Point[], margin_m: number): string[] {
  const lats = positions.map(({ lat }) => lat)
  const lons = positions.map(({ lon }) => lon)
  const [south, north] = [Math.min(...lats) - margin_m / 111_000, Math.max(...lats) + margin_m / 111_000]
  const wide = margin_m / (111_000 * Math.max(0.1, Math.cos((north * Math.PI) / 180)))
  const [west, east] = [Math.min(...lons) - wide, Math.max(...lons) + wide]
  const cells = new Set<string>()
  for (let lat = south; ; lat = Math.min(north, lat + CELL_DEG)) {
    for (let lon = west; ; lon = Math.min(east, lon + CELL_DEG)) {
      cells.add(cellOf(lat, lon))
      if (lon >= east) break
    }
    if (lat >= north) break
  }
  return [...cells]
}

function roundTo6(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6
}

/** Places of the same kilometre are different ones if they are farther apart than their errors. */
const isApart = (one: PlaceOnRoad, other: PlaceOnRoad): boolean => distanceM(one.position, other.position) > one.error_m + other.error_m

const NAMES = sql`road, province_code, km, position_lat, position_lon, source, records, error_m`

const AXIS_NAMES = sql`province, road, direction, chain, km_from, km_to, geometry, kilometres, errors_m, posts`

/** The tables that places of roads come from. Only the first is needed: a live service may have no imported network. */
export const ROAD_TABLES = [roadPoints, roadAxes] as const

/** The posts of the newest month, and all axes. */
export const roadPosts = defineCachedQuery({
  name: 'road posts',
  from: ROAD_TABLES,
  read: async (reader) => {
    const axes: AxisRow[] = []
    for (const { name } of await reader.versions(roadAxes))
      axes.push(...(await reader.all<AxisRow>(sql`SELECT ${AXIS_NAMES} FROM ${scan(roadAxes, { province: { eq: name } })}`)))
    const month = (await reader.versions(roadPoints))
      .map(({ name }) => name)
      .sort()
      .at(-1)
    if (month === undefined) return new Posts([], axes)
    const query = sql`SELECT ${NAMES} FROM ${scan(roadPoints, { month: { eq: month } })}`
    return new Posts(await reader.all<Post>(query), axes)
  },
})

/** The kilometre of a post: to a tenth for a located point, as measured for a kilometre post; 0 is where a road begins. */
export const postKm = col.decimal(0, 'Kilometre point.', { scale: 3, unit: 'km', example: 586.5, min: 0, max: 2000 })
