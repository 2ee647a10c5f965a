import { between, chance, diceOf, pick, pickWeighted } from '../random.ts'
import type { Gazetteer, Municipality } from './municipalities.ts'
import {
  type Builder,
  type LongDistanceTrain,
  type RailPattern,
  type RailRoute,
  type RailStation,
  realStation,
  stationAt,
  timed,
} from './rail-parts.ts'
import { CITIES } from './rail-plan.ts'
import { HIGH_SPEED_STATIONS, MAIN_STATIONS, type RealStation, TOWN_STATIONS } from './rail-stations.ts'

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
/**
 * The trip on the long-distance line with works takes longer than the interval between its trains, including the one over
 * midnight.
 */
const WORKS_STARTS = [1, 6, 11, 16, 21].map((hour) => hour * 3600)
const WORKS_ENDS = [
  ['A Coruña', '15'],
  ['Barcelona', '08'],
] as const

/** The static part of the long-distance network. */
export interface LongDistance {
  readonly trains: readonly LongDistanceTrain[]
  readonly longDistanceStations: readonly RailStation[]
  readonly longDistanceRoutes: readonly RailRoute[]
}

/** The long-distance trains of a plan and their lines. */
export function makeTrains(builder: CityBuilder): LongDistance {
  const { seed, plan } = builder
  const relations = Array.from({ length: plan.relations }, (_, index) => relation(builder, index))
  const works = relationOnWorks(builder)
  const routes = new Map<string, RailRoute>()
  for (const { patterns } of [...relations, works]) for (const { route } of patterns) routes.set(route.id, route)
  const trains = Array.from({ length: plan.trains }, (_, nth): LongDistanceTrain => {
    const dice = diceOf(seed, 'train', nth)
    const { patterns } = relations[nth % relations.length] as (typeof relations)[number]
    const found = patterns[Math.floor(nth / relations.length) % 2] as RailPattern
    return {
      number: numberOf(nth),
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
      isOnWorks: false,
      isRegional: false,
    }
  })
  for (const [nth, startsAt] of WORKS_STARTS.entries())
    trains.push({
      number: numberOf(plan.trains + nth),
      pattern: works.patterns[nth % 2] as RailPattern,
      startsAt,
      restDays: NEVER,
      isAccessible: true,
      isOnWorks: true,
      isRegional: false,
    })
  const stations = new Map(
    [...relations, works].flatMap(({ patterns }) => patterns[0].stops.map(({ station }) => [station.code, station] as const)),
  )
  return { trains, longDistanceStations: [...stations.values()], longDistanceRoutes: [...routes.values()] }
}

/** Number of the nth long-distance train. */
const numberOf = (nth: number): string => String(190 + 73 * nth).padStart(5, '0')

type CityBuilder = Builder & { readonly centres: ReadonlyMap<string, RailStation> }
/** A line and its two directions. */
interface Relation {
  readonly patterns: readonly [RailPattern, RailPattern]
}

/** Two cities, or a city and a place on the way to another, and the stations between them. */
function relation(builder: CityBuilder, index: number): Relation {
  const { seed } = builder
  const dice = diceOf(seed, 'relation', index)
  const [name, suffix] = pickWeighted(PRODUCTS, dice())
  const isFast = suffix.startsWith('AV')
  // Regional trains run on a part of the route only, which begins or ends in a village.
  const [one, other] = [pick(CITIES, dice()), pick(CITIES, dice())]
  const end = one === other ? (CITIES[0] as (typeof CITIES)[number]) : other
  const [from, to] = [cityStation(builder, one, isFast), cityStation(builder, end, isFast)]
  const share = isFast ? 1 : 0.35 + 0.65 * dice()
  const wanted = isFast ? between(2, 9, dice()) : between(8, 30, dice())
  return bothWays(builder, { from, to, share, wanted, name, suffix })
}

/** Across the country, by a slow train. */
function relationOnWorks(builder: CityBuilder): Relation {
  const [from, to] = [cityStation(builder, WORKS_ENDS[0]), cityStation(builder, WORKS_ENDS[1])]
  return bothWays(builder, { from, to, share: 1, wanted: 24, name: 'Intercity', suffix: 'GL026' })
}

function bothWays(
  builder: CityBuilder,
  way: {
    readonly from: RailStation
    readonly to: RailStation
    /** The part of the route between the two cities that trains run. */
    readonly share: number
    readonly wanted: number
    readonly name: string
    readonly suffix: string
  },
): Relation {
  const { gazetteer, seed } = builder
  const { from, to, share, wanted, name, suffix } = way
  const speed_kmh = suffix.startsWith('AV') ? 190 : 85
  const run: RailStation[] = [from]
  for (let at = 1; at <= wanted; at++) {
    const part = (share * at) / (wanted + (share === 1 ? 1 : 0))
    const [lat, lon] = [from.lat + (to.lat - from.lat) * part, from.lon + (to.lon - from.lon) * part]
    const municipality = gazetteer.at(lon, lat)
    // The railway does not pass through every town.
    if (!municipality) continue
    if (chance(seed, 'railway', Number(municipality.code)) > 0.42 && !realTowns(gazetteer).has(municipality.code)) continue
    const station = townStation(builder, municipality)
    if (!run.includes(station)) run.push(station)
  }
  if (share === 1 && !run.includes(to)) run.push(to)
  if (run.length < 2) run.push(to === from ? cityStation(builder, CITIES[1] as (typeof CITIES)[number]) : to)
  const pattern = (stations: readonly RailStation[]): RailPattern => {
    const [origin, destination] = [stations[0] as RailStation, stations.at(-1) as RailStation]
    const route = { id: `${origin.code}${destination.code}${suffix}`, name, isBus: false, color: 'F2F5F5', origin, destination }
    return { route, stops: timed(stations, { speed_kmh, stand: 120, round: 60 }), firstSequence: 1, shapeId: null }
  }
  return { patterns: [pattern(run), pattern(run.toReversed())] }
}

const townsOf = new WeakMap<Gazetteer, ReadonlyMap<string, RealStation>>()

/** The station of a town: the real one if known. */
function townStation(builder: CityBuilder, { code, name, centre }: Municipality): RailStation {
  const real = realTowns(builder.gazetteer).get(code)
  return real ? realStation(builder, real) : stationAt(builder, { key: `town/${code}`, name, ...centre })
}

/** Real stations by the code of their municipality. */
function realTowns(gazetteer: Gazetteer): ReadonlyMap<string, RealStation> {
  const towns =
    townsOf.get(gazetteer) ??
    new Map([...TOWN_STATIONS, ...MAIN_STATIONS.values()].map((station) => [gazetteer.at(station.lon, station.lat)?.code ?? '', station]))
  townsOf.set(gazetteer, towns)
  return towns
}

function cityStation(builder: CityBuilder, [name, province]: readonly [string, string], isFast = false): RailStation {
  const fast = isFast ? HIGH_SPEED_STATIONS.get(name) : undefined
  if (fast) return realStation(builder, fast)
  const commuter = builder.centres.get(name)
  if (commuter) return commuter
  const real = MAIN_STATIONS.get(name)
  if (real) return realStation(builder, real)
  const { centre } = builder.gazetteer.named(name, province)
  return stationAt(builder, { key: `city/${name}`, name, ...centre })
}
