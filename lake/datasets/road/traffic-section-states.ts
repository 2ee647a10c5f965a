import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { LEVEL_BASES, TRAFFIC_LEVELS } from './codes.ts'
import { barcelonaTraffic, bilbaoTraffic, valenciaTraffic } from './sources.ts'
import { trafficReadings } from './traffic-readings.ts'

const { intensity_veh_h, occupancy_pct, speed_kmh } = trafficReadings.columns

/** Sources of street sections. */
export const SECTION_SOURCES = [barcelonaTraffic, valenciaTraffic, bilbaoTraffic] as const

/** The state columns that live states and the archive share; field ids start at `first`. */
export function levelColumns(first: number) {
  return {
    level: col.code(first, 'State of traffic in a vocabulary common to all cities.', TRAFFIC_LEVELS, { example: 'DENSE' }),
    source_state: col.string(first + 1, "The source's own state; null if it publishes none.", orNull('3')),
    forecast_15min_level: col.code(first + 2, 'State predicted by the source for 15 minutes later; Barcelona only.', TRAFFIC_LEVELS, {
      ...{ nullable: true, example: 'FREE' },
    }),
    source_forecast_state: col.string(first + 3, "The source's own code of that state.", orNull('2')),
  }
}

/** States of street sections as cities publish them, every five minutes. */
export const trafficSectionStates = defineDataset({
  id: 'traffic_section_states',
  domain: 'road',
  title: 'Traffic in street sections',
  about:
    'State of traffic in street sections of Barcelona, València and Bilbao, in a common vocabulary and as published. Barcelona and València publish states; Bilbao publishes intensity, occupancy and speed, and its level is computed from the occupancy.',
  sources: SECTION_SOURCES,
  columns: {
    source: col.string(1, 'Source of the state.', { example: 'barcelona_traffic' }),
    section_id: col.string(2, "The publisher's id of the section.", { example: '1' }),
    period_s: col.integer(3, 'Length of the step between two states.', { unit: 's', example: 300, min: 1 }),
    observed_at: col.instant(
      4,
      'Time of the state: as the publisher states it, else the time of the fetch. For Bilbao the end of the step.',
      {
        example: '2026-08-24T17:50:56.000Z',
      },
    ),
    city: col.string(5, 'City that publishes it.', { example: 'barcelona' }),
    ...levelColumns(6),
    level_basis: col.code(10, 'Basis of the level.', LEVEL_BASES, { example: 'PUBLISHED' }),
    intensity_veh_h: col.integer(11, 'Vehicles per hour; Bilbao only.', {
      ...{ unit: 'veh/h', nullable: true, example: null, min: 0, max: intensity_veh_h.max as number },
    }),
    occupancy_pct: col.integer(12, 'Share of time that the section was occupied; Bilbao only.', {
      ...{ unit: '%', nullable: true, example: null, min: 0, max: occupancy_pct.max as number },
    }),
    speed_kmh: col.integer(13, 'Mean speed; Bilbao only.', {
      ...{ unit: 'km/h', nullable: true, example: null, min: 0, max: speed_kmh.max as number },
    }),
    reported_at: col.instant(14, "Time of the section's last report if that is too old to be used; else null.", {
      ...{ nullable: true, example: null },
    }),
  },
  entity: ['source', 'section_id', 'period_s'],
  time: 'observed_at',
  timeEnds: { sources: [bilbaoTraffic], longest_s: 300 },
  writeMode: 'append',
  order: ['source', 'section_id', 'observed_at'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
