import { col } from '../../schema/columns.ts'
import { defineDataset, identity } from '../../schema/dataset.ts'
import { animalAccidents } from './animal-accidents.ts'
import { RISK_BASES, RISK_CLASSES } from './codes.ts'

const rate = (id: number, about: string, example: number) => col.float(id, about, { unit: '1', nullable: true, example })

/** Expected accidents of road sections, a row for each; how they spread over day and year is in `risk_profiles`. Each model is a version. */
export const riskEstimates = defineDataset({
  id: 'risk_estimates',
  domain: 'safety',
  title: 'Risk of road sections',
  about:
    'Accidents to be expected in a week on each section of 5 km of a road, between the first and the last that accidents were seen on, with interval, rank and class. ' +
    'A model for each kind of accidents (`risk_basis`): those with somebody killed or hurt, and those with animals; they overlap and are never to be added up. ' +
    'Where there are too few there is no number, and the row says why.',
  sources: animalAccidents.sources,
  columns: {
    model: col.string(1, 'Model that made it.', { example: 'risk' }),
    model_version: col.string(2, 'Version of the model.', { example: 'r1-20241231-4be1c0d2' }),
    made_at: col.instant(3, 'End of the newest data that it rests on.', { example: '2024-12-31T23:00:00.000Z' }),
    section: col.string(
      4,
      'What tells the section apart: province, road as it is compared (without blanks and hyphens), first kilometre.',
      {
        example: '29/A7/40',
      },
    ),
    province_code: col.string(5, 'INE code of the province.', { example: '29' }),
    road: col.string(6, 'Road as it is compared.', { example: 'A7' }),
    km: col.integer(7, 'First kilometre of the section.', { unit: 'km', example: 40 }),
    km_to: col.integer(8, 'Its last kilometre, not included.', { unit: 'km', example: 45 }),
    risk_basis: col.code(9, 'Which accidents it rests on.', RISK_BASES, { example: 'ANIMALS' }),
    accidents: col.integer(
      10,
      'Accidents that were seen on the section in the years that the version was fitted to: from `data_from` to `data_to` of its card.',
      { unit: '1', example: 7, min: 0 },
    ),
    horizon: col.string(11, 'What the number is of: a week of a mean year, as an ISO 8601 duration.', { example: 'P7D' }),
    expected: rate(12, 'Accidents to be expected on it; null where there is no number, see `reason`.', 0.11),
    interval_level: col.decimal(13, 'Share of probability that the interval holds.', { scale: 2, unit: '1', example: 0.8 }),
    interval_low: rate(14, 'Lower end of the interval of the expected number.', 0.08),
    interval_high: rate(15, 'Upper end of the interval.', 0.15),
    baseline: col.float(16, 'Mean of all sections.', { unit: '1', example: 0.038 }),
    recent_error: rate(17, 'Mean Poisson deviance of a section and hour of a week, of weeks that were held out.', 0.0175),
    rank: col.integer(18, 'Place among all sections by the expected number, from 1.', { unit: '1', nullable: true, example: 212, min: 1 }),
    risk_class: col.code(19, 'Class by the rank.', RISK_CLASSES, { nullable: true, example: 'VERY_HIGH' }),
    expected_by_kind: col.list(
      [20, 21],
      'The expected number by kind of accident (of animal), in the order of `risk_profiles`; empty where there is none.',
      col.float(0, 'Accidents.', { unit: '1' }),
      { example: [0.06, 0.04, 0.005, 0.005] },
    ),
    reason: col.string(22, 'Why there is no number.', { nullable: true, example: null }),
  },
  entity: ['model', 'section'],
  time: 'made_at',
  land: 'replace',
  version: 'model',
  partition: [identity('model')],
  order: ['province_code', 'road', 'km'],
  plan: { live: 'ENTERPRISE', history: 'ENTERPRISE', bulk: 'ENTERPRISE' },
})
