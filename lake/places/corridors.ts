import { foldName } from './names.ts'

/** A road of a corridor: whole, between two kilometres, or within a province. */
interface CorridorRoad {
  readonly road: string
  readonly km_from: number | null
  readonly km_to: number | null
  readonly province_code: string | null
}

/** Source of a corridor's traffic: sections of the ministry's map, sensors of one kind in a city, or a road's detectors. */
export type CorridorBasis = { readonly kind: 'MINISTRY_SECTIONS' } | CitySensors | RoadDetectors

/** The sensors of one kind in a source of traffic readings. */
export interface CitySensors {
  readonly kind: 'CITY_SENSORS'
  readonly source: string
  readonly sensor_type: string
  /** Length of the road along these sensors, km. */
  readonly length_km: number
}

/** The detectors of a source on the corridor's roads: one for each lane. */
export interface RoadDetectors {
  readonly kind: 'ROAD_DETECTORS'
  readonly source: string
  readonly length_km: number
}

/** A corridor: a route whose traffic is reported as a whole. */
export interface Corridor {
  readonly id: string
  readonly name: string
  readonly roads: readonly CorridorRoad[]
  readonly basis: CorridorBasis
}

/** Names of roads; others are named by their kind. */
const NAMES: Readonly<Record<string, string>> = {
  'A-1': 'Autovía del Norte',
  'A-2': 'Autovía del Nordeste',
  'A-3': 'Autovía del Este',
  'A-4': 'Autovía del Sur',
  'A-5': 'Autovía del Suroeste',
  'A-6': 'Autovía del Noroeste',
  'A-7': 'Autovía del Mediterráneo',
  'A-8': 'Autovía del Cantábrico',
  'A-23': 'Autovía Mudéjar',
  'A-42': 'Autovía de Toledo',
  'A-49': 'Autovía del Quinto Centenario',
  'A-52': 'Autovía de las Rías Bajas',
  'A-62': 'Autovía de Castilla',
  'A-66': 'Autovía Ruta de la Plata',
  'A-67': 'Autovía Cantabria-Meseta',
  'AP-7': 'Autopista del Mediterráneo',
  'AP-9': 'Autopista del Atlántico',
  'AP-66': 'Autopista Ruta de la Plata',
  'AP-68': 'Autopista Vasco-Aragonesa',
}

/** Dual carriageways of the state; A-92 and others with three digits are regional. */
const EXPRESSWAYS = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 21, 22, 23, 26, 27, 30, 31, 32, 33, 35, 38, 40, 41, 42, 43, 44, 45, 48, 49],
  ...[50, 52, 54, 55, 57, 58, 60, 62, 63, 64, 65, 66, 67, 68, 70, 74, 76, 77],
].map((number) => `A-${number}`)
const MOTORWAYS = [
  ...[1, 2, 4, 6, 7, 8, 9, 15, 36, 41, 46, 51, 53, 61, 66, 68, 71].map((number) => `AP-${number}`),
  ...['R-2', 'R-3', 'R-4', 'R-5'],
]
/** Roads out of Madrid; the part within its province is a separate corridor. */
const RADIALS = ['A-1', 'A-2', 'A-3', 'A-4', 'A-5', 'A-6', 'A-42']
/** Rings around Madrid that the ministry counts. M-45 is regional and not on its map. */
const RINGS = ['M-40', 'M-45', 'M-50']
const MADRID_PROVINCE = '28'

const whole = (road: string): CorridorRoad => ({ road, km_from: null, km_to: null, province_code: null })

function ofRoad(road: string, kind: string): Corridor {
  const name = NAMES[road] === undefined ? `${kind} ${road}` : `${road}, ${NAMES[road]}`
  return { id: road.toLowerCase(), name, roads: [whole(road)], basis: { kind: 'MINISTRY_SECTIONS' } }
}

function ofMadrid(road: string): Corridor {
  return {
    id: `madrid-${road.toLowerCase()}`,
    name: `${road} en la Comunidad de Madrid`,
    roads: [{ ...whole(road), province_code: MADRID_PROVINCE }],
    basis: { kind: 'MINISTRY_SECTIONS' },
  }
}

/**
 * Access roads of the five largest cities: province, then road and kilometres. Ends are facts of public record, rounded outwards.
 * DGT publishes detectors of Barcelona's only if it runs them: Catalonia has its own traffic authority.
 */
const ACCESS_ROADS = {
  Madrid: {
    province_code: MADRID_PROVINCE,
    roads: ['A-1 8-40', 'A-2 3-40', 'A-3 3-40', 'A-4 3-40', 'A-5 3-40', 'A-6 3-40', 'A-42 3-37', 'M-40 0-64', 'M-45 0-37', 'M-50 0-86'],
  },
  Barcelona: {
    province_code: '08',
    roads: ['A-2 580-620', 'AP-7 120-180', 'B-20 0-30', 'B-23 0-14', 'C-31 180-215', 'C-32 40-100', 'C-58 0-20'],
  },
  València: { province_code: '46', roads: ['A-3 300-356', 'V-21 0-20', 'V-30 0-18', 'V-31 0-14'] },
  Sevilla: { province_code: '41', roads: ['A-4 505-560', 'A-49 0-30', 'A-66 775-815', 'A-92 0-30', 'SE-30 0-23', 'SE-40 0-40'] },
  Zaragoza: { province_code: '50', roads: ['A-2 270-345', 'A-23 270-320', 'A-68 220-285', 'AP-68 240-300', 'Z-40 0-40'] },
} as const

function accessRoads(city: string, { province_code, roads }: (typeof ACCESS_ROADS)[keyof typeof ACCESS_ROADS]): Corridor[] {
  return roads.map((text) => {
    const [road = '', span = ''] = text.split(' ')
    const [km_from = 0, km_to = 0] = span.split('-').map(Number)
    return {
      id: `acceso-${foldName(city)}-${road.toLowerCase()}`,
      name: `${road}, acceso a ${city}`,
      roads: [{ road, km_from, km_to, province_code }],
      basis: { kind: 'ROAD_DETECTORS', source: 'dgt', length_km: km_to - km_from },
    }
  })
}

/** Every corridor, in documentation order. */
export const corridors: readonly Corridor[] = Object.freeze([
  ...RADIALS.map(ofMadrid),
  {
    id: 'm-30',
    name: 'M-30',
    roads: [{ road: 'M-30', km_from: 0, km_to: 32.5, province_code: MADRID_PROVINCE }],
    basis: { kind: 'CITY_SENSORS', source: 'madrid', sensor_type: 'M30', length_km: 32.5 },
  },
  ...RINGS.map((road) => ofRoad(road, 'Circunvalación')),
  ...EXPRESSWAYS.map((road) => ofRoad(road, 'Autovía')),
  ...MOTORWAYS.map((road) => ofRoad(road, 'Autopista')),
  ...Object.entries(ACCESS_ROADS).flatMap(([city, roads]) => accessRoads(city, roads)),
])

/** The corridors with traffic from a city's sensors. */
export function sensorCorridors(): readonly (Corridor & { readonly basis: CitySensors })[] {
  return corridors.filter((one): one is Corridor & { readonly basis: CitySensors } => one.basis.kind === 'CITY_SENSORS')
}

/** The corridors with traffic from detectors of their roads. */
export function detectorCorridors(): readonly (Corridor & { readonly basis: RoadDetectors })[] {
  return corridors.filter((one): one is Corridor & { readonly basis: RoadDetectors } => one.basis.kind === 'ROAD_DETECTORS')
}
