import { z } from 'zod'
import { INCIDENT_TYPES } from '../../../../lake/datasets/road/codes.ts'
import { around, municipality, near, province, stretch } from '../input.ts'
import { filled, recordKind } from '../line.ts'
import { ask, defineTool, Misuse, type ToolRequest } from '../tool.ts'

const TYPES = Object.keys(INCIDENT_TYPES.codes)

const incidents = recordKind('incident', '/api/incidents', { also: ['lat', 'lon'], query: { sort: '-created_at' } }, [
  '{type} (severity {severity}) at {place}',
  'towards {destination}',
  'delay {delay_minutes} min',
  'since {created_at}',
  'expected until {expected_end_at}',
  '«{description}»',
  'id {id}',
])

const beacons = recordKind('v16_beacon', '/api/v16', { also: ['lat', 'lon'] }, [
  'V16 emergency beacon (a stopped vehicle) at {place}',
  'since {activated_at}',
  'id {id}',
])

const works = recordKind('roadworks', '/api/trafico/obras', { also: ['km_to'] }, [
  'Roadworks ({phase}) at {place}',
  'from {starts_at}',
  'until {expected_end_at}',
  '«{description}»',
  'id {id}',
])

const panels = recordKind('panel', '/api/panels', { also: ['direction', 'text'], query: { has_message: true } }, [
  'Panel at {place}',
  'towards {destination}',
  (one) => filled(one, '«{text}»') ?? 'pictograms only',
  'speed limit {speed_limit_kmh} km/h',
  'since {shown_since}',
  'id {id}',
])

const cameras = recordKind('camera', '/api/camaras', { also: ['name', 'direction'] }, [
  'Camera at {place}',
  'towards {destination}',
  '{image_url}',
  'id {id}',
])

const speed_cameras = recordKind('speed_camera', '/api/radares', { also: ['name'] }, [
  'Speed camera ({type}) at {place}',
  'to km {km_to}',
  'direction {direction}',
  'limit {speed_limit_kmh} km/h',
  'id {id}',
])

/** Weather for drivers near a road or in a place. */
export const DRIVING_WEATHER = recordKind(
  'weather',
  '/api/weather',
  { also: ['id', 'name', 'province', 'road', 'km', 'distance_m', 'conditions'] },
  [
    (one) => filled(one, `{name} ({place}[, {distance_m} m ${one['road'] === null ? 'away' : 'from the road'}])`),
    ({ conditions }) => joined(conditions) ?? 'no adverse conditions',
    '{temp_c} °C',
    'rain {precipitation_mm} mm in the last hour',
    'snow on the ground {snow_cm} cm',
    'visibility {visibility_m} m',
    'wind {wind_mean_m_s} m/s',
    'gusts {gust_m_s} m/s',
    'observed {observed_at}',
  ],
)

/** Returns the values of a list, which commas would separate from each other; null if there are none. */
function joined(list: unknown): string | null {
  return Array.isArray(list) && list.length > 0 ? list.join(' + ') : null
}

