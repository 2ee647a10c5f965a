import { ROAD_DIRECTIONS } from '../../../lake/datasets/road/codes.ts'
import { roadPoints } from '../../../lake/datasets/road/road-network.ts'
import type { Axes, Axis } from '../../../lake/places/axes.ts'
import { lengthM, simplifiedPoints } from '../../../lake/places/lines.ts'
import type { Post } from '../../../lake/places/place-on-road.ts'
import type { Line } from '../../../lake/schema/columns.ts'
import { defineEndpoint, listReturn, type MemoryAsk } from '../../kernel/endpoint.ts'
import { field, maybe, meaning, nested, record, type ValueOf } from '../../kernel/fields.ts'
import { group, integerParam, numberParam, oneOf, required } from '../../kernel/params/params.ts'
import { roadName, roadParam } from '../../kernel/params/params-place.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { nearest } from '../../kernel/reads/suggest.ts'
import { provinceField, provinceName } from '../common-fields.ts'
import { GAP_KM, postKm, ROAD_TABLES, roadPosts } from './posts.ts'

const { columns } = roadPoints
const MAX_SIMPLIFY_M = 5000

/** The road of a path. */
export const pathRoad = required(roadParam)

/** Suggests the path of the road with the nearest name, with `rest` after it; null without a similar one. */
export function suggestRoad(rest = '') {
  return async ({ optional }: Pick<MemoryAsk<readonly []>, 'optional'>, { road }: { readonly road: string }): Promise<string | null> => {
    const near = nearest(road, (await optional(roadPosts, ''))?.roads ?? [])
    return near === null ? null : `/api/carreteras/${near}${rest}`
  }
}

/** The parameters `km_from` and `km_to` of a road that the path names. */
export const kilometreParams = group(
  {
    km_from: numberParam('Begin of the stretch.', { min: 0, max: 2000, unit: 'km', example: '10' }),
    km_to: numberParam('End of the stretch, inclusive.', { min: 0, max: 2000, unit: 'km', example: '25.5' }),
  },
  ({ km_from, km_to }) => {
    if (km_from !== null && km_to !== null && km_from > km_to)
      throw new InvalidParam(`expected at most km_to (${km_to})`, { parameter: 'km_from' })
    return { km_from: km_from ?? 0, km_to: km_to ?? Number.POSITIVE_INFINITY }
  },
)

const part = record('RoadPart', 'A continuous part of a road in a province: its measured axis, or a line through its located kilometres.', {
  id: field.text(
    'Road, province, direction and first kilometre; a further part that begins there has a number, too.',
    'A-2/08/POSITIVE/582',
  ),
  road: meaning(columns.road, 'Road designation.'),
  province: provinceField(columns.province_code),
  province_code: columns.province_code,
  direction: field.code(
    'Direction of its traffic; BOTH for a single carriageway, UNKNOWN without a measured axis.',
    ROAD_DIRECTIONS,
    'POSITIVE',
  ),
  km_from: field.decimal('First kilometre of the part.', 'km', 3, 582),
  km_to: field.decimal('Last kilometre of the part.', 'km', 3, 598.5),
  length_m: field.integer('Length of the line.', 'm', 16_240),
  error_m: field.integer(
    'Largest error of its kilometres; without a measured axis the road may bend away from the line between them.',
    'm',
    100,
  ),
  kilometres: nested.objects('Kilometre marks: the kilometre posts of a measured axis, or the located kilometres.', {
    km: postKm,
    lat: field.float('Latitude, WGS84.', 'deg', 41.514583),
    lon: field.float('Longitude, WGS84.', 'deg', 1.897944),
    error_m: columns.error_m,
    source: columns.source,
  }),
  geometry: maybe.line('The line, in the direction of growing kilometres; null for a single located kilometre.', {
    type: 'LineString',
    coordinates: [
      [1.87, 41.49],
      [1.9, 41.52],
    ],
  }),
})

function partOf(posts: readonly [Post, ...Post[]], simplify_m: number): ValueOf<typeof part.fields> {
  const [first] = posts
  const last = posts.at(-1) as Post
  const line: Line = posts.map(({ position }) => [position.lon, position.lat] as const)
  const kept = simplify_m === 0 ? posts.map((_, at) => at) : simplifiedPoints(line, simplify_m)
  return {
    id: `${roadName(first.road)}/${first.province_code}/UNKNOWN/${first.km}`,
    ...{ road: roadName(first.road), province: provinceName(first.province_code), province_code: first.province_code },
    direction: 'UNKNOWN',
    ...{ km_from: first.km, km_to: last.km, length_m: Math.round(lengthM(line)) },
    error_m: Math.max(...posts.map(({ error_m }) => error_m)),
    kilometres: kept.map((at) => {
      const { km, position, error_m, source } = posts[at] as Post
      return { km, ...position, error_m, source }
    }),
    geometry: posts.length < 2 ? null : kept.map((at) => line[at] as Line[0]),
  }
}

