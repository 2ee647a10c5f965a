import { defineDomain } from '../../kernel/domain.ts'
import { codeListList } from './codes.ts'
import { datasetCard, datasetList } from './dataset.ts'
import { datasetQuality } from './dataset-quality.ts'
import { datasetSchema } from './dataset-schema.ts'
import { freshnessList } from './freshness.ts'
import { modelCardList } from './model-cards.ts'
import { sourceList } from './sources.ts'

/** Endpoints about the data itself: datasets, sources, codes, models, in the order in which documentation shows them. */
export const service = defineDomain({
  id: 'service',
  title: { es: 'Fuentes y códigos', en: 'Sources and codes' },
  endpoints: [datasetList, datasetCard, datasetSchema, datasetQuality, sourceList, freshnessList, codeListList, modelCardList],
})
