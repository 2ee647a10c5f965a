import { col } from '../../../lake/schema/columns.ts'
import { nested, record } from '../../kernel/fields.ts'
import { group, listOf, numberParam, oneOf, required, textParam } from '../../kernel/params/params.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { provinceField } from '../common-fields.ts'
import { collections } from './catalog.ts'

const PROVINCE_CODE = col.string(0, 'INE code of the province; null if it is in several or none.', { nullable: true, example: '08' })

/** Fields of a hit. */
export const hitFields = {
  collection: col.string(0, 'Its collection; see `/api/search/collections`.', { example: 'gas-stations' }),
  id: col.string(0, 'Id within its collection.', { example: '4375' }),
  title: col.string(0, 'Its name.', { example: 'REPSOL, Abrera' }),
  subtitle: col.string(0, 'More about it: its kind, address, town or province.', {
    nullable: true,
    example: 'AUTOVIA A-2 KM. 586,5, 08630, ABRERA',
  }),
  position: col.point([0, 0], 'Its position; null for results without a single place.', {
    nullable: true,
    example: { lat: 41.514583, lon: 1.897944 },
  }),
  province: provinceField(PROVINCE_CODE),
  province_code: PROVINCE_CODE,
  distance_m: col.integer(0, 'Distance from the given or typed point; null without a point or a position.', {
    unit: 'm',
    nullable: true,
    example: null,
  }),
  url: col.string(0, 'Path of the request that shows it.', { example: '/api/gas-stations/4375' }),
  plan: col.string(0, 'Plan that this request needs: FREE, PRO or ENTERPRISE.', { example: 'FREE' }),
} as const

/** Score of a hit. */
export const scoreField = col.decimal(
  0,
  'How well it matches: text, importance and, with a point, distance. Comparable within one reply.',
  {
    scale: 6,
    unit: '1',
    example: 0.61,
  },
)

/** A hit of a full search. */
export const searchHit = record('SearchHit', 'A result of the search.', {
  ...hitFields,
  score: scoreField,
  highlights: nested.objects('The parts of title and subtitle that match.', {
    field: col.string(0, 'title or subtitle.', { example: 'title' }),
    start: col.integer(0, 'First character, from 0, in UTF-16 units.', { unit: '1', example: 0 }),
    length: col.integer(0, 'Number of characters.', { unit: '1', example: 6 }),
  }),
})

/** Match counts by collection, and collections that the caller's plan sees by name only. */
export const countsAside = {
  counts: nested.objects('Number of matching documents by collection; collections without matches are left out.', {
    collection: col.string(0, 'Id of the collection.', { example: 'gas-stations' }),
    hits: col.integer(0, 'Documents that match.', { unit: '1', example: 1 }),
  }),
  restricted: nested.objects(
    'Collections above the plan of the request: by name they are found with title and link only, by place not at all.',
    {
      collection: col.string(0, 'Id of the collection.', { example: 'vessels' }),
      plan: col.string(0, 'Plan that shows them whole.', { example: 'PRO' }),
    },
  ),
} as const

/** The parameter `q`. */
export const queryParam = required(
  textParam('Search text: a name, a code, a kind of thing and a place, a road and a kilometre, or a position.', {
    max: 120,
    example: 'repsol abrera',
  }),
)

/** The parameter `collections`. */
export const collectionsParam = listOf(
  oneOf(
    'Only these collections.',
    collections.map(({ id }) => id),
    { example: 'gas-stations' },
  ),
)

/** The parameters `lat` and `lon`: the position of the caller. */
export const nearParams = group(
  {
    lat: numberParam('Latitude of the caller, together with lon: nearby results rank higher. WGS84.', {
      min: -90,
      max: 90,
      unit: 'deg',
      example: '41.5146',
    }),
    lon: numberParam('Longitude of the caller, WGS84.', { min: -180, max: 180, unit: 'deg', example: '1.8979' }),
  },
  ({ lat, lon }) => {
    if (lat !== null && lon === null) throw new InvalidParam('is required together with lat', { parameter: 'lon' })
    if (lon !== null && lat === null) throw new InvalidParam('is required together with lon', { parameter: 'lat' })
    return lat === null || lon === null ? null : { lat, lon }
  },
)
