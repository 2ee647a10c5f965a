import { between, type Dice, diceOf, pick } from '../random.ts'
import { type Gazetteer, readGazetteer } from './municipalities.ts'
import {
  type Builder,
  type CommuterLine,
  KM_A_DEGREE,
  kmBetween,
  type LongDistanceTrain,
  type Nucleo,
  type RailPattern,
  type RailRoute,
  type RailStation,
  realKey,
  realStation,
  stationAt,
  timed,
} from './rail-parts.ts'
import { type NucleoPlan, RAIL_PLANS, type RailPlan } from './rail-plan.ts'
import { COMMUTER_STOPS, MAIN_STATIONS, type RealStation } from './rail-stations.ts'
import { type LongDistance, makeTrains } from './rail-trains.ts'
import { type CommuterTrip, commuterTrips } from './rail-trips.ts'
import { defineWorldPart } from './world.ts'

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
function withRegionals(seed: number, nucleos: readonly Nucleo[], longDistance: LongDistance): LongDistance {
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

/** The static part of Spain's railway. */
export interface RailNetwork extends LongDistance {
  readonly plan: RailPlan
  readonly nucleos: readonly Nucleo[]
  readonly commuterStations: readonly RailStation[]
  readonly commuterRoutes: readonly RailRoute[]
}

const COLORS = ['75B6E0', 'E54A3C', 'E93CAC', '0fcf34', 'FFFFFF', 'F7A600', '5A2D81', '00A887', '8E9300', 'B2B2B2']
/** Number of the first commuter train. */
const FIRST_NUMBER = 15_000
/** Least number of trips on a workday on a line with works, so that on a Sunday too one starts while another runs. */
const LEAST_ON_WORKS = 52

/** Spain's railway, on the map of its municipalities. */
export const railNetwork = defineWorldPart(({ seed, scale }) => makeNetwork(readGazetteer(), seed, RAIL_PLANS[scale]))

function makeNetwork(gazetteer: Gazetteer, seed: number, plan: RailPlan): RailNetwork {
  const stations = new Map<string, RailStation>()
  const nucleos: Nucleo[] = []
  const commuterRoutes: RailRoute[] = []
  const centres = new Map<string, RailStation>()
  let firstNumber = FIRST_NUMBER
  for (const nucleo of plan.nucleos) {
    const builder: LineBuilder = { gazetteer, seed, plan, nucleo, stations, routes: commuterRoutes }
    const { centre } = gazetteer.named(nucleo.city, nucleo.province)
    const real = MAIN_STATIONS.get(nucleo.city)
    const main = real ? realStation(builder, real) : stationAt(builder, { key: `${nucleo.code}/centre`, name: nucleo.city, ...centre })
    centres.set(nucleo.city, main)
    const lines: CommuterLine[] = []
    for (const index of nucleo.lines.keys()) {
      const line = commuterLine(builder, main, { index, firstNumber })
      lines.push(line)
      firstNumber += numbersOf(line)
    }
    nucleos.push({ code: nucleo.code, lines })
  }
  const commuterStations = [...stations.values()]
  const longDistance = withRegionals(seed, nucleos, makeTrains({ gazetteer, seed, plan, stations, centres }))
  return { plan, nucleos, commuterStations, commuterRoutes, ...longDistance }
}

interface LineBuilder extends Builder {
  readonly nucleo: NucleoPlan
  readonly routes: RailRoute[]
}

/** Train numbers reserved for a line: the busiest day has a tenth more than a normal one, and works have night trains. */
function numbersOf({ trips }: CommuterLine): number {
  return Math.ceil(trips * 1.1) + 20
}

function commuterLine(
  builder: LineBuilder,
  main: RailStation,
  { index, firstNumber }: { readonly index: number; readonly firstNumber: number },
): CommuterLine {
  const { seed, plan, nucleo, routes } = builder
  const routesBefore = routes.length
  const name = nucleo.lines[index] as string
  const dice = diceOf(seed, 'line', Number(nucleo.code), index)
  const stations = lineStations(builder, main, { index, count: between(...plan.stopsOfLine, dice()), dice })
  const isBus = nucleo.hasBuses === true
  const shapeId = isBus ? null : `${nucleo.code}_${name}`
  const color = pick(COLORS, dice())
  const route = (origin: RailStation, destination: RailStation, ofBus = isBus): RailRoute => {
    const serial = routes.filter(({ id }) => id.startsWith(nucleo.code)).length + 1
    const id = `${nucleo.code}T${String(serial).padStart(4, '0')}${name}`
    const made = { id, name, isBus: ofBus, color, origin, destination }
    routes.push(made)
    return made
  }
  const [first, last] = [stations[0] as RailStation, stations.at(-1) as RailStation]
  const from = Math.floor(stations.length * 0.3)
  const short = stations.slice(from)
  const back = stations.toReversed()
  const pattern = (run: readonly RailStation[], of: RailRoute, firstSequence: number, suffix: string): RailPattern => ({
    route: of,
    stops: timed(run, { speed_kmh: 65, stand: 30, round: 60 }),
    firstSequence,
    shapeId: shapeId && `${shapeId}${suffix}`,
  })
  // On every second line, short trips have the shape of the opposite direction.
  const [along, against] = index % 2 === 1 ? ['_INV', ''] : ['', '_INV']
  const patterns = [
    pattern(stations, route(first, last), 1, ''),
    pattern(back, route(last, first), 1, '_INV'),
    pattern(short, route(short[0] as RailStation, last), from + 1, along),
    pattern(back.slice(0, short.length), route(last, short[0] as RailStation), 1, against),
  ]
  for (let nth = 0; nth < plan.unusedRoutes; nth++) route(pick(stations, dice()), pick(stations, dice()), nth % 3 === 0)
  // The first lines are the busiest.
  const share = (2 * (nucleo.lines.length - index)) / (nucleo.lines.length * (nucleo.lines.length + 1))
  const isOnWorks = name === nucleo.lineOnWorks
  return {
    nucleo: nucleo.code,
    name,
    routeIds: routes.slice(routesBefore).map(({ id }) => id),
    stations,
    patterns,
    shapeId,
    shaped: name === nucleo.lineBeyondShape ? stations.slice(0, Math.ceil(0.7 * stations.length)) : stations,
    trips: Math.max(isOnWorks ? LEAST_ON_WORKS : 2, Math.round(nucleo.trips * share)),
    index,
    firstNumber,
    isOnWorks,
    isMetreGauge: nucleo.isMetreGauge === true,
  }
}

/** Consecutive stations through the centre of the network: in along one arm, out along another. */
function lineStations(
  builder: LineBuilder,
  main: RailStation,
  line: { readonly index: number; readonly count: number; readonly dice: Dice },
): RailStation[] {
  const { nucleo, gazetteer } = builder
  const { index, count, dice } = line
  const angle = (Math.PI * (index + dice() * 0.5)) / nucleo.lines.length
  const middle = count >> 1
  const found: RailStation[] = []
  for (let at = 0; at < count; at++) {
    if (at === middle) {
      found.push(main)
      continue
    }
    const side = at < middle ? Math.PI : 0
    const share = Math.abs(at - middle) / Math.max(middle, count - middle - 1)
    const bend = (dice() - 0.5) * 0.25
    const place = onLand(gazetteer, main, { angle: angle + side + bend, km: share * nucleo.reach_km })
    if (!place) continue
    const real = realStop(builder, place)
    if (real) {
      found.push(realStation(builder, real))
      continue
    }
    const key = `${nucleo.code}/${index}/${at}`
    const nth = [...builder.stations.keys()].filter((other) => other.startsWith(`${nucleo.code}/`)).length
    // The name of the city alone is that of its main station.
    const suffix = STOP_NAMES[nth % STOP_NAMES.length] || (place.name === nucleo.city ? ' Este' : '')
    found.push(stationAt(builder, { key, name: `${place.name}${suffix}`, lat: place.lat, lon: place.lon }))
  }
  return found
}

/** Largest distance at which a real stop replaces a generated one, km. */
const REAL_KM = 6

/** The best known unused stop of the network near a place. */
function realStop({ nucleo, stations }: LineBuilder, place: { readonly lat: number; readonly lon: number }): RealStation | undefined {
  return COMMUTER_STOPS.get(nucleo.code)?.find((stop) => !stations.has(realKey(stop)) && kmBetween(stop, place) < REAL_KM)
}

const STOP_NAMES = ['', ' Centro', ' Norte', '-Apeadero', ' Universidad', ' Sur', '-Polígono', ' Hospital']

/** The place at an angle and distance; nearer if that is at sea or abroad. */
function onLand(
  gazetteer: Gazetteer,
  from: { readonly lat: number; readonly lon: number },
  way: { readonly angle: number; readonly km: number },
): { name: string; lat: number; lon: number } | null {
  for (let km = way.km, tries = 0; tries < 8; km *= 0.8, tries++) {
    const lat = from.lat + (Math.sin(way.angle) * km) / KM_A_DEGREE
    const lon = from.lon + (Math.cos(way.angle) * km) / (KM_A_DEGREE * Math.cos((from.lat * Math.PI) / 180))
    const municipality = gazetteer.at(lon, lat)
    if (municipality) return { name: municipality.name, lat, lon }
  }
  return null
}
