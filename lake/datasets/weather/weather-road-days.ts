import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { CELSIUS, COUNT, RAIN, SNOW, WIND } from '../../schema/quantities.ts'
import { ROAD_WEATHER_SOURCES } from './weather-station-roads.ts'

const NONE = { nullable: true } as const

/**
 * Weather by road and day, derived from `weather_days` and `weather_station_roads`: extremes and counts of stations near a road.
 * No means, since a station says nothing about the rest of the road.
 */
export const weatherRoadDays = defineDataset({
  id: 'weather_road_days',
  domain: 'weather',
  title: 'Weather by road and day',
  about:
    'Extremes measured in a day in Madrid by weather stations within 10 km of a road in a province, and the number of stations with rain or frost, by source and observation period. ' +
    'The stations are those of the newest month of `weather_station_roads`, for all days; their own values are in `weather_days`.',
  sources: ROAD_WEATHER_SOURCES,
  columns: {
    month: col.string(1, 'Month of the day in Madrid, YYYY-MM.', { example: '2025-12' }),
    source: col.string(2, 'Source of the observations.', { example: 'aemet' }),
    period_s: col.integer(3, 'Length of the period of each observation.', { unit: 's', example: 3600, min: 1 }),
    road: col.string(4, 'Road designation, in its most common spelling.', { example: 'A-6' }),
    province_code: col.string(5, 'INE code of the province of the stretch.', { example: '28' }),
    local_date: col.local_date(6, 'Day in Madrid.', { example: '2025-12-06' }),
    period_start: col.instant(7, 'Begin of the day.', { example: '2025-12-05T23:00:00.000Z' }),
    station_ids: col.list([8, 9], 'Stations near it that reported on the day.', col.string(0, 'Id of a station.', { example: '3195' }), {
      example: ['2462', '3195'],
    }),
    stations: col.integer(10, 'Number of these stations.', { unit: '1', example: 2, min: 1 }),
    wet_stations: col.integer(11, 'Stations with 0.1 mm of precipitation or more.', { ...COUNT, example: 1 }),
    frost_stations: col.integer(12, 'Stations with a temperature below 0 °C.', { ...COUNT, example: 0 }),
    precipitation_max_mm: col.decimal(13, 'Most precipitation of the day at one station.', { ...RAIN, example: 3.4 }),
    temp_min_c: col.decimal(14, 'Lowest temperature of the air at one station.', { ...CELSIUS, example: -1.2 }),
    temp_max_c: col.decimal(15, 'Highest temperature of the air at one station.', { ...CELSIUS, example: 13.2 }),
    gust_m_s: col.decimal(16, 'Strongest gust, of 3 s, at one station.', { ...WIND, example: 9.1 }),
    visibility_min_m: col.integer(17, 'Lowest visibility at one station.', { ...NONE, unit: 'm', example: 4000, min: 0, max: 200_000 }),
    snow_max_cm: col.decimal(18, 'Greatest depth of snow on the ground at one station.', { ...SNOW, example: null }),
    coverage: col.decimal(19, 'Share of the hours of the day that these stations reported, 0 to 1.', {
      scale: 6,
      unit: '1',
      example: 0.979167,
    }),
  },
  entity: ['month', 'source', 'period_s', 'road', 'province_code'],
  time: 'period_start',
  version: 'month',
  order: ['source', 'road', 'province_code', 'period_start'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
