import { chance, exponential } from '../../random.ts'
import type { World } from '../world.ts'
import { isAdverse } from './airport-weather.ts'
import type { Airport } from './airports.ts'
import { departuresOf } from './flights.ts'

const HOUR = 3_600_000
const DAY_MS = 24 * HOUR
/** Hours of a day (UTC) whose weather counts. */
const LOOKS = [6, 11, 16]
/** Each departure abroad has an arrival; domestic flights arrive at another airport. */
const BACK = 1.02

/** A day of an airport or an airspace, by EUROCONTROL's definitions. */
export interface AirportDay {
  readonly departures: number
  readonly arrivals: number
  /** Minutes of delay by regulations, due to weather and to aerodrome capacity. */
  readonly weather: number
  readonly capacity: number
  readonly delayed: number
}

/** A day (number of days since 1970, of UTC) of an airport. */
export function airportDay(world: Pick<World, 'seed' | 'scale'>, airport: Airport, day: number): AirportDay {
  const { seed } = world
  const departures = departuresOf(world, airport, day)
  const arrivals = Math.round(departures * BACK)
  const hard = LOOKS.filter((hour) => isAdverse(seed, airport, day * DAY_MS + hour * HOUR)).length
  const draw = (name: string): number => chance(seed, name, airport.iata, day)
  const isBusy = airport.movements_k > 60 && draw('regulated') < 0.35
  const weather = arrivals === 0 ? 0 : Math.round(hard * arrivals * exponential(0.9, draw('atfm weather')))
  const capacity = isBusy ? Math.round(arrivals * exponential(0.6, draw('atfm capacity'))) : 0
  return { departures, arrivals, weather, capacity, delayed: Math.min(arrivals, Math.ceil((weather + capacity) / 16)) }
}

/** The sum of several airports' days: the airspace over them. */
export function sumOf(days: readonly AirportDay[]): AirportDay {
  const sum = (of: (day: AirportDay) => number): number => days.reduce((total, day) => total + of(day), 0)
  return {
    ...{ departures: sum((day) => day.departures), arrivals: sum((day) => day.arrivals), delayed: sum((day) => day.delayed) },
    ...{ weather: sum((day) => day.weather), capacity: sum((day) => day.capacity) },
  }
}
