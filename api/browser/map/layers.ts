import type { ExpressionSpecification } from 'maplibre-gl'

export type Language = 'es' | 'en'
export type Properties = Readonly<Record<string, unknown>>
type Plan = 'FREE' | 'PRO' | 'ENTERPRISE'
type Text = Readonly<Record<Language, string>>

/** A layer of live data. */
export interface DataLayer {
  readonly id: string
  readonly name: Text
  readonly plan: Plan
  /** The list that it shows, without `bbox`. */
  readonly path: string
  /** Seconds between two requests of the list. */
  readonly every_s: number
  /** True for a list that is requested for the visible area. */
  readonly isByArea?: boolean
  /** First zoom that shows it. */
  readonly from?: number
  /** How it is drawn: points or symbols turned by a property, lines, areas. */
  readonly colour: string | ExpressionSpecification
  readonly radius?: number | ExpressionSpecification
  /** A sign instead of a circle, turned by a property: where it goes, or where it comes from. */
  readonly sign?: { readonly shape: 'arrow' | 'plane'; readonly turned: string; readonly isFrom?: boolean }
  readonly isArea?: boolean
  /** True if its features move between two lists. */
  readonly moves?: boolean
  /** True if it is shown at first. */
  readonly isShown?: boolean
  /** Title and lines of a feature's card. */
  readonly title: (of: Properties) => string
  readonly lines: (of: Properties, language: Language) => readonly string[]
  /** The path of one thing by its id; null if there is none. */
  readonly detail: string | null
}

const AMBER = '#f0a21b'
const BLUE = '#2f7ce0'
const RED = '#d8323f'
const GREEN = '#24a05a'
const GREY = '#8593a0'
const VIOLET = '#8a5cd6'

const match = (property: string, colours: Readonly<Record<string, string>>, other: string): ExpressionSpecification =>
  ['match', ['get', property], ...Object.entries(colours).flat(), other] as unknown as ExpressionSpecification
const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value))
const joined = (...parts: readonly unknown[]): string => parts.map(text).filter(Boolean).join(' ')
const place = ({ road, km }: Properties): string => joined(road, km === null || km === undefined ? '' : `km ${text(km)}`)
const number = (value: unknown, unit: string, language: Language): string =>
  typeof value === 'number' ? `${new Intl.NumberFormat(language, { maximumFractionDigits: 3 }).format(value)} ${unit}` : ''
const whole = (value: unknown, unit: string, language: Language): string =>
  typeof value === 'number' ? number(Math.round(value), unit, language) : ''
const words = (code: unknown): string => text(code).toLowerCase().replaceAll('_', ' ')

const LEVELS = { FREE: GREEN, DENSE: AMBER, VERY_DENSE: '#e0631b', CONGESTED: RED, CLOSED: '#6b2737' }
const AIR = { GOOD: '#3ba7a0', FAIRLY_GOOD: GREEN, MODERATE: AMBER, POOR: RED, VERY_POOR: '#8f2140', EXTREMELY_POOR: '#5c2a7a' }
const WARNINGS = { YELLOW: '#e8c318', ORANGE: '#ee7c1b', RED }
const INCIDENTS = {
  ...{ ACCIDENT: RED, CLOSURE: RED, CONGESTION: '#e0631b', OBSTACLE: '#e0631b', BREAKDOWN: '#e0631b' },
  ...{ ROADWORKS: AMBER, WEATHER: BLUE, EVENT: VIOLET },
}

