import { z } from 'zod'
import { around, commonInput, municipality, near, province, stretch } from '../input.ts'
import { amount, defineTool, labelled, Misuse, phrase, place, quoted, type ReplyRecord, type ToolRequest } from '../tool.ts'

const INCIDENT_TYPES = [
  'ACCIDENT',
  'CONGESTION',
  'ROADWORKS',
  'CLOSURE',
  'OBSTACLE',
  'BREAKDOWN',
  'WEATHER',
  'EVENT',
  'RESTRICTION',
  'OTHER',
] as const

const incidentLine = (one: ReplyRecord): string =>
  phrase(
    `${String(one['type'])} (severity ${String(one['severity'])}) at ${place(one)}`,
    labelled('towards', one, 'destination'),
    labelled('delay', one, 'delay_minutes', 'min'),
    labelled('since', one, 'created_at'),
    labelled('expected until', one, 'expected_end_at'),
    quoted(one, 'description'),
    `id ${String(one['id'])}`,
  )

function incidents(query: ToolRequest['query']): ToolRequest {
  const fields = [
    'id',
    'type',
    'severity',
    'road',
    'km',
    'province',
    'municipality',
    'destination',
    'description',
    'delay_minutes',
    'created_at',
    'expected_end_at',
    'lat',
    'lon',
  ]
  return { kind: 'incident', path: '/api/incidents', query: { ...query, sort: '-created_at' }, fields, line: incidentLine }
}

function beacons(query: ToolRequest['query']): ToolRequest {
  return {
    ...{ kind: 'v16_beacon', path: '/api/v16', query },
    fields: ['id', 'road', 'km', 'municipality', 'province', 'activated_at', 'lat', 'lon'],
    line: (one) =>
      phrase(
        `V16 emergency beacon (a stopped vehicle) at ${place(one)}`,
        labelled('since', one, 'activated_at'),
        `id ${String(one['id'])}`,
      ),
  }
}

function works(query: ToolRequest['query']): ToolRequest {
  return {
    ...{ kind: 'roadworks', path: '/api/trafico/obras', query },
    fields: ['id', 'road', 'km', 'km_to', 'province', 'municipality', 'phase', 'description', 'starts_at', 'expected_end_at'],
    line: (one) =>
      phrase(
        `Roadworks (${String(one['phase'])}) at ${place(one)}`,
        labelled('from', one, 'starts_at'),
        labelled('until', one, 'expected_end_at'),
        quoted(one, 'description'),
        `id ${String(one['id'])}`,
      ),
  }
}

function panels(query: ToolRequest['query']): ToolRequest {
  return {
    ...{ kind: 'panel', path: '/api/panels', query: { ...query, has_message: true } },
    fields: ['id', 'road', 'km', 'direction', 'destination', 'province', 'municipality', 'text', 'speed_limit_kmh', 'shown_since'],
    line: (one) =>
      phrase(
        `Panel at ${place(one)}`,
        labelled('towards', one, 'destination'),
        quoted(one, 'text') ?? 'pictograms only',
        labelled('speed limit', one, 'speed_limit_kmh', 'km/h'),
        labelled('since', one, 'shown_since'),
        `id ${String(one['id'])}`,
      ),
  }
}

function cameras(query: ToolRequest['query']): ToolRequest {
  return {
    ...{ kind: 'camera', path: '/api/camaras', query },
    fields: ['id', 'name', 'road', 'km', 'direction', 'destination', 'province', 'municipality', 'image_url'],
    line: (one) =>
      phrase(`Camera at ${place(one)}`, labelled('towards', one, 'destination'), amount(one, 'image_url'), `id ${String(one['id'])}`),
  }
}

function speedCameras(query: ToolRequest['query']): ToolRequest {
  return {
    ...{ kind: 'speed_camera', path: '/api/radares', query },
    fields: ['id', 'type', 'name', 'road', 'km', 'km_to', 'direction', 'speed_limit_kmh', 'province', 'municipality'],
    line: (one) =>
      phrase(
        `Speed camera (${String(one['type'])}) at ${place(one)}`,
        labelled('to km', one, 'km_to'),
        labelled('direction', one, 'direction'),
        labelled('limit', one, 'speed_limit_kmh', 'km/h'),
        `id ${String(one['id'])}`,
      ),
  }
}

