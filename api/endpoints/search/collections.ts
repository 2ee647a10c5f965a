import { col } from '../../../lake/schema/columns.ts'
import { defineEndpoint, listReturn } from '../../define/endpoint.ts'
import { nested, record } from '../../define/fields.ts'

const collection = record('SearchCollection', 'A collection that can be searched, or will be.', {
  id: col.string(0, 'Id of the collection, as `collections` takes it.', { example: 'gas-stations' }),
  title: col.string(0, 'What its documents are.', { example: 'Filling stations' }),
  about: col.string(0, 'What they are found by.', { example: 'Filling stations, by sign, town and address.' }),
  documents: col.integer(0, 'Documents; 0 until their data has arrived, null where there is none to come yet.', {
    unit: '1',
    nullable: true,
    example: 12_073,
  }),
  unavailable_reason: col.string(0, 'Why it cannot be searched yet; null where it can.', { nullable: true, example: null }),
  fields: nested.objects('What is searched, and how much a match in it counts.', {
    field: col.string(0, 'title, names (other names), codes, place (municipality and province), or text (everything else).', {
      example: 'title',
    }),
    weight: col.decimal(0, 'Weight, 0 to 5.', { scale: 1, unit: '1', example: 3.5 }),
  }),
  datasets: col.list([0, 0], 'Datasets that it is made from, or waits for.', col.string(0, 'Id of a dataset.'), {
    example: ['fuel_stations'],
  }),
  detail_path: col.string(0, 'The request that shows a document, by its id; null where it cannot be searched.', {
    nullable: true,
    example: '/api/gas-stations/{id}',
  }),
  plan: col.string(0, 'Plan that this request needs; null likewise.', { nullable: true, example: 'FREE' }),
})

/** The collections of the search. */
export const collectionList = defineEndpoint({
  path: '/api/search/collections',
  domain: 'search',
  plan: 'FREE',
  summary: 'The 26 collections of the search: documents, fields, detail path',
  about: 'A collection whose data is not collected yet is listed with the reason.',
  params: {},
  returns: listReturn('collections', collection, { sorts: ['id', 'documents'], limit: { default: null, max: 20_000 } }),
  read: { kind: 'system', search: true, records: ({ search }) => search.collections },
  example: {},
})
