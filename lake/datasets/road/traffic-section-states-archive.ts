import { col } from '../../schema/columns.ts'
import { defineDataset, identity } from '../../schema/dataset.ts'
import { SECTION_CITIES } from './section-cities.ts'
import { barcelonaTraffic } from './sources.ts'
import { levelColumns } from './traffic-section-states.ts'

/**
 * States of street sections as a publisher's archive of months has them. They repeat the live states (`traffic_section_states`) under a source of
 * their own, so that no figure adds both; they are of the local clock, so that some have no instant.
 */
export const trafficSectionStatesArchive = defineDataset({
  id: 'traffic_section_states_archive',
  domain: 'road',
  title: 'Traffic in street sections, archive of months',
  about: "State of traffic in Barcelona's street sections every five minutes, of the city's archive of months.",
  sources: [barcelonaTraffic],
  columns: {
    source: col.string(1, 'Source of the state.', { example: SECTION_CITIES.barcelona.archive }),
    month: col.string(2, 'Month of the file; it is published again whole.', { example: '2026-08' }),
    section_id: col.string(3, "The publisher's id of the section.", { example: '1' }),
    period_s: col.integer(4, 'Length of the step between two states.', { unit: 's', example: 300, min: 1 }),
    local_date: col.local_date(5, "Day on Madrid's clock.", { example: '2026-08-01' }),
    second_of_day: col.integer(6, "Second of the day on Madrid's clock: 57 is 00:00:57.", {
      ...{ unit: 's', example: 57, min: 0, max: 86_399 },
    }),
    repetition: col.integer(
      7,
      'Which of the states of this section and local time it is, 1 for the first by its values. Above 1 in the hour that October repeats, and where the file repeats a line.',
      { unit: '1', example: 1, min: 1 },
    ),
    day_starts_at: col.instant(8, 'Begin of the day.', { example: '2026-07-31T22:00:00.000Z' }),
    observed_at: col.instant(9, 'Time of the state; null where the clock leaves the time out or has it twice.', {
      ...{ nullable: true, example: '2026-07-31T22:00:57.000Z' },
    }),
    is_clock_change: col.boolean(10, 'True in the hour that the clock leaves out in spring or has twice in autumn.', { example: false }),
    ...levelColumns(11),
  },
  entity: ['month', 'section_id', 'period_s', 'local_date', 'second_of_day', 'repetition'],
  time: 'day_starts_at',
  version: 'month',
  land: 'replace',
  isObservation: true,
  partition: [identity('month')],
  order: ['month', 'section_id', 'local_date', 'second_of_day', 'repetition'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
