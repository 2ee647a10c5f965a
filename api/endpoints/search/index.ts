import { defineDomain } from '../../kernel/domain.ts'
import { collectionList, nearbyList, searchList, suggestList } from './search.ts'

/** Endpoints of the search, in the order in which documentation shows them. */
export const search = defineDomain({
  id: 'search',
  title: { es: 'Búsqueda', en: 'Search' },
  endpoints: [searchList, suggestList, nearbyList, collectionList],
})
