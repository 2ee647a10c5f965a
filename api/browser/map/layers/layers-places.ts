import type { ExpressionSpecification } from 'maplibre-gl'
import {
  AMBER,
  BLUE,
  chosenOf,
  clock,
  type DataLayer,
  GREEN,
  GREY,
  hours,
  joined,
  kilometre,
  known,
  type Language,
  match,
  number,
  type Properties,
  place,
  RED,
  text,
  VIOLET,
  words,
} from './layer.ts'

/** The colour of little wind. */
const CALM = '#8fb8dc'
const AIR = { GOOD: '#3ba7a0', FAIRLY_GOOD: GREEN, MODERATE: AMBER, POOR: RED, VERY_POOR: '#8f2140', EXTREMELY_POOR: '#5c2a7a' }
const WARNINGS = { YELLOW: '#e8c318', ORANGE: '#ee7c1b', RED }
const RISKS = { LOW: GREEN, MEDIUM: AMBER, HIGH: '#e0631b', VERY_HIGH: RED }

const WIND_SIZE = [
  ...['interpolate', ['linear'], ['coalesce', ['get', 'wind_mean_m_s'], 0]],
  ...[0, 0.56, 15, 1.5],
] as unknown as ExpressionSpecification

/** Ferry routes as straight lines from port to port, each pair of ports once per operator. */
function ferriesOf({ routes }: Properties): GeoJSON.Feature[] {
  interface Route extends Properties {
    readonly id: string
    readonly calls: readonly { readonly lat: number | null; readonly lon: number | null }[]
  }
  return (routes as readonly Route[]).map(({ calls, ...properties }) => ({
    ...{ type: 'Feature' as const, id: properties.id, properties },
    geometry: {
      type: 'LineString',
      coordinates: calls.flatMap(({ lat, lon }) => (lat === null || lon === null ? [] : [[lon, lat]])),
    },
  }))
}

/** The products of the filling stations, as the API calls them. */
const FUELS = {
  param: 'fuel',
  name: { es: 'Carburante', en: 'Fuel' },
  values: {
    GASOLINE_95_E5: { es: 'Gasolina 95', en: 'Petrol 95' },
    DIESEL_A: { es: 'Gasóleo A', en: 'Diesel' },
    GASOLINE_98_E5: { es: 'Gasolina 98', en: 'Petrol 98' },
    DIESEL_PREMIUM: { es: 'Gasóleo Premium', en: 'Premium diesel' },
  } as Readonly<Record<string, Readonly<Record<Language, string>>>>,
}

