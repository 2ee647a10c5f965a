import { type Column, col, orNull } from '../../schema/columns.ts'
import { PERCENT, WIND } from '../../schema/quantities.ts'
import { weatherDataset } from '../domains.ts'
import { CLOUD_COVERS, FORECAST_PHENOMENA, PRECIPITATION_FLAGS } from './codes.ts'
import { aemet } from './sources.ts'

const NONE = { nullable: true } as const

/** A temperature in whole degrees, as forecasts give it. */
export const degrees = (id: number, about: string, example: number | null = null): Column<number | null> =>
  col.integer(id, about, { ...NONE, unit: 'Cel', example, min: -60, max: 70 })

/** A wind speed; published in whole km/h. */
export const speed = (id: number, about: string, example: number | null = null): Column<number | null> =>
  col.decimal(id, about, { ...WIND, example })

/** A share or probability in per cent. */
export const percent = (id: number, about: string, example: number | null = null): Column<number | null> =>
  col.integer(id, about, { ...PERCENT, nullable: true, example })

/** Precipitation as water. */
export const water = (id: number, about: string, example: number | null = null): Column<number | null> =>
  col.decimal(id, about, { ...NONE, scale: 1, unit: 'mm', example, min: 0, max: 500 })

/** Wind direction. */
export const bearing = (id: number, example: number | null): Column<number | null> =>
  col.integer(id, 'Direction from which the wind blows, to an eighth of the compass; null for calm.', {
    ...{ ...NONE, unit: 'deg', example, min: 0, max: 359 },
  })

/** The first columns of every forecast row. */
export const placeAndTime = {
  source: col.string(1, 'Source of the forecast.', { example: 'aemet' }),
  municipality_code: col.string(2, 'INE code of the municipality, five digits.', { example: '28079' }),
  province_code: col.string(3, 'INE code of its province, two digits.', { example: '28' }),
  valid_from: col.instant(4, 'Begin of the forecast period, in the local time of the municipality.', {
    example: '2026-01-09T12:00:00.000Z',
  }),
  valid_to: col.instant(5, 'End of the forecast period.', { example: '2026-01-09T13:00:00.000Z' }),
  issued_at: col.instant(6, 'When AEMET made the forecast (elaborado).', { example: '2026-01-09T10:47:45.000Z' }),
} as const

/** The state of the sky, as published and in codes. */
export const sky = {
  sky_code: col.string(7, "AEMET's code of the state of the sky (estadoCielo); a final `n` means night.", orNull('46')),
  sky_description: col.string(8, "AEMET's name of that state.", orNull('Cubierto con lluvia escasa')),
  cloud_cover: col.code(9, 'Clouds; null if only fog, mist or haze is forecast.', CLOUD_COVERS, orNull('OVERCAST')),
  phenomenon: col.code(10, 'Precipitation or low visibility.', FORECAST_PHENOMENA, orNull('LIGHT_RAIN')),
} as const

/** Daily forecasts by municipality. Every issue is stored, so that forecasts can be compared with outcomes. */
export const weatherForecastDaily = weatherDataset({
  id: 'weather_forecast_daily',
  title: 'Daily weather forecast',
  about:
    "AEMET's forecast of seven days, by municipality: those requested in the last hours, and all provincial capitals. The first two days also have quarters and halves, the next two halves. Each issue of a period is a row.",
  sources: [aemet],
  columns: {
    ...placeAndTime,
    ...sky,
    period_h: col.integer(11, 'Length of the period in local time: a day, half a day or a quarter.', {
      ...{ unit: 'h', example: 24, min: 6, max: 24 },
    }),
    precipitation_probability_pct: percent(12, 'Probability of precipitation in the period.', 100),
    snow_line_m: col.integer(13, 'Altitude above which it snows (cota de nieve); null if none is forecast.', {
      ...{ nullable: true, unit: 'm', example: 500, min: 0, max: 9000 },
    }),
    wind_mean_m_s: speed(14, 'Mean wind; published in km/h.', 4.2),
    wind_dir_deg: bearing(15, 90),
    gust_m_s: speed(16, 'Strongest gust, if strong gusts are forecast; published in km/h.', 11.1),
    temp_max_c: degrees(17, 'Highest temperature of the air; whole days only.', 2),
    temp_min_c: degrees(18, 'Lowest temperature of the air; whole days only.', -1),
    apparent_temp_max_c: degrees(19, 'Highest apparent temperature; whole days only.', 1),
    apparent_temp_min_c: degrees(20, 'Lowest apparent temperature; whole days only.', -9),
    humidity_max_pct: percent(21, 'Highest relative humidity; whole days only.', 100),
    humidity_min_pct: percent(22, 'Lowest relative humidity; whole days only.', 75),
    uv_index_max: col.integer(23, 'Highest ultraviolet index under a clear sky; first five days only.', {
      ...{ nullable: true, unit: '1', example: 1, min: 0, max: 20 },
    }),
    temp_end_c: degrees(24, 'Temperature of the air at the end of the period; quarters of a day only.'),
    apparent_temp_end_c: degrees(25, 'Apparent temperature at the end of the period; quarters of a day only.'),
    humidity_end_pct: percent(26, 'Relative humidity at the end of the period; quarters of a day only.'),
  },
  entity: ['source', 'municipality_code', 'period_h', 'valid_from'],
  time: 'issued_at',
  writeMode: 'append',
  currentFor_ms: 24 * 3_600_000,
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})

/** Hourly forecasts by municipality. Every issue is stored, so that forecasts can be compared with outcomes. */
export const weatherForecastHourly = weatherDataset({
  id: 'weather_forecast_hourly',
  title: 'Hourly weather forecast',
  about:
    "AEMET's forecast of each hour of about two days, by municipality: those requested in the last hours, and all provincial capitals. Each issue of an hour is a row.",
  sources: [aemet],
  columns: {
    ...placeAndTime,
    ...sky,
    precipitation_mm: water(11, 'Precipitation of the hour, as water; 0 if too little is forecast to measure.', 0.5),
    precipitation_flag: col.code(12, 'Special precipitation value.', PRECIPITATION_FLAGS, orNull(null)),
    snow_mm: water(13, 'Part of it that falls as snow, as water.', 0.1),
    snow_flag: col.code(14, 'Special snow value.', PRECIPITATION_FLAGS, orNull(null)),
    temp_c: degrees(15, 'Temperature of the air.', 4),
    apparent_temp_c: degrees(16, 'Apparent temperature (sensación térmica).', 1),
    humidity_pct: percent(17, 'Relative humidity.', 96),
    wind_mean_m_s: speed(18, 'Mean wind; published in km/h.', 4.2),
    wind_dir_deg: bearing(19, 135),
    gust_m_s: speed(20, 'Strongest gust; published in km/h.', 6.7),
    precipitation_probability_pct: percent(21, 'Probability of precipitation in the six hours that the hour is part of.', 100),
    thunderstorm_probability_pct: percent(22, 'Probability of a thunderstorm in those six hours.', 0),
    snow_probability_pct: percent(23, 'Probability of snow in those six hours.', 80),
  },
  entity: ['source', 'municipality_code', 'valid_from'],
  time: 'issued_at',
  writeMode: 'append',
  currentFor_ms: 12 * 3_600_000,
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
