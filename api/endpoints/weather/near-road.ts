import { roadPoints } from '../../../lake/datasets/road/road-points.ts'
import { NEAR_DEG, NEAR_M, observingStations, stationsNearPoints } from '../../../lake/datasets/weather/weather-station-roads.ts'
import { weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { foldRoadSql } from '../../../lake/places/road-key.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, type Sql, sql } from '../../../lake/query/sql.ts'
import { col, type Point } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { distanceM } from '../../define/geo.ts'
import { noDataYet } from '../../define/no-data.ts'
import { group, numberParam } from '../../define/params.ts'
import { roadName, roadParam } from '../../define/params-place.ts'
import { type Problem, Refused } from '../../define/problems.ts'
import { defineSlice } from '../../define/slice.ts'

/** What is told of a station where a road is asked for. */
export const nearFields = {
  road: col.string(0, 'Road that was asked for; null where none was.', { nullable: true, example: null }),
  km: col.decimal(0, 'Kilometre of the located point of that road that is nearest to the station.', {
    ...{ nullable: true, scale: 1, unit: 'km', example: null },
  }),
  distance_m: col.integer(0, 'How far the station is from that point; from the point of `lat` and `lon` where these are given.', {
    nullable: true,
    unit: 'm',
    example: null,
  }),
} as const

/** How stations are found by a road, for descriptions. */
export const ABOUT_ROADS =
  'With `road`, the stations within 10 km of a located point of it (`road_points`: places where incidents, beacons or filling stations were), each with the nearest of them; a road without such points is refused.'

/** A part of a road; `road` is null where none is asked for. */
export interface Stretch {
  readonly road: string | null
  readonly km_from: number | null
  readonly km_to: number | null
}

/** The members of `stretchParams`. */
export const stretchMembers = {
  road: roadParam,
  km_from: numberParam('Begin of the stretch of `road`.', { min: 0, max: 2000, unit: 'km', example: '10' }),
  km_to: numberParam('End of the stretch of `road`, included.', { min: 0, max: 2000, unit: 'km', example: '25.5' }),
} as const

/** Checks a stretch. Throws `Refused` where it has no road, or ends before it begins. */
export function stretchOf({ road, km_from, km_to }: Stretch): Stretch {
  if (road === null && (km_from !== null || km_to !== null))
    throw new Refused('is required together with km_from and km_to', { parameter: 'road' })
  if (km_from !== null && km_to !== null && km_from > km_to)
    throw new Refused(`expected at most km_to (${km_to})`, { parameter: 'km_from' })
  return { road, km_from, km_to }
}

/** `road`, and with it `km_from`, `km_to`. */
export const stretchParams = group(stretchMembers, stretchOf)

/** A located point of a road. */
interface RoadPoint {
  readonly road: string
  readonly km: number
  readonly position: Point
}

const p = (name: keyof typeof roadPoints.columns): Sql => column(roadPoints, name)
/** Condition that a point of a road is of the newest month, which has all that are known. */
export const NEWEST: Sql = sql`${p('month')} = (SELECT max(${p('month')}) FROM ${scan(roadPoints)})`

/** The located points of a road, by its folded name, as of the newest month. Throws the problem of what has not arrived while no road has any. */
export const pointsOfRoad = defineSlice({
  name: 'points of a road',
  from: [roadPoints],
  most: 200,
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

/** What is told of a station where no road is asked for. */
export const NOWHERE: Near = Object.freeze({ road: null, km: null, distance_m: null })

/**
 * The things near a stretch of a road, each with the nearest of its points; all of them where no road is asked for. Throws `Refused` where no
 * point of the stretch is located.
 */
export function nearStretch<T extends Near & { readonly position: Point | null }>(
  things: readonly T[],
  stretch: Stretch,
  points: readonly RoadPoint[],
): T[] {
  if (stretch.road === null) return [...things]
  const asked = pointsOfStretch(stretch, points)
  return things.flatMap((thing) => {
    const near = thing.position && nearest(thing.position, asked)
    return near ? [{ ...thing, ...near }] : []
  })
}

/** The points of a stretch. Throws `Refused` where no point of it is located. */
export function pointsOfStretch({ km_from, km_to }: Stretch, points: readonly RoadPoint[]): readonly RoadPoint[] {
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

/** The problem of a service without any located record of a road: that is no fault of the request. */
function noneYet(): Problem {
  return noDataYet('No points of roads are known yet', {
    missing: [roadPoints],
    waits_for: ['incidents, beacons or filling stations with a position, from which they are gathered'],
    retry_after_s: 60,
  })
}

function notLocated(parameter: 'road' | 'km_from'): Refused {
  const what =
    parameter === 'road' ? 'a road that has located points, as /api/geo/pk knows them' : 'a stretch of the road that has located points'
  return new Refused(`expected ${what}`, { parameter })
}

/** Stations with hourly observations near a road, as rows of `station_id`, `road`, `km` and `distance_m`; and one without a station, with the points, and a road that has any. */
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

/** A station of a series with what is told of it. */
export interface NearStation extends Near {
  readonly station_id: string
}

/** The stations that `stationsNearSql` found. Throws `Refused` where the road has no located points, as `pointsOfRoad` does where none has. */
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
