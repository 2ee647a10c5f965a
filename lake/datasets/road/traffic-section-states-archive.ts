import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { SECTION_CITIES } from './section-cities.ts'
import { barcelonaTraffic } from './sources.ts'
import { levelColumns } from './traffic-section-states.ts'

/**
 * Section states from a publisher's monthly archive. They repeat the live states (`traffic_section_states`) under their own
 * source, so that no statistic adds both. Local time, so some have no instant.
 */
export const trafficSectionStatesArchive = defineDataset({
  id: 'traffic_section_states_archive',
  domain: 'road',
  title: 'Traffic in street sections, archive of months',
  about: "State of traffic in Barcelona's street sections every five minutes, from the city's monthly archive.",
  sources: [barcelonaTraffic],
  columns: {
    source: col.string(1, 'Source of the state.', { example: SECTION_CITIES.barcelona.archive }),
    month: col.string(2, 'Month of the file; it is republished in full.', { example: '2026-08' }),
    section_id: col.string(3, "The publisher's id of the section.", { example: '1' }),
    period_s: col.integer(4, 'Length of the step between two states.', { unit: 's', example: 300, min: 1 }),
    local_date: col.local_date(5, 'Day, Madrid time.', { example: '2026-08-01' }),
    second_of_day: col.integer(6, 'Second of the day, Madrid time: 57 is 00:00:57.', {
      ...{ unit: 's', example: 57, min: 0, max: 86_399 },
    }),
    repetition: col.integer(
      7,
      'Number of the state among those of its section and local time, ordered by values. Above 1 in the hour that October repeats, and if the file repeats a line.',
      { unit: '1', example: 1, min: 1 },
    ),
    day_starts_at: col.instant(8, 'Begin of the day.', { example: '2026-07-31T22:00:00.000Z' }),
    observed_at: col.instant(9, 'Time of the state; null if the clock change skips or repeats the time.', {
      ...{ nullable: true, example: '2026-07-31T22:00:57.000Z' },
    }),
    is_clock_change: col.boolean(10, 'True in the hour that the clock change skips in spring or repeats in autumn.', { example: false }),
    ...levelColumns(11),
  },
  entity: ['month', 'section_id', 'period_s', 'local_date', 'second_of_day', 'repetition'],
  time: 'day_starts_at',
  version: 'month',
  isObservation: true,
  order: ['month', 'section_id', 'local_date', 'second_of_day', 'repetition'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