/** The part of a measured axis within a stretch, in the direction of growing kilometres; null if there is none. */
function partOfAxis(axes: Axes, axis: Axis, { km_from, km_to, simplify_m }: Wanted): ValueOf<typeof part.fields> | null {
  const { line, kilometres, error_m } = axes.part(axis, km_from, km_to)
  const [first, last] = [kilometres[0], kilometres.at(-1)]
  if (line.length < 2 || first === undefined || last === undefined) return null
  const { road, province_code, direction } = axis
  return {
    id: `${roadName(road)}/${province_code}/${direction}/${first}`,
    ...{ road: roadName(road), province: provinceName(province_code), province_code, direction },
    ...{ km_from: first, km_to: last, length_m: Math.round(lengthM(line)), error_m },
    kilometres: axes
      .marks(axis)
      .flatMap(({ km, position, error_m, source }) => (km >= first && km <= last ? [{ km, ...position, error_m, source }] : [])),
    geometry: simplify_m === 0 ? line : simplifiedPoints(line, simplify_m).map((at) => line[at] as Line[0]),
  }
}

/** Parts of a re-numbered road may begin at the same kilometre: the later ones have a number. */
function withOwnIds(parts: readonly ValueOf<typeof part.fields>[]): ValueOf<typeof part.fields>[] {
  return [...Map.groupBy(parts, ({ id }) => id).values()].flatMap((same) =>
    same.map((one, at) => (at === 0 ? one : { ...one, id: `${one.id}/${at + 1}` })),
  )
}

/** The requested stretch and tolerance; kilometres growing. */
interface Wanted {
  readonly km_from: number
  readonly km_to: number
  readonly simplify_m: number
}

/** The line of a road. */
export const roadGeometry = defineEndpoint({
  path: '/api/carreteras/{road}/geometria',
  plan: 'FREE',
  summary: 'Line of a road with kilometre marks',
  summary_es: 'Trazado de una carretera con sus puntos kilométricos',
  about: `The continuous parts of the road in each province, as GeoJSON unless another format is requested: the measured axis of each carriageway where the road network is imported, elsewhere a line through located kilometres. There a gap of more than ${GAP_KM} km between located kilometres is a gap.`,
  params: {
    road: pathRoad,
    stretch: kilometreParams,
    direction: oneOf('Only carriageways with traffic in this direction.', ['POSITIVE', 'NEGATIVE'], { example: 'POSITIVE' }),
    simplify: integerParam(
      'Leaves out points of the line that are at most this far from it; without a measured axis their kilometre marks, too.',
      {
        ...{ min: 1, max: MAX_SIMPLIFY_M, unit: 'm', example: '50' },
      },
    ),
  },
  returns: listReturn('parts', part, {
    sorts: ['km_from', 'length_m'],
    order: 'km_from',
    limit: { default: 1000, max: 20_000 },
    prefers: 'geojson',
  }),
  read: {
    kind: 'memory',
    from: [],
    lake: ROAD_TABLES,
    needs: [roadPoints],
    answer: async ({ cached }, { road, stretch, direction, simplify }) => {
      const posts = await cached(roadPosts, '')
      const axes = posts.axes.of(road)
      const runs = posts.runs(road)
      if (runs.length + axes.length === 0) return null
      const wanted = { ...stretch, simplify_m: simplify ?? 0 }
      const own = axes.filter((axis) => direction === null || axis.direction === direction || axis.direction === 'BOTH')
      const lines = own.flatMap((axis) => partOfAxis(posts.axes, axis, wanted) ?? [])
      const parts = runs.flatMap((run) => {
        const [first, ...rest] = run.filter(({ km }) => km >= stretch.km_from && km <= stretch.km_to)
        return first ? [partOf([first, ...rest], simplify ?? 0)] : []
      })
      return withOwnIds([...lines, ...parts])
    },
    suggestion: suggestRoad('/geometria'),
  },
  example: { road: 'A-2' },
})
