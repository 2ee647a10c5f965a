import { defineEndpoint } from '../../kernel/endpoint.ts'
import { provinceParam } from '../../kernel/params/params-place.ts'
import type { SearchHit } from '../../kernel/reads/search-view.ts'
import { provinceName } from '../common-fields.ts'
import { collectionsParam, countsAside, nearParams, queryParam, searchHit } from './hit.ts'

/** A hit with the name of its province. */
export function named<H extends SearchHit>(hit: H): H & { readonly province: string | null } {
  return Object.assign(hit, { province: provinceName(hit.province_code) })
}

/** The search over all collections. */
export const searchList = defineEndpoint({
  path: '/api/search',
  domain: 'search',
  plan: 'FREE',
  summary: 'Search stations, roads, places, incidents and more at once',
  summary_es: 'Buscar estaciones, carreteras, lugares, incidencias y más a la vez',
  about:
    'Accents, case, misspellings and names in other official languages are tolerated. `A-6 km 12` finds the place on the road, `40.4168, -3.7038` things around it, ' +
    '`gasolinera olot` filling stations in a town. Lists the 1,000 best hits; `counts` includes all. `plan` is the plan of the request in `url`.',
  params: { q: queryParam, collections: collectionsParam, province: provinceParam, near: nearParams },
  returns: {
    kind: 'list',
    name: 'hits',
    record: searchHit,
    key: ['collection', 'id'],
    sorts: ['score', 'distance_m', 'title'],
    order: '-score',
    limit: { default: 20, max: 20_000 },
    needs: { distance_m: ['lat', 'lon'] },
    sideLists: countsAside,
  },
  read: {
    kind: 'system',
    search: true,
    records: async ({ search }, { q, collections, province, near }) => {
      const { hits, counts } = await search.search({ q, collections, region: province, near })
      return { records: hits.map(named), sideLists: { counts, restricted: search.restricted(collections) } }
    },
  },
  example: { q: 'repsol abrera' },
})
