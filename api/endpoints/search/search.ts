import { defineEndpoint } from '../../kernel/endpoint.ts'
import type { Page } from '../../kernel/page.ts'
import { provinceParam } from '../../kernel/params/params-place.ts'
import type { SearchFound, SearchHit } from '../../kernel/reads/search-view.ts'
import { provinceName } from '../common-fields.ts'
import { collectionsParam, countsAside, nearParams, queryParam, searchHit } from './hit.ts'

/** The hits of a page with the names of their provinces. */
export function named<F extends SearchFound>(found: F): F & Page<SearchHit & { readonly province: string | null }> {
  return { ...found, records: found.records.map((hit) => ({ ...hit, province: provinceName(hit.province_code) })) }
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
    records: async ({ search }, { q, collections, province, near }, _now, page) => {
      const found = await search.search({ q, collections, region: province, near }, page)
      return { ...named(found), sideLists: { counts: found.counts, restricted: search.restricted(collections) } }
    },
  },
  example: { q: 'repsol abrera' },
})
