import { between, chance, type Dice, diceOf, pick, pickWeighted } from '../random.ts'
import { type Gazetteer, readGazetteer } from './municipalities.ts'
import { CITIES, type NucleoPlan, RAIL_PLANS, type RailPlan } from './rail-plan.ts'
import { defineWorldPart } from './world.ts'

/** A station or stop. */
export interface RailStation {
  /** Five digits. */
  readonly code: string
  readonly name: string
  readonly lat: number
  readonly lon: number
  readonly hasAccess: boolean
}

/** A route; most of those of commuter rail have no trips. */
export interface RailRoute {
  readonly id: string
  /** Line of commuter rail, product of other trains. */
  readonly name: string
  readonly isBus: boolean
  readonly color: string
  readonly origin: RailStation
  readonly destination: RailStation
}

/** How trips of a route run: seconds since they begin at each stop. */
export interface RailPattern {
  readonly route: RailRoute
  readonly stops: readonly { readonly station: RailStation; readonly arrival: number; readonly departure: number }[]
  /** `stop_sequence` of the first stop: short runs begin in the middle of their line. */
  readonly firstSequence: number
  readonly shapeId: string | null
}

/** A line of a commuter network: its two directions, each whole and cut short. */
export interface CommuterLine {
  readonly name: string
  readonly stations: readonly RailStation[]
  readonly patterns: readonly RailPattern[]
  readonly shapeId: string | null
  /** Trips on a workday, both directions together. */
  readonly trips: number
  /** Its place among the lines of its network. */
  readonly index: number
}

/** A commuter network. */
export interface Nucleo {
  readonly code: string
  readonly lines: readonly CommuterLine[]
}

/** A long-distance train with a number of its own. */
export interface LongDistanceTrain {
  /** Five digits. */
  readonly number: string
  readonly pattern: RailPattern
  /** Seconds of the day at which it sets out. */
  readonly startsAt: number
  /** Weekdays, 0 for Sunday, on which it does not run. */
  readonly restDays: readonly number[]
  readonly isAccessible: boolean
}

/** Spain's railway: what stands still of it. */
export interface RailNetwork {
  readonly plan: RailPlan
  readonly nucleos: readonly Nucleo[]
  readonly commuterStations: readonly RailStation[]
  readonly commuterRoutes: readonly RailRoute[]
  readonly trains: readonly LongDistanceTrain[]
  readonly longDistanceStations: readonly RailStation[]
  readonly longDistanceRoutes: readonly RailRoute[]
}

const KM_A_DEGREE = 111.2
const COLORS = ['75B6E0', 'E54A3C', 'E93CAC', '0fcf34', 'FFFFFF', 'F7A600', '5A2D81', '00A887', '8E9300', 'B2B2B2']
const PRODUCTS: readonly (readonly [readonly [name: string, suffix: string], number])[] = [
  [['MD', 'VRX'], 144],
  [['REG.EXP.', 'VRE'], 116],
  [['REGIONAL', 'VRR01'], 112],
  [['AVE', 'AV006'], 84],
  [['ALVIA', 'GL023'], 79],
  [['Intercity', 'GL026'], 58],
  [['PROXIMDAD', 'VRP'], 38],
  [['AVANT', 'AVX02'], 30],
  [['AVLO', 'AV042'], 24],
]
const NEVER: readonly number[] = []

/** Spain's railway, on the map of its municipalities. */
export const railNetwork = defineWorldPart(({ seed, scale }) => makeNetwork(readGazetteer(), seed, RAIL_PLANS[scale]))

function makeNetwork(gazetteer: Gazetteer, seed: number, plan: RailPlan): RailNetwork {
  const stations = new Map<string, RailStation>()
  const nucleos: Nucleo[] = []
  const commuterRoutes: RailRoute[] = []
  const centres = new Map<string, RailStation>()
  for (const nucleo of plan.nucleos) {
    const builder: LineBuilder = { gazetteer, seed, plan, nucleo, stations, routes: commuterRoutes }
    const { centre } = gazetteer.named(nucleo.city, nucleo.province)
    const main = stationAt(builder, { key: `${nucleo.code}/centre`, name: nucleo.city, ...centre })
    centres.set(nucleo.city, main)
    nucleos.push({ code: nucleo.code, lines: nucleo.lines.map((_, index) => commuterLine(builder, main, index)) })
  }
  const commuterStations = [...stations.values()]
  const longDistance = makeTrains({ gazetteer, seed, plan, stations, centres })
  return { plan, nucleos, commuterStations, commuterRoutes, ...longDistance }
}

