import { distanceM } from '../../../lake/places/distance.ts'
import { chance, diceOf, pick, pickWeighted, weights } from '../random.ts'
import { defineWorldPart, type World } from './world.ts'

/** A vessel of the generated Spain. */
export interface Vessel {
  readonly mmsi: number
  readonly name: string
  readonly callsign: string
  /** With a valid check digit; 0 for vessels without one. */
  readonly imo: number
  readonly shipType: number
  readonly aisClass: 'A' | 'B'
  /** Distances of the antenna to bow, stern, port and starboard, m. */
  readonly sizes: readonly [number, number, number, number]
  readonly draught_m: number
  readonly lane: Lane
  readonly speed_kn: number
  /** Its position on the round trip at the epoch, m; and its distance from the centre of the lane, degrees. */
  readonly start_m: number
  readonly aside: number
  readonly isMoored: boolean
}

/** Position and movement of a vessel at an instant. */
export interface VesselFix {
  readonly lat: number
  readonly lon: number
  readonly speed_kn: number
  readonly course_deg: number
  /** Navigational status of the standard. */
  readonly status: number
  readonly destination: string
}

interface Lane {
  readonly ends: readonly [string, string]
  readonly legs: readonly Leg[]
  readonly length_m: number
  /** Types of vessels on it, by weight. */
  readonly types: readonly (readonly [number, number])[]
}

/** A straight part of a lane, over water. */
interface Leg {
  /** `[lat, lon]`. */
  readonly from: readonly [number, number]
  readonly to: readonly [number, number]
  readonly length_m: number
}

const TYPES = {
  MERCHANTS: weights('70:4 71:2 79:2 80:2 84:1', Number),
  FERRIES: weights('60:4 69:2 40:1', Number),
  INSHORE: weights('30:6 52:2 50:1 51:1 36:3 37:3', Number),
} as const

/** Ends, types of vessels, and points as latitude and longitude. */
const LANE_ROWS = `
ATLANTICO > MEDITERRANEO | MERCHANTS | 35.9 -6.6, 35.93 -5.75, 36 -5.3, 36.25 -4.2, 36.5 -2.2
ALGECIRAS > CEUTA | FERRIES | 36.12 -5.42, 36 -5.36, 35.9 -5.31
TARIFA > TANGER | FERRIES | 36 -5.6, 35.9 -5.7, 35.8 -5.8
ALGECIRAS > VALENCIA | MERCHANTS | 36.1 -5.35, 36.4 -3.5, 36.5 -2.1, 37.4 -0.6, 38.7 0.5, 39.43 -0.28
BARCELONA > PALMA | FERRIES | 41.33 2.18, 40.4 2.35, 39.52 2.6
VALENCIA > IBIZA | FERRIES | 39.43 -0.28, 39.2 0.6, 38.88 1.46
VALENCIA > BARCELONA | MERCHANTS | 39.43 -0.25, 40.3 0.9, 41.3 2.2
HUELVA > LAS PALMAS | MERCHANTS | 37.1 -6.9, 35 -8.5, 31 -12.5, 28.14 -15.38
LAS PALMAS > S C TENERIFE | FERRIES | 28.14 -15.4, 28.3 -15.8, 28.47 -16.22
FINISTERRE > BILBAO | MERCHANTS | 43.1 -9.9, 44 -8.2, 44 -5, 43.4 -3.1
VIGO > FINISTERRE | MERCHANTS | 42.18 -8.95, 42.6 -9.5, 43.1 -9.8
VIGO > CIES | INSHORE | 42.24 -8.75, 42.22 -8.86, 42.18 -8.95
GIJON > AVILES | INSHORE | 43.58 -5.68, 43.68 -5.8, 43.62 -5.95
BAHIA DE ALGECIRAS > GIBRALTAR | INSHORE | 36.12 -5.43, 36.14 -5.39, 36.1 -5.38
BAHIA DE PALMA > CABRERA | INSHORE | 39.52 2.63, 39.35 2.75, 39.18 2.92
ALMERIA > CABO DE GATA | INSHORE | 36.82 -2.46, 36.7 -2.3, 36.68 -2.1
`

const LANES: readonly Lane[] = LANE_ROWS.trim().split('\n').map(laneOf)

function laneOf(row: string): Lane {
  const [ends = '', types = '', points = ''] = row.split(' | ')
  const places = points.split(', ').map((point) => point.split(' ').map(Number) as [number, number])
  const legs = places.slice(1).map((to, at): Leg => {
    const from = places[at] as [number, number]
    return { from, to, length_m: distanceM({ lat: from[0], lon: from[1] }, { lat: to[0], lon: to[1] }) }
  })
  const length_m = legs.reduce((sum, leg) => sum + leg.length_m, 0)
  return { ends: ends.split(' > ') as [string, string], legs, length_m, types: TYPES[types as keyof typeof TYPES] }
}

