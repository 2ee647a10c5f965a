import { col } from '../../../lake/schema/columns.ts'
import { nested, record } from '../../define/fields.ts'
import { group, listOf, numberParam, oneOf, required, textParam } from '../../define/params.ts'
import { Refused } from '../../define/problems.ts'
import { collections } from '../../search/catalog.ts'
import { provinceField } from '../tail.ts'

const PROVINCE_CODE = col.string(0, 'INE code of the province; null where it is in several or in none.', { nullable: true, example: '08' })

/** Fields of a hit. */
export const hitFields = {
  collection: col.string(0, 'Collection that it belongs to; see `/api/search/collections`.', { example: 'gas-stations' }),
  id: col.string(0, 'Id within its collection.', { example: '4375' }),
  title: col.string(0, 'What it is called.', { example: 'REPSOL, Abrera' }),
  subtitle: col.string(0, 'More about it: its kind, address, town or province.', {
    nullable: true,
    example: 'AUTOVIA A-2 KM. 586,5, 08630, ABRERA',
  }),
  position: col.point([0, 0], 'Where it is; null for what has no single place.', {
    nullable: true,
    example: { lat: 41.514583, lon: 1.897944 },
  }),
  province: provinceField(PROVINCE_CODE),
  province_code: PROVINCE_CODE,
  distance_m: col.integer(0, 'Distance from the point that was given or typed; null without a point or a position.', {
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
export const searchHit = record('SearchHit', 'Something that the search found.', {
  ...hitFields,
  score: scoreField,
  highlights: nested.objects('The parts of title and subtitle that match.', {
    field: col.string(0, 'title or subtitle.', { example: 'title' }),
    start: col.integer(0, 'First character, from 0, in UTF-16 units.', { unit: '1', example: 0 }),
    length: col.integer(0, 'Number of characters.', { unit: '1', example: 6 }),
  }),
})

/** The list of how many documents match in each collection. */
export const countsAside = {
  counts: nested.objects('How many documents match, by collection; collections without any are left out.', {
    collection: col.string(0, 'Id of the collection.', { example: 'gas-stations' }),
    hits: col.integer(0, 'Documents that match.', { unit: '1', example: 1 }),
  }),
} as const

/** `q`. */
export const queryParam = required(
  textParam('What to look for: a name, a code, a kind of thing and a place, a road and a kilometre, or a position.', {
    max: 120,
    example: 'repsol abrera',
  }),
)

/** `collections`. */
export const collectionsParam = listOf(
  oneOf(
    'Only these collections.',
    collections.map(({ id }) => id),
    { example: 'gas-stations' },
  ),
)

/** `lat` and `lon`: where the caller is. */
export const nearParams = group(
  {
    lat: numberParam('Latitude of the caller, together with lon: what is near comes first. WGS84.', {
      min: -90,
      max: 90,
      unit: 'deg',
      example: '41.5146',
    }),
    lon: numberParam('Longitude of the caller, WGS84.', { min: -180, max: 180, unit: 'deg', example: '1.8979' }),
  },
  ({ lat, lon }) => {
    if (lat !== null && lon === null) throw new Refused('is required together with lat', { parameter: 'lon' })
    if (lon !== null && lat === null) throw new Refused('is required together with lon', { parameter: 'lat' })
    return lat === null || lon === null ? null : { lat, lon }
  },
)
