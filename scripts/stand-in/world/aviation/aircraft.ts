import { distanceM } from '../../../../lake/places/distance.ts'
import type { Point } from '../../../../lake/schema/columns.ts'
import { chance, hash, pickWeighted } from '../../random.ts'
import { localTime } from '../rhythm.ts'
import { defineWorldPart, type World } from '../world.ts'
import { AIRLINES } from './airlines.ts'
import { AIRPORTS, type Airport } from './airports.ts'

const MINUTE = 60_000
/** Every aircraft starts a leg in each slot: the longest leg, from the Canaries to Catalonia, fits in it. */
const SLOT = 210 * MINUTE
const [TAXI_OUT, TAXI_IN] = [7 * MINUTE, 5 * MINUTE]
const CRUISE_M_S = 215
const [CLIMB_M_S, DESCENT_M_S] = [11, 9]
/** Some 300 of them are visible at once by day. */
const FLEET = { full: 680, small: 170 } as const
const LONGEST_M = 2_250_000
/** ICAO type codes by IATA type code. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ 319: 'A319', 320: 'A320', '32A': 'A320', 321: 'A321', 333: 'A333', 738: 'B738', '7M8': 'B38M', 788: 'B788' },
  ...{ AT7: 'AT76', 295: 'E295', CRX: 'CRJX', CRK: 'CRJX', 223: 'BCS3' },
}
const HEAVY = ['A333', 'B788']

/** The list of a registration: LADD and PIA block it. */
type Listing = 'LADD' | 'PIA' | 'MILITARY' | null

/** An aircraft at an instant, in SI units. */
export interface SeenAircraft {
  readonly icao24: string
  readonly callsign: string
  readonly registration: string
  readonly type: string
  readonly category: string
  readonly listing: Listing
  readonly position: Point
  /** Null on the ground. */
  readonly altitude_m: number | null
  readonly speed_m_s: number
  readonly track_deg: number
  readonly climb_m_s: number
  readonly squawk: string
  /** Age of the position at the request, s; above a minute for a few. */
  readonly age_s: number
  /** True for the few that were located without ADS-B of their own. */
  readonly isMlat: boolean
}

interface Leg {
  readonly from: Airport
  readonly to: Airport
  readonly begins: number
  readonly flown: number
}

const WEIGHTED = AIRPORTS.filter(({ movements_k }) => movements_k > 5).map((one) => [one, one.movements_k] as const)

/** The aircraft that receivers hear at an instant (ms): those that taxi or fly between two Spanish airports. */
export const aircraftSeen = defineWorldPart((world): ((at: number) => readonly SeenAircraft[]) => {
  let known: { readonly at: number; readonly seen: readonly SeenAircraft[] } | null = null
  return (at) => {
    if (known?.at !== at) {
      const seen = Array.from({ length: FLEET[world.scale] }, (_, nth) => seenOf(world, nth, at)).filter((one) => one !== null)
      known = { at, seen }
    }
    return known.seen
  }
})

function airportOf(world: World, nth: number, slot: number): Airport {
  return pickWeighted(WEIGHTED, chance(world.seed, 'aircraft at', nth, slot))
}

/** The leg of a slot; null if the aircraft stays on the ground, as most do at night. */
function legOf(world: World, nth: number, at: number): Leg | null {
  const offset = Math.floor(SLOT * chance(world.seed, 'aircraft slot', nth))
  const slot = Math.floor((at - offset) / SLOT)
  const begins = slot * SLOT + offset
  const [from, to] = [airportOf(world, nth, slot), airportOf(world, nth, slot + 1)]
  const distance = distanceM(from, to)
  const { hour } = localTime(begins)
  const isNight = hour < 5 && chance(world.seed, 'flies at night', nth, slot) < 0.85
  return from === to || distance > LONGEST_M || isNight ? null : { from, to, begins, flown: (distance / CRUISE_M_S + 900) * 1000 }
}

