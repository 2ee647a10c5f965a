import type { Post } from '../../../lake/places/place-on-road.ts'
import { isInPolygons } from '../../../lake/places/rings.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import { defineEndpoint, keyedList } from '../../kernel/endpoint.ts'
import { field, record } from '../../kernel/fields.ts'
import { oneOf, withDefault } from '../../kernel/params/params.ts'
import { distanceM } from '../../kernel/reads/geo.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { fuelParam } from '../fuel/station.ts'
import { AREAS, WEATHER_M } from './along/match.ts'
import { DEFAULT_KINDS, includeParam, itemFields, itemTail, KINDS, ROUTE_PAGE, type RoadItemKind } from './along/route-item.ts'
import { shownThing, THING_DATASETS, type Thing, thingsOf } from './along/things.ts'
import { ROAD_TABLES, roadPosts } from './posts.ts'
import { kilometreParams, pathRoad, suggestRoad } from './road-geometry.ts'

const { direction, km, km_to, ...tail } = itemTail

const item = record(
  'RoadItem',
  'Something on a road.',
  {
    ...itemFields,
    place: field.integer('Its place in the order of travel: by growing kilometres, with direction=NEGATIVE by falling ones.', '1', 1),
    km: { ...km, about: 'Its kilometre; of a warning or a weather station that of the nearest located point of the road.' },
    km_to,
    direction,
    ...tail,
  },
  { id: 'id', localise: (one, lang) => (lang === 'en' ? { ...one, title: one.titles.en } : one) },
)

/** The things on each road, by folded name. */
const byRoad = memo(
  (things: readonly Thing[]): ReadonlyMap<string, readonly Thing[]> =>
    Map.groupBy(
      things.filter(({ road }) => road !== null),
      ({ road }) => foldRoad(road as string),
    ),
)

/** A thing at a stretch of the road. */
interface Placed {
  readonly thing: Thing
  readonly km: number
  readonly km_to: number | null
}

/** The things on a road, with those that state no road but lie beside its posts. */
function placedOn(road: string, kinds: readonly (readonly Thing[])[], posts: readonly Post[]): Placed[] {
  return kinds.flatMap((things): Placed[] => {
    const [first] = things
    if (first && AREAS.has(first.kind)) return things.flatMap((thing) => warned(thing, posts) ?? [])
    if (first?.kind === 'WEATHER_STATION') return things.flatMap((thing) => beside(thing, posts) ?? [])
    return (byRoad(things).get(road) ?? []).flatMap((thing) => (thing.km === null ? [] : [{ thing, km: thing.km, km_to: thing.km_to }]))
  })
}

/** How many things `placedOn` has of each kind, and how many more state the road without a kilometre. */
export function countsOn(
  road: string,
  kinds: readonly (readonly Thing[])[],
  posts: readonly Post[],
): { readonly kind: RoadItemKind; readonly count: number; readonly without_km: number }[] {
  const placed = Map.groupBy(placedOn(road, kinds, posts), ({ thing }) => thing.kind)
  const others = Map.groupBy(
    kinds.flatMap((things) => (byRoad(things).get(road) ?? []).filter(({ km }) => km === null)),
    ({ kind }) => kind,
  )
  return KINDS.map((kind) => ({ kind, count: placed.get(kind)?.length ?? 0, without_km: others.get(kind)?.length ?? 0 })).filter(
    ({ count, without_km }) => count + without_km > 0,
  )
}

function warned(thing: Thing, posts: readonly Post[]): Placed | null {
  const { area } = thing
  const inside = area ? posts.filter(({ position: { lon, lat } }) => isInPolygons(area, [lon, lat])) : []
  const [first, last] = [inside[0], inside.at(-1)]
  return first && last ? { thing, km: first.km, km_to: last.km } : null
}

function beside(thing: Thing, posts: readonly Post[]): Placed | null {
  const { position } = thing
  if (!position) return null
  let best: { readonly km: number; readonly away_m: number } | null = null
  for (const post of posts) {
    const away_m = distanceM(position, post.position)
    if (away_m <= WEATHER_M && (best === null || away_m < best.away_m)) best = { km: post.km, away_m }
  }
  return best && { thing, km: best.km, km_to: null }
}

/** What is on a road now. */
export const roadState = defineEndpoint({
  path: '/api/carreteras/{road}/estado',
  plan: 'FREE',
  summary: 'Everything on a road now, in the order of its kilometres',
  summary_es: 'Todo lo que hay en una carretera, por orden kilométrico',
  about: `Incidents, works, beacons, panels, cameras, speed cameras and filling stations. Weather warnings and low-emission zones are those with located points of the road, weather stations those within ${WEATHER_M / 1000} km of one. \`include=SENSOR\` adds the detectors of each lane. Things without a kilometre are not listed.`,
  explained: ROUTE_PAGE,
  params: {
    road: pathRoad,
    stretch: kilometreParams,
    direction: oneOf('Only what concerns this direction; what concerns both, or states none, is listed too.', ['POSITIVE', 'NEGATIVE'], {
      example: 'POSITIVE',
    }),
    include: includeParam,
    fuel: withDefault(fuelParam, 'DIESEL_A'),
  },
  returns: keyedList('items', item, ['kind', 'id'], {
    id: 'id',
    sorts: ['place', 'km', 'price'],
    order: 'place',
    limit: { default: 1000, max: 20_000 },
  }),
  read: {
    kind: 'memory',
    from: THING_DATASETS,
    lake: ROAD_TABLES,
    needs: [],
    isOfAny: true,
    reportsMissing: true,
    answer: async ({ states, optional }, { road, stretch, direction: wanted, include, fuel }) => {
      const posts = await optional(roadPosts, '')
      const all = placedOn(road, thingsOf(states, posts), posts?.marks(road) ?? [])
      if (all.length === 0 && !posts?.roads.has(road)) return null
      const kinds = new Set<string>(include ?? DEFAULT_KINDS)
      const isWanted = ({ thing, km, km_to }: Placed): boolean =>
        kinds.has(thing.kind) &&
        Math.max(km, km_to ?? km) >= stretch.km_from &&
        Math.min(km, km_to ?? km) <= stretch.km_to &&
        (wanted === null || thing.direction === wanted || (thing.direction !== 'POSITIVE' && thing.direction !== 'NEGATIVE'))
      const sign = wanted === 'NEGATIVE' ? -1 : 1
      return all
        .filter(isWanted)
        .sort((one, other) => sign * (one.km - other.km) || (one.thing.id < other.thing.id ? -1 : 1))
        .map(({ thing, km, km_to }, at) => ({ ...shownThing(thing, fuel), place: at + 1, km, km_to }))
    },
    suggestion: suggestRoad('/estado'),
  },
  example: { road: 'A-2' },
})
