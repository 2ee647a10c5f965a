import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { field, maybe, nested, record } from '../../kernel/fields.ts'

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
