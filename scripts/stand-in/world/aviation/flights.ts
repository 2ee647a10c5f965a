import { distanceM } from '../../../../lake/places/distance.ts'
import { chance, type Dice, diceOf, exponential, pickWeighted } from '../../random.ts'
import { defineWorldPart, type World } from '../world.ts'
import { ABROAD, AIRLINES, type Airline } from './airlines.ts'
import { isAdverse } from './airport-weather.ts'
import { AIRPORTS, type Airport } from './airports.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Airports of a small Spain have an eighth of their flights. */
const SHARES = { full: 1, small: 1 / 8 } as const
/** Share of domestic flights. */
const DOMESTIC = 0.42
const CANCELLED = 0.012
const DIVERTED = 0.003

/** One end of a flight: a Spanish or a foreign airport. */
interface Place {
  readonly iata: string
  readonly city: string
  readonly airport: Airport | null
}

/** A flight from one airport to another. Instants in ms. */
export interface Flight {
  readonly airline: Airline
  readonly number: number
  /** Flight numbers of the airlines that sell it too, in order. */
  readonly partnerNumbers: readonly number[]
  readonly from: Place
  readonly to: Place
  readonly departs: number
  readonly arrives: number
  /** Delays of departure and arrival, minutes. */
  readonly departureDelay: number
  readonly arrivalDelay: number
  /** Minutes before its departure at which a delay or the cancellation is announced. */
  readonly announced: number
  readonly isCancelled: boolean
  readonly isDiverted: boolean
  readonly aircraft: string
  readonly gate: string
  readonly belt: string
  readonly desk: number
}

/** The flights of the world by day (UTC, by scheduled departure), cached while they are in use. */
export const flightPlan = defineWorldPart((world): ((from: number, to: number) => readonly Flight[]) => {
  const days = new Map<number, readonly Flight[]>()
  const ofDay = (day: number): readonly Flight[] => {
    const known = days.get(day)
    if (known) return known
    const made = flightsOf(world, day)
    days.set(day, made)
    for (const old of days.keys()) if (days.size > 4) days.delete(old)
    return made
  }
  return (from, to) => {
    const [first, last] = [Math.floor((from - DAY) / DAY), Math.floor(to / DAY)]
    return Array.from({ length: last - first + 1 }, (_, at) => ofDay(first + at)).flat()
  }
})

/** Number of flights that leave an airport on a day (days since 1970). */
export function departuresOf(world: Pick<World, 'seed' | 'scale'>, { iata, movements_k }: Airport, day: number): number {
  const weekday = (day + 4) % 7
  const season = 1 - 0.22 * Math.cos((2 * Math.PI * ((day % 365.25) - 15)) / 365.25)
  const mean = ((movements_k * 1000) / 730) * season * (weekday === 6 ? 0.9 : 1.015) * SHARES[world.scale]
  return Math.floor(mean + chance(world.seed, 'departures', iata, day))
}

function flightsOf(world: World, day: number): Flight[] {
  const flights: Flight[] = []
  let number = 0
  for (const [nth, airport] of AIRPORTS.entries()) {
    const count = departuresOf(world, airport, day)
    for (let at = 0; at < count; at++) {
      const dice = diceOf(world.seed, 'flight', nth, day, at)
      const home: Place = { iata: airport.iata, city: airport.name.replace(/ Airport$/, '').toUpperCase(), airport }
      const isDomestic = dice() < DOMESTIC || airport.movements_k < 6
      const other = isDomestic ? otherAirport(airport, dice()) : abroad(dice())
      flights.push(flightOf(world, { day, dice, isDomestic, number: number++ }, home, other))
      // A flight to a foreign airport has a return flight; domestic flights leave the other airport by themselves.
      if (!isDomestic) flights.push(flightOf(world, { day, dice, isDomestic, number: number++ }, other, home))
    }
  }
  return flights
}

function otherAirport(airport: Airport, u: number): Place {
  const others = AIRPORTS.filter((one) => one !== airport && one.movements_k > 1).map((one) => [one, one.movements_k] as const)
  const found = pickWeighted(others, u)
  return { iata: found.iata, city: found.name.replace(/ Airport$/, '').toUpperCase(), airport: found }
}

function abroad(u: number): Place & { readonly minutes: number } {
  const [iata, city, minutes] = pickWeighted(
    ABROAD.map((one) => [one, one[3]] as const),
    u,
  )
  return { iata, city, airport: null, minutes }
}

function flightOf(
  world: World,
  about: { readonly day: number; readonly dice: Dice; readonly isDomestic: boolean; readonly number: number },
  from: Place & { readonly minutes?: number },
  to: Place & { readonly minutes?: number },
): Flight {
  const { day, dice, isDomestic } = about
  const airline = pickWeighted(
    AIRLINES.map((one) => [one, isDomestic ? one.domestic : one.foreign] as const),
    dice(),
  )
  // From half past five to eleven at night, more in the morning and the evening.
  const wave = dice()
  const minutes = 330 + Math.floor((1050 * (wave + 0.06 * Math.sin(4 * Math.PI * wave))) / 5) * 5
  const departs = day * DAY + (minutes - 60) * MINUTE
  const flown =
    from.airport && to.airport ? 35 + Math.round(distanceM(from.airport, to.airport) / 62_500) * 5 : (from.minutes ?? to.minutes ?? 120)
  const arrives = departs + flown * MINUTE
  const isHard = [from, to].some(({ airport }, end) => airport && isAdverse(world.seed, airport, end === 0 ? departs : arrives))
  // Three flights in four leave at most a quarter of an hour late.
  const usual = dice() < 0.62 ? Math.floor(dice() * 14) - 4 : Math.round(exponential(isHard ? 55 : 24, dice()))
  const departureDelay = Math.min(600, isHard ? usual + Math.round(20 * dice()) : usual)
  const end = dice()
  return {
    airline,
    // Low numbers, each once a day; partners' numbers are above 4,999.
    number: 100 + ((about.number * 7) % 4800),
    partnerNumbers: airline.partners.map(([, , , begin], at) => begin + ((about.number * 3 + at) % 490)),
    ...{ from, to, departs, arrives, departureDelay },
    arrivalDelay: departureDelay - Math.floor(dice() * 12) + 2,
    announced: 15 + Math.floor(dice() * 160),
    isCancelled: end < CANCELLED * (isHard ? 4 : 1),
    isDiverted: end > 1 - DIVERTED * (isHard ? 4 : 1),
    aircraft: airline.aircraft[Math.floor(dice() * airline.aircraft.length)] as string,
    gate: `${'ABCDHJKM'[Math.floor(dice() * 8)]}${1 + Math.floor(dice() * 60)}`,
    belt: String(1 + Math.floor(dice() * 18)).padStart(2, '0'),
    desk: 100 + Math.floor(dice() * 80) * 10,
  }
}
