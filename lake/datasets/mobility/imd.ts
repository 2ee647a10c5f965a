import { col, orNull } from '../../schema/columns.ts'
import { COUNT, ROAD_KM } from '../../schema/quantities.ts'
import { mobilityDataset } from '../domains.ts'
import { ROAD_DIRECTIONS } from '../road/codes.ts'
import { dgt } from '../road/sources.ts'
import { IMD_ROAD_TYPES, VEH_KM_CHECKS } from './codes.ts'
import { mitmaTrafficMap } from './sources.ts'

const kilometres = (id: number, about: string, example: number | null, nullable = false) =>
  col.decimal(id, about, { scale: 3, unit: 'km', nullable, example, min: 0 })
const vehicles = (id: number, about: string, example: number | null, nullable = false) =>
  col.decimal(id, about, { scale: 1, unit: 'veh/d', nullable, example, min: 0 })

/**
 * Daily traffic of roads by province and year, and the change from the year before on sections present in both. Derived from the
 * sections.
 */
export const imdRoads = mobilityDataset({
  id: 'imd_roads',
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

const vehiclesOrNull = (id: number, about: string, example: number) =>
  col.decimal(id, about, { scale: 1, unit: 'veh/d', nullable: true, example, min: 0 })
const vehicleKm = (id: number, about: string, example: number) =>
  col.decimal(id, about, { scale: 1, precision: 15, unit: 'veh.km', nullable: true, example, min: 0 })

/**
 * Daily traffic of state road sections by year (IMD: intensidad media diaria). An edition is a year's map; a corrected edition
 * replaces its rows. Row ids are specific to an edition: match sections by road, province and posts.
 */
export const imdSections = mobilityDataset({
  id: 'imd_sections',
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
    imd: vehiclesOrNull(14, 'Mean daily vehicles of the year.', 92_780),
    imd_light: vehiclesOrNull(15, 'Light vehicles: motorcycles, cars, vans. Light and heavy do not quite add up to the total.', 83_688),
    imd_heavy: vehiclesOrNull(16, 'Heavy vehicles: lorries and buses.', 9002),
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

const count = (id: number, about: string, example: number) => col.integer(id, about, { ...COUNT, example })
const kilometre = (id: number, about: string, example: number) => col.decimal(id, about, { ...ROAD_KM, example })

/** Whole days counted by DGT's detectors, by road, province, direction and month. Sums, so that months add up to years. */
export const imdDetectorMonths = mobilityDataset({
  id: 'imd_detector_months',
  title: 'Whole days of traffic by road, counted by detectors',
  about:
    "Vehicles of whole days at the points of a road where DGT's detectors counted every lane, by province, direction and month. A day is whole if nine tenths of it were measured; a lane without any vehicle all day counts as broken. Mean daily vehicles are `vehicles` / `point_days`; the IMD is the sum of both directions.",
  sources: [dgt],
  columns: {
    month: col.string(1, 'Month of the days in Madrid, YYYY-MM.', { example: '2026-10' }),
    period_start: col.instant(2, 'Begin of the month.', { example: '2026-09-30T22:00:00.000Z' }),
    road: col.string(3, 'Road designation.', { example: 'A-6' }),
    province_code: col.string(4, 'INE code of the province.', { example: '28' }),
    direction: col.code(5, 'Direction along the road.', ROAD_DIRECTIONS, { example: 'POSITIVE' }),
    points: count(6, 'Points of the road with a whole day.', 12),
    lanes: count(7, 'Lanes at the listed points of the road, whether they report or not.', 36),
    km_from: kilometre(8, 'The first of these points.', 3.5),
    km_to: kilometre(9, 'The last of them.', 42.1),
    days: count(10, 'Days on which some point was counted fully.', 30),
    first_date: col.local_date(11, 'The first of these days.', { example: '2026-10-01' }),
    last_date: col.local_date(12, 'The last of them.', { example: '2026-10-31' }),
    lane_days: count(13, 'Lane-days at points that were counted fully.', 1044),
    point_days: count(14, 'Point-days that were counted fully.', 348),
    vehicles: col.decimal(15, 'Vehicles of these days, over all lanes of a point.', {
      ...{ scale: 1, precision: 15, unit: '1', example: 18_120_432, min: 0 },
    }),
    long_vehicles_readings: col.integer(16, 'Readings with a share of long vehicles.', { ...COUNT, long: true, example: 51_120 }),
    long_vehicles_sum_pct: col.integer(17, 'Sum of these shares.', { unit: '%', long: true, example: 408_960, min: 0 }),
  },
  entity: ['month', 'road', 'province_code', 'direction'],
  time: 'period_start',
  version: 'month',
  order: ['road', 'province_code', 'direction'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
