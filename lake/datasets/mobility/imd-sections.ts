import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { COUNT, ROAD_KM } from '../../schema/quantities.ts'
import { IMD_ROAD_TYPES, VEH_KM_CHECKS } from './codes.ts'
import { mitmaTrafficMap } from './sources.ts'

const vehicles = (id: number, about: string, example: number) =>
  col.decimal(id, about, { scale: 1, unit: 'veh/d', nullable: true, example, min: 0 })
const vehicleKm = (id: number, about: string, example: number) =>
  col.decimal(id, about, { scale: 1, precision: 15, unit: 'veh.km', nullable: true, example, min: 0 })

/**
 * Daily traffic of state road sections by year (IMD: intensidad media diaria). An edition is a year's map; a corrected edition
 * replaces its rows. Row ids are specific to an edition: match sections by road, province and posts.
 */
export const imdSections = defineDataset({
  id: 'imd_sections',
  domain: 'mobility',
  title: 'Daily traffic by road section',
  about:
    'Mean daily vehicles (IMD) of each section of the state roads and year, light and heavy, and the vehicle-kilometres of the year, as the ministry publishes them.',
  sources: [mitmaTrafficMap],
  columns: {
    edition: col.string(1, 'Year of the map; it is republished in full.', { example: '2018' }),
    object_id: col.integer(2, "The map's id of the row; valid only in its edition.", { ...COUNT, example: 3249 }),
    section_id: col.string(3, 'Road, province and posts: identifies the section across editions.', { example: 'A-6 28 20+100 32+940' }),
    year: col.integer(4, 'Year.', { unit: '1', example: 2018, min: 1990, max: 2200 }),
    year_starts_at: col.instant(5, 'Begin of the year in Madrid.', { example: '2017-12-31T23:00:00.000Z' }),
    road: col.string(6, 'Road designation; a suffix denotes another road (N-430A).', { example: 'A-6' }),
    road_type: col.code(7, 'Kind of road.', IMD_ROAD_TYPES, orNull('EXPRESSWAY')),
    province_code: col.string(8, 'INE code of the province; null if its name is unknown.', orNull('28')),
    post_from: col.string(9, 'Begin as published: post and metres after it, which may exceed 999.', { example: '20+100' }),
    post_to: col.string(10, 'End as published.', { example: '32+940' }),
    km_from: col.decimal(11, 'Begin in kilometres: the post plus the metres after it.', { ...ROAD_KM, example: 20.1 }),
    km_to: col.decimal(12, 'End in kilometres.', { ...ROAD_KM, example: 32.94 }),
    length_km: col.decimal(13, 'Length as published: not the difference of the posts, which are not always a kilometre apart.', {
      ...ROAD_KM,
      example: 12.76,
    }),
    imd: vehicles(14, 'Mean daily vehicles of the year.', 92_780),
    imd_light: vehicles(15, 'Light vehicles: motorcycles, cars, vans. Light and heavy do not quite add up to the total.', 83_688),
    imd_heavy: vehicles(16, 'Heavy vehicles: lorries and buses.', 9002),
    veh_km: vehicleKm(17, 'Vehicle-kilometres of the year.', 432_113_372),
    veh_km_light: vehicleKm(18, 'Vehicle-kilometres of light vehicles.', 389_768_491),
    veh_km_heavy: vehicleKm(19, 'Vehicle-kilometres of heavy vehicles.', 41_925_914),
    year_days: col.integer(20, "Days covered by the edition's vehicle-kilometres.", { unit: '1', example: 365, min: 365, max: 366 }),
    veh_km_check: col.code(21, 'Whether vehicle-kilometres equal length × days × daily vehicles.', VEH_KM_CHECKS, { example: 'OK' }),
  },
  entity: ['edition', 'object_id'],
  time: 'year_starts_at',
  version: 'edition',
  order: ['edition', 'road', 'km_from', 'object_id'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
