import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { record } from '../../kernel/fields.ts'
import { chosenOf, oneOf, textParam } from '../../kernel/params/params.ts'
import { datasetFields, describeDataset } from './dataset.ts'

const entry = record('Dataset', 'A dataset of the lake: its contents, size, time coverage and licences.', datasetFields)

/** The catalogue of datasets. */
export const datasetList = defineEndpoint({
  path: '/api/datasets',
  domain: 'service',
  plan: 'FREE',
  summary: 'Catalogue of the datasets: content, size, coverage, licences',
  summary_es: 'Catálogo de conjuntos de datos: contenido, tamaño, cobertura y licencias',
  about: 'From the declarations of the datasets and the metadata of their tables, which are read once a minute.',
  params: {
    domain: textParam('Only datasets of this domain.', { max: 40, example: 'road' }),
    licence: textParam('Only datasets with data under this licence, as `sources` name it.', { max: 120, example: 'CC BY 4.0' }),
    commercial_use: oneOf('Only datasets whose commercial use is allowed, not allowed or unknown.', ['yes', 'no', 'unknown'], {
      example: 'yes',
    }),
  },
  returns: listReturn('datasets', entry, {
    sorts: ['id', 'rows', 'bytes', 'updated_at'],
    limit: { default: null, max: 20_000 },
  }),
  read: {
    kind: 'system',
    tables: () => null,
    records: (system, values) => {
      const all = system.datasets.map((dataset) => describeDataset(system, dataset))
      const wanted = (name: 'domain' | 'licence', known: readonly string[]): string | null =>
        values[name] === null ? null : chosenOf(name, values[name], [...new Set(known)])
      const domain = wanted(
        'domain',
        all.map((one) => one.domain),
      )
      const licence = wanted(
        'licence',
        all.flatMap(({ sources }) => sources.map((source) => source.licence)),
      )
      return all.filter(
        (one) =>
          (domain === null || one.domain === domain) &&
          (licence === null || one.sources.some((source) => source.licence === licence)) &&
          (values.commercial_use === null || one.commercial_use === values.commercial_use),
      )
    },
  },
  example: { domain: 'road', licence: 'CC BY 4.0' },
})
