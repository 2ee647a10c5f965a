import { defineEndpoint } from '../../kernel/endpoint.ts'
import { record } from '../../kernel/fields.ts'
import { collectionsParam, hitFields, nearParams, queryParam, scoreField } from './hit.ts'
import { named } from './search.ts'

const suggestion = record('SearchSuggestion', 'A completion of a partly typed text.', { ...hitFields, score: scoreField })

/** Suggestions while a person types. */
export const suggestList = defineEndpoint({
  path: '/api/search/suggest',
  domain: 'search',
  plan: 'FREE',
  summary: 'Suggestions while a person types: the last word may be unfinished',
  summary_es: 'Sugerencias mientras se escribe: la última palabra puede estar incompleta',
  about: 'The best hits with words that begin as typed; misspelt words only if nothing else is found. At most 100.',
  params: { q: queryParam, collections: collectionsParam, near: nearParams },
  returns: {
    kind: 'list',
    name: 'suggestions',
    record: suggestion,
    key: ['collection', 'id'],
    sorts: ['score', 'title'],
    order: '-score',
    limit: { default: 10, max: 20_000 },
  },
  read: {
    kind: 'system',
    search: true,
    records: async ({ search }, { q, collections, near }, _now, page) =>
      named(await search.suggest({ q, collections, region: null, near }, page)),
  },
  example: { q: 'repsol abr' },
})
