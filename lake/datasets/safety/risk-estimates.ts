import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { COUNT } from '../../schema/quantities.ts'
import { animalAccidents } from './animal-accidents.ts'
import { RISK_BASES, RISK_CLASSES } from './codes.ts'

const rate = (id: number, about: string, example: number) => col.float(id, about, { unit: '1', nullable: true, example })

/**
 * Expected accidents of road sections, one row each. Their distribution over day and year is in `risk_profiles`. Each model is a
 * version.
 */
export const riskEstimates = defineDataset({
  id: 'risk_estimates',
  domain: 'safety',
  title: 'Risk of road sections',
  about:
    'Expected accidents per week on each 5 km section of a road, from the first to the last section with accidents, with interval, rank and class. ' +
    'One model per kind of accident (`risk_basis`): those with someone killed or hurt, and those with animals. They overlap: never add them up. ' +
    'If there are too few accidents, the row has a reason instead of a number.',
  sources: animalAccidents.sources,
  columns: {
    model: col.string(1, 'Model that made it.', { example: 'risk' }),
    model_version: col.string(2, 'Version of the model.', { example: 'r1-20241231-4be1c0d2' }),
    made_at: col.instant(3, 'End of the newest data used.', { example: '2024-12-31T23:00:00.000Z' }),
    section: col.string(4, 'Key of the section: province, normalized road (without spaces and hyphens), first kilometre.', {
      example: '29/A7/40',
    }),
    province_code: col.string(5, 'INE code of the province.', { example: '29' }),
    road: col.string(6, 'Normalized road.', { example: 'A7' }),
    km: col.integer(7, 'First kilometre of the section.', { unit: 'km', example: 40 }),
    km_to: col.integer(8, 'Its last kilometre, not included.', { unit: 'km', example: 45 }),
    risk_basis: col.code(9, 'Accidents used.', RISK_BASES, { example: 'ANIMALS' }),
    accidents: col.integer(
      10,
      'Accidents observed on the section in the training years: from `data_from` to `data_to` of the model card.',
      { ...COUNT, example: 7 },
    ),
    horizon: col.string(11, 'Period of the number: a week of a mean year, as an ISO 8601 duration.', { example: 'P7D' }),
    expected: rate(12, 'Expected accidents; null if there is no number, see `reason`.', 0.11),
    interval_level: col.decimal(13, 'Probability of the interval.', { scale: 2, unit: '1', example: 0.8 }),
    interval_low: rate(14, 'Lower end of the interval of the expected number.', 0.08),
    interval_high: rate(15, 'Upper end of the interval.', 0.15),
    baseline: col.float(16, 'Mean over all sections.', { unit: '1', example: 0.038 }),
    recent_error: rate(
      17,
      'Mean Poisson deviance of a section, week and hour, over the held-out year or weeks: `horizon` in `served` of the model card.',
      0.0175,
    ),
    rank: col.integer(18, 'Rank among all sections by the expected number, from 1.', { unit: '1', nullable: true, example: 212, min: 1 }),
    risk_class: col.code(19, 'Class by the rank.', RISK_CLASSES, orNull('VERY_HIGH')),
    expected_by_kind: col.list(
      [20, 21],
      'The expected number by kind of accident (of animal), in the order of `risk_profiles`; empty if there is none.',
      col.float(0, 'Accidents.', { unit: '1' }),
      { example: [0.06, 0.04, 0.005, 0.005] },
    ),
    reason: col.string(22, 'Why there is no number.', orNull(null)),
  },
  entity: ['model', 'section'],
  time: 'made_at',
  version: 'model',
  order: ['province_code', 'road', 'km'],
  plan: { live: 'ENTERPRISE', history: 'ENTERPRISE', bulk: 'ENTERPRISE' },
})
