import { defineCodes } from '../../schema/codes.ts'
import { col, orNull } from '../../schema/columns.ts'
import { roadDataset } from '../domains.ts'
import { dgt } from './sources.ts'

/** Environmental labels of vehicles (DGT). */
export const ENVIRONMENTAL_LABELS = defineCodes('environmental_label', "DGT's environmental label of a vehicle.", {
  '0': ['Etiqueta 0', 'Label 0'],
  ECO: ['Etiqueta ECO', 'Label ECO'],
  C: ['Etiqueta C', 'Label C'],
  B: ['Etiqueta B', 'Label B'],
  NONE: ['Sin distintivo', 'Without a label'],
})

/** Low-emission zones with outline, hours and the conditions as published. */
export const lowEmissionZones = roadDataset({
  id: 'low_emission_zones',
  title: 'Low-emission zones',
  about:
    'Low-emission zones of municipalities: outline, hours, and the conditions by environmental label as published. Councils use the conditions in different ways, so the data does not say which vehicle may enter.',
  sources: [dgt],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'dgt' }),
    zone_id: col.string(2, 'Id of the zone: its published id in lower case without accents and marks.', {
      example: '28079-zbedep-ejemplo',
    }),
    observed_at: col.instant(3, 'Fetch that gave this state.', { example: '2026-11-25T06:00:00.000Z' }),
    source_id: col.string(4, 'Id as published.', { example: '28079_ZBEDEP Ejemplo' }),
    name: col.string(5, 'Name as published, blanks collapsed.', { example: 'ZBEDEP Ejemplo' }),
    file: col.string(6, "The publisher's file.", { example: 'Madrid.xml' }),
    province_code: col.string(7, 'INE code of the province.', orNull('28')),
    municipality_code: col.string(8, 'INE code of the municipality.', orNull('28079')),
    municipality: col.string(9, 'Official name of the municipality.', orNull('Madrid')),
    access_restriction: col.string(10, 'Kind of restriction, as published.', orNull('noEntry')),
    label_conditions: col.json(11, 'Conditions by environmental label, one for each published set: is_negated, labels.', {
      lists: [ENVIRONMENTAL_LABELS],
      example: [{ is_negated: true, labels: ['NONE'] }],
    }),
    hours: col.json(12, 'Hours in local time: days (all days if empty), from, until (HH:MM:SS).', {
      example: [{ days: [], from: '07:00:00', until: '20:00:00' }],
    }),
    is_all_day: col.boolean(13, 'True if the hours are whole days; null without hours.', orNull(false)),
    valid_from: col.local_date(14, 'First day of validity.', orNull('2025-01-01')),
    valid_until: col.local_date(15, 'Last day of validity.', orNull(null)),
    published_at: col.instant(16, "Publication time of the publisher's file.", { example: '2025-06-05T08:00:00.000Z' }),
    area: col.multipolygon(
      17,
      'Outline; null if no published ring is usable.',
      orNull({
        type: 'MultiPolygon',
        coordinates: [
          [
            [
              [-3.71, 40.41],
              [-3.7, 40.41],
              [-3.7, 40.42],
              [-3.71, 40.41],
            ],
          ],
        ],
      }),
    ),
    area_km2: col.decimal(18, 'Area of the outline; null without one.', {
      ...{ scale: 6, unit: 'km2', nullable: true, example: 0.471 },
    }),
    rings_left_out: col.integer(19, 'Published rings that are not part of the outline: no area, or no plausible coordinates.', {
      ...{ unit: '1', example: 0, min: 0 },
    }),
  },
  entity: ['source', 'zone_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
})