/** Everything the map can show, in the order of its panel; the last is drawn on top. */
export const LAYERS: readonly DataLayer[] = [
  {
    id: 'warnings',
    name: { es: 'Avisos meteorológicos', en: 'Weather warnings' },
    plan: 'FREE',
    path: '/api/weather/alerts?limit=1000&fields=id,phenomenon,level,headline,onset_at,expires_at',
    every_s: 300,
    colour: match('level', WARNINGS, GREY),
    isArea: true,
    title: ({ headline }) => text(headline),
    lines: ({ phenomenon, level }) => [joined(words(phenomenon), words(level))],
    detail: '/api/weather/alerts/',
  },
  {
    id: 'traffic',
    name: { es: 'Sensores de tráfico', en: 'Traffic sensors' },
    plan: 'FREE',
    path: '/api/trafico/intensidad?limit=20000&fields=id,name,level_of_service,intensity_veh_h,speed_kmh,occupancy_pct',
    every_s: 120,
    from: 8,
    colour: match('level_of_service', LEVELS, GREY),
    radius: 3.5,
    isShown: true,
    title: ({ name, id }) => text(name ?? id),
    lines: ({ intensity_veh_h, speed_kmh, occupancy_pct }, language) => [
      joined(number(intensity_veh_h, 'veh/h', language), number(speed_kmh, 'km/h', language), number(occupancy_pct, '%', language)),
    ],
    detail: '/api/trafico/sensores/',
  },
  {
    id: 'fuel',
    name: { es: 'Gasolineras', en: 'Filling stations' },
    plan: 'FREE',
    path: '/api/gas-stations?limit=20000&fuel=GASOLINE_95_E5&fields=id,operator,municipality,price',
    every_s: 1800,
    colour: [
      'interpolate',
      ['linear'],
      ['coalesce', ['get', 'price'], 0],
      ...[0, GREY, 1.2, GREEN, 1.45, AMBER, 1.7, RED],
    ] as unknown as ExpressionSpecification,
    radius: 3,
    title: ({ operator, id }) => text(operator ?? id),
    lines: ({ municipality, price }, language) => [text(municipality), number(price, '€/l (95 E5)', language)],
    detail: '/api/gas-stations/',
  },
  {
    id: 'chargers',
    name: { es: 'Puntos de recarga', en: 'Charging sites' },
    plan: 'FREE',
    path: '/api/electrolineras?limit=20000&fields=id,name,operator,max_power_kw,connector_count',
    every_s: 3600,
    from: 7,
    colour: [
      'step',
      ['coalesce', ['get', 'max_power_kw'], 0],
      ...['#7cc6a4', 50, GREEN, 150, '#0c6b3d'],
    ] as unknown as ExpressionSpecification,
    radius: 3,
    title: ({ name, operator }) => text(name ?? operator),
    lines: ({ operator, max_power_kw, connector_count }, language) => [
      text(operator),
      joined(number(connector_count, '×', language), number(max_power_kw, 'kW', language)),
    ],
    detail: '/api/electrolineras/',
  },
  {
    id: 'weather',
    name: { es: 'Viento en las estaciones', en: 'Wind at stations' },
    plan: 'FREE',
    path: '/api/weather?limit=2000&fields=id,name,temp_c,precipitation_mm,wind_mean_m_s,wind_dir_deg,gust_m_s',
    every_s: 600,
    colour: ['step', ['coalesce', ['get', 'wind_mean_m_s'], 0], GREY, 5, BLUE, 10, VIOLET, 17, RED],
    sign: { shape: 'arrow', turned: 'wind_dir_deg', isFrom: true },
    title: ({ name }) => text(name),
    lines: ({ temp_c, precipitation_mm, wind_mean_m_s, gust_m_s }, language) => [
      joined(number(temp_c, '°C', language), number(precipitation_mm, 'mm', language)),
      joined(number(wind_mean_m_s, 'm/s', language), gust_m_s === null ? '' : `(${number(gust_m_s, 'm/s', language)})`),
    ],
    detail: '/api/clima/estaciones/',
  },
  {
    id: 'air',
    name: { es: 'Calidad del aire', en: 'Air quality' },
    plan: 'PRO',
    path: '/api/calidad-aire?limit=2000&fields=id,name,level,pollutants',
    every_s: 1200,
    colour: match('level', AIR, GREY),
    radius: 5,
    title: ({ name }) => text(name),
    lines: ({ level }) => [words(level)],
    detail: '/api/calidad-aire/estaciones/',
  },
  {
    id: 'zones',
    name: { es: 'Zonas de bajas emisiones', en: 'Low-emission zones' },
    plan: 'FREE',
    path: '/api/zbe?limit=500&fields=id,name',
    every_s: 3600,
    colour: GREEN,
    isArea: true,
    title: ({ name }) => text(name),
    lines: () => [],
    detail: '/api/zbe/',
  },
  {
    id: 'hotspots',
    name: { es: 'Puntos negros', en: 'Black spots' },
    plan: 'PRO',
    path: '/api/accidentes/hotspots?limit=1000',
    every_s: 3600,
    colour: '#6b2737',
    radius: 6,
    title: place,
    lines: ({ accidents }) => [text(accidents)],
    detail: '/api/accidentes/hotspots/',
  },
  {
    id: 'cameras',
    name: { es: 'Cámaras', en: 'Cameras' },
    plan: 'FREE',
    path: '/api/camaras?limit=5000&fields=id,road,km,municipality',
    every_s: 3600,
    from: 6,
    colour: '#44637f',
    radius: 3,
    title: place,
    lines: ({ municipality }) => [text(municipality)],
    detail: '/api/camaras/',
  },
  {
    id: 'radars',
    name: { es: 'Radares', en: 'Speed cameras' },
    plan: 'FREE',
    path: '/api/radares?limit=5000&fields=id,type,road,km,speed_limit_kmh',
    every_s: 3600,
    from: 6,
    colour: VIOLET,
    radius: 3,
    title: place,
    lines: ({ type, speed_limit_kmh }, language) => [words(type), number(speed_limit_kmh, 'km/h', language)],
    detail: null,
  },
  {
    id: 'panels',
    name: { es: 'Paneles con mensaje', en: 'Panels with a message' },
    plan: 'FREE',
    path: '/api/panels?limit=5000&has_message=true&fields=id,road,km,text',
    every_s: 120,
    colour: '#e0a800',
    radius: 4,
    title: place,
    lines: ({ text: shown }) => text(shown).split('\n'),
    detail: '/api/panels/',
  },
  {
    id: 'incidents',
    name: { es: 'Incidencias', en: 'Incidents' },
    plan: 'FREE',
    path: '/api/incidents?limit=5000&fields=id,type,severity,road,km,km_to',
    every_s: 60,
    colour: match('type', INCIDENTS, GREY),
    radius: ['match', ['get', 'severity'], ['HIGH', 'CRITICAL'], 7, 5] as unknown as ExpressionSpecification,
    isShown: true,
    title: (of) => joined(place(of)),
    lines: ({ type, severity }) => [joined(words(type), severity === 'UNKNOWN' ? '' : words(severity))],
    detail: '/api/incidents/',
  },
  {
    id: 'v16',
    name: { es: 'Balizas V16', en: 'V16 beacons' },
    plan: 'FREE',
    path: '/api/v16?limit=5000&fields=id,road,km,municipality,activated_at',
    every_s: 60,
    colour: '#ff6a00',
    radius: 4.5,
    isShown: true,
    title: place,
    lines: ({ municipality }) => [text(municipality)],
    detail: null,
  },
  {
    id: 'trains',
    name: { es: 'Trenes', en: 'Trains' },
    plan: 'PRO',
    path: '/api/trenes/posiciones?limit=5000&fields=id,product,line,train_number,origin,destination,delay_s',
    every_s: 20,
    colour: ['step', ['coalesce', ['get', 'delay_s'], 0], BLUE, 300, AMBER, 900, RED],
    radius: 5,
    moves: true,
    isShown: true,
    title: ({ product, line, train_number }) => joined(product, line, train_number),
    lines: ({ origin, destination, delay_s }, language) => [
      joined(origin, '→', destination),
      typeof delay_s === 'number' ? `+${number(Math.round(delay_s / 60), 'min', language)}` : '',
    ],
    detail: '/api/trenes/posiciones/',
  },
  {
    id: 'vessels',
    name: { es: 'Buques', en: 'Vessels' },
    plan: 'PRO',
    path: '/api/maritimo/buques?limit=5000',
    every_s: 30,
    isByArea: true,
    colour: '#0f7d8c',
    sign: { shape: 'arrow', turned: 'course_deg' },
    moves: true,
    title: ({ name, mmsi }) => text(name ?? mmsi),
    lines: ({ destination, speed_kn }, language) => [text(destination), number(speed_kn, 'kn', language)],
    detail: '/api/maritimo/buques/',
  },
  {
    id: 'aircraft',
    name: { es: 'Aeronaves', en: 'Aircraft' },
    plan: 'PRO',
    path: '/api/aviacion/posiciones?limit=5000',
    every_s: 20,
    isByArea: true,
    colour: VIOLET,
    sign: { shape: 'plane', turned: 'track_deg' },
    moves: true,
    title: ({ callsign, icao24 }) => text(callsign ?? icao24),
    lines: ({ altitude_m, ground_speed_m_s }, language) => [
      joined(
        whole(altitude_m, 'm', language),
        whole(typeof ground_speed_m_s === 'number' ? ground_speed_m_s * 3.6 : null, 'km/h', language),
      ),
    ],
    detail: '/api/aviacion/posiciones/',
  },
]