function seenOf(world: World, nth: number, now: number): SeenAircraft | null {
  const leg = legOf(world, nth, now)
  if (!leg) return null
  const age_s = chance(world.seed, 'not received', nth, Math.floor(now / MINUTE)) < 0.01 ? 75 : Math.round(50 * chance(nth, now) ** 4) / 10
  const since = now - 1000 * age_s - leg.begins
  if (since < 0 || since > TAXI_OUT + leg.flown + TAXI_IN) return null
  return { ...identityOf(world, nth, leg), ...motionOf(leg, since), age_s, isMlat: nth % 40 === 17 }
}

/** Its identity: an aircraft flies for one airline, with a different number on each leg. */
function identityOf(world: World, nth: number, leg: Leg) {
  const airline = pickWeighted(
    AIRLINES.map((one) => [one, one.domestic + one.foreign / 4] as const),
    chance(world.seed, 'flies for', nth),
  )
  const number = 100 + (hash(world.seed, 'flight number', nth, leg.begins) % 8900)
  const type = TYPES[airline.aircraft[nth % airline.aircraft.length] as string] ?? 'A320'
  const listing: Listing = nth % 60 === 7 ? 'LADD' : nth % 150 === 13 ? 'PIA' : nth % 75 === 11 ? 'MILITARY' : null
  const letters = [nth % 26, Math.floor(nth / 26) % 26].map((letter) => String.fromCharCode(65 + letter)).join('')
  return {
    icao24: (nth % 90 === 23 ? '~' : '') + (0x34f000 + nth).toString(16),
    callsign: `${airline.icao}${number}`,
    registration: `EC-Z${letters}`,
    ...{ type, listing },
    category: HEAVY.includes(type) ? 'A5' : 'A3',
    squawk: (hash(nth, leg.begins) % 0o7777).toString(8).padStart(4, '0'),
  }
}

/** Its position, `since` ms after its leg started. */
function motionOf({ from, to, flown }: Leg, since: number) {
  const track_deg = bearing(from, to)
  const ground = (place: Airport): object => ({ position: { lat: place.lat, lon: place.lon }, altitude_m: null, climb_m_s: 0 })
  if (since < TAXI_OUT) return { ...ground(from), speed_m_s: 6, track_deg } as Motion
  if (since > TAXI_OUT + flown) return { ...ground(to), speed_m_s: 6, track_deg } as Motion
  const [gone, left] = [(since - TAXI_OUT) / 1000, (flown - (since - TAXI_OUT)) / 1000]
  const cruise = Math.min(11_000, 2000 + distanceM(from, to) / 45)
  const [up, down] = [from.elevation_ft * 0.3048 + CLIMB_M_S * gone, to.elevation_ft * 0.3048 + DESCENT_M_S * left]
  const altitude_m = Math.min(cruise, up, down)
  const climb_m_s = altitude_m === cruise ? 0 : altitude_m === up ? CLIMB_M_S : -DESCENT_M_S
  // Slower near both ends: the share of the distance follows the share of the time smoothly.
  const time = gone / (gone + left)
  const way = time - Math.sin(2 * Math.PI * time) / 20
  const speed_m_s = (distanceM(from, to) / (flown / 1000)) * (1 - Math.cos(2 * Math.PI * time) * 0.31)
  const position = { lat: from.lat + (to.lat - from.lat) * way, lon: from.lon + (to.lon - from.lon) * way }
  return { position, altitude_m, climb_m_s, speed_m_s, track_deg } as Motion
}

type Motion = Pick<SeenAircraft, 'position' | 'altitude_m' | 'climb_m_s' | 'speed_m_s' | 'track_deg'>

/** The course from one place to another, degrees from north. */
function bearing(from: Point, to: Point): number {
  const east = (to.lon - from.lon) * Math.cos(((from.lat + to.lat) / 2) * (Math.PI / 180))
  return ((Math.atan2(east, to.lat - from.lat) * 180) / Math.PI + 360) % 360
}
