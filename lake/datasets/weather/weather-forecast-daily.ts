import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { bearing, degrees, percent, placeAndTime, sky, speed } from './forecast-columns.ts'
import { aemet } from './sources.ts'

/** Daily forecasts by municipality. Every issue is stored, so that forecasts can be compared with outcomes. */
export const weatherForecastDaily = defineDataset({
  id: 'weather_forecast_daily',
  domain: 'weather',
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
