import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { SECTION_SOURCES } from './traffic-section-states.ts'

/** Street sections with published traffic. */
export const trafficSections = defineDataset({
  id: 'traffic_sections',
  domain: 'road',
  title: 'Street sections',
  about:
    'Catalogue of the street sections of Barcelona, València and Bilbao: name and geometry. Barcelona also publishes states of sections that are not in its catalogue.',
  sources: SECTION_SOURCES,
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'barcelona_traffic' }),
    section_id: col.string(2, "The publisher's id of the section.", { example: '1' }),
    observed_at: col.instant(3, 'Publication of this state.', { example: '2026-08-24T00:00:00.000Z' }),
    city: col.string(4, 'City that publishes it.', { example: 'barcelona' }),
    municipality_code: col.string(5, 'INE code of the municipality.', { example: '08019' }),
    name: col.string(6, 'Street with its start and end, as published; Bilbao publishes none.', {
      ...{ nullable: true, example: 'Diagonal (Ronda de Dalt a Doctor Marañón)' },
    }),
    section_number: col.string(7, 'Second number from the publisher, which several sections may share; València only.', {
      ...{ nullable: true, example: null },
    }),
    is_underpass: col.boolean(8, 'True for an underpass; null if not stated. València only.', {
      ...{ nullable: true, example: null },
    }),
    length_m: col.integer(9, 'Length of its line.', { unit: 'm', nullable: true, example: 921, min: 0 }),
    line: col.line(
      10,
      'Its line, in the direction of traffic as published; null if it has none.',
      orNull({
        type: 'LineString',
        coordinates: [
          [2.112035, 41.384191],
          [2.101502, 41.381631],
        ],
      }),
    ),
    area: col.multipolygon(11, 'Its area as published; Bilbao only.', orNull(null)),
    position: col.point([12, 13], 'Midpoint of its line, or centre of its area.', {
      ...{ nullable: true, example: { lat: 41.382911, lon: 2.106768 } },
    }),
  },
  entity: ['source', 'section_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
