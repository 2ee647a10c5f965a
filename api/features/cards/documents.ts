import { tableSchema } from '../../../lake/schema/table-schema.ts'
import { datasetCard, datasetList } from '../../endpoints/service/dataset.ts'
import { datasetSchema } from '../../endpoints/service/dataset-schema.ts'
import type { SystemView } from '../../kernel/endpoint.ts'
import { WHOLE_LIST } from '../../kernel/page.ts'
import { croissant } from './croissant.ts'
import { type DcatParts, dcatCatalog } from './dcat.ts'
import { jsonLd, turtle } from './rdf.ts'

/** A document that an endpoint returns instead of its records to clients that prefer its media type. */
export interface EndpointDocument {
  readonly type: string
  readonly about: string
  /** Its text for the values of a request; null if the path does not exist. */
  readonly make: (system: SystemView, values: Readonly<Record<string, unknown>>, parts: DcatParts) => string | null
}

const JSON_LD = 'application/ld+json'

const ofDataset =
  (make: (system: SystemView, dataset: SystemView['datasets'][number], parts: DcatParts) => object): EndpointDocument['make'] =>
  (system, { id }, parts) => {
    const dataset = system.datasets.find((one) => one.id === id)
    return dataset ? JSON.stringify(make(system, dataset, parts)) : null
  }

/** The datasets of a list request, as its filters select them. */
const chosen = (system: SystemView, values: Readonly<Record<string, unknown>>): SystemView['datasets'] => {
  if (datasetList.read.kind !== 'system') throw new Error('the list of datasets is no system list')
  const records = datasetList.read.records(system, values, 0, WHOLE_LIST) as readonly { readonly id: string }[]
  const ids = new Set(records.map(({ id }) => id))
  return system.datasets.filter(({ id }) => ids.has(id))
}

/** The documents of endpoints, by their paths. */
export const DOCUMENTS: ReadonlyMap<string, readonly EndpointDocument[]> = new Map([
  [
    datasetList.path,
    [
      {
        type: 'text/turtle',
        about: 'The catalogue as DCAT-AP-ES 1.0.0, in Turtle.',
        make: (system, values, parts) => turtle(dcatCatalog(system, chosen(system, values), parts)),
      },
      {
        type: JSON_LD,
        about: 'The catalogue as DCAT-AP-ES 1.0.0, in JSON-LD.',
        make: (system, values, parts) => JSON.stringify(jsonLd(dcatCatalog(system, chosen(system, values), parts))),
      },
    ],
  ],
  [datasetCard.path, [{ type: JSON_LD, about: 'The card as Croissant 1.1, in JSON-LD.', make: ofDataset(croissant) }]],
  [
    datasetSchema.path,
    [
      {
        type: 'application/vnd.tableschema+json',
        about: 'The columns of CSV rows as a Frictionless Table Schema.',
        make: ofDataset((_system, dataset) => tableSchema(dataset)),
      },
    ],
  ],
])