/** Layers of areas and of things that stay where they are, the lowest first. */
export const PLACES: readonly DataLayer[] = [
  {
    id: 'warnings',
    name: { es: 'Avisos meteorológicos', en: 'Weather warnings' },
    plan: 'FREE',
    path: '/api/weather/alerts?limit=1000&fields=id,phenomenon,level,headline,onset_at,expires_at',
    every_s: 300,
    colour: match('level', WARNINGS, GREY),
    codes: 'weather_alert_level',
    hasTexts: true,
    isArea: true,
    topic: 'weather_alert',
    title: ({ headline }) => text(headline),
    lines: ({ phenomenon, level }) => [joined(words('weather_alert_phenomenon', phenomenon), words('weather_alert_level', level))],
    detail: '/api/weather/alerts/',
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
    id: 'ferries',
    name: { es: 'Ferris', en: 'Ferries' },
    plan: 'FREE',
    path: '/api/maritimo/ferries?limit=2000&fields=id,name,operator_name,calls,duration_s,sailings_per_week,next_sailing_at',
    every_s: 3600,
    colour: '#3d7ea6',
    isDashed: true,
    featuresOf: ferriesOf,
    title: ({ name }) => text(name),
    lines: ({ operator_name, duration_s, sailings_per_week, next_sailing_at }, language) => [
      text(operator_name),
      joined(
        hours(duration_s, language),
        language === 'es' ? `· ${text(sailings_per_week)} por semana` : `· ${text(sailings_per_week)} a week`,
      ),
      next_sailing_at ? `${language === 'es' ? 'Próxima salida' : 'Next sailing'}: ${clock(next_sailing_at, language)}` : '',
      language === 'es' ? 'Línea recta entre puertos, no la ruta navegada.' : 'A straight line between ports, not the course.',
    ],
    detail: '/api/maritimo/ferries/',
  },
  {
    id: 'risk',
    name: { es: 'Riesgo de accidente', en: 'Accident risk' },
    plan: 'ENTERPRISE',
    path: '/api/prediccion/riesgo?limit=5000&fields=section,road,km_from,km_to,risk_class,expected_week',
    isByArea: true,
    every_s: 3600,
    from: 7,
    colour: match('risk_class', RISKS, GREY),
    codes: 'risk_class',
    title: ({ road, km_from, km_to }, language) => `${text(road)} km ${kilometre(km_from, language)}–${kilometre(km_to, language)}`,
    lines: ({ risk_class, expected_week }, language) => [
      words('risk_class', risk_class),
      typeof expected_week === 'number'
        ? `${number(expected_week, language === 'es' ? 'accidentes esperados por semana' : 'expected accidents a week', language)}`
        : '',
    ],
    detail: null,
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
    scale: { unit: '€/l' },
    radius: 3,
    sign: { shape: 'pump', from: 10 },
    hasPrice: true,
    groups: { until: 9, by: 'price', best: 'min', unit: '€/l', of: { es: 'gasolineras', en: 'filling stations' } },
    title: ({ operator, id }) => text(operator ?? id),
    choice: FUELS,
    lines: ({ municipality, price }, language) => [
      text(municipality),
      joined(number(price, '€/l', language), FUELS.values[chosenOf(FUELS)]?.[language]),
    ],
    detail: '/api/gas-stations/',
    course: {
      path: (id) => `/api/gas-stations/${id}/history?fuel=${chosenOf(FUELS)}`,
      ...{ value: 'price', unit: '€/l', name: { es: 'Precio', en: 'Price' } },
      history: { es: 'Historial del precio', en: 'History of the price' },
    },
  },
  {
    id: 'chargers',
    name: { es: 'Puntos de recarga', en: 'Charging sites' },
    plan: 'FREE',
    path: '/api/electrolineras?limit=20000&fields=id,name,operator,max_power_kw,connector_count',
    every_s: 3600,
    from: 7,
    colour: known('max_power_kw', ['step', ['get', 'max_power_kw'], '#7cc6a4', 50, GREEN, 150, '#0c6b3d']),
    scale: { name: { es: 'hasta', en: 'up to' }, unit: 'kW' },
    radius: 3,
    sign: { shape: 'plug', from: 10 },
    groups: { until: 9, by: 'max_power_kw', best: 'max', unit: 'kW', of: { es: 'puntos de recarga', en: 'charging sites' } },
    title: ({ name, operator }) => text(name ?? operator),
    lines: ({ operator, max_power_kw, connector_count }, language) => [
      text(operator),
      joined(number(connector_count, '×', language), number(max_power_kw, 'kW', language)),
    ],
    detail: '/api/electrolineras/',
  },
  {
    id: 'weather',
    name: { es: 'Viento y lluvia en estaciones', en: 'Wind and rain at stations' },
    plan: 'FREE',
    path: '/api/weather?limit=2000&fields=id,name,temp_c,precipitation_mm,wind_mean_m_s,wind_dir_deg,gust_m_s',
    every_s: 600,
    colour: known('wind_mean_m_s', ['step', ['get', 'wind_mean_m_s'], CALM, 5, BLUE, 10, VIOLET, 17, RED]),
    scale: { name: { es: 'viento', en: 'wind' }, unit: 'm/s' },
    under: {
      colour: BLUE,
      name: { es: 'lluvia', en: 'rain' },
      radius: [
        ...['interpolate', ['linear'], ['coalesce', ['get', 'precipitation_mm'], 0]],
        ...[0, 0, 0.1, 6, 10, 16],
      ] as unknown as ExpressionSpecification,
    },
    sign: { shape: 'arrow', turned: 'wind_dir_deg', isFrom: true, size: WIND_SIZE },
    title: ({ name }) => text(name),
    lines: ({ temp_c, precipitation_mm, wind_mean_m_s, gust_m_s }, language) => [
      joined(number(temp_c, '°C', language), number(precipitation_mm, 'mm', language)),
      joined(number(wind_mean_m_s, 'm/s', language), gust_m_s === null ? '' : `(${number(gust_m_s, 'm/s', language)})`),
    ],
    detail: '/api/clima/estaciones/',
    course: {
      path: (id) => `/api/clima/estaciones/${id}/historico`,
      ...{ value: 'temp_mean_c', unit: '°C', name: { es: 'Temperatura por horas', en: 'Temperature by hour' } },
      history: { es: 'Historial de la temperatura', en: 'History of the temperature' },
    },
  },
  {
    id: 'air',
    name: { es: 'Calidad del aire', en: 'Air quality' },
    plan: 'PRO',
    path: '/api/calidad-aire?limit=2000&fields=id,name,level,pollutants',
    every_s: 1200,
    colour: match('level', AIR, GREY),
    codes: 'air_quality_level',
    radius: 5,
    title: ({ name }) => text(name),
    lines: ({ level }) => [words('air_quality_level', level)],
    detail: '/api/calidad-aire/estaciones/',
  },
]
