import { z } from 'zod'
import { around, commonInput, instant, municipality, near, province, stretch } from '../input.ts'
import { amount, defineTool, labelled, Misuse, phrase, quoted, type ReplyRecord, type ToolRequest } from '../tool.ts'
import { drivingWeather } from './road.ts'

const WARNING: Omit<ToolRequest, 'query'> = {
  kind: 'warning',
  path: '/api/weather/alerts',
  fields: [
    ...['id', 'phenomenon', 'level', 'headline', 'onset_at', 'expires_at', 'provinces', 'roads'],
    ...['parameter_text', 'probability_min_pct', 'probability_max_pct'],
  ],
  line: (one) =>
    phrase(
      `${String(one['level'])} warning of ${String(one['phenomenon'])}`,
      quoted(one, 'headline'),
      labelled('from', one, 'onset_at'),
      labelled('until', one, 'expires_at'),
      quoted(one, 'parameter_text'),
      Array.isArray(one['provinces']) && one['provinces'].length > 0 ? `in ${one['provinces'].map(String).join(', ')}` : null,
      `id ${String(one['id'])}`,
    ),
}

const HISTORY: Omit<ToolRequest, 'query'> = {
  kind: 'observation',
  path: '/api/clima/historico',
  fields: [
    'station_id',
    'period_start',
    'interval',
    'temp_mean_c',
    'temp_min_c',
    'temp_max_c',
    'precipitation_mm',
    'wind_mean_m_s',
    'gust_m_s',
    'visibility_m',
    'snow_cm',
  ],
  line: (one) =>
    phrase(
      `${String(one['period_start'])} (${String(one['interval'])}) at station ${String(one['station_id'])}`,
      labelled('mean', one, 'temp_mean_c', '°C'),
      labelled('min', one, 'temp_min_c', '°C'),
      labelled('max', one, 'temp_max_c', '°C'),
      labelled('rain', one, 'precipitation_mm', 'mm'),
      labelled('wind', one, 'wind_mean_m_s', 'm/s'),
      labelled('gusts', one, 'gust_m_s', 'm/s'),
      amount(one, 'visibility_m', 'm visibility'),
    ),
}

const FORECAST: Omit<ToolRequest, 'query'> = {
  kind: 'forecast',
  path: '/api/weather/forecast',
  fields: ['id', 'municipality', 'province', 'road', 'km_from', 'km_to', 'issued_at', 'valid_from', 'valid_to', 'driving'],
  line: (one) => {
    const driving = one['driving'] as Readonly<Record<string, unknown>>
    const conditions = driving['conditions'] as readonly string[]
    return phrase(
      `${String(one['municipality'])} until ${String(one['valid_to'])}`,
      conditions.length > 0 ? `${conditions.join(', ')} from ${String(driving['first_condition_at'])}` : 'no adverse driving conditions',
      `rain ${String(driving['rain'])}, snow ${String(driving['snow'])}, fog ${String(driving['fog'])}, wind ${String(driving['wind'])}`,
      labelled('gusts', driving, 'gust_max_m_s', 'm/s'),
      labelled('lowest', driving, 'temp_min_c', '°C'),
      labelled('road', one, 'road'),
      labelled('from km', one, 'km_from'),
    )
  },
}

const FORECAST_DAYS: Omit<ToolRequest, 'query'> = {
  kind: 'forecast_days',
  path: '/api/weather/forecast/daily',
  fields: ['id', 'municipality', 'province', 'road', 'km_from', 'km_to', 'issued_at', 'periods'],
  line: (one) =>
    phrase(
      String(one['municipality']),
      labelled('road', one, 'road'),
      ...(one['periods'] as readonly ReplyRecord[]).map((day) =>
        [
          `${String(day['valid_from'])}:`,
          labelled('min', day, 'temp_min_c', '°C'),
          labelled('max', day, 'temp_max_c', '°C'),
          labelled('precipitation', day, 'precipitation_probability_pct', '%'),
          labelled('snow above', day, 'snow_line_m', 'm'),
          labelled('gusts', day, 'gust_m_s', 'm/s'),
        ]
          .filter((part) => part !== null)
          .join(' '),
      ),
    ),
}

const AIR: Omit<ToolRequest, 'query'> = {
  kind: 'air_station',
  path: '/api/calidad-aire',
  fields: ['id', 'name', 'province', 'level', 'is_partial', 'pollutants', 'observed_at', 'measurements', 'is_stale'],
  line: (one) =>
    phrase(
      `${String(one['name'])}: ${amount(one, 'level') ?? 'no index'}`,
      Array.isArray(one['pollutants']) && one['pollutants'].length > 0 ? `by ${one['pollutants'].map(String).join(', ')}` : null,
      amount(one, 'province'),
      labelled('hour', one, 'observed_at'),
      one['is_stale'] === true ? 'stale' : null,
      `id ${String(one['id'])}`,
    ),
}

/** Weather for drivers: current, warnings, forecast and history; and air quality. */
export const getWeather = defineTool({
  name: 'get_weather',
  title: 'Weather for drivers',
  description:
    'Weather that matters to drivers: observations of the last hour by road, province or point, official warnings in force (free); the forecast of a municipality, a point or along a road for driving in the next two days, or by day for a week, hourly or daily history of a station or road, and the air quality of a province or around a point (plan PRO).',
  plan: 'FREE',
  input: {
    what: z.enum(['now', 'alerts', 'forecast', 'history', 'air']).describe('What to return.'),
    ...{ province, municipality },
    ...stretch,
    ...near,
    station: z.string().max(10).optional().describe('Id of a weather station (history).'),
    from: instant('Begin of the history.'),
    to: instant('End of the history.'),
    interval: z.enum(['1h', '1d']).optional().describe('Step of the history or the forecast, 1h by default.'),
    ...commonInput,
  },
  requests: ({ what, province, municipality, road, km_from, km_to, station, from, to, interval, ...point }) => {
    const at = around(point)
    if (what === 'now') return [drivingWeather({ province, municipality, road, km_from, km_to, ...at })]
    if (what === 'alerts') {
      if (road !== undefined) throw new Misuse('Warnings need a province or a point: give one of them instead of the road.')
      return [{ ...WARNING, query: { province, ...at } }]
    }
    if (what === 'air') {
      if (road !== undefined) throw new Misuse('Air quality needs a province or a point: give one of them instead of the road.')
      return [{ ...AIR, query: { province, municipality, ...at } }]
    }
    if (what === 'forecast')
      return [
        {
          ...(interval === '1d' ? FORECAST_DAYS : FORECAST),
          query: { province, municipality, road, km_from, km_to, lat: at.lat, lon: at.lon },
        },
      ]
    if (station === undefined && road === undefined) throw new Misuse('The history needs a station or a road: give one of them.')
    return [{ ...HISTORY, query: { station, road, from, to, interval } }]
  },
})
