import { col } from '../../schema/columns.ts'
import { defineDataset, identity } from '../../schema/dataset.ts'
import { animalAccidents } from './animal-accidents.ts'

/** How the accidents of each kind (of animal, or all together) spread over year and day: the factors that sections' numbers are multiplied with. */
export const riskProfiles = defineDataset({
  id: 'risk_profiles',
  domain: 'safety',
  title: 'Profiles of risk by hour and season',
  about:
    'For each kind of accident (of animal; those with somebody killed or hurt are one) the factors that what is expected on a section (`risk_estimates`) is multiplied with: by week of the year and the Sun’s clock, by hour of the local clock or of the week, and by province and week. ' +
    'Factors of the 96 bins of the Sun’s clock (6 at sunrise, 18 at sunset, in proportion between) are meant for each quarter of an hour.',
  sources: animalAccidents.sources,
  columns: {
    model: col.string(1, 'Model that made it.', { example: 'risk' }),
    model_version: col.string(2, 'Version of the model.', { example: 'r1-20241231-4be1c0d2' }),
    made_at: col.instant(3, 'End of the newest data that it rests on.', { example: '2024-12-31T23:00:00.000Z' }),
    kind: col.integer(4, 'Place of the kind in `expected_by_kind`, from 1.', { unit: '1', example: 1, min: 1 }),
    animal_code: col.string(5, 'Kind of animal by the source’s code; null for all others together, and where animals have no part.', {
      nullable: true,
      example: '8',
    }),
    by_sun: col.json(6, 'By week of the year (53, from 1 January), then bin.', { example: [0.001, 0.002] }),
    by_hour: col.json(7, 'By hour of the local clock: 24 of every day alike, or the 168 of a week from Monday on.', {
      example: [0.9, 1.1],
    }),
    season: col.json(8, 'By INE code of the province, then week of the year.', { example: { '02': [0.9, 1.1] } }),
  },
  entity: ['model', 'kind'],
  time: 'made_at',
  land: 'replace',
  version: 'model',
  partition: [identity('model')],
  order: ['kind'],
  plan: { live: 'ENTERPRISE', history: 'ENTERPRISE', bulk: 'ENTERPRISE' },
})
