import { z } from 'zod'
import { around, instant, municipality, near, noneNamed, province, stretch } from '../input.ts'
import { filled, recordKind } from '../line.ts'
import { zoneOfRecord } from '../text.ts'
import { ask, defineTool, type LookUp, Misuse, type ReplyRecord, type ToolRequest } from '../tool.ts'
import { DRIVING_WEATHER } from './road.ts'

const WARNING = recordKind('warning', '/api/weather/alerts', { also: ['roads', 'probability_min_pct', 'probability_max_pct'] }, [
  '{level} warning of {phenomenon}',
  '«{headline}»',
  'from {onset_at}',
  'until {expires_at}',
  '«{parameter_text}»',
  'in {provinces}',
  'id {id}',
])

const HISTORY = recordKind('observation', '/api/clima/historico', { also: ['snow_cm'] }, [
  '{date/period_start} at station {station_id}',
  'mean {temp_mean_c} °C',
  'min {temp_min_c} °C',
  'max {temp_max_c} °C',
  'rain {precipitation_mm} mm',
  'wind {wind_mean_m_s} m/s',
  'gusts {gust_m_s} m/s',
  '{visibility_m} m visibility',
])

const FORECAST = recordKind('forecast', '/api/weather/forecast', { also: ['id', 'province', 'km_to', 'issued_at', 'valid_from'] }, [
  '{municipality} until {valid_to}',
  (one) => filled(one, '{driving.conditions} from {driving.first_condition_at}') ?? 'no adverse driving conditions',
  'rain {driving.rain}, snow {driving.snow}, fog {driving.fog}, wind {driving.wind}',
  'gusts {driving.gust_max_m_s} m/s',
  'lowest {driving.temp_min_c} °C',
  'road {road}',
  'from km {km_from}',
])

const DAY =
  '{date}:[ «{sky_description}»][ min {temp_min_c} °C][ max {temp_max_c} °C]' +
  '[ precipitation {precipitation_probability_pct} %][ snow above {snow_line_m} m][ gusts {gust_m_s} m/s]'
const FORECAST_DAYS = recordKind(
  'forecast_days',
  '/api/weather/forecast/daily',
  { also: ['id', 'province', 'km_from', 'km_to', 'issued_at', 'periods'] },
  ['{municipality}', 'road {road}', ({ periods }) => listed(periods, DAY)],
)

const AIR = recordKind(
  'air_station',
  '/api/calidad-aire',
  {
    also: ['is_partial', 'measurements', 'is_stale'],
    isSaid: (one) => one['level'] !== null || (one['measurements'] as readonly unknown[]).length > 0,
  },
  [
    '{name}[: {level}]',
    'by {pollutants}',
    ({ measurements }) => listed(measurements, '{pollutant} {value} {unit}'),
    '{province}',
    'hour {observed_at}',
    'id {id}',
  ],
)

/** Returns the records of a list, each as a template says. */
function listed(records: unknown, template: string): string {
  return (records as readonly ReplyRecord[]).map((one) => filled(one, template)).join(', ')
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
  },
  requests: async ({ what, province, municipality, road, km_from, km_to, station, from, to, interval, ...point }, lookUp) => {
    const at = around(point)
    const nearTown = async (): Promise<ToolRequest['query']> =>
      municipality === undefined ? { province, ...at } : aroundTown(municipality, { province, radius_km: point.radius_km }, lookUp)
    if (what === 'now' && road === undefined) return [ask(DRIVING_WEATHER, await nearTown())]
    if (what === 'now') return [ask(DRIVING_WEATHER, { province, municipality, road, km_from, km_to, ...at })]
    if (what === 'alerts') {
      if (road !== undefined) throw new Misuse('Warnings need a province or a point: give one of them instead of the road.')
      return [ask(WARNING, { province, ...at })]
    }
    if (what === 'air') {
      if (road !== undefined) throw new Misuse('Air quality needs a province or a point: give one of them instead of the road.')
      return [ask(AIR, await nearTown())]
    }
    if (what === 'forecast') {
      const query = { province, municipality, road, km_from, km_to, lat: at.lat, lon: at.lon }
      const forecasts = [...(interval === '1h' ? [] : [FORECAST_DAYS]), ...(interval === '1d' ? [] : [FORECAST])]
      return forecasts.map((one) => ask(one, query))
    }
    if (station === undefined && road === undefined) throw new Misuse('The history needs a station or a road: give one of them.')
    if (station === undefined) return [ask(HISTORY, { road, from, to, interval })]
    const found = await weatherStationOf(station, lookUp)
    return [ask({ ...HISTORY, zone: zoneOfRecord(found) }, { station: String(found['id']), road, from, to, interval })]
  },
})

/** Radius around a municipality in which weather and air quality now are looked for: few have a station of their own. */
const NEAR_KM = 25

/** A query around a municipality. Throws `Misuse` if none has the name. */
async function aroundTown(
  municipality: string,
  { province, radius_km = NEAR_KM }: { readonly province: string | undefined; readonly radius_km: number | undefined },
  lookUp: LookUp,
): Promise<ToolRequest['query']> {
  const [found] = await lookUp('/api/search', { q: municipality, collections: ['municipalities'], province, limit: 1 })
  if (!found) throw noneNamed('municipality', municipality)
  const { lat, lon } = found as { readonly lat: number; readonly lon: number }
  return around({ lat, lon, radius_km })
}

/** A weather station, by name or id: the best match. Throws `Misuse` if there is none. */
async function weatherStationOf(station: string, lookUp: LookUp): Promise<ReplyRecord> {
  const [found] = await lookUp('/api/search', { q: station, collections: ['weather-stations'], limit: 1 })
  if (found) return found
  if (/^\d{4}\w?$/.test(station)) return { id: station }
  throw noneNamed('weather station', station)
}
