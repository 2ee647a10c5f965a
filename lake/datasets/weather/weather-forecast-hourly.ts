import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { PRECIPITATION_FLAGS } from './codes.ts'
import { bearing, degrees, percent, placeAndTime, sky, speed, water } from './forecast-columns.ts'
import { aemet } from './sources.ts'

/** Hourly forecasts by municipality. Every issue is stored, so that forecasts can be compared with outcomes. */
export const weatherForecastHourly = defineDataset({
  id: 'weather_forecast_hourly',
  domain: 'weather',
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
