import { col } from '../../../lake/schema/columns.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { nested, record } from '../../kernel/fields.ts'

const collection = record('SearchCollection', 'A searchable collection, or a planned one.', {
  id: col.string(0, 'Id of the collection, as `collections` takes it.', { example: 'gas-stations' }),
  title: col.string(0, 'Kind of its documents.', { example: 'Filling stations' }),
  about: col.string(0, 'Searched properties.', { example: 'Filling stations, by brand, town and address.' }),
  documents: col.integer(0, 'Documents; 0 until its data has arrived, null without a data source.', {
    unit: '1',
    nullable: true,
    example: 12_073,
  }),
  unavailable_reason: col.string(0, 'Why it is not searchable yet; null if it is.', { nullable: true, example: null }),
  fields: nested.objects('Searched fields, and the weight of a match in each.', {
    field: col.string(0, 'title, names (other names), codes, place (municipality and province), or text (everything else).', {
      example: 'title',
    }),
    weight: col.decimal(0, 'Weight, 0 to 5.', { scale: 1, unit: '1', example: 3.5 }),
  }),
  datasets: col.list([0, 0], 'Source datasets, or datasets that it waits for.', col.string(0, 'Id of a dataset.'), {
    example: ['fuel_stations'],
  }),
  detail_path: col.string(0, 'The request that shows a document by its id; null if it is not searchable.', {
    nullable: true,
    example: '/api/gas-stations/{id}',
  }),
  plan: col.string(0, 'Plan of this request; null if it is not searchable.', { nullable: true, example: 'FREE' }),
})

/** The collections of the search. */
export const collectionList = defineEndpoint({
  path: '/api/search/collections',
  domain: 'search',
  plan: 'FREE',
  summary: 'The collections of the search: documents, fields, detail path',
  summary_es: 'Las 26 colecciones del buscador: documentos, campos y ruta de detalle',
  about: 'A collection whose data is not collected yet is listed with the reason.',
  params: {},
  returns: listReturn('collections', collection, { sorts: ['id', 'documents'], limit: { default: null, max: 20_000 } }),
  read: { kind: 'system', search: true, records: ({ search }) => search.collections },
  example: {},
})
