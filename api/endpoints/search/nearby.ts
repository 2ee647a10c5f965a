import { defineEndpoint } from '../../kernel/endpoint.ts'
import { meaning, record } from '../../kernel/fields.ts'
import { numberParam, required, withDefault } from '../../kernel/params/params.ts'
import { collectionsParam, countsAside, hitFields } from './hit.ts'
import { named } from './search.ts'

const RADIUS_M = 5000
const MAX_RADIUS_M = 100_000

const thing = record('NearbyThing', 'Something near a point.', {
  ...hitFields,
  distance_m: { ...meaning(hitFields.distance_m, 'Distance from the point.'), example: 0 },
})

/** Everything around a point. */
export const nearbyList = defineEndpoint({
  path: '/api/search/nearby',
  domain: 'search',
  plan: 'FREE',
  summary: 'Everything around a point, nearest first',
  summary_es: 'Todo lo que hay alrededor de un punto, lo más cercano primero',
  about: 'Results of all collections with a position. Lists the 1,000 nearest; `counts` includes all within the radius.',
  params: {
    lat: required(numberParam('Latitude, WGS84.', { min: -90, max: 90, unit: 'deg', example: '41.5146' })),
    lon: required(numberParam('Longitude, WGS84.', { min: -180, max: 180, unit: 'deg', example: '1.8979' })),
    radius: withDefault(numberParam('Radius around the point.', { min: 1, max: MAX_RADIUS_M, unit: 'm', example: '2000' }), RADIUS_M),
    collections: collectionsParam,
  },
  returns: {
    kind: 'list',
    name: 'things',
    record: thing,
    key: ['collection', 'id'],
    sorts: ['distance_m', 'title'],
    order: 'distance_m',
    limit: { default: 20, max: 20_000 },
    sideLists: countsAside,
  },
  read: {
    kind: 'system',
    search: true,
    records: async ({ search }, { lat, lon, radius, collections }, _now, page) => {
      const found = await search.nearby({ lat, lon, radius_m: radius, collections }, page)
      return { ...named(found), sideLists: { counts: found.counts, restricted: search.restricted(collections) } }
    },
  },
  example: { lat: '41.5146', lon: '1.8979' },
})
