import { col, orNull } from '../../schema/columns.ts'
import { COUNT } from '../../schema/quantities.ts'
import { safetyDataset } from '../domains.ts'
import { animalAccidents } from './animal-accidents.ts'
import { RISK_BASES, RISK_CLASSES } from './codes.ts'

/**
 * Distribution of accidents of each kind (of animal, or all together) over year and day: factors to multiply the sections'
 * numbers by.
 */
export const riskProfiles = safetyDataset({
  id: 'risk_profiles',
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

const rate = (id: number, about: string, example: number) => col.float(id, about, { unit: '1', nullable: true, example })

/**
 * Expected accidents of road sections, one row each. Their distribution over day and year is in `risk_profiles`. Each model is a
 * version.
 */
export const riskEstimates = safetyDataset({
  id: 'risk_estimates',
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
