import { defineEndpoint, keyedList, listReturn } from '../../kernel/endpoint.ts'
import { field, maybe, meaning, nested, record } from '../../kernel/fields.ts'
import type { Page } from '../../kernel/page.ts'
import { group, listOf, numberParam, oneOf, required, textParam, withDefault } from '../../kernel/params/params.ts'
import { provinceParam } from '../../kernel/params/params-place.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import type { SearchFound, SearchHit } from '../../kernel/reads/search-view.ts'
import { provinceField, provinceName } from '../common-fields.ts'
import { collections as known } from './catalog.ts'
import { withKindIn } from './kinds.ts'

const RADIUS_M = 5000
const MAX_RADIUS_M = 100_000
const PROVINCE_CODE = maybe.text('INE code of the province; null if it is in several or none.', '08')

/** Fields of a hit. */
const hitFields = {
  collection: field.text('Its collection; see `/api/search/collections`.', 'gas-stations'),
  id: field.text('Id within its collection.', '4375'),
  title: field.text('Its name.', 'REPSOL, Abrera'),
  subtitle: maybe.text(
    'More about it: its kind in the language of the reply, address, town or province.',
    'AUTOVIA A-2 KM. 586,5, 08630, ABRERA',
  ),
  position: maybe.point('Its position; null for results without a single place.', { lat: 41.514583, lon: 1.897944 }),
  province: provinceField(PROVINCE_CODE),
  province_code: PROVINCE_CODE,
  distance_m: maybe.integer('Distance from the given or typed point; null without a point or a position.', 'm', null),
  url: field.text('Path of the request that shows it.', '/api/gas-stations/4375'),
  plan: field.text('Plan that this request needs: FREE, PRO or ENTERPRISE.', 'FREE'),
} as const

const scoreField = field.decimal(
  'How well it matches: text, importance and, with a point, distance. Comparable within one reply.',
  '1',
  6,
  0.61,
)

const IN_ENGLISH = { localise: withKindIn }
const searchHit = record(
  'SearchHit',
  'A result of the search.',
  {
    ...hitFields,
    score: scoreField,
    highlights: nested.objects('The parts of title and subtitle that match.', {
      field: field.text('title or subtitle.', 'title'),
      start: field.integer('First character, from 0, in UTF-16 units.', '1', 0),
      length: field.integer('Number of characters.', '1', 6),
    }),
  },
  IN_ENGLISH,
)
const suggestion = record('SearchSuggestion', 'A completion of a partly typed text.', { ...hitFields, score: scoreField }, IN_ENGLISH)
const thing = record(
  'NearbyThing',
  'Something near a point.',
  { ...hitFields, distance_m: { ...meaning(hitFields.distance_m, 'Distance from the point.'), example: 0 } },
  IN_ENGLISH,
)

/** Match counts by collection, and collections that the caller's plan sees by name only. */
const countsAside = {
  counts: nested.objects('Number of matching documents by collection; collections without matches are left out.', {
    collection: field.text('Id of the collection.', 'gas-stations'),
    hits: field.integer('Documents that match.', '1', 1),
  }),
  restricted: nested.objects(
    'Collections above the plan of the request: by name they are found with title and link only, by place not at all.',
    { collection: field.text('Id of the collection.', 'vessels'), plan: field.text('Plan that shows them whole.', 'PRO') },
  ),
} as const

const q = required(
  textParam('Search text: a name, a code, a kind of thing and a place, a road and a kilometre, or a position.', {
    ...{ max: 120, example: 'repsol abrera' },
  }),
)
const collections = listOf(
  oneOf(
    'Only these collections.',
    known.map(({ id }) => id),
    { example: 'gas-stations' },
  ),
)
const latitude = (about: string) => numberParam(about, { min: -90, max: 90, unit: 'deg', example: '41.5146' })
const longitude = (about: string) => numberParam(about, { min: -180, max: 180, unit: 'deg', example: '1.8979' })

/** The position of the caller. */
const near = group(
  {
    lat: latitude('Latitude of the caller, together with lon: nearby results rank higher. WGS84.'),
    lon: longitude('Longitude of the caller, WGS84.'),
  },
  ({ lat, lon }) => {
    if (lat !== null && lon === null) throw new InvalidParam('is required together with lat', { parameter: 'lon' })
    if (lon !== null && lat === null) throw new InvalidParam('is required together with lon', { parameter: 'lat' })
    return lat === null || lon === null ? null : { lat, lon }
  },
)

