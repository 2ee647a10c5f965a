import { trafficHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { lengthM } from '../../../lake/places/lines.ts'
import { provincesOf, type Region } from '../../../lake/places/regions.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { DOUBLE } from '../../../lake/schema/json.ts'
import { defineEndpoint, keyedList } from '../../kernel/endpoint.ts'
import { field, maybe, record, type ValueOf } from '../../kernel/fields.ts'
import type { RequestedLine } from '../../kernel/params/area-hint.ts'
import { group, integerParam, numberParam, oneOf, param, withDefault } from '../../kernel/params/params.ts'
import { provinceParam, roadName, roadParam } from '../../kernel/params/params-place.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { fuelParam } from '../fuel/station.ts'
import { isGeoJson, MAX_POSITIONS, readPath } from './along/encoded-path.ts'
import { detectorsOn, type Met, thingsAlong, WEATHER_M } from './along/match.ts'
import { PathLine } from './along/path-line.ts'
import { DEFAULT_KINDS, includeParam, itemFields, itemTail, RELATIONS, ROUTE_PAGE, SIDES } from './along/route-item.ts'
import { type StretchLine, stretchLine } from './along/stretch-line.ts'
import { shownThing, THING_DATASETS, thingsOf } from './along/things.ts'
import { hourKey, travelTimeOf, usualSpeeds } from './along/travel-time.ts'
import { positionParam, wayBetween } from './along/way.ts'
import { Posts, ROAD_TABLES, roadPosts } from './posts.ts'

/** The A-2 at Abrera. */
const EXAMPLE = 'wbh|FkhlJoeBokD{_B{oD'
const BUFFER_M = 300
const MAX_BUFFER_M = 5000
/** A thing this near is on the path, not beside it. */
const BESIDE_FROM_M = 15
const MAX_LENGTH_M = 3_000_000

/** The requested path: its positions, the ends of a way by road, or a stretch of a road in the order of travel. */
type Asked =
  | ({ readonly kind: 'line' } & RequestedLine)
  | { readonly kind: 'way'; readonly origin: Point; readonly destination: Point }
  | {
      readonly kind: 'road'
      readonly road: string
      readonly km_from: number
      readonly km_to: number
      readonly region: Region | null
    }

const pathParams = group(
  {
    path: param<string>({
      about: `The path, in the order of travel: an encoded polyline, or a GeoJSON LineString as text; at most ${MAX_POSITIONS} positions.`,
      schema: { type: 'string', minLength: 2 },
      parse: (text) => text,
      example: EXAMPLE,
    }),
    precision: withDefault(oneOf('Decimals of the encoded polyline.', ['5', '6'], { example: '5' }), '5'),
    road: roadParam,
    km_from: numberParam('Begin of the journey on `road`.', { min: 0, max: 2000, unit: 'km', example: '580' }),
    km_to: numberParam('Its end; less than km_from for the direction of falling kilometres.', {
      min: 0,
      max: 2000,
      unit: 'km',
      example: '590',
    }),
    province: provinceParam,
    origin: positionParam('Start of a way by road, as /api/geo/ruta finds it, instead of path and road', '41.4982,1.8703'),
    destination: positionParam('Its end', '41.5301,1.9262'),
  },
  ({ path, precision, road, km_from, km_to, province, origin, destination }): Asked => {
    const onRoad = { road, km_from, km_to, province }
    const others = path !== null ? { ...onRoad, origin, destination } : origin !== null || destination !== null ? onRoad : {}
    for (const [parameter, value] of Object.entries(others))
      if (value !== null)
        throw new InvalidParam(`cannot be combined with ${path === null ? 'origin and destination' : 'path'}`, { parameter })
    if (path !== null)
      return { kind: 'line', line: readPath(path, Number(precision)), precision: isGeoJson(path) ? null : Number(precision) }
    if (origin !== null && destination !== null) return { kind: 'way', origin, destination }
    if (origin !== null) throw new InvalidParam('is required together with origin', { parameter: 'destination' })
    if (destination !== null) throw new InvalidParam('is required together with destination', { parameter: 'origin' })
    if (road === null)
      throw new InvalidParam('is required; allowed: path, road with km_from and km_to, or origin and destination', { parameter: 'path' })
    for (const [parameter, value] of Object.entries({ km_from, km_to }))
      if (value === null) throw new InvalidParam('is required together with road', { parameter })
    if (km_from === km_to) throw new InvalidParam('expected another kilometre than km_from', { parameter: 'km_to' })
    return { kind: 'road', road, km_from: km_from as number, km_to: km_to as number, region: province }
  },
)

/** The line of a stretch, in the first of the region's provinces that has it. Throws `InvalidParam` if none has. */
function lineOn(posts: Posts | null, { road, region, ...stretch }: Extract<Asked, { kind: 'road' }>): StretchLine {
  const provinces = region === null ? [null] : provincesOf(region)
  for (const province_code of provinces) {
    const found = posts && stretchLine(posts, { road, ...stretch, province_code })
    if (found) return found
  }
  const isLocated = (km: number): boolean => provinces.some((one) => (posts?.at(road, km, one) ?? []).length > 0)
  const [from, to] = [isLocated(stretch.km_from), isLocated(stretch.km_to)]
  if (!from && !to)
    throw new InvalidParam('expected a road with located kilometres there, as in /api/geo/pk', { parameter: 'road', value: roadName(road) })
  const parameter = from ? 'km_to' : 'km_from'
  const about = from && to ? 'expected a stretch without a gap of more than 10 km' : 'expected a located kilometre'
  throw new InvalidParam(`${about}, as in /api/carreteras/{road}/geometria`, { parameter, value: String(stretch[parameter]) })
}

/** The line of a path, with the stretches of a road that are not located. */
async function lineOfPath(posts: Posts | null, asked: Asked): Promise<StretchLine> {
  if (asked.kind === 'road') return lineOn(posts, asked)
  if (asked.kind === 'line') return { line: asked.line, gaps: [] }
  const legs = await wayBetween(posts ?? new Posts([]), asked.origin, asked.destination)
  return { line: legs.flatMap(({ line }) => line), gaps: [] }
}

/** States which kilometres of the path are not located. */
function gapsNote(gaps: StretchLine['gaps']): { readonly note?: string } {
  if (gaps.length === 0) return {}
  return { note: `Not located, and crossed in a straight line: ${gaps.map(([from, to]) => `km ${from} to ${to}`).join(', ')}.` }
}

const time = (about: string) => maybe.integer(`${about}; null without detectors, or without such speeds.`, 's', null)

const routeItem = record(
  'RouteItem',
  'Something along a path.',
  {
    ...itemFields,
    distance_from_start_m: field.integer('Where the path meets it first: distance along the path from its start.', 'm', 6500),
    until_m: maybe.integer('The same for the end of its stretch or area on the path; null for a thing at a point.', 'm', null),
    offset_m: field.integer('Distance from the path.', 'm', 12),
    side: maybe.code(`Side of the path; null for an area, or less than ${BESIDE_FROM_M} m from the path.`, SIDES, null),
    relation: field.code('How its traffic runs relative to the path.', RELATIONS, 'SAME_DIRECTION'),
    ...itemTail,
  },
  { id: 'id', localise: (one, lang) => (lang === 'en' ? { ...one, title: one.titles.en } : one) },
)

function itemOf({ thing, along_m, until_m, offset_m, turn, relation, position }: Met, fuel: string): ValueOf<typeof routeItem.fields> {
  return {
    ...shownThing(thing, fuel),
    distance_from_start_m: Math.round(along_m),
    until_m: until_m === null ? null : Math.round(until_m),
    offset_m: Math.round(offset_m),
    side: turn === 0 || offset_m < BESIDE_FROM_M ? null : turn > 0 ? 'LEFT' : 'RIGHT',
    ...{ relation, position },
  }
}

/** Everything along a path. */
export const routeList = defineEndpoint({
  path: '/api/trafico/ruta',
  plan: 'PRO',
  summary: 'Everything along a path in the order in which a driver meets it',
  summary_es: 'Todo lo que hay en un trayecto, en el orden en que se encuentra',
  about: `Everything within \`buffer\` metres of a path, once, with its distance from the start; weather stations within ${WEATHER_M / 1000} km. \`include=SENSOR\` adds the detectors of each lane. What concerns only the opposite direction, or a road that crosses, is left out unless \`directions=all\`. Where a direction is unknown, it is listed.`,
  explained: ROUTE_PAGE,
  takesBody: {
    param: 'path',
    about: 'The path as a GeoJSON LineString, or a Feature with one. For paths that are too long for a URL (16,384 characters).',
    mediaTypes: ['application/geo+json', 'application/json'],
    maxBytes: 2_000_000,
    schema: {
      type: 'object',
      required: ['type', 'coordinates'],
      properties: {
        type: { type: 'string', const: 'LineString' },
        coordinates: { type: 'array', minItems: 2, maxItems: MAX_POSITIONS, items: { type: 'array', minItems: 2, items: DOUBLE } },
      },
    },
    example: {
      type: 'LineString',
      coordinates: [
        [1.8703, 41.4982],
        [1.8979, 41.5146],
        [1.9262, 41.5301],
      ],
    },
  },
  params: {
    asked: pathParams,
    buffer: withDefault(
      integerParam(`Greatest distance from the path; ${BUFFER_M} by default.`, { min: 1, max: MAX_BUFFER_M, unit: 'm', example: '500' }),
      BUFFER_M,
    ),
    include: includeParam,
    directions: withDefault(oneOf('Things of the own direction of travel, or of all.', ['own', 'all'], { example: 'own' }), 'own'),
    fuel: withDefault(fuelParam, 'DIESEL_A'),
  },
  returns: keyedList('items', routeItem, ['kind', 'id'], {
    id: 'id',
    sorts: ['distance_from_start_m', 'offset_m', 'price'],
    order: 'distance_from_start_m',
    limit: { default: 1000, max: 20_000 },
    counts: {
      length_m: field.integer('Length of the path.', 'm', 10_000),
      measured_m: field.integer('Length of the parts near detectors of its direction: the basis of the times.', 'm', 0),
      current_time_s: time('Travel time over these parts at the speeds measured now'),
      typical_time_s: time('The same at the speeds of this hour in the last four weeks'),
      free_flow_time_s: time('The same at the speeds of the last nights; the delay is the difference'),
    },
  }),
  read: {
    kind: 'memory',
    from: THING_DATASETS,
    lake: [...ROAD_TABLES, trafficHours],
    needs: [],
    clockGranularity_s: 3600,
    isOfAny: true,
    reportsMissing: true,
    answer: async ({ states, optional }, { asked, buffer, include, directions, fuel }, now) => {
      const posts = await optional(roadPosts, '')
      const { line, gaps } = await lineOfPath(posts, asked)
      // Before the grid of the path is made, which takes memory by its extent.
      if (lengthM(line) > MAX_LENGTH_M)
        throw new InvalidParam(`expected a path of at most ${MAX_LENGTH_M / 1000} km`, { parameter: 'path' })
      const path = new PathLine(line)
      const kinds = new Set<string>(include ?? DEFAULT_KINDS)
      const wanted = { kinds, buffer_m: buffer, onlyOwnDirection: directions === 'own' }
      const things = thingsOf(states, posts)
      const met = thingsAlong(path, things, posts, wanted)
      const times = travelTimeOf(detectorsOn(path, things, posts), path.length_m, await optional(usualSpeeds, hourKey(now)))
      const counts = { length_m: Math.round(path.length_m), ...times }
      return { records: met.map((one) => itemOf(one, fuel)), counts, ...gapsNote(gaps) }
    },
  },
  example: { path: EXAMPLE },
})
