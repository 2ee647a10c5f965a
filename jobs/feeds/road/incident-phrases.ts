import type { Limit } from './incident-measure.ts'

/** The words of one language that sentences on incidents are made of. */
export interface Phrases {
  readonly on: string
  readonly to: string
  readonly and: string
  readonly for: string
  readonly both: string
  readonly increasing: string
  readonly decreasing: string
  readonly towards: (place: string) => string
  readonly pass: (name: string) => string
  /** Kinds that can apply to lanes: the plain phrase, then the phrases for one and for several lanes. */
  readonly lanes: Readonly<Record<string, readonly [plain: string, one: string, many: string]>>
  /** The phrase for all lanes, if it differs from the plain phrase. */
  readonly allLanes: Readonly<Record<string, string>>
  /** Phrases for a part of the road other than its carriageway: that it is closed, and that a measure applies there. */
  readonly closed: Readonly<Record<string, string>>
  readonly within: Readonly<Record<string, string>>
  readonly over: Readonly<Record<Limit['kind'], (value: string) => string>>
  readonly overUnknown: Readonly<Record<Limit['kind'], string>>
  /** `vehicles` may be empty. */
  readonly noPassage: (lanes: readonly string[], vehicles: string) => string
  readonly anyVehicles: string
  readonly restriction: Readonly<Record<string, (value: string) => string>>
  readonly chains: Readonly<Record<string, string>>
}

/** Spanish. Lanes and hard shoulders are masculine (carril, arcén). */
export const SPANISH: Phrases = {
  on: 'en la',
  to: 'a',
  and: 'y',
  for: 'para',
  both: 'ambos sentidos',
  increasing: 'sentido creciente',
  decreasing: 'sentido decreciente',
  towards: (place) => `sentido ${place}`,
  pass: (name) => (/^puerto\b/i.test(name) ? name.replace(/^puerto/i, 'puerto') : `puerto de ${name}`),
  lanes: {
    LANES_CLOSED: ['carriles cortados', 'cortado', 'cortados'],
    NARROW_LANES: ['carriles estrechados', 'estrechado', 'estrechados'],
    LANES_DEVIATED: ['carriles desviados', 'desviado', 'desviados'],
    OBSTRUCTION: ['calzada obstaculizada', 'obstaculizado', 'obstaculizados'],
    LANES_IN_USE: ['calzada habilitada', 'habilitado', 'habilitados'],
  },
  allLanes: { LANES_CLOSED: 'todos los carriles cortados', OBSTRUCTION: 'toda la calzada obstaculizada' },
  closed: {
    EXIT_SLIP_ROAD: 'ramal de salida cortado',
    ENTRY_SLIP_ROAD: 'ramal de entrada cortado',
    SLIP_ROAD: 'ramal cortado',
    SERVICE_ROAD: 'vía de servicio cortada',
    CONNECTING: 'calzada de enlace cortada',
    OPPOSITE: 'calzada contraria cortada',
  },
  within: {
    EXIT_SLIP_ROAD: 'en el ramal de salida',
    ENTRY_SLIP_ROAD: 'en el ramal de entrada',
    SLIP_ROAD: 'en el ramal',
    SERVICE_ROAD: 'en la vía de servicio',
    CONNECTING: 'en la calzada de enlace',
    OPPOSITE: 'en la calzada contraria',
  },
  over: {
    SPEED: (value) => `a más de ${value} km/h`,
    WEIGHT: (value) => `de más de ${value} t`,
    WIDTH: (value) => `de más de ${value} m de ancho`,
    LENGTH: (value) => `de más de ${value} m de largo`,
    HEIGHT: (value) => `de más de ${value} m de alto`,
  },
  overUnknown: {
    SPEED: 'rápidos',
    WEIGHT: 'de peso limitado',
    WIDTH: 'de ancho limitado',
    LENGTH: 'de largo limitado',
    HEIGHT: 'de alto limitado',
  },
  noPassage: (lanes, vehicles) =>
    `prohibido el paso${vehicles && ` de ${vehicles}`}${lanes.length > 0 ? ` por el ${lanes.join(' y el ')}` : ''}`,
  anyVehicles: 'vehículos',
  restriction: {
    SPEED: (value) => `velocidad limitada a ${value} km/h`,
    WEIGHT: (value) => `peso limitado a ${value} t`,
    HEIGHT: (value) => `altura limitada a ${value} m`,
  },
  chains: {
    MANDATORY: 'cadenas o neumáticos de invierno obligatorios',
    ADVISORY: 'cadenas o neumáticos de invierno recomendados',
  },
}

/** English. */
export const ENGLISH: Phrases = {
  on: 'on',
  to: 'to',
  and: 'and',
  for: 'for',
  both: 'both directions',
  increasing: 'towards increasing km',
  decreasing: 'towards decreasing km',
  towards: (place) => `towards ${place}`,
  pass: (name) => `${name.replace(/^puerto (de )?/i, '')} pass`,
  lanes: {
    LANES_CLOSED: ['lanes closed', 'closed', 'closed'],
    NARROW_LANES: ['narrow lanes', 'narrowed', 'narrowed'],
    LANES_DEVIATED: ['lanes diverted', 'diverted', 'diverted'],
    OBSTRUCTION: ['road obstructed', 'obstructed', 'obstructed'],
    LANES_IN_USE: ['carriageway open', 'open', 'open'],
  },
  allLanes: { LANES_CLOSED: 'all lanes closed', OBSTRUCTION: 'whole carriageway obstructed' },
  closed: {
    EXIT_SLIP_ROAD: 'exit slip road closed',
    ENTRY_SLIP_ROAD: 'entry slip road closed',
    SLIP_ROAD: 'slip road closed',
    SERVICE_ROAD: 'service road closed',
    CONNECTING: 'connecting carriageway closed',
    OPPOSITE: 'opposite carriageway closed',
  },
  within: {
    EXIT_SLIP_ROAD: 'on the exit slip road',
    ENTRY_SLIP_ROAD: 'on the entry slip road',
    SLIP_ROAD: 'on the slip road',
    SERVICE_ROAD: 'on the service road',
    CONNECTING: 'on the connecting carriageway',
    OPPOSITE: 'on the opposite carriageway',
  },
  over: {
    SPEED: (value) => `over ${value} km/h`,
    WEIGHT: (value) => `over ${value} t`,
    WIDTH: (value) => `over ${value} m wide`,
    LENGTH: (value) => `over ${value} m long`,
    HEIGHT: (value) => `over ${value} m high`,
  },
  overUnknown: {
    SPEED: 'too fast',
    WEIGHT: 'over a weight limit',
    WIDTH: 'over a width limit',
    LENGTH: 'over a length limit',
    HEIGHT: 'over a height limit',
  },
  noPassage: (lanes, vehicles) =>
    lanes.length > 0 ? `${lanes.join(' and ')} closed${vehicles && ` to ${vehicles}`}` : `no passage${vehicles && ` for ${vehicles}`}`,
  anyVehicles: 'vehicles',
  restriction: {
    SPEED: (value) => `speed limit ${value} km/h`,
    WEIGHT: (value) => `weight limit ${value} t`,
    HEIGHT: (value) => `height limit ${value} m`,
  },
  chains: { MANDATORY: 'snow chains or winter tyres required', ADVISORY: 'snow chains or winter tyres advised' },
}
