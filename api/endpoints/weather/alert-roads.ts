import KDBush from 'kdbush'
import { roadPoints } from '../../../lake/datasets/road/road-points.ts'
import { isInPolygons } from '../../../lake/places/rings.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { MultiPolygon, Point } from '../../../lake/schema/columns.ts'
import { nested, type ValueOf } from '../../kernel/fields.ts'
import { roadName } from '../../kernel/params/params-place.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { field } from '../../kernel/reply-fields.ts'
import { NEWEST } from './near-road.ts'

const { columns } = roadPoints

const roadFields = {
  road: columns.road,
  province_code: columns.province_code,
  km_from: field.decimal('Kilometre of its first point there.', 'km', 1, 586.5),
  km_to: field.decimal('Kilometre of its last point there.', 'km', 1, 598),
  points: field.integer('Located points of the road there.', '1', 7),
} as const

type AlertRoad = ValueOf<typeof roadFields>

/** The roads in the zones of a warning. */
export const alertRoadsField = nested.maybeObjects(
  'Roads with located points (`road_points`) in its zones, those with the most first; null until such points are known, and once the warning has left the current state.',
  roadFields,
)

type RoadPoint = Pick<AlertRoad, 'road' | 'province_code'> & { readonly km: number; readonly position: Point }

/** The located points of all roads, and which roads have some in an area. */
export class RoadsByArea {
  readonly #points: readonly RoadPoint[]
  readonly #tree: KDBush
  /** Zones are the same objects from reply to reply. */
  readonly #found = new WeakMap<MultiPolygon, readonly AlertRoad[]>()

  constructor(points: readonly RoadPoint[]) {
    this.#points = points
    this.#tree = new KDBush(points.length)
    for (const { position } of points) this.#tree.add(position.lon, position.lat)
    this.#tree.finish()
  }

  /** The roads with points in an area, by province. */
  roadsIn(area: MultiPolygon): readonly AlertRoad[] {
    const known = this.#found.get(area)
    if (known) return known
    const corners = area.flat(2)
    const [lons, lats] = [corners.map(([lon]) => lon), corners.map(([, lat]) => lat)]
    const near = this.#tree.range(Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats))
    const inside = near.map((at) => this.#points[at] as RoadPoint).filter(({ position: { lon, lat } }) => isInPolygons(area, [lon, lat]))
    const roads = [...Map.groupBy(inside, ({ road, province_code }) => `${province_code} ${roadName(road)}`).values()].map(roadOf)
    roads.sort((one, other) => other.points - one.points || (keyOf(one) < keyOf(other) ? -1 : 1))
    this.#found.set(area, roads)
    return roads
  }
}

function roadOf(points: readonly RoadPoint[]): AlertRoad {
  const [{ road, province_code }] = points as [RoadPoint]
  const kms = points.map(({ km }) => km)
  return { road: roadName(road), province_code, km_from: Math.min(...kms), km_to: Math.max(...kms), points: points.length }
}

const keyOf = ({ road, province_code }: AlertRoad): string => `${road} ${province_code}`

/** The located points of all roads, as of the newest month; null without any. */
export const roadsByArea = defineCachedQuery<RoadsByArea | null>({
  name: 'roads by area',
  from: [roadPoints],
  maxEntries: 1,
  async read({ all }) {
    const points = await all<RoadPoint>(sql`
      SELECT road, province_code, km, position_lat, position_lon
      FROM ${scan(roadPoints)}
      WHERE ${NEWEST}
      ORDER BY road, province_code, km`)
    return points.length === 0 ? null : new RoadsByArea(points)
  },
})