/** The hits of a page with the names of their provinces. */
function named<F extends SearchFound>(found: F): F & Page<SearchHit & { readonly province: string | null }> {
  return { ...found, records: found.records.map((hit) => ({ ...hit, province: provinceName(hit.province_code) })) }
}

/** The search over all collections. */
export const searchList = defineEndpoint({
  path: '/api/search',
  plan: 'FREE',
  summary: 'Search stations, roads, places, incidents and more at once',
  summary_es: 'Buscar estaciones, carreteras, lugares, incidencias y más a la vez',
  about:
    'Accents, case, misspellings and names in other official languages are tolerated. `A-6 km 12` finds the place on the road, `40.4168, -3.7038` things around it, ' +
    '`gasolinera olot` filling stations in a town. Lists the 1,000 best hits; `counts` includes all. `plan` is the plan of the request in `url`.',
  params: { q, collections, province: provinceParam, near },
  returns: keyedList('hits', searchHit, ['collection', 'id'], {
    sorts: ['score', 'distance_m', 'title'],
    order: '-score',
    limit: { default: 20, max: 20_000 },
    needs: { distance_m: ['lat', 'lon'] },
    sideLists: countsAside,
  }),
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

/** Suggestions while a person types. */
export const suggestList = defineEndpoint({
  path: '/api/search/suggest',
  plan: 'FREE',
  summary: 'Suggestions while a person types: the last word may be unfinished',
  summary_es: 'Sugerencias mientras se escribe: la última palabra puede estar incompleta',
  about: 'The best hits with words that begin as typed; misspelt words only if nothing else is found. At most 100.',
  params: { q, collections, near },
  returns: keyedList('suggestions', suggestion, ['collection', 'id'], {
    sorts: ['score', 'title'],
    order: '-score',
    limit: { default: 10, max: 20_000 },
  }),
  read: {
    kind: 'system',
    search: true,
    records: async ({ search }, { q, collections, near }, _now, page) =>
      named(await search.suggest({ q, collections, region: null, near }, page)),
  },
  example: { q: 'repsol abr' },
})

/** Everything around a point. */
export const nearbyList = defineEndpoint({
  path: '/api/search/nearby',
  plan: 'FREE',
  summary: 'Everything around a point, nearest first',
  summary_es: 'Todo lo que hay alrededor de un punto, lo más cercano primero',
  about: 'Results of all collections with a position. Lists the 1,000 nearest; `counts` includes all within the radius.',
  params: {
    lat: required(latitude('Latitude, WGS84.')),
    lon: required(longitude('Longitude, WGS84.')),
    radius: withDefault(numberParam('Radius around the point.', { min: 1, max: MAX_RADIUS_M, unit: 'm', example: '2000' }), RADIUS_M),
    collections,
  },
  returns: keyedList('things', thing, ['collection', 'id'], {
    sorts: ['distance_m', 'title'],
    order: 'distance_m',
    limit: { default: 20, max: 20_000 },
    sideLists: countsAside,
  }),
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

const collection = record('SearchCollection', 'A searchable collection, or a planned one.', {
  id: field.text('Id of the collection, as `collections` takes it.', 'gas-stations'),
  title: field.text('Kind of its documents.', 'Filling stations'),
  about: field.text('Searched properties.', 'Filling stations, by brand, town and address.'),
  documents: maybe.integer('Documents; 0 until its data has arrived, null without a data source.', '1', 12_073),
  unavailable_reason: maybe.text('Why it is not searchable yet; null if it is.', null),
  fields: nested.objects('Searched fields, and the weight of a match in each.', {
    field: field.text('title, names (other names), codes, place (municipality and province), or text (everything else).', 'title'),
    weight: field.decimal('Weight, 0 to 5.', '1', 1, 3.5),
  }),
  datasets: field.list('Source datasets, or datasets that it waits for.', field.text('Id of a dataset.'), ['fuel_stations']),
  detail_path: maybe.text('The request that shows a document by its id; null if it is not searchable.', '/api/gas-stations/{id}'),
  plan: maybe.text('Plan of this request; null if it is not searchable.', 'FREE'),
})

/** The collections of the search. */
export const collectionList = defineEndpoint({
  path: '/api/search/collections',
  plan: 'FREE',
  summary: 'The collections of the search: documents, fields, detail path',
  summary_es: 'Las 26 colecciones del buscador: documentos, campos y ruta de detalle',
  about: 'A collection whose data is not collected yet is listed with the reason.',
  returns: listReturn('collections', collection, { sorts: ['id', 'documents'], limit: { default: null, max: 20_000 } }),
  read: { kind: 'system', search: true, records: ({ search }) => search.collections },
  example: {},
})
