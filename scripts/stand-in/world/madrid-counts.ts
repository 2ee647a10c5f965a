import { instantOf } from '../../../lake/schema/time.ts'
import { between, chance, diceOf, pick } from '../random.ts'
import { MADRID_STREETS } from './madrid-streets.ts'
import { demand, localTime } from './rhythm.ts'
import { defineWorldPart } from './world.ts'

/** A permanent count station. */
export interface CountStation {
  readonly number: number
  readonly street: string
  readonly lat: number
  readonly lon: number
  /** Vehicles in the busiest hour of each direction; null for a direction that the street lacks. */
  readonly peaks: readonly [number | null, number | null]
  readonly headings: readonly [string, string]
}

/** One-way streets, by their missing direction: the publisher's real ones, for readers that handle them specially. */
const ONE_WAY = new Map([
  [9, 2],
  [10, 1],
  [12, 2],
  [17, 2],
  [19, 2],
  [25, 2],
  [34, 2],
  [44, 2],
  [45, 2],
])
/** The station on the M-30, whose counter reaches its maximum in the rush hour. */
const MOTORWAY = 20
const MOTORWAY_PEAK = 11_000
/** A number without a station. */
const NEVER = 35
const CEILING = 9999

/** Stations 1 to 60 except 35; the first 24 in a small Spain. */
export const countStations = defineWorldPart(({ seed, scale }): readonly CountStation[] => {
  const numbers = Array.from({ length: scale === 'full' ? 60 : 24 }, (_, at) => at + 1).filter((number) => number !== NEVER)
  return numbers.map((number) => {
    const dice = diceOf(seed, 'count station', number)
    const lacks = ONE_WAY.get(number)
    const peak = number === MOTORWAY ? MOTORWAY_PEAK : between(300, 3500, dice())
    const isNorth = dice() < 0.5
    return {
      number,
      street: pick(MADRID_STREETS, dice()),
      lat: 40.39 + 0.09 * dice(),
      lon: -3.75 + 0.11 * dice(),
      peaks: [lacks === 1 ? null : peak, lacks === 2 ? null : Math.round(peak * (0.8 + 0.4 * dice()))],
      headings: isNorth ? ['S-N', 'N-S'] : ['E-O', 'O-E'],
    }
  })
})

/** Counts of a day (YYYY-MM-DD) by station and direction, 24 each: a pure function of the seed. */
export function countsOn(seed: number, day: string): (station: CountStation, direction: 1 | 2) => readonly number[] {
  const demands = Array.from({ length: 24 }, (_, hour) => demand(localTime(instantOf(day, `${hour}:30`))))
  return (station, direction) => {
    const peak = station.peaks[direction - 1]
    if (peak === null || peak === undefined) return demands.map(() => 0)
    // Sometimes a station is silent for a day.
    if (chance(seed, 'count silent', station.number, day) < 0.004) return demands.map(() => 0)
    const busy = 0.85 + 0.3 * chance(seed, 'count day', station.number, direction, day)
    return demands.map((share, hour) => {
      const noise = 0.94 + 0.12 * chance(seed, 'count hour', station.number, direction, day, hour)
      return Math.min(CEILING, Math.round(peak * share * busy * noise))
    })
  }
}
