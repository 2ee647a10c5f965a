import { between, type Place } from '../geometry.ts'
import {
  AMBER,
  BLUE,
  type Board,
  clock,
  type DataLayer,
  GREEN,
  GREY,
  growing,
  joined,
  known,
  type Language,
  match,
  number,
  type Properties,
  place,
  RED,
  since,
  text,
  VIOLET,
  whole,
  words,
} from './layer.ts'

const LEVELS = { FREE: GREEN, DENSE: AMBER, VERY_DENSE: '#e0631b', CONGESTED: RED, CLOSED: '#6b2737' }
const INCIDENTS = {
  ...{ ACCIDENT: RED, CLOSURE: RED, CONGESTION: '#e0631b', OBSTACLE: '#e0631b', BREAKDOWN: '#e0631b' },
  ...{ ROADWORKS: AMBER, WEATHER: BLUE, EVENT: VIOLET },
}
const IMPORTANT = ['match', ['get', 'severity'], ['HIGH', 'CRITICAL'], 1.3, 1]
const INCIDENT_FIELDS = 'id,type,severity,road,km,km_to'
const SECTIONS = 'limit=20000&fields=id,name,city,level'

/** What a panel shows: pages that say the same are one. */
function boardOf({ pages, speed_limit_kmh }: Properties): Board | null {
  const all = (Array.isArray(pages) ? pages : []) as readonly { readonly lines: readonly string[] }[]
  const texts = new Map(all.map(({ lines }) => [lines.join('\n'), lines]))
  const shown = [...texts.values()].filter((lines) => lines.length > 0)
  const limit_kmh = typeof speed_limit_kmh === 'number' ? speed_limit_kmh : null
  return shown.length === 0 && limit_kmh === null ? null : { pages: shown, limit_kmh }
}

/** The stop that a train goes to, as the API states it. */
interface NextStop {
  readonly name: string | null
  readonly lat: number | null
  readonly lon: number | null
  readonly expected_arrival_at: string | null
}

/** A train that was reported longer ago, ms, is not moved on: it may stand. */
const MOVED_ON_MS = 300_000

/** A train's place at an instant on the way to its next stop, by the expected arrival; null if it stands or that is unknown. */
export function trainAt({ vehicle_status, observed_at, next_stop }: Properties, reported: Place, at: number): Place | null {
  const { lat = null, lon = null, expected_arrival_at = null } = (next_stop ?? {}) as Partial<NextStop>
  if (vehicle_status === 'STOPPED_AT' || lat === null || lon === null || expected_arrival_at === null) return null
  const [from, to] = [Date.parse(text(observed_at)), Date.parse(expected_arrival_at)]
  return to > from ? between(reported, [lon, lat], { from, to, at: Math.min(at, from + MOVED_ON_MS) }) : null
}

/** The next stop of a train and when it is expected there. */
function nextStopLine(stop: NextStop | null, language: Language): string {
  if (!stop?.name) return ''
  const at = stop.expected_arrival_at === null ? '' : clock(stop.expected_arrival_at, language).replace(/^\S+ /, '')
  return `${language === 'es' ? 'Próxima parada' : 'Next stop'}: ${joined(stop.name, at)}`
}

