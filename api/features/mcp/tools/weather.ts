import { z } from 'zod'
import { around, commonInput, instant, municipality, near, province, stretch } from '../input.ts'
import { zoneOfRecord } from '../text.ts'
import { amount, defineTool, type LookUp, labelled, Misuse, phrase, quoted, type ReplyRecord, type ToolRequest } from '../tool.ts'
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
    'date',
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
      `${amount(one, 'date') ?? String(one['period_start'])} at station ${String(one['station_id'])}`,
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
          `${String(day['date'])}:`,
          quoted(day, 'sky_description'),
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
      `${String(one['name'])}${one['level'] === null ? '' : `: ${String(one['level'])}`}`,
      Array.isArray(one['pollutants']) && one['pollutants'].length > 0 ? `by ${one['pollutants'].map(String).join(', ')}` : null,
      (one['measurements'] as readonly ReplyRecord[])
        .map((of) => `${String(of['pollutant'])} ${String(of['value'])} ${String(of['unit'])}`)
        .join(', '),
      amount(one, 'province'),
      labelled('hour', one, 'observed_at'),
      `id ${String(one['id'])}`,
    ),
  isSaid: (one) => one['level'] !== null || (one['measurements'] as readonly unknown[]).length > 0,
}

/** Weather for drivers: current, warnings, forecast and history; and air quality. */
export const getWeather = defineTool({
  name: 'get_weather',
  title: 'Weather for drivers',
  description:
    'now: observations near a place or road. alerts: official warnings (both free). forecast: seven days, and driving conditions of the next two, for a municipality, point or road. history: of a station or road. air: air quality. "Will it rain in Toledo tomorrow?": forecast.',
  plan: 'FREE',
  input: {
    what: z.enum(['now', 'alerts', 'forecast', 'history', 'air']).describe('See above.'),
    ...{ province, municipality },
    ...stretch,
    ...near,
    station: z.string().max(10).optional().describe('Of history: id or name.'),
    from: instant('Of history'),
    to: instant('Of history'),
    interval: z.enum(['1h', '1d']).optional().describe('Of history: 1h by default. Of forecast: only the next hours, or only days.'),
    ...commonInput,
  },
  requests: async ({ what, province, municipality, road, km_from, km_to, station, from, to, interval, ...point }, lookUp) => {
    const at = around(point)
    if (what === 'now' && municipality !== undefined && road === undefined)
      return [drivingWeather(around({ ...(await middleOf(municipality, province, lookUp)), radius_km: point.radius_km ?? NEAR_KM }))]
    if (what === 'now') return [drivingWeather({ province, municipality, road, km_from, km_to, ...at })]
    if (what === 'alerts') {
      if (road !== undefined) throw new Misuse('Warnings need a province or a point: give one of them instead of the road.')
      return [{ ...WARNING, query: { province, ...at } }]
    }
    if (what === 'air') {
      if (road !== undefined) throw new Misuse('Air quality needs a province or a point: give one of them instead of the road.')
      if (municipality === undefined) return [{ ...AIR, query: { province, ...at } }]
      return [{ ...AIR, query: around({ ...(await middleOf(municipality, province, lookUp)), radius_km: point.radius_km ?? NEAR_KM }) }]
    }
    if (what === 'forecast') {
      const query = { province, municipality, road, km_from, km_to, lat: at.lat, lon: at.lon }
      const forecasts = [...(interval === '1h' ? [] : [FORECAST_DAYS]), ...(interval === '1d' ? [] : [FORECAST])]
      return forecasts.map((one) => ({ ...one, query }))
    }
    if (station === undefined && road === undefined) throw new Misuse('The history needs a station or a road: give one of them.')
    if (station === undefined) return [{ ...HISTORY, query: { road, from, to, interval } }]
    const found = await weatherStationOf(station, lookUp)
    return [{ ...HISTORY, zone: zoneOfRecord(found), query: { station: String(found['id']), road, from, to, interval } }]
  },
})

/** Radius around a municipality in which weather and air quality now are looked for: few have a station of their own. */
const NEAR_KM = 25

/** The position of a municipality. Throws `Misuse` if none has the name. */
async function middleOf(
  municipality: string,
  province: string | undefined,
  lookUp: LookUp,
): Promise<{ readonly lat: number; readonly lon: number }> {
  const [found] = await lookUp('/api/search', { q: municipality, collections: ['municipalities'], province, limit: 1 })
  if (!found) throw new Misuse(`No municipality is named ${JSON.stringify(municipality)}. Use search_transport, or another spelling.`)
  return found as { readonly lat: number; readonly lon: number }
}

/** A weather station, by name or id: the best match. Throws `Misuse` if there is none. */
async function weatherStationOf(station: string, lookUp: LookUp): Promise<ReplyRecord> {
  const [found] = await lookUp('/api/search', { q: station, collections: ['weather-stations'], limit: 1 })
  if (found) return found
  if (/^\d{4}\w?$/.test(station)) return { id: station }
  throw new Misuse(`No weather station is named ${JSON.stringify(station)}. Use search_transport, or another spelling.`)
}
