import { datasets } from '../../../../lake/catalog.ts'
import { defineCollection } from '../collection.ts'

export const datasetCollection = defineCollection({
  id: 'datasets',
  title: 'Datasets',
  about: 'Datasets of the lake, by id, title and description.',
  words: 'dataset, datasets, datos, conjunto de datos, tabla',
  weights: { title: 2, text: 0.5 },
  detail: '/api/datasets/{id}',
  documents: () =>
    datasets
      .filter(({ visibility }) => visibility === 'public')
      .map(({ id, title, about, domain }) => ({
        id,
        title,
        subtitle: about,
        codes: [id],
        text: [domain],
        importance: 0.2,
      })),
})
