import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { animalAccidents } from './animal-accidents.ts'

/**
 * Distribution of accidents of each kind (of animal, or all together) over year and day: factors to multiply the sections'
 * numbers by.
 */
export const riskProfiles = defineDataset({
  id: 'risk_profiles',
  domain: 'safety',
  title: 'Profiles of risk by hour and season',
  about:
    'For each kind of accident (each kind of animal; those with someone killed or hurt are one kind), factors to multiply the expected accidents of a section (`risk_estimates`) by: by week of the year and solar time, by local hour or hour of the week, and by province and week. ' +
    'The 96 bins of solar time (6 at sunrise, 18 at sunset, proportional between) each have a factor per quarter of an hour.',
  sources: animalAccidents.sources,
  columns: {
    model: col.string(1, 'Model that made it.', { example: 'risk' }),
    model_version: col.string(2, 'Version of the model.', { example: 'r1-20241231-4be1c0d2' }),
    made_at: col.instant(3, 'End of the newest data used.', { example: '2024-12-31T23:00:00.000Z' }),
    kind: col.integer(4, 'Position of the kind in `expected_by_kind`, from 1.', { unit: '1', example: 1, min: 1 }),
    animal_code: col.string(
      5,
      'Kind of animal as the source’s code; null for all others together, and for accidents without animals.',
      orNull('8'),
    ),
    by_sun: col.json(6, 'By week of the year (53, from 1 January), then bin.', { example: [0.001, 0.002] }),
    by_hour: col.json(7, 'By local hour: 24 for all days, or 168 for a week starting on Monday.', {
      example: [0.9, 1.1],
    }),
    season: col.json(8, 'By INE code of the province, then week of the year.', { example: { '02': [0.9, 1.1] } }),
  },
  entity: ['model', 'kind'],
  time: 'made_at',
  version: 'model',
  order: ['kind'],
  plan: { live: 'ENTERPRISE', history: 'ENTERPRISE', bulk: 'ENTERPRISE' },
})