/** Weather for drivers near a road or in a place. */
export function drivingWeather(query: ToolRequest['query']): ToolRequest {
  return {
    ...{ kind: 'weather', path: '/api/weather', query },
    fields: [
      'id',
      'name',
      'province',
      'road',
      'km',
      'distance_m',
      'conditions',
      'temp_c',
      'precipitation_mm',
      'snow_cm',
      'visibility_m',
      'wind_mean_m_s',
      'gust_m_s',
      'observed_at',
    ],
    line: (one) =>
      phrase(
        `${String(one['name'])} (${phrase(place(one), amount(one, 'distance_m', one['road'] === null ? 'm away' : 'm from the road'))})`,
        Array.isArray(one['conditions']) && one['conditions'].length > 0 ? one['conditions'].join(' + ') : 'no adverse conditions',
        amount(one, 'temp_c', '°C'),
        labelled('rain', one, 'precipitation_mm', 'mm in the last hour'),
        labelled('snow on the ground', one, 'snow_cm', 'cm'),
        labelled('visibility', one, 'visibility_m', 'm'),
        labelled('wind', one, 'wind_mean_m_s', 'm/s'),
        labelled('gusts', one, 'gust_m_s', 'm/s'),
        labelled('observed', one, 'observed_at'),
      ),
  }
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
    type: z.array(z.enum(INCIDENT_TYPES)).max(10).optional().describe('By cause; CLOSURE is closed=true.'),
    closed: z.boolean().optional().describe('true: only closures of a road or carriageway, whatever the type.'),
    severity_min: z.enum(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']).optional().describe('At least.'),
    ...near,
    include_v16: z.boolean().optional().describe('Also beacons of stopped vehicles.'),
    ...commonInput,
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
      ...kinds.map((one) => ({ ...incidents({ ...where, ...one, severity_min }), ...(one.closed === true ? { kind: 'closure' } : {}) })),
      ...(include_v16 ? [beacons(where)] : []),
    ]
  },
})

/** Measurements of the detectors of a road. */
const traffic = (query: ToolRequest['query']): ToolRequest => ({
  kind: 'detector',
  path: '/api/trafico/intensidad',
  query: { ...query, source: 'dgt', sort: 'speed_kmh' },
  fields: [
    'id',
    'road',
    'km',
    'direction',
    'intensity_veh_h',
    'speed_kmh',
    'occupancy_pct',
    'long_vehicles_pct',
    'is_stale',
    'observed_at',
  ],
  line: (one) =>
    phrase(
      `Lane at ${String(one['road'])} km ${String(one['km'])}, ${String(one['direction'])}`,
      amount(one, 'intensity_veh_h', 'vehicles/h'),
      amount(one, 'speed_kmh', 'km/h'),
      labelled('occupancy', one, 'occupancy_pct', '%'),
      labelled('observed', one, 'observed_at'),
    ),
})

function chargers(query: ToolRequest['query']): ToolRequest {
  return {
    ...{ kind: 'charging_site', path: '/api/electrolineras', query },
    fields: [
      'id',
      'name',
      'operator',
      'road',
      'km',
      'province',
      'municipality',
      'connector_types',
      'max_power_kw',
      'simultaneous_cars',
      'lat',
      'lon',
    ],
    line: (one) =>
      phrase(
        `Charging site at ${place(one)}`,
        amount(one, 'operator'),
        labelled('up to', one, 'max_power_kw', 'kW'),
        amount(one, 'simultaneous_cars', 'cars at once'),
        Array.isArray(one['connector_types']) ? one['connector_types'].join(' + ') : null,
        `id ${String(one['id'])}`,
      ),
  }
}

const LIVE = ['incidents', 'v16', 'works', 'panels', 'traffic', 'weather'] as const
const PARTS = { incidents, v16: beacons, works, panels, traffic, weather: drivingWeather, cameras, speed_cameras: speedCameras, chargers }

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
    ...commonInput,
  },
  requests: ({ road, km_from, km_to, include = LIVE }) => {
    // Works are incidents too: each is shown once.
    const type = include.includes('works') ? INCIDENT_TYPES.filter((one) => one !== 'ROADWORKS') : undefined
    return include.map((part) => PARTS[part]({ road, km_from, km_to, ...(part === 'incidents' ? { type } : {}) }))
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
    ...commonInput,
  },
  requests: ({ city, level_min, forecast_hours = 0, sensor, ...point }) => {
    const levels = ['FREE', 'DENSE', 'VERY_DENSE', 'CONGESTED']
    const from = (least: string): string[] => levels.slice(levels.indexOf(least))
    const at = around(point)
    // Sections are not sorted by their level: without a place, those with free traffic are left out.
    const least = level_min ?? (at.lat === undefined && city !== 'madrid' ? 'DENSE' : undefined)
    const query = { ...at, level_of_service: least && from(least) }
    const byCity: ToolRequest =
      city === 'madrid'
        ? { path: '/api/trafico/intensidad', query: { ...query, sort: '-load_pct' }, ...READINGS }
        : { path: '/api/trafico/ciudades/{ciudad}', inPath: { ciudad: city }, query, ...SECTIONS }
    if (forecast_hours > 0 && city !== 'madrid') throw new Misuse('Forecasts exist for Madrid only: leave forecast_hours out.')
    return [{ ...CITY, query: { ids: city } }, byCity, ...(forecast_hours > 0 ? [forecast(forecast_hours, sensor)] : [])]
  },
})

