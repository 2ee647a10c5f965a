import { ROAD_DIRECTIONS } from '../../../lake/datasets/road/codes.ts'
import { roadPoints } from '../../../lake/datasets/road/road-network.ts'
import type { PlaceOnRoad, Post } from '../../../lake/places/place-on-road.ts'
import type { Region } from '../../../lake/places/regions.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { defineEndpoint, keyedList } from '../../kernel/endpoint.ts'
import { field, maybe, meaning, nested, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { group, numberParam, oneOf } from '../../kernel/params/params.ts'
import { provinceParam, roadName, roadParam } from '../../kernel/params/params-place.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { provinceField, provinceName } from '../common-fields.ts'
import { GAP_KM, postKm, ROAD_TABLES, roadPosts } from './posts.ts'

const { columns } = roadPoints
/** Maximum distance between a position and a road, m, and its default. */
const MAX_RADIUS_M = 5000
const RADIUS_M = 1000

const METHOD =
  'Where the road network is imported, a place is on the measured axis of its carriageway (`road_axes`). Its distance along the axis is in proportion to the path between two posts. Elsewhere a post is the median position of all records that name it. Between two posts of a road, at most 5 km apart, a place is on the straight line ' +
  'between them, in proportion to its kilometre. Places farther from a post, or between posts that contradict each other, are not located.'

/** The request: the place of a kilometre, or the kilometre of a place. */
type Asked =
  | {
      readonly kind: 'post'
      readonly road: string
      readonly km: number
      readonly region: Region | null
      readonly direction: string | null
    }
  | { readonly kind: 'position'; readonly position: Point; readonly radius_m: number; readonly road: string | null }

const asked = group(
  {
    road: roadParam,
    km: numberParam('Kilometre point, together with road.', { min: 0, max: 2000, unit: 'km', example: '586.5' }),
    province: provinceParam,
    direction: oneOf(
      'Direction of travel of the carriageway, together with road and km; by default that of growing kilometres.',
      ['POSITIVE', 'NEGATIVE'],
      { example: 'NEGATIVE' },
    ),
    lat: numberParam('Latitude of a position, instead of km, WGS84.', { min: -90, max: 90, unit: 'deg', example: '41.5146' }),
    lon: numberParam('Longitude of a position, instead of km, WGS84.', { min: -180, max: 180, unit: 'deg', example: '1.8979' }),
    radius: numberParam(`Maximum distance between the road and the position; ${RADIUS_M} by default.`, {
      min: 1,
      max: MAX_RADIUS_M,
      unit: 'm',
      example: '500',
    }),
  },
  ({ road, km, province, direction, lat, lon, radius }): Asked => {
    if (lat === null && lon === null) {
      if (radius !== null) throw new InvalidParam('is only for a position: it needs lat and lon', { parameter: 'radius' })
      if (road === null) throw new InvalidParam('is required; allowed: road and km, or lat and lon', { parameter: 'road' })
      if (km === null) throw new InvalidParam('is required together with road, unless lat and lon are given', { parameter: 'km' })
      return { kind: 'post', road, km, region: province, direction }
    }
    if (lon === null) throw new InvalidParam('is required together with lat', { parameter: 'lon' })
    if (lat === null) throw new InvalidParam('is required together with lon', { parameter: 'lat' })
    if (km !== null) throw new InvalidParam('cannot be combined with lat and lon: the reply contains it', { parameter: 'km' })
    if (province !== null)
      throw new InvalidParam('cannot be combined with lat and lon, which determine the province', { parameter: 'province' })
    if (direction !== null) throw new InvalidParam('cannot be combined with lat and lon: the reply contains it', { parameter: 'direction' })
    return { kind: 'position', position: { lat, lon }, radius_m: radius ?? RADIUS_M, road }
  },
)

const place = record('RoadPlace', 'A place on a road: its kilometre and position, and the error between them.', {
  road: meaning(columns.road, 'Road designation.'),
  province: provinceField(columns.province_code),
  province_code: meaning(columns.province_code, 'INE code of the province of the nearer post.'),
  direction: field.code('Direction of the traffic of its carriageway; UNKNOWN without a measured axis.', ROAD_DIRECTIONS, 'POSITIVE'),
  km: field.decimal('Kilometre point.', 'km', 3, 586.5),
  position: meaning(columns.position, 'Position of the place.'),
  error_m: field.integer(
    'Maximum error of the position: on a measured axis that of a post, and the difference between path and kilometres; else the larger error of the two posts, plus the largest deviation of a road of that length from the straight line.',
    'm',
    100,
  ),
  distance_m: maybe.integer('Distance from the requested position; null for a requested kilometre.', 'm', null),
  posts: nested.objects('The post at this place, or the two posts around it.', {
    km: postKm,
    ...pick(columns, 'source', 'records', 'error_m'),
  }),
})

function recordOf({ before, after, ...found }: PlaceOnRoad, distance_m: number | null): ValueOf<typeof place.fields> {
  const shown = ({ km, source, records, error_m }: Post) => ({ km, source, records, error_m })
  return {
    ...found,
    road: roadName(found.road),
    province: provinceName(found.province_code),
    distance_m: distance_m === null ? null : Math.round(distance_m),
    posts: before === after ? [shown(before)] : [shown(before), shown(after)],
  }
}

/** Road and kilometre to position, and the reverse. */
export const roadPlaceList = defineEndpoint({
  path: '/api/geo/pk',
  plan: 'FREE',
  summary: 'Road and kilometre to position, and the reverse, with the error in metres',
  summary_es: 'De carretera y kilómetro a posición y viceversa, con el error en metros',
  about:
    'By `road` and `km`: one place, or several if provinces have a road of that name, or it is re-numbered. By `lat` and `lon`: the nearest place on each road nearby. ' +
    `An empty list means that the place is not located: no post within ${GAP_KM} km, or contradictory posts.`,
  statistic: { grain: 'One place on one road.', method: METHOD },
  params: { asked },
  returns: keyedList('places', place, ['road', 'province_code', 'km'], {
    sorts: ['distance_m', 'error_m', 'road'],
    order: 'distance_m',
    limit: { default: 10, max: 20_000 },
  }),
  read: {
    kind: 'memory',
    from: [],
    lake: ROAD_TABLES,
    needs: [roadPoints],
    answer: async ({ cached: slice }, { asked: wanted }) => {
      const posts = await slice(roadPosts, '')
      if (wanted.kind === 'post')
        return posts.inRegion(wanted.road, wanted.km, wanted.region, wanted.direction).map((found) => recordOf(found, null))
      return posts.nearest(wanted.position, wanted.radius_m, wanted.road).map(({ place: found, distance_m }) => recordOf(found, distance_m))
    },
  },
  example: { road: 'A-2', km: '586.5' },
})
