import { type Column, col, orNull } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
import { PERCENT, WIND } from '../../schema/quantities.ts'
import { PRECIPITATION_FLAGS } from './codes.ts'
import { aemet } from './sources.ts'

const NONE = { nullable: true } as const

/** Time of a measurement, to the minute or hour as published. */
const moment = (id: number, about: string, example: string | null): Column<number | null> =>
  col.instant(id, `${about}; null if not stated, or at several times.`, orNull(example))

/** Daily climatology: AEMET's validated values, published some days later. A day is republished in full. */
export const weatherDaily = defineDataset({
  id: 'weather_daily',
  domain: 'weather',
  title: 'Daily climatology',
  about:
    'Validated values of each weather station and day, published some four days later. Precipitation is from 07 to 07 UTC, everything else from 00 to 24 h UTC, so these days differ from days of hourly observations.',
  sources: [aemet],
  columns: {
    source: col.string(1, 'Source of the values.', { example: 'aemet' }),
    day: col.string(2, 'Day of the file, in UTC; it is republished in full.', { example: '2017-01-03' }),
    station_id: col.string(3, "The publisher's id of the station (indicativo climatológico).", { example: '3195' }),
    day_starts_at: col.instant(4, 'Begin of the day, 00 UTC.', { example: '2017-01-03T00:00:00.000Z' }),
    precipitation_mm: col.decimal(5, 'Precipitation from 07 to 07 UTC; 0 if too little fell to measure (precipitation_flag).', {
      ...{ ...NONE, scale: 1, unit: 'mm', example: 0, min: 0, max: 2000 },
    }),
    precipitation_flag: col.code(6, 'Special precipitation value.', PRECIPITATION_FLAGS, orNull('TRACE')),
    temp_mean_c: col.decimal(7, 'Mean temperature of the air.', { ...NONE, scale: 1, unit: 'Cel', example: 6, min: -60, max: 60 }),
    temp_min_c: col.decimal(8, 'Lowest temperature of the air.', { ...NONE, scale: 1, unit: 'Cel', example: 1.7, min: -60, max: 60 }),
    temp_min_at: moment(9, 'Time of the lowest temperature', '2017-01-03T05:50:00.000Z'),
    temp_max_c: col.decimal(10, 'Highest temperature of the air.', { ...NONE, scale: 1, unit: 'Cel', example: 10.2, min: -60, max: 60 }),
    temp_max_at: moment(11, 'Time of the highest temperature', '2017-01-03T14:20:00.000Z'),
    wind_mean_m_s: col.decimal(12, 'Mean wind.', { ...WIND, example: 0 }),
    gust_m_s: col.decimal(13, 'Strongest gust.', { ...WIND, example: 3.3 }),
    gust_dir_deg: col.integer(14, 'Direction of that gust, to ten degrees; null if it varied or is not stated.', {
      ...{ ...NONE, unit: 'deg', example: 250, min: 0, max: 360 },
    }),
    gust_at: moment(15, 'When it blew', '2017-01-03T14:10:00.000Z'),
    pressure_max_hpa: col.decimal(16, 'Highest pressure at the station.', {
      ...{ ...NONE, scale: 1, unit: 'hPa', example: 948.6, min: 500, max: 1100 },
    }),
    pressure_max_at: moment(17, 'When it was highest, to the hour', null),
    pressure_min_hpa: col.decimal(18, 'Lowest pressure at the station.', {
      ...{ ...NONE, scale: 1, unit: 'hPa', example: 943.6, min: 500, max: 1100 },
    }),
    pressure_min_at: moment(19, 'When it was lowest, to the hour', '2017-01-03T01:00:00.000Z'),
    sunshine_h: col.decimal(20, 'Sunshine.', { ...NONE, scale: 1, unit: 'h', example: null, min: 0, max: 24 }),
    humidity_mean_pct: col.integer(21, 'Mean relative humidity.', { ...PERCENT, nullable: true, example: null }),
    humidity_max_pct: col.integer(22, 'Highest relative humidity.', { ...PERCENT, nullable: true, example: null }),
    humidity_max_at: moment(23, 'When it was highest', null),
    humidity_min_pct: col.integer(24, 'Lowest relative humidity.', { ...PERCENT, nullable: true, example: null }),
    humidity_min_at: moment(25, 'When it was lowest', null),
  },
  entity: ['source', 'day', 'station_id'],
  time: 'day_starts_at',
  version: 'day',
  isObservation: true,
  partition: [month('day_starts_at')],
  order: ['source', 'station_id', 'day_starts_at'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
