import { instantOf, offsetAt, serviceStart } from '../../../lake/schema/time.ts'
import { chance } from '../random.ts'
import { railNetwork } from './rail-network.ts'
import type { LongDistanceTrain, RailPattern, RailStation } from './rail-parts.ts'
import { type CommuterTrip, commuterTrips, isoDay, longDistanceTrips, weekdayOf } from './rail-trips.ts'
import { localTime } from './rhythm.ts'
import { defineWorldPart, type World } from './world.ts'

/** A stop of a trip with its planned times, ms. */
export interface TripStop {
  readonly stopId: string
  readonly lat: number
  readonly lon: number
  readonly arrivesAt: number
  readonly leavesAt: number
}

/** A trip of one service day, as planned in the timetable. */
export interface RailTrip {
  readonly network: RailNetworkName
  /** Null for long distance, whose ids have neither núcleo nor line. */
  readonly nucleo: string | null
  /** Line of a commuter train, both ends for other trains. */
  readonly line: string
  /** Product of a long-distance train. */
  readonly product: string
  readonly trainNumber: string
  /** Its ids in live feeds: one for a commuter train; on long distance one for each part of the train. */
  readonly tripIds: readonly [string, ...string[]]
  /** Seed of its disruptions: constant for the trip, different on each day. */
  readonly key: number
  readonly stops: readonly [TripStop, ...TripStop[]]
  /** If cancelled, until when the feed contains it, ms. */
  readonly cancelledUntil: number
  readonly isAccessible: boolean
  /** True if works delay it. */
  readonly isOnWorks: boolean
  /** True if its number is in the timetables of both networks. */
  readonly isRegional: boolean
  /** True for metre gauge, whose platforms have separate numbers. */
  readonly isMetreGauge: boolean
}

/** The two networks of Renfe, each with its own timetable and live feeds. */
export type RailNetworkName = 'CERCANIAS' | 'AVLDMD'

/** A trip whose stops are computed on first use: of a day's five thousand trips some three hundred run at once. */
interface Planned {
  readonly beginsAt: number
  readonly endsAt: number
  readonly cancelledUntil: number
  readonly trip: () => RailTrip
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Trips are published for this long before and after their planned times. */
const AROUND = HOUR
/**
 * Share of commuter trains that run in addition to the timetable, some minutes after a scheduled one and with their own numbers.
 */
const ADDED = 0.005
const ADDED_AFTER = 10 * MINUTE
const ADDED_NUMBERS = 75_000
/**
 * Madrid's time at which the feeds switch to the ids of the last night: on 2026-03-28 (winter time) and on the next day (summer
 * time).
 */
const IDS_FROM = 6 * HOUR + 5 * MINUTE
/**
 * Time at which the last cancellations of the previous day are dropped: it applies to half of the long-distance ones, without
 * regionals.
 */
const TAKEN_OUT = '05:05'
const LINGERING = 0.5
/** Service days and nights that are cached at once. */
const MOST_KEPT = 12

/** The cached service days, the most recently used at the end. */
const plannedDays = defineWorldPart((): Map<string, readonly Planned[]> => new Map())

/** The trips of a network that run within an hour of an instant (ms), from every service day that may contain it. */
export function runningTrips(world: World, network: RailNetworkName, instant: number): RailTrip[] {
  const { dayNumber } = localTime(instant)
  const night = network === 'AVLDMD' ? nightAt(instant) : null
  // On a day of 23 hours the service day begins before midnight.
  return [dayNumber - 1, dayNumber, dayNumber + 1].flatMap((day) =>
    plannedOn(world, { day, night })
      .filter(
        ({ beginsAt, endsAt, cancelledUntil }) => beginsAt - AROUND <= instant && instant <= Math.max(endsAt + AROUND, cancelledUntil),
      )
      .map(({ trip }) => trip()),
  )
}

/**
 * The night (days since 1970) whose timetable provides the ids in long-distance live feeds: the newest, or before dawn the
 * previous one.
 */
function nightAt(instant: number): number {
  return Math.floor((instant + offsetAt(instant) - IDS_FROM) / DAY) - 1
}

/** A service day of commuter rail, or of long distance with the ids of a night. */
function plannedOn(world: World, of: { readonly day: number; readonly night: number | null }): readonly Planned[] {
  const kept = world.part(plannedDays)
  const name = `${of.day}/${of.night}`
  const planned = kept.get(name) ?? (of.night === null ? commuterDay(world, of.day) : longDistanceDay(world, of.day, of.night))
  kept.delete(name)
  kept.set(name, planned)
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break
    kept.delete(oldest)
  }
  return planned
}

