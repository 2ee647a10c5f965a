import type { LongDistanceTrain, Nucleo, RailPattern, RailRoute, RailStation } from './rail-parts.ts'
import type { LongDistance } from './rail-trains.ts'
import { type CommuterTrip, commuterTrips } from './rail-trips.ts'

/** A Tuesday (days since 1970): from Monday to Friday lines have their most trips, at the same times each day. */
const A_WORKDAY = 5
const WEEKEND: readonly number[] = [0, 6]
/** Regional trains of a commuter network, spread over its lines and the day. */
const REGIONALS = 12
/** Seconds to or from the station beyond its line. */
const BEYOND = 25 * 60
const STAND = 60

/** The part of a commuter trip in the long-distance timetable, in turn. */
const PARTS: readonly ((trip: RailPattern['stops'], beyond: RailStation) => RailPattern['stops'])[] = [
  (stops) => stops,
  // It continues, after a stop that the commuter timetable lacks.
  (stops, station) => {
    const last = stops.at(-1) as RailPattern['stops'][number]
    const arrival = last.arrival + BEYOND
    return [...stops.slice(0, -1), { ...last, departure: last.arrival + STAND }, { station, arrival, departure: arrival }]
  },
  (stops, station) => {
    const [first, ...others] = stops as [RailPattern['stops'][number], ...RailPattern['stops']]
    return [{ station, arrival: -BEYOND, departure: -BEYOND }, { ...first, arrival: -STAND, departure: 0 }, ...others]
  },
  (stops) => stops.slice(2, -1),
]

/**
 * The network with its regional trains. On working days each commuter network runs some trips under numbers that are also in the
 * long-distance timetable: complete, in part, or as part of a longer route. Buses and lines with works have none.
 */
export function withRegionals(seed: number, nucleos: readonly Nucleo[], longDistance: LongDistance): LongDistance {
  const { trains, longDistanceStations, longDistanceRoutes } = longDistance
  const known = new Set(trains.map(({ number }) => number))
  const routes = new Map(longDistanceRoutes.map((route) => [route.id, route]))
  const stations = new Map(longDistanceStations.map((station) => [station.code, station]))
  const regionals: LongDistanceTrain[] = []
  for (const nucleo of nucleos) {
    const trips = [...commuterTrips(seed, nucleo, A_WORKDAY)].filter(
      ({ line, trainNumber }) => line.shapeId !== null && !line.isOnWorks && !known.has(trainNumber),
    )
    for (let nth = 0; nth < Math.min(REGIONALS, trips.length); nth++) {
      const trip = trips[Math.floor((nth * trips.length) / REGIONALS)] as CommuterTrip
      const beyond = longDistanceStations.find((station) => !trip.line.stations.includes(station)) as RailStation
      const part = PARTS[regionals.length % PARTS.length] as (typeof PARTS)[number]
      const stops = part(trip.pattern.stops, beyond)
      const begin = (stops[0] as RailPattern['stops'][number]).departure
      const route = routeOf(stops)
      if (!routes.has(route.id)) routes.set(route.id, route)
      for (const { station } of stops) stations.set(station.code, station)
      regionals.push({
        number: trip.trainNumber,
        pattern: {
          route: routes.get(route.id) as RailRoute,
          stops: stops.map(({ station, arrival, departure }, at) => ({
            station,
            arrival: at === 0 ? 0 : arrival - begin,
            departure: departure - begin,
          })),
          firstSequence: 1,
          shapeId: null,
        },
        startsAt: trip.startsAt + begin,
        restDays: WEEKEND,
        isAccessible: trip.isAccessible,
        isOnWorks: false,
        isRegional: true,
      })
    }
  }
  return { trains: [...trains, ...regionals], longDistanceStations: [...stations.values()], longDistanceRoutes: [...routes.values()] }
}

function routeOf(stops: RailPattern['stops']): RailRoute {
  const [origin, destination] = [stops[0]?.station as RailStation, stops.at(-1)?.station as RailStation]
  return { id: `${origin.code}${destination.code}VRR01`, name: 'REGIONAL', isBus: false, color: 'F2F5F5', origin, destination }
}