/** Current events on the roads of a place or around a point. */
export const getIncidents = defineTool({
  name: 'get_incidents',
  title: 'Road incidents',
  description:
    'Incidents on roads now: accidents, congestion, roadworks, closures, obstacles. "Is the A-6 closed?", "What is closed in Granada?": closed=true.',
  plan: 'FREE',
  input: {
    ...{ province, municipality },
    ...stretch,
    type: z.array(z.enum(TYPES)).max(10).optional().describe('By cause; CLOSURE is closed=true.'),
    closed: z.boolean().optional().describe('true: only closures of a road or carriageway, whatever the type.'),
    severity_min: z.enum(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']).optional().describe('At least.'),
    ...near,
    include_v16: z.boolean().optional().describe('Also beacons of stopped vehicles.'),
  },
  requests: ({ province, municipality, road, km_from, km_to, type, closed, severity_min, include_v16, ...point }) => {
    const where = { province, municipality, road, km_from, km_to, ...around(point) }
    if (type?.includes('CLOSURE') && closed === false)
      throw new Misuse('The type CLOSURE means closed roads: leave out closed, or the type.')
    // A closure has the type of its cause, if the source states one. What is closed is in the first list only.
    const others = type?.filter((one) => one !== 'CLOSURE') ?? []
    const isBoth = others.length > 0 && closed === undefined
    const kinds = type?.includes('CLOSURE') ? [{ closed: true }, ...(isBoth ? [{ type: others, closed: false }] : [])] : [{ type, closed }]
    return [
      ...kinds.map((one) => ask(one.closed === true ? { ...incidents, kind: 'closure' } : incidents, { ...where, ...one, severity_min })),
      ...(include_v16 ? [ask(beacons, where)] : []),
    ]
  },
})

/** Measurements of the detectors of a road. */
const traffic = recordKind(
  'detector',
  '/api/trafico/intensidad',
  { query: { source: 'dgt', sort: 'speed_kmh' }, also: ['id', 'long_vehicles_pct', 'is_stale'] },
  [
    'Lane at {road} km {km}, {direction}',
    '{intensity_veh_h} vehicles/h',
    '{speed_kmh} km/h',
    'occupancy {occupancy_pct} %',
    'observed {observed_at}',
  ],
)

const chargers = recordKind('charging_site', '/api/electrolineras', { also: ['name', 'connector_types', 'lat', 'lon'] }, [
  'Charging site at {place}',
  '{operator}',
  'up to {max_power_kw} kW',
  '{simultaneous_cars} cars at once',
  (one) => joined(one['connector_types']),
  'id {id}',
])

const LIVE = ['incidents', 'v16', 'works', 'panels', 'traffic', 'weather'] as const
const PARTS = { incidents, v16: beacons, works, panels, traffic, weather: DRIVING_WEATHER, cameras, speed_cameras, chargers }

/** All live data of a road. */
export const getRoadStatus = defineTool({
  name: 'get_road_status',
  title: 'State of a road',
  description:
    'All that is live on a road: incidents, V16 beacons, roadworks, message panels, detectors (slowest lanes first), weather. "Is the AP-7 clear at km 140?": km_from and km_to around it.',
  plan: 'FREE',
  input: {
    road: z.string().max(30).describe('Such as A-6 or N-340.'),
    km_from: stretch.km_from,
    km_to: stretch.km_to,
    include: z
      .array(z.enum([...LIVE, 'cameras', 'speed_cameras', 'chargers']))
      .max(9)
      .optional()
      .describe('By default all but cameras, speed_cameras and chargers (of electric cars).'),
  },
  requests: ({ road, km_from, km_to, include = LIVE }) => {
    // Works are incidents too: each is shown once.
    const type = include.includes('works') ? TYPES.filter((one) => one !== 'ROADWORKS') : undefined
    return include.map((part) => ask(PARTS[part], { road, km_from, km_to, ...(part === 'incidents' ? { type } : {}) }))
  },
})

/** Traffic in a city, now and in the next hours. */
export const getTrafficIntensity = defineTool({
  name: 'get_traffic_intensity',
  title: 'Traffic in a city',
  description:
    "Traffic in a city now: congestion against the typical hour (PRO), then its densest sensors or street sections (Madrid free, others PRO). forecast_hours: forecast of Madrid's M-30 or one sensor (PRO).",
  plan: 'FREE',
  input: {
    city: z.enum(['madrid', 'barcelona', 'valencia', 'bilbao']).describe('The city.'),
    level_min: z.enum(['DENSE', 'VERY_DENSE', 'CONGESTED']).optional().describe('At least.'),
    ...near,
    forecast_hours: z.int().min(0).max(4).optional().describe('0 by default.'),
    sensor: z.string().max(40).optional().describe('Id of a sensor to forecast.'),
  },
  requests: ({ city, level_min, forecast_hours = 0, sensor, ...point }) => {
    const levels = ['FREE', 'DENSE', 'VERY_DENSE', 'CONGESTED']
    const from = (least: string): string[] => levels.slice(levels.indexOf(least))
    const at = around(point)
    // Sections are not sorted by their level: without a place, those with free traffic are left out.
    const least = level_min ?? (at.lat === undefined && city !== 'madrid' ? 'DENSE' : undefined)
    const query = { ...at, level_of_service: least && from(least) }
    const byCity = city === 'madrid' ? ask(READINGS, query) : ask({ ...SECTIONS, inPath: { ciudad: city } }, query)
    if (forecast_hours > 0 && city !== 'madrid') throw new Misuse('Forecasts exist for Madrid only: leave forecast_hours out.')
    return [ask(CITY, { ids: city }), byCity, ...(forecast_hours > 0 ? [forecast(forecast_hours, sensor)] : [])]
  },
})

const READINGS = recordKind(
  'reading',
  '/api/trafico/intensidad',
  { query: { sort: '-load_pct' }, also: ['district', 'speed_kmh', 'lat', 'lon'] },
  [
    'Sensor {id}[ «{name}»]',
    '{level_of_service}',
    '{intensity_veh_h} vehicles/h',
    'occupancy {occupancy_pct} %',
    'load {load_pct} %',
    'observed {observed_at}',
  ],
)

const SECTIONS = recordKind(
  'section',
  '/api/trafico/ciudades/{ciudad}',
  { also: ['lat', 'lon'], isSaid: (one) => one['level'] !== 'UNKNOWN' || one['intensity_veh_h'] !== null },
  [
    'Section {id}[ «{name}»]',
    '{level}',
    'in 15 minutes {forecast_15min_level}',
    '{intensity_veh_h} vehicles/h',
    'occupancy {occupancy_pct} %',
    'speed {speed_kmh} km/h',
    'observed {observed_at}',
  ],
)

const CITY = recordKind(
  'city',
  '/api/trafico/ciudades',
  {
    isSaid: (one) => one['availability'] === 'AVAILABLE',
    also: ['id', 'availability', 'sensors_reporting', 'queues_pct', 'slow_pct', 'index_absence', 'deviation'],
  },
  [
    '{name}: {dense_or_worse_pct} % of its network dense or worse',
    '{congestion_index} % of what is usual at this hour',
    '{congestion_pct} % of it in congestion',
    '{fluid_pct} % flowing freely',
    'mean {intensity_veh_h} vehicles/h per sensor',
    'observed {observed_at}',
  ],
)

const FORECAST = recordKind(
  'forecast',
  '/api/trafico/prediccion',
  { isSaid: (one) => one['intensity_veh_h'] !== null, query: { view: 'forecast' }, also: ['interval', 'baseline', 'horizon', 'is_over'] },
  ['Forecast for {series_id}[ {direction}] at {starts_at}', '{intensity_veh_h} vehicles/h'],
)

function forecast(hours: number, sensor: string | undefined): ToolRequest {
  const horizon = ['PT1H', 'PT2H', 'PT3H', 'PT4H'].slice(0, hours)
  return ask(FORECAST, { horizon, ...(sensor === undefined ? { corridor: 'm-30' } : { sensor }) })
}