interface Builder {
  readonly gazetteer: Gazetteer
  readonly seed: number
  readonly plan: RailPlan
  /** By a key of their place. */
  readonly stations: Map<string, RailStation>
}

interface LineBuilder extends Builder {
  readonly nucleo: NucleoPlan
  readonly routes: RailRoute[]
}

/** The station of a key; its code counts on from 04040, so that some begin with a zero. */
function stationAt(
  { stations, seed }: Builder,
  place: { readonly key: string; readonly name: string; readonly lat: number; readonly lon: number },
): RailStation {
  const known = stations.get(place.key)
  if (known) return known
  const code = String(4040 + 41 * stations.size).padStart(5, '0')
  const round = (degrees: number): number => Math.round(degrees * 1e7) / 1e7
  const station = { code, name: place.name, lat: round(place.lat), lon: round(place.lon), hasAccess: chance(seed, 'access', code) < 0.1 }
  stations.set(place.key, station)
  return station
}

function commuterLine(builder: LineBuilder, main: RailStation, index: number): CommuterLine {
  const { seed, plan, nucleo, routes } = builder
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
    stops: timed(run, { speed_kmh: 45, stand: 30, round: 60 }),
    firstSequence,
    shapeId: shapeId && `${shapeId}${suffix}`,
  })
  const patterns = [
    pattern(stations, route(first, last), 1, ''),
    pattern(back, route(last, first), 1, '_INV'),
    pattern(short, route(short[0] as RailStation, last), from + 1, ''),
    pattern(back.slice(0, short.length), route(last, short[0] as RailStation), 1, '_INV'),
  ]
  for (let nth = 0; nth < plan.unusedRoutes; nth++) route(pick(stations, dice()), pick(stations, dice()), nth % 3 === 0)
  // The first lines are the busiest.
  const share = (2 * (nucleo.lines.length - index)) / (nucleo.lines.length * (nucleo.lines.length + 1))
  return { name, stations, patterns, shapeId, trips: Math.max(2, Math.round(nucleo.trips * share)), index }
}

/** Stations in a row through the middle of the network: an arm comes in, another goes out. */
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
    const key = `${nucleo.code}/${index}/${at}`
    const nth = [...builder.stations.keys()].filter((other) => other.startsWith(`${nucleo.code}/`)).length
    found.push(stationAt(builder, { key, name: `${place.name}${STOP_NAMES[nth % STOP_NAMES.length]}`, lat: place.lat, lon: place.lon }))
  }
  return found
}

const STOP_NAMES = ['', ' Centro', ' Norte', '-Apeadero', ' Universidad', ' Sur', '-Polígono', ' Hospital']

/** The place at an angle and distance; nearer where that is at sea or abroad. */
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

/** When a run is at its stops: by the distance as the crow flies, to whole minutes. */
function timed(
  run: readonly RailStation[],
  how: { readonly speed_kmh: number; readonly stand: number; readonly round: number },
): RailPattern['stops'] {
  let clock = 0
  return run.map((station, at) => {
    const before = run[at - 1]
    if (before) clock += Math.max(how.round, Math.round((metres(before, station) * 3.6) / how.speed_kmh / how.round) * how.round)
    const arrival = clock
    // Trains stand a minute at every sixth stop.
    if (at > 0 && at < run.length - 1 && at % 6 === 3) clock += how.stand < 60 ? 60 : how.stand
    return { station, arrival, departure: clock }
  })
}

function metres(one: RailStation, other: RailStation): number {
  const dy = (one.lat - other.lat) * KM_A_DEGREE
  const dx = (one.lon - other.lon) * KM_A_DEGREE * Math.cos((one.lat * Math.PI) / 180)
  return Math.hypot(dx, dy) * 1000
}