const READINGS = {
  kind: 'reading',
  fields: [
    'id',
    'name',
    'district',
    'intensity_veh_h',
    'occupancy_pct',
    'load_pct',
    'level_of_service',
    'speed_kmh',
    'observed_at',
    'lat',
    'lon',
  ],
  line: (one: ReplyRecord) =>
    phrase(
      `Sensor ${String(one['id'])} ${quoted(one, 'name') ?? ''}`.trim(),
      amount(one, 'level_of_service'),
      amount(one, 'intensity_veh_h', 'vehicles/h'),
      labelled('occupancy', one, 'occupancy_pct', '%'),
      labelled('load', one, 'load_pct', '%'),
      labelled('observed', one, 'observed_at'),
    ),
}

const SECTIONS = {
  kind: 'section',
  isSaid: (one: ReplyRecord) => one['level'] !== 'UNKNOWN' || one['intensity_veh_h'] !== null,
  fields: ['id', 'name', 'level', 'forecast_15min_level', 'intensity_veh_h', 'occupancy_pct', 'speed_kmh', 'observed_at', 'lat', 'lon'],
  line: (one: ReplyRecord) =>
    phrase(
      `Section ${String(one['id'])} ${quoted(one, 'name') ?? ''}`.trim(),
      amount(one, 'level'),
      labelled('in 15 minutes', one, 'forecast_15min_level'),
      amount(one, 'intensity_veh_h', 'vehicles/h'),
      labelled('occupancy', one, 'occupancy_pct', '%'),
      labelled('speed', one, 'speed_kmh', 'km/h'),
      labelled('observed', one, 'observed_at'),
    ),
}

const CITY: Omit<ToolRequest, 'query'> = {
  ...{ kind: 'city', path: '/api/trafico/ciudades', isSaid: (one) => one['availability'] === 'AVAILABLE' },
  fields: [
    'id',
    'name',
    'availability',
    'sensors_reporting',
    'intensity_veh_h',
    'congestion_pct',
    'queues_pct',
    'slow_pct',
    'fluid_pct',
    'dense_or_worse_pct',
    'congestion_index',
    'index_absence',
    'deviation',
    'observed_at',
  ],
  line: (one) =>
    phrase(
      `${String(one['name'])}: ${amount(one, 'dense_or_worse_pct') ?? 'unknown'} % of its network dense or worse`,
      amount(one, 'congestion_index', '% of what is usual at this hour'),
      amount(one, 'congestion_pct', '% of it in congestion'),
      amount(one, 'fluid_pct', '% flowing freely'),
      labelled('mean', one, 'intensity_veh_h', 'vehicles/h per sensor'),
      labelled('observed', one, 'observed_at'),
    ),
}

function forecast(hours: number, sensor: string | undefined): ToolRequest {
  const horizon = ['PT1H', 'PT2H', 'PT3H', 'PT4H'].slice(0, hours)
  return {
    ...{ kind: 'forecast', path: '/api/trafico/prediccion', isSaid: (one) => one['intensity_veh_h'] !== null },
    query: { view: 'forecast', horizon, ...(sensor === undefined ? { corridor: 'm-30' } : { sensor }) },
    fields: ['series_id', 'direction', 'starts_at', 'intensity_veh_h', 'interval', 'baseline', 'horizon', 'is_over'],
    line: (one) =>
      phrase(
        `Forecast for ${String(one['series_id'])} ${amount(one, 'direction') ?? ''} at ${String(one['starts_at'])}`,
        amount(one, 'intensity_veh_h', 'vehicles/h'),
      ),
  }
}
