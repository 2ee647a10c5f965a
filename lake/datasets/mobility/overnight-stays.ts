import { col } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
import { MOBILITY_STUDIES, ZONE_LEVELS } from './codes.ts'
import { mitma } from './sources.ts'

/**
 * Overnight stays by zone and zone of residence. In municipality files the zone of residence is a district; the study's method
 * intends this.
 */
export const mobilityOvernightStays = defineDataset({
  id: 'mobility_overnight_stays',
  domain: 'mobility',
  title: 'Overnight stays',
  about: 'Estimated persons by zone of the night and zone of residence.',
  sources: [mitma],
  columns: {
    study: col.code(1, 'Study.', MOBILITY_STUDIES, { example: 'V2' }),
    study_day: col.string(2, 'Study and day of the file; it is republished in full.', { example: 'V2-2022-01-01' }),
    local_date: col.local_date(3, 'Day before the night.', { example: '2022-01-01' }),
    day_starts_at: col.instant(4, 'Begin of the day in Madrid.', { example: '2021-12-31T23:00:00.000Z' }),
    overnight_level: col.code(5, 'Level of the zone of the night.', ZONE_LEVELS, { example: 'MUNICIPALITY' }),
    overnight_zone: col.string(6, 'Zone of the night.', { example: '01001' }),
    residence_level: col.code(7, 'Level of the zone of residence.', ZONE_LEVELS, { example: 'DISTRICT' }),
    residence_zone: col.string(8, 'Zone of residence.', { example: '0105901' }),
    persons: col.decimal(9, 'Persons: an estimate for the whole population, not a count.', {
      scale: 3,
      precision: 12,
      unit: '1',
      example: 2447.613,
      min: 0,
    }),
  },
  entity: ['study_day', 'overnight_level', 'overnight_zone', 'residence_level', 'residence_zone'],
  time: 'day_starts_at',
  version: 'study_day',
  isObservation: true,
  partition: [month('local_date')],
  order: ['study_day', 'overnight_zone', 'residence_zone'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
