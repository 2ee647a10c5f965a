import { railStations, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { field, maybe, meaning, nested, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { integerParam } from '../../kernel/params/params.ts'
import { dateParam } from '../../kernel/params/params-time.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { withExample } from '../common-fields.ts'
import { checkCovered } from '../transit/timetable-versions.ts'
import { NETWORK_TABLES, railNetwork } from './network.ts'
import { routeId } from './routes.ts'
import { type DayTrip, dayKey, type TimetableDay, timetableDay } from './timetable-day.ts'
import { feedsOfId, railTimetables, restsOnTimetables, sourcesBesideId, timetableSpans } from './timetable-versions.ts'

/** Midnight starts a new day: at most a minute late. */
const CLOCK_S = 60

const { columns } = railStopTimes
const START = '2026-08-22T03:30:00.000Z'

const stopFields = {
  stop_id: columns.stop_id,
  name: optional(railStations.columns.name, 'Name of the station; null if the timetable has none for its code.'),
  ...pick(columns, 'stop_sequence', 'arrival', 'departure'),
  arrival_at: maybe.instant('Arrival as an instant.', START),
  departure_at: maybe.instant('Departure as an instant.', START),
  ...pick(columns, 'pickup_type', 'drop_off_type'),
} as const

const tripFields = {
  id: railTrips.columns.trip_id,
  service_date: field.date('Service day; its trains may run past midnight.', '2026-08-22'),
  train_number: railTrips.columns.train_number,
  variant: meaning(
    railTrips.columns.variant,
    'Part of a long-distance train; of parts that run together, the one with most stops. Commuter trips have none.',
  ),
  part_ids: field.list(
    'Ids of the other parts that run with it: trips of this route and train number that are at one of its stops at the same time.',
    field.text("The publisher's id of the trip."),
    [],
  ),
  service_mark: railTrips.columns.service_mark,
  direction: withExample(
    optional(
      railTrips.columns.direction,
      'Direction, 0 or 1: as published, else from the id of its track (1 for an inverse one). It does not state the destination; the stops do. Null if neither is known.',
    ),
    0,
  ),
  starts_at: maybe.instant('Departure from its first stop; null without published stops.', START),
  ...pick(railTrips.columns, 'headway_s', 'is_wheelchair_accessible'),
  stops: nested.objects('Its stops in order.', stopFields),
} as const

/** The trips of a route on a day. */
export const routeTimetable = defineEndpoint({
  path: '/api/trenes/rutas/{id}/horarios',
  plan: 'FREE',
  summary: 'Timetable of a railway route on a day',
  summary_es: 'Horario de una ruta ferroviaria en un día',
  about:
    'Trips of the timetable version in force on the day. Parts of a long-distance train that run together are one trip, as on boards. Times of 24:00:00 or later are after midnight; arrival_at and departure_at give the instant.',
  params: {
    id: routeId,
    date: dateParam('Service day; by default today in Madrid.', '2026-08-22'),
    direction: integerParam('Only trips of this direction; a direction that the route lacks is rejected.', {
      min: 0,
      max: 1,
      example: '0',
    }),
  },
  returns: listReturn('trips', record('RailRouteTrip', 'A trip of a route on a day.', tripFields), {
    sorts: ['starts_at', 'train_number'],
    order: 'starts_at',
  }),
  read: {
    kind: 'memory',
    from: [],
    lake: NETWORK_TABLES,
    otherSources: ({ id }) => sourcesBesideId(id),
    // Each route is complete in the timetable of its network.
    parts: () => [],
    feedsOfId: ({ id }) => feedsOfId(id),
    clockGranularity_s: CLOCK_S,
    answer: async ({ cached }, p, now) => {
      const date = p.date ?? madridDate(now)
      const route = (await cached(railNetwork, '')).routes.get(p.id)
      if (!route) return null
      const { start } = dayBounds(date)
      checkCovered(await cached(timetableSpans, ''), {
        at: start,
        parameter: 'date',
        value: p.date,
        networks: [route.network],
        tables: railTimetables,
      })
      const day = await cached(timetableDay, dayKey(date, route.network))
      const trips = day.tripsOfRoute(route.network, p.id)
      if (p.direction !== null) checkDirection(p.direction, [...route.directions, ...trips.flatMap(({ direction }) => direction ?? [])])
      const wanted = trips.filter((trip) => p.direction === null || trip.direction === p.direction)
      const records = trainsOf(day, wanted).map((train) => tripOf(day, train))
      return { records, counts: {}, restsOn: restsOnTimetables([route.network]) }
    },
  },
  example: { id: '10T0001C1', date: dayFromToday(0, '2026-08-22') },
})

/** Throws `InvalidParam` for a direction that none of the route's trips has, with a list of the existing ones. */
function checkDirection(asked: number, directions: readonly number[]): void {
  if (directions.includes(asked)) return
  const known = [...new Set(directions)].sort()
  const expected =
    known.length === 0
      ? 'the trips of this route have no direction: leave it out'
      : `expected a direction of the trips of this route: ${known.join(', ')}`
  throw new InvalidParam(expected, { parameter: 'direction', value: String(asked), allowed: known.map(String) })
}

/** A trip and the other parts of its train that run with it. */
interface Train {
  readonly trip: DayTrip
  readonly parts: DayTrip[]
}

/**
 * Trips, with parts of a train that run together merged into the one with most stops, then the lowest id. Of the 1,582
 * long-distance trips of 2026-08-25, 40 run with another of their route.
 */
function trainsOf(day: TimetableDay, trips: readonly DayTrip[]): Train[] {
  const trains: Train[] = []
  for (const trip of trips.toSorted((one, other) => other.end - other.first - (one.end - one.first))) {
    const together = trip.variant === null ? undefined : trains.find((train) => runTogether(day, train.trip, trip))
    if (together) together.parts.push(trip)
    else trains.push({ trip, parts: [] })
  }
  return trains
}

/** True for trips of one train number that are somewhere at the same time. */
function runTogether(day: TimetableDay, one: DayTrip, other: DayTrip): boolean {
  if (one.train_number === null || one.train_number !== other.train_number) return false
  const calls = day.stopsOf(one)
  return day
    .stopsOf(other)
    .some(({ stop_id, arrival_s, departure_s }) =>
      calls.some(
        (call) =>
          call.stop_id === stop_id &&
          ((arrival_s !== null && call.arrival_s === arrival_s) || (departure_s !== null && call.departure_s === departure_s)),
      ),
    )
}

function tripOf(day: TimetableDay, { trip, parts }: Train): ValueOf<typeof tripFields> {
  const stops = day.stopsOf(trip).map((stop) => ({ ...stop, arrival: stop.arrival_s, departure: stop.departure_s }))
  const [first] = stops
  return {
    id: trip.trip_id,
    service_date: day.date,
    ...pick(trip, 'train_number', 'variant', 'service_mark', 'direction', 'headway_s', 'is_wheelchair_accessible'),
    part_ids: parts.map(({ trip_id }) => trip_id),
    starts_at: first?.departure_at ?? first?.arrival_at ?? null,
    stops,
  }
}
