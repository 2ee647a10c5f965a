import { instantOf } from '../../../lake/schema/time.ts'
import { chance } from '../random.ts'
import { type LineStop, type RailLine, railLines } from './rail-lines.ts'
import { localTime } from './rhythm.ts'
import type { World } from './world.ts'

/** A stop of a trip with its planned times, ms. */
export interface TripStop extends LineStop {
  readonly arrivesAt: number
  readonly leavesAt: number
}

/** A trip of one service day, as the timetable has it. */
export interface RailTrip {
  readonly line: RailLine
  readonly trainNumber: string
  /** Ids that live feeds use of it at the instant that was asked for: of a commuter train one, of long distance one a variant. */
  readonly tripIds: readonly [string, ...string[]]
  /** Decides what becomes of it: the same all its life, another on another day. */
  readonly key: number
  readonly stops: readonly [TripStop, ...TripStop[]]
}

const MINUTE = 60_000
const DAY = 86_400_000
const STAND_MS = 40_000
const DAY_LETTERS = 'DLMXJVS'
/** Trips are announced, and followed, for so long before and after their planned running. */
const BEFORE = 60 * MINUTE
const AFTER = 60 * MINUTE
/** The version of a night is in force from five in the morning, UTC. */
const VERSION_HOUR = 5 * 60 * MINUTE

/**
 * The trips that run at an instant (ms), or did or will within the hour, by both service days that it can belong to. This is all that live
 * feeds need of a timetable.
 */
export function runningTrips(world: World, instant: number): RailTrip[] {
  const { dayNumber } = localTime(instant)
  return world
    .part(railLines)
    .flatMap((line) => [dayNumber - 1, dayNumber].flatMap((serviceDay) => tripsOf(world.seed, { line, serviceDay, instant })))
}

interface Service {
  readonly line: RailLine
  /** Days since 1970-01-01. */
  readonly serviceDay: number
  readonly instant: number
}

function tripsOf(seed: number, { line, serviceDay, instant }: Service): RailTrip[] {
  // Noon less twelve hours, so that trains keep their clock times on days of 23 and 25 hours.
  const dayStart = instantOf(dateOf(serviceDay), '12:00') - DAY / 2
  const length = (line.stops.length - 1) * line.section * MINUTE
  const trips: RailTrip[] = []
  const runs = Math.floor((line.lastMinute - line.firstMinute) / line.headway) + 1
  for (let run = 0; run < runs; run++) {
    const leavesAt = dayStart + (line.firstMinute + run * line.headway) * MINUTE
    if (leavesAt - BEFORE > instant || leavesAt + length + AFTER < instant) continue
    for (const direction of [0, 1])
      trips.push(tripOf(seed, { line, serviceDay, instant }, { number: run * 2 + direction, direction, leavesAt }))
  }
  return trips
}

function tripOf(
  seed: number,
  { line, serviceDay, instant }: Service,
  run: { readonly number: number; readonly direction: number; readonly leavesAt: number },
): RailTrip {
  const number = line.firstNumber + run.number
  const trainNumber = String(number).padStart(5, '0')
  const key = number * 100_000 + serviceDay
  const stops = run.direction === 0 ? line.stops : line.stops.toReversed()
  const timed = stops.map((stop, at): TripStop => {
    const arrivesAt = run.leavesAt + Math.round(at * line.section) * MINUTE
    return { ...stop, arrivesAt, leavesAt: arrivesAt + (at === 0 || at === stops.length - 1 ? 0 : STAND_MS) }
  })
  return {
    line,
    trainNumber,
    tripIds:
      line.nucleo === null
        ? variantIds(seed, { number, trainNumber, instant })
        : [commuterId(seed, line, { trainNumber, key, serviceDay })],
    key,
    stops: timed as unknown as readonly [TripStop, ...TripStop[]],
  }
}

function commuterId(
  seed: number,
  line: RailLine,
  trip: { readonly trainNumber: string; readonly key: number; readonly serviceDay: number },
): string {
  const weekday = (trip.serviceDay + 4) % 7
  // One in two hundred is added to the timetable for the day.
  if (chance(seed, 'added', trip.key) < 0.005) return `SPECIAL_${line.nucleo}_${trip.trainNumber}${line.name}`
  return `${line.nucleo}${String(trip.serviceDay % 90).padStart(2, '0')}${DAY_LETTERS[weekday]}${trip.trainNumber}${line.name}`
}

/** The date in the id is that of the version in force, which changes while the train runs; one train in four has two variants. */
function variantIds(
  seed: number,
  trip: { readonly number: number; readonly trainNumber: string; readonly instant: number },
): [string, ...string[]] {
  const from = new Date(trip.instant - VERSION_HOUR).toISOString().slice(0, 10)
  const first = `${trip.trainNumber}1${from}`
  return chance(seed, 'variants', trip.number) < 0.25 ? [first, `${trip.trainNumber}2${from}`] : [first]
}

const dateOf = (dayNumber: number): string => new Date(dayNumber * DAY).toISOString().slice(0, 10)
