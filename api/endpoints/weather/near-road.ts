import { roadPoints } from '../../../lake/datasets/road/road-network.ts'
import { NEAR_DEG, NEAR_M, observingStations, stationsNearPoints } from '../../../lake/datasets/weather/weather-station-roads.ts'
import { weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { foldRoadSql } from '../../../lake/places/road-key.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { maybe } from '../../kernel/fields.ts'
import { group, numberParam } from '../../kernel/params/params.ts'
import { type RoadFilter, roadName, roadParam } from '../../kernel/params/params-place.ts'
import { InvalidParam, type Problem } from '../../kernel/problems.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { distanceM } from '../../kernel/reads/geo.ts'
import { noDataYet } from '../../kernel/reads/no-data.ts'

/** Fields of a station in a search by road. */
export const nearFields = {
  road: maybe.text('The requested road; null without one.', null),
  km: maybe.decimal('Kilometre of the located point of that road nearest to the station.', 'km', 1, null),
  distance_m: maybe.integer('Distance of the station from that point, or from `lat` and `lon` if given.', 'm', null),
} as const

/** How stations are found by a road, for descriptions. */
export const ABOUT_ROADS =
  'With `road`, the stations within 10 km of a located point of it (`road_points`). A road without such points is rejected.'

/** The members of `stretchParams`. */
export const stretchMembers = {
  road: roadParam,
  km_from: numberParam('Begin of the stretch of `road`.', { min: 0, max: 2000, unit: 'km', example: '10' }),
  km_to: numberParam('End of the stretch of `road`, inclusive.', { min: 0, max: 2000, unit: 'km', example: '25.5' }),
} as const

/** Checks a stretch. Throws `InvalidParam` if it has no road, or its end is before its begin. */
export function stretchOf({ road, km_from, km_to }: RoadFilter): RoadFilter {
  if (road === null && (km_from !== null || km_to !== null))
    throw new InvalidParam('is required together with km_from and km_to', { parameter: 'road' })
  if (km_from !== null && km_to !== null && km_from > km_to)
    throw new InvalidParam(`expected at most km_to (${km_to})`, { parameter: 'km_from' })
  return { road, km_from, km_to }
}

/** The parameters `road`, `km_from` and `km_to`. */
export const stretchParams = group(stretchMembers, stretchOf)

/** A located point of a road. */
interface RoadPoint {
  readonly road: string
  readonly km: number
  readonly position: Point
}

const p = (name: keyof typeof roadPoints.columns): Sql => column(roadPoints, name)
/** Condition that a road point is from the newest month, which has all known points. */
export const NEWEST: Sql = sql`${p('month')} = (SELECT max(${p('month')}) FROM ${scan(roadPoints)})`

/**
 * The located points of a road, by folded name, as of the newest month. Throws the problem of the missing dataset if no road
 * has points.
 */
export const pointsOfRoad = defineCachedQuery({
  name: 'points of a road',
  from: [roadPoints],
  maxEntries: 200,
  read: async (reader, road) => {
    const query = sql`
      SELECT road, km, position_lat, position_lon
      FROM ${scan(roadPoints)}
      WHERE ${NEWEST} AND ${foldRoadSql(p('road'))} = ${road}
      ORDER BY km, position_lat, position_lon`
    const points = await reader.all<RoadPoint>(query)
    if (points.length === 0 && (await reader.all(sql`SELECT km FROM ${scan(roadPoints)} LIMIT 1`)).length === 0) throw noneYet()
    return points
  },
})

type Near = { readonly road: string | null; readonly km: number | null; readonly distance_m: number | null }

/** Values of these fields without a search by road. */
export const NOWHERE: Near = Object.freeze({ road: null, km: null, distance_m: null })

/**
 * The records near a stretch of a road, each with the nearest road point; all records without a road. Throws `InvalidParam` if no
 * point of the stretch is located.
 */
export function nearStretch<T extends Near & { readonly position: Point | null }>(
  things: readonly T[],
  stretch: RoadFilter,
  points: readonly RoadPoint[],
): T[] {
  if (stretch.road === null) return [...things]
  const asked = pointsOfStretch(stretch, points)
  return things.flatMap((thing) => {
    const near = thing.position && nearest(thing.position, asked)
    return near ? [{ ...thing, ...near }] : []
  })
}

/** The points of a stretch. Throws `InvalidParam` if none is located. */
export function pointsOfStretch({ km_from, km_to }: RoadFilter, points: readonly RoadPoint[]): readonly RoadPoint[] {
  const asked = points.filter(({ km }) => km >= (km_from ?? 0) && km <= (km_to ?? Number.POSITIVE_INFINITY))
  if (asked.length === 0) throw notLocated(points.length === 0 ? 'road' : 'km_from')
  return asked
}

function nearest(position: Point, points: readonly RoadPoint[]): Near | null {
  let best: RoadPoint | null = null
  let least = NEAR_M
  for (const point of points) {
    if (Math.abs(point.position.lat - position.lat) > NEAR_DEG) continue
    const distance = distanceM(position, point.position)
    if (distance > least || (best && distance === least)) continue
    best = point
    least = distance
  }
  return best && { road: roadName(best.road), km: best.km, distance_m: Math.round(least) }
}

/** The problem of a service without any located road point: the request is not at fault. */
function noneYet(): Problem {
  return noDataYet('No road points are known yet', {
    missing: [roadPoints],
    waits_for: ['incidents, beacons or filling stations with a position, which supply them'],
  })
}

function notLocated(parameter: 'road' | 'km_from'): InvalidParam {
  const what = parameter === 'road' ? 'a road with located points, as in /api/geo/pk' : 'a stretch of the road with located points'
  return new InvalidParam(`expected ${what}`, { parameter })
}

/**
 * A query of stations with hourly observations near a road: `station_id`, `road`, `km`, `distance_m`. One more row without a
 * station reports whether points exist for the road, and for any road.
 */
export function stationsNearSql(road: string): Sql {
  const stations = observingStations(scan(weatherStations, { listing: { eq: 'OBSERVATION' } }))
  return sql`
    WITH points AS MATERIALIZED (
      SELECT road, km, position_lat AS lat, position_lon AS lon
      FROM ${scan(roadPoints)}
      WHERE ${NEWEST} AND ${foldRoadSql(p('road'))} = ${road}
    )
    SELECT station_id, road, km, CAST(round(distance) AS INTEGER) AS distance_m, NULL AS points
    FROM (${stationsNearPoints(sql`(${stations})`, sql`points`)})
    QUALIFY row_number() OVER (PARTITION BY station_id ORDER BY distance, km, lat, lon) = 1
    UNION ALL
    SELECT NULL, (SELECT min(road) FROM ${scan(roadPoints)}), NULL, NULL, count(*) FROM points`
}

/** A station of a series with its distance from the road. */
export interface NearStation extends Near {
  readonly station_id: string
}

/**
 * The stations that `stationsNearSql` found. Throws `InvalidParam` if the road has no located points;
 * like `pointsOfRoad` if no road has any.
 */
export function stationsFound(found: readonly AnyRow[]): NearStation[] {
  const known = found.find(({ station_id }) => station_id === null)
  if ((known?.['road'] ?? null) === null) throw noneYet()
  if (Number(known?.['points']) === 0) throw notLocated('road')
  return found
    .filter(({ station_id }) => station_id !== null)
    .map(({ station_id, road, km, distance_m }) => ({
      station_id: station_id as string,
      road: roadName(road as string),
      km: Number(km),
      distance_m: Number(distance_m),
    }))
}