const NAMES = ['MAR', 'CABO', 'PUNTA', 'VIRGEN', 'NUEVO', 'ESTRELLA', 'COSTA', 'RIO', 'ISLA', 'MONTE']
const SECOND = ['EJEMPLO', 'PRUEBA', 'MODELO', 'ENSAYO', 'MUESTRA', 'SUPUESTO', 'FIGURADO']
const COUNTRIES = [224, 225, 210, 229, 248, 256, 538, 636] as const
const KNOT_M_S = 1852 / 3600
const DAY_S = 86_400

/** All vessels of a world: 2,000; 60 in a small one. */
export const vesselsOfWorld = defineWorldPart(({ seed, scale }: World): readonly Vessel[] =>
  Array.from({ length: scale === 'full' ? 2000 : 60 }, (_, at) => makeVessel(seed, at)),
)

function makeVessel(seed: number, at: number): Vessel {
  const dice = diceOf('vessel', seed, at)
  const lane = LANES[at % LANES.length] as Lane
  const shipType = pickWeighted(lane.types, dice())
  const isSmall = shipType === 36 || shipType === 37 || (shipType === 30 && dice() < 0.5)
  const length_m = isSmall ? 8 + Math.floor(10 * dice()) : 40 + Math.floor(260 * dice())
  const beam_m = Math.max(3, Math.round(length_m / 6.5))
  return {
    mmsi: pick(COUNTRIES, dice()) * 1_000_000 + 1000 + at,
    name: `${pick(NAMES, dice())} ${pick(SECOND, dice())} ${at}`.slice(0, 20),
    callsign: `E${String.fromCharCode(65 + (at % 26))}${String(1000 + (at % 9000))}`,
    imo: isSmall ? 0 : imoOf(900_000 + at),
    shipType,
    aisClass: isSmall ? 'B' : 'A',
    sizes: [Math.ceil(length_m * 0.75), Math.floor(length_m * 0.25), Math.ceil(beam_m / 2), Math.floor(beam_m / 2)],
    draught_m: isSmall ? 0 : Math.round(20 + 120 * dice()) / 10,
    lane,
    speed_kn: Math.round(10 * (isSmall ? 4 + 3 * dice() : 9 + 12 * dice())) / 10,
    start_m: Math.floor(2 * lane.length_m * dice()),
    aside: (dice() - 0.5) * (isSmall ? 0.01 : 0.03),
    isMoored: chance('moored', seed, at) < 0.3,
  }
}

/** A vessel at an instant (ms): on its lane in either direction, or moored at one end. */
export function vesselAt(vessel: Vessel, now: number): VesselFix {
  const { lane, speed_kn, start_m, aside, isMoored } = vessel
  const { length_m } = lane
  const travelled = isMoored ? (start_m < length_m ? 0 : length_m) : (start_m + speed_kn * KNOT_M_S * (now / 1000)) % (2 * length_m)
  const isBack = travelled > length_m
  const { lat, lon, course } = pointOf(lane, isBack ? 2 * length_m - travelled : travelled)
  const course_deg = Math.round(10 * ((course + (isBack ? 180 : 0)) % 360)) / 10
  return {
    lat: lat + aside,
    lon: lon + aside,
    speed_kn: isMoored ? 0 : speed_kn,
    course_deg: course_deg === 360 ? 0 : course_deg,
    status: isMoored ? 5 : vessel.shipType === 30 && Math.floor(now / 1000 / DAY_S) % 2 === 0 ? 7 : 0,
    destination: lane.ends[isBack ? 0 : 1],
  }
}

function pointOf(lane: Lane, along_m: number): { readonly lat: number; readonly lon: number; readonly course: number } {
  let rest = along_m
  const leg = lane.legs.find(({ length_m }) => {
    if (rest <= length_m) return true
    rest -= length_m
    return false
  })
  const { from, to, length_m } = leg ?? (lane.legs.at(-1) as Leg)
  const share = leg ? rest / length_m : 1
  const east = (to[1] - from[1]) * Math.cos((from[0] * Math.PI) / 180)
  return {
    lat: from[0] + share * (to[0] - from[0]),
    lon: from[1] + share * (to[1] - from[1]),
    course: ((Math.atan2(east, to[0] - from[0]) * 180) / Math.PI + 360) % 360,
  }
}

/** An IMO number of six digits and their check digit. */
function imoOf(six: number): number {
  const sum = [...String(six)].reduce((total, digit, at) => total + Number(digit) * (7 - at), 0)
  return 10 * six + (sum % 10)
}

/**
 * A vessel's messages in a second of the clock, by the standard: moving ships every 6 s, moored ones every 3 min, static data
 * every 6 min.
 */
export function sendsAt({ mmsi, aisClass, isMoored }: Vessel, second: number): { readonly position: boolean; readonly static: boolean } {
  const every_s = isMoored ? 180 : aisClass === 'A' ? 6 : 30
  return { position: (second + mmsi) % every_s === 0, static: (second + 7 * mmsi) % 360 === 0 }
}