/** Layers of the roads and of what moves, the lowest first. */
export const LIVE: readonly DataLayer[] = [
  {
    id: 'sections',
    name: { es: 'Tramos urbanos', en: 'City sections' },
    plan: 'PRO',
    path: `/api/trafico/ciudades/barcelona?${SECTIONS}`,
    also: ['valencia', 'bilbao'].map((city) => `/api/trafico/ciudades/${city}?${SECTIONS}`),
    every_s: 300,
    from: 9,
    colour: match('level', LEVELS, GREY),
    codes: 'traffic_level',
    title: ({ name, id }) => text(name ?? id),
    lines: ({ city, level }) => [joined(text(city).replace(/^./, (first) => first.toUpperCase())), words('traffic_level', level)],
    detail: null,
  },
  {
    id: 'traffic',
    name: { es: 'Sensores de tráfico', en: 'Traffic sensors' },
    plan: 'FREE',
    path: '/api/trafico/intensidad?limit=20000&fields=id,name,level_of_service,intensity_veh_h,speed_kmh,occupancy_pct',
    every_s: 120,
    from: 8,
    colour: match('level_of_service', LEVELS, GREY),
    codes: 'traffic_level',
    radius: 3.5,
    past: {
      ...{ kind: 'LEVELS', plan: 'PRO' },
      then: '/api/trafico/intensidad/historico?limit=20000&fields=id,starts_at,step_minutes,levels',
      now: '/api/trafico/intensidad?limit=20000&fields=id,name',
    },
    isShown: true,
    title: ({ name, id }) => text(name ?? id),
    lines: ({ level_of_service, intensity_veh_h, speed_kmh, occupancy_pct }, language) => [
      words('traffic_level', level_of_service),
      joined(number(intensity_veh_h, 'veh/h', language), number(speed_kmh, 'km/h', language), number(occupancy_pct, '%', language)),
    ],
    detail: '/api/trafico/sensores/',
    course: {
      path: (id) => `/api/trafico/sensores/${id}/historico`,
      ...{ value: 'intensity_veh_h', unit: 'veh/h', name: { es: 'Intensidad, últimas 24 horas', en: 'Flow, last 24 hours' } },
      history: { es: 'Historial de la intensidad', en: 'History of the flow' },
    },
  },
  {
    id: 'cameras',
    name: { es: 'Cámaras', en: 'Cameras' },
    plan: 'FREE',
    path: '/api/camaras?limit=5000&fields=id,road,km,municipality',
    every_s: 3600,
    from: 6,
    colour: '#44637f',
    sign: { shape: 'camera' },
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
    sign: { shape: 'radar' },
    title: place,
    lines: ({ type, speed_limit_kmh }, language) => [words('speed_camera_type', type), number(speed_limit_kmh, 'km/h', language)],
    detail: null,
  },
  {
    id: 'panels',
    name: { es: 'Paneles con mensaje', en: 'Panels with a message' },
    plan: 'FREE',
    path: '/api/panels?limit=5000&has_message=true&fields=id,road,km,direction,destination,pages,speed_limit_kmh',
    every_s: 120,
    colour: '#b98a00',
    sign: { shape: 'board' },
    title: place,
    lines: ({ destination }) => [text(destination)],
    board: boardOf,
    detail: '/api/panels/',
  },
  {
    id: 'incidents',
    name: { es: 'Incidencias', en: 'Incidents' },
    plan: 'FREE',
    path: `/api/incidents?limit=5000&fields=${INCIDENT_FIELDS},starts_at`,
    every_s: 60,
    colour: match('type', INCIDENTS, GREY),
    codes: 'incident_type',
    sign: { shape: 'warning', size: growing(IMPORTANT) },
    isShown: true,
    topic: 'incident',
    past: {
      ...{ kind: 'LIVES', plan: 'PRO' },
      then: `/api/incidents/history?limit=1000&fields=${INCIDENT_FIELDS},began_at,last_seen_at`,
      now: `/api/incidents?limit=5000&fields=${INCIDENT_FIELDS},starts_at,first_seen_at`,
    },
    title: place,
    lines: ({ type, severity, starts_at, began_at }, language) => [
      [words('incident_type', type), words('severity', severity)].filter(Boolean).join(', '),
      since(starts_at ?? began_at, language),
    ],
    detail: '/api/incidents/',
  },
  {
    id: 'v16',
    name: { es: 'Balizas V16', en: 'V16 beacons' },
    plan: 'FREE',
    path: '/api/v16?limit=5000&fields=id,road,km,municipality,activated_at',
    every_s: 60,
    colour: '#d6249f',
    sign: { shape: 'beacon' },
    isShown: true,
    topic: 'v16',
    title: place,
    lines: ({ municipality, activated_at }, language) => [text(municipality), since(activated_at, language)],
    detail: null,
  },
  {
    id: 'trains',
    name: { es: 'Trenes', en: 'Trains' },
    plan: 'PRO',
    path: '/api/trenes/posiciones?limit=5000&fields=id,product,line,train_number,origin,destination,delay_s,vehicle_status,observed_at,next_stop',
    every_s: 20,
    colour: known('delay_s', ['step', ['get', 'delay_s'], BLUE, 300, AMBER, 900, RED]),
    scale: { name: { es: 'retraso', en: 'delay' }, unit: 'min', per: 60 },
    sign: { shape: 'train' },
    moves: true,
    expected: trainAt,
    past: { kind: 'TRACKS', plan: 'PRO', then: '/api/trenes/recorridos?limit=20000' },
    track: (id) => `/api/trenes/posiciones/${id}/recorrido?limit=10000`,
    isShown: true,
    title: ({ product, line, train_number }) => joined(product, line, train_number),
    lines: ({ origin, destination, delay_s, next_stop }, language) => [
      joined(origin, origin || destination ? '→' : '', destination),
      nextStopLine(next_stop as NextStop | null, language),
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
    track: (id) => `/api/maritimo/buques/${id}/recorrido?simplify=30`,
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
    track: (id) => `/api/aviacion/posiciones/${id}`,
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
