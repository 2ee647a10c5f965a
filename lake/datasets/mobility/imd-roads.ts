import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { COUNT } from '../../schema/quantities.ts'
import { mitmaTrafficMap } from './sources.ts'

const kilometres = (id: number, about: string, example: number | null, nullable = false) =>
  col.decimal(id, about, { scale: 3, unit: 'km', nullable, example, min: 0 })
const vehicles = (id: number, about: string, example: number | null, nullable = false) =>
  col.decimal(id, about, { scale: 1, unit: 'veh/d', nullable, example, min: 0 })

/**
 * Daily traffic of roads by province and year, and the change from the year before on sections present in both. Derived from the
 * sections.
 */
export const imdRoads = defineDataset({
  id: 'imd_roads',
  domain: 'mobility',
  title: 'Daily traffic by road and province',
  about:
    'Mean daily vehicles of each state road in each province and year: the vehicle-kilometres of its sections divided by length and days. The change from the year before covers only sections present in both.',
  sources: [mitmaTrafficMap],
  columns: {
    edition: col.string(1, 'Year of the map.', { example: '2018' }),
    year: col.integer(2, 'Year.', { unit: '1', example: 2018, min: 1990, max: 2200 }),
    year_starts_at: col.instant(3, 'Begin of the year in Madrid.', { example: '2017-12-31T23:00:00.000Z' }),
    road: col.string(4, 'Road designation.', { example: 'A-6' }),
    province_code: col.string(5, "INE code of the province; 00 if the map's name is unknown.", { example: '28' }),
    sections: col.integer(6, 'Sections with vehicle-kilometres and a length: the basis of all figures.', {
      unit: '1',
      example: 1,
      min: 1,
    }),
    sections_without: col.integer(7, 'Sections that lack either, which are excluded.', { ...COUNT, example: 0 }),
    sections_differing: col.integer(8, 'Sections whose vehicle-kilometres differ from length × days × daily vehicles.', {
      ...{ unit: '1', example: 0, min: 0 },
    }),
    length_km: kilometres(9, 'Length of the sections.', 12.76),
    year_days: col.integer(10, "Days covered by the edition's vehicle-kilometres.", { unit: '1', example: 365, min: 365, max: 366 }),
    veh_km: col.decimal(11, 'Vehicle-kilometres of the year.', { scale: 1, precision: 15, unit: 'veh.km', example: 432_113_372, min: 0 }),
    imd: vehicles(12, 'Mean daily vehicles: vehicle-kilometres / (length × days).', 92_780),
    heavy_share_pct: col.decimal(13, 'Heavy vehicles in per cent of vehicle-kilometres; null if a section does not state them.', {
      ...{ scale: 2, unit: '%', nullable: true, example: 9.7 },
    }),
    matched_sections: col.integer(14, 'Sections that are also in the year before.', { ...COUNT, example: 0 }),
    matched_length_km: kilometres(15, 'Length of these sections; null if there are none.', null, true),
    matched_imd: vehicles(16, 'Mean daily vehicles on these sections.', null, true),
    previous_imd: vehicles(17, 'Mean daily vehicles in the year before.', null, true),
    change_pct: col.decimal(18, 'Change from the year before.', { scale: 2, unit: '%', nullable: true, example: null }),
  },
  entity: ['edition', 'road', 'province_code'],
  time: 'year_starts_at',
  version: 'edition',
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