function makeTrains(
  builder: Builder & { readonly centres: ReadonlyMap<string, RailStation> },
): Pick<RailNetwork, 'trains' | 'longDistanceStations' | 'longDistanceRoutes'> {
  const { seed, plan } = builder
  const relations = Array.from({ length: plan.relations }, (_, index) => relation(builder, index))
  const routes = new Map<string, RailRoute>()
  for (const { patterns } of relations) for (const { route } of patterns) routes.set(route.id, route)
  const trains = Array.from({ length: plan.trains }, (_, nth): LongDistanceTrain => {
    const dice = diceOf(seed, 'train', nth)
    const { patterns } = relations[nth % relations.length] as (typeof relations)[number]
    const found = patterns[Math.floor(nth / relations.length) % 2] as RailPattern
    return {
      number: String(190 + 73 * nth).padStart(5, '0'),
      pattern: { ...found, route: routes.get(found.route.id) as RailRoute },
      startsAt: 5 * 3600 + 60 * between(0, 1040, dice()),
      restDays: pickWeighted(
        [
          [NEVER, 65],
          [[0, 6], 35],
          [[1, 2, 3, 4, 6], 20],
          [[0], 5],
        ],
        dice(),
      ),
      isAccessible: dice() < 0.26,
    }
  })
  const stations = new Map(relations.flatMap(({ patterns }) => patterns[0].stops.map(({ station }) => [station.code, station] as const)))
  return { trains, longDistanceStations: [...stations.values()], longDistanceRoutes: [...routes.values()] }
}

/** Two cities and the stations between them, both ways. */
function relation(
  builder: Builder & { readonly centres: ReadonlyMap<string, RailStation> },
  index: number,
): { readonly patterns: readonly [RailPattern, RailPattern] } {
  const { gazetteer, seed } = builder
  const dice = diceOf(seed, 'relation', index)
  const [name, suffix] = pickWeighted(PRODUCTS, dice())
  const isFast = suffix.startsWith('AV')
  // Regional trains go some part of the way only, which begins or ends in a village.
  const [one, other] = [pick(CITIES, dice()), pick(CITIES, dice())]
  const [from, to] = [cityStation(builder, one), cityStation(builder, one === other ? (CITIES[0] as (typeof CITIES)[number]) : other)]
  const share = isFast ? 1 : 0.35 + 0.65 * dice()
  const wanted = isFast ? between(2, 9, dice()) : between(8, 30, dice())
  const run: RailStation[] = [from]
  for (let at = 1; at <= wanted; at++) {
    const part = (share * at) / (wanted + (share === 1 ? 1 : 0))
    const [lat, lon] = [from.lat + (to.lat - from.lat) * part, from.lon + (to.lon - from.lon) * part]
    const municipality = gazetteer.at(lon, lat)
    // The railway does not pass every town.
    if (!municipality || chance(seed, 'railway', Number(municipality.code)) > 0.42) continue
    const { centre } = municipality
    const station = stationAt(builder, { key: `town/${municipality.code}`, name: municipality.name, ...centre })
    if (!run.includes(station)) run.push(station)
  }
  if (share === 1 && !run.includes(to)) run.push(to)
  if (run.length < 2) run.push(to === from ? cityStation(builder, CITIES[1] as (typeof CITIES)[number]) : to)
  const pattern = (stations: readonly RailStation[]): RailPattern => {
    const [origin, destination] = [stations[0] as RailStation, stations.at(-1) as RailStation]
    const route = { id: `${origin.code}${destination.code}${suffix}`, name, isBus: false, color: 'F2F5F5', origin, destination }
    return { route, stops: timed(stations, { speed_kmh: isFast ? 190 : 85, stand: 120, round: 60 }), firstSequence: 1, shapeId: null }
  }
  return { patterns: [pattern(run), pattern(run.toReversed())] }
}

function cityStation(
  builder: Builder & { readonly centres: ReadonlyMap<string, RailStation> },
  [name, province]: readonly [string, string],
): RailStation {
  const commuter = builder.centres.get(name)
  if (commuter) return commuter
  const { centre } = builder.gazetteer.named(name, province)
  return stationAt(builder, { key: `city/${name}`, name, ...centre })
}