function commuterDay(world: World, day: number): Planned[] {
  const dayStart = serviceStart(isoDay(day))
  const { trains } = world.part(railNetwork)
  const regionals = new Set(
    trains.flatMap(({ isRegional, restDays, number }) => (isRegional && !restDays.includes(weekdayOf(day)) ? [number] : [])),
  )
  const planned: Planned[] = []
  for (const nucleo of world.part(railNetwork).nucleos)
    for (const trip of commuterTrips(world.seed, nucleo, day)) {
      // A trip with one or no stop in the timetable does not run.
      if (trip.listed < 2) continue
      planned.push(commuterRun(trip, { day, dayStart, added: false, isRegional: regionals.has(trip.trainNumber) }))
      if (chance(world.seed, 'added', Number(trip.trainNumber), day) < ADDED)
        planned.push(commuterRun(trip, { day, dayStart, added: true, isRegional: false }))
    }
  return planned
}

function commuterRun(
  trip: CommuterTrip,
  on: { readonly day: number; readonly dayStart: number; readonly added: boolean; readonly isRegional: boolean },
): Planned {
  const { line, pattern, isAccessible } = trip
  const { nucleo, name, isOnWorks, isMetreGauge } = line
  const trainNumber = on.added ? String(Number(trip.trainNumber) + ADDED_NUMBERS) : trip.trainNumber
  const beginsAt = on.dayStart + trip.startsAt * 1000 + (on.added ? ADDED_AFTER : 0)
  return plannedRun({ pattern, beginsAt, cancelledUntil: 0 }, (planned) => ({
    network: 'CERCANIAS',
    nucleo,
    line: name,
    product: name,
    trainNumber,
    tripIds: [on.added ? `SPECIAL_${nucleo}_${trainNumber}${name}` : trip.id],
    key: keyOf(trainNumber, on.day),
    ...planned,
    isAccessible,
    isOnWorks,
    isRegional: on.isRegional,
    isMetreGauge,
  }))
}

function longDistanceDay(world: World, day: number, night: number): Planned[] {
  const dayStart = serviceStart(isoDay(day))
  const ids = new Map<LongDistanceTrain, [string, ...string[]]>()
  for (const { id, train, from, to } of longDistanceTrips(world.seed, world.part(railNetwork), night)) {
    if (day < from || day > to || train.restDays.includes(weekdayOf(day))) continue
    const known = ids.get(train)
    if (known) known.push(id)
    else ids.set(train, [id])
  }
  return [...ids].map(([train, tripIds]) => {
    const { pattern, number, isAccessible, isOnWorks, isRegional } = train
    const { name, origin, destination } = pattern.route
    const key = keyOf(number, day)
    const cancelledUntil = !isRegional && chance(world.seed, 'lingers', key) < LINGERING ? instantOf(isoDay(day + 1), TAKEN_OUT) : 0
    return plannedRun({ pattern, beginsAt: dayStart + train.startsAt * 1000, cancelledUntil }, (planned) => ({
      network: 'AVLDMD',
      nucleo: null,
      line: `${origin.name} - ${destination.name}`,
      product: name,
      trainNumber: number,
      tripIds,
      key,
      ...planned,
      isAccessible,
      isOnWorks,
      isRegional,
      isMetreGauge: false,
    }))
  })
}

/** A run of a pattern; if it is cancelled, feeds contain it until its end or `cancelledUntil`, whichever is later. */
function plannedRun(
  of: { readonly pattern: RailPattern; readonly beginsAt: number; readonly cancelledUntil: number },
  tripOf: (planned: Pick<RailTrip, 'stops' | 'cancelledUntil'>) => RailTrip,
): Planned {
  const { pattern, beginsAt } = of
  const last = pattern.stops.at(-1) as RailPattern['stops'][number]
  const endsAt = beginsAt + last.arrival * 1000
  const cancelledUntil = Math.max(endsAt, of.cancelledUntil)
  let made: RailTrip | null = null
  return {
    beginsAt,
    endsAt,
    cancelledUntil,
    trip() {
      const stops = pattern.stops.map((stop) => stopAt(stop, beginsAt)) as unknown as RailTrip['stops']
      made ??= tripOf({ stops, cancelledUntil })
      return made
    },
  }
}

function stopAt(
  { station, arrival, departure }: { readonly station: RailStation; readonly arrival: number; readonly departure: number },
  beginsAt: number,
): TripStop {
  const { code, lat, lon } = station
  return { stopId: code, lat, lon, arrivesAt: beginsAt + arrival * 1000, leavesAt: beginsAt + departure * 1000 }
}

const keyOf = (trainNumber: string, day: number): number => Number(trainNumber) * 100_000 + day
