import { contains } from '../../../lake/places/areas.ts'
import { between, chance, type Dice, diceOf, pick, pickWeighted, weights } from '../random.ts'
import { BIG_TOWNS, BRANDS, type Brand, OPENING_HOURS, OTHER_BRANDS } from './fuel-brands.ts'
import { type Gazetteer, type Municipality, readGazetteer } from './municipalities.ts'
import { communityOf, ministryName, PROVINCES, provinceOf } from './provinces.ts'
import { type RoadNetwork, type RoadPoint, roadNetwork, type Stretch } from './road-network.ts'
import { defineWorldPart, type Scale, type World } from './world.ts'

/** A filling station without its prices. */
export interface Station {
  readonly index: number
  /** `IDEESS`. */
  readonly id: number
  readonly municipality: Municipality
  /** The ministry's own number of the municipality. */
  readonly municipalityId: number
  readonly communityId: string
  readonly provinceName: string
  readonly municipalityName: string
  readonly locality: string
  readonly address: string
  readonly postalCode: string
  readonly brand: Brand
  readonly sign: string
  readonly hours: string
  readonly side: 'D' | 'I' | 'N'
  readonly isRestricted: boolean
  readonly reporter: 'OM' | 'dm'
  readonly ester: string
  /** As published: two stations are at 0, 0 and one has its coordinates swapped. */
  readonly lat: number
  readonly lon: number
  /** Open from, to: ms since the epoch. */
  readonly opensAt: number
  readonly closesAt: number
}

const DAY = 86_400_000
/** First day of openings and closures in the generated country, and the number of days with changes. */
const CHANGES_SINCE = Date.UTC(2025, 0, 1)
const CHANGES_FOR_DAYS = 1460
/** Share of all stations that open or close in that time. */
const CHANGING_SHARE = 0.045

/** The register's own mistakes, which last for months. */
const MISPLACED: ReadonlyMap<number, 'nowhere' | 'swapped'> = new Map([
  [2500, 'nowhere'],
  [6200, 'nowhere'],
  [9300, 'swapped'],
])
const ALWAYS: readonly [number, number] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]

/** The side of the road, for stations whose address names none. */
const SIDES = weights<Station['side']>('N:5 D:4 I:1')
const STREETS = ['CALLE', 'AVENIDA', 'AVDA.', 'CL', 'CARRETERA', 'CR', 'POLIGONO INDUSTRIAL', 'RONDA', 'PASEO', 'CAMINO', 'AUTOVIA']
const NAMES = `
MAYOR, ANDALUCIA, DE LA CONSTITUCIÓN, REAL, DEL MAR, ESPAÑA, SAN JUAN, LA ESTACIÓN, EUROPA, DE LA PAZ, INDUSTRIA,
LOS OLIVOS, SANTA ANA, MADRID, PORTUGAL, 1º DE MAYO, CASTILLA, LA VEGA, MIGUEL DE CERVANTES, LAS ERAS, EL PRADO,
GENERALITAT, DE GALICIA, LA FUENTE, L'HORTA
`
  .trim()
  .split(/,\s+/)
/**
 * Share of the stations outside big towns that are on a road; and their distance along it, km, such that roads can be drawn
 * through them.
 */
const ROAD_SHARE = 0.42
const ROAD_STEP_KM = 4.2

/** The station in the API's examples, whose requests must have data from any publisher: its id, municipality and position. */
const SHOWN = Object.freeze({ id: 4375, municipality: '08001', lat: 41.514583, lon: 1.897944 })

/** Approximate number of stations at any time. */
const COUNTS: Readonly<Record<Scale, number>> = { full: 12_073, small: 400 }

/** The filling stations, distributed like the register's. About 0.3 s. */
export const fillingStations = defineWorldPart((world) => makeStations(readGazetteer(), world, COUNTS[world.scale]))

function makeStations(gazetteer: Gazetteer, world: World, count: number): Station[] {
  const { seed } = world
  const places = placesOf(gazetteer, seed, count)
  const spots = roadSpots(world.part(roadNetwork), seed)
  const towns = new Set(BIG_TOWNS.map(([name]) => gazetteer.named(name).code))
  const numbers = new Map(gazetteer.municipalities.map((item, at) => [item.code, at + 1]))
  let id = 0
  const stations = places.map((municipality, index) => {
    id += 1 + Math.floor(chance(seed, 'gap', index) * 1.7)
    const isOnRoad = !towns.has(municipality.code) && chance(seed, 'on road', index) < ROAD_SHARE
    const spot = isOnRoad ? (spots.get(municipality.province)?.shift() ?? null) : null
    const at = spot?.municipality ?? municipality
    return station({ seed, index, id, municipality: at, municipalityId: numbers.get(at.code) as number, spot })
  })
  const { municipality: code, ...shown } = SHOWN
  const at = stations.findIndex((one) => code.startsWith(one.municipality.province) && isForAll(one))
  const before = stations[at] as Station
  const municipality = gazetteer.municipalities.find((one) => one.code === code) as Municipality
  const site = { seed, index: at, municipality, municipalityId: numbers.get(code) as number, spot: null }
  // The station that already has the id gets the other one's: ids are unique.
  return stations.map((one, index) =>
    index === at ? { ...station({ ...site, id: shown.id }), ...shown } : one.id === shown.id ? { ...one, id: before.id } : one,
  )
}

/** True for a station that always exists, at its real position, and is open to everybody. */
function isForAll({ index, opensAt, closesAt, isRestricted }: Station): boolean {
  return !MISPLACED.has(index) && opensAt === ALWAYS[0] && closesAt === ALWAYS[1] && !isRestricted
}

/** True if the register lists a station at an instant: it is open, and not omitted by one of the register's rare errors. */
export function isListed(seed: number, station: Station, instant: number): boolean {
  if (instant < station.opensAt || instant >= station.closesAt) return false
  return chance(seed, 'slip', station.index, Math.floor(instant / (DAY / 4))) >= 0.0002
}

function placesOf(gazetteer: Gazetteer, seed: number, count: number): Municipality[] {
  const total = [...PROVINCES.values()].reduce((sum, province) => sum + province.stations, 0)
  // Half of the changing stations are closed at any time.
  const scale = count / total / (1 - CHANGING_SHARE / 2)
  const big = Map.groupBy(
    BIG_TOWNS.map(([name, stations]) => ({ town: gazetteer.named(name), stations })),
    ({ town }) => town.province,
  )
  const places: Municipality[] = []
  for (const province of PROVINCES.values()) {
    const wanted = Math.max(1, Math.round(province.stations * scale))
    const ofProvince = (gazetteer.ofProvince.get(province.code) ?? []).filter((item) => contains(item, item.centre))
    const chosen = (big.get(province.code) ?? []).flatMap(({ town, stations }) =>
      Array<Municipality>(Math.round(stations * scale)).fill(town),
    )
    for (let nth = chosen.length; nth < wanted; nth++) {
      // A few hundred villages of a province have a station, and the same ones have several.
      const u = chance(seed, 'town', province.code, nth)
      chosen.push(ofProvince[Math.floor(u ** 1.5 * ofProvince.length * 0.6)] as Municipality)
    }
    places.push(...chosen.slice(0, wanted))
  }
  return places
}

interface Site {
  readonly seed: number
  readonly index: number
  readonly id: number
  readonly municipality: Municipality
  readonly municipalityId: number
  /** Its position on a road; null in a street. */
  readonly spot: RoadSpot | null
}

/** A position of a station on a road. */
interface RoadSpot extends RoadPoint {
  readonly road: string
}

/** Positions along the roads of each province, main roads first: one every few kilometres. */
function roadSpots(network: RoadNetwork, seed: number): ReadonlyMap<string, RoadSpot[]> {
  const spotsOf = ({ road, from_km, to_km }: Stretch): RoadSpot[] =>
    Array.from({ length: Math.floor((to_km - from_km) / ROAD_STEP_KM) + 1 }, (_, nth) => {
      const km = from_km + nth * ROAD_STEP_KM + 0.6 * chance(seed, 'road spot', road.name, from_km, nth)
      const point = network.pointAt(road, Math.round(10 * Math.min(km, to_km)) / 10)
      return point && { ...point, road: road.name }
    }).filter((spot) => spot !== null)
  return new Map(
    [...network.stretches].map(([province, stretches]) => {
      const mainFirst = stretches.toSorted((one, other) => Number(other.road.isMain) - Number(one.road.isMain))
      return [province, mainFirst.flatMap(spotsOf).filter(({ municipality }) => municipality.province === province)]
    }),
  )
}

function station({ seed, index, id, municipality, municipalityId, spot }: Site): Station {
  const dice = diceOf(seed, 'station', index)
  const province = provinceOf(municipality.province)
  const name = ministryName(municipality)
  const brand = brandOf(dice, name)
  const isRestricted = dice() < 0.061
  const { lon, lat } = spot ?? pointIn(municipality, dice)
  const [opensAt, closesAt] = MISPLACED.has(index) ? ALWAYS : lifetime(dice)
  return {
    index,
    id,
    municipality,
    municipalityId,
    communityId: communityOf(province).ministryId,
    provinceName: province.ministry,
    municipalityName: name,
    locality: dice() < 0.85 ? plainCapitals(name) : `${pick(['EL ', 'LA ', 'VILLA', 'SAN ', 'URB. '], dice())}${pick(NAMES, dice())}`,
    address: spot ? roadAddress(spot, dice) : streetAddress(dice),
    postalCode: `${municipality.province}${String(between(1, 899, chance('postal', municipality.code))).padStart(3, '0')}`,
    brand,
    sign: brand.name + (dice() < 0.03 ? ' ' : ''),
    hours: brand.isLowCost ? 'L-D: 24H' : pickWeighted(OPENING_HOURS, dice()),
    side: spot ? (dice() < 0.6 ? 'D' : 'I') : pickWeighted(SIDES, dice()),
    isRestricted,
    reporter: brand.delta > 0 && dice() < 0.65 ? 'OM' : 'dm',
    ester: dice() < 0.01 ? pick(['7,0', '7,0', '20,0', '30,0'], dice()) : '0,0',
    ...misplaced(index, lat, lon),
    opensAt,
    closesAt,
  }
}

function misplaced(index: number, lat: number, lon: number): { lat: number; lon: number } {
  const how = MISPLACED.get(index)
  if (how === undefined) return { lat, lon }
  return how === 'swapped' ? { lat: lon, lon: lat } : { lat: 0, lon: 0 }
}

function brandOf(dice: Dice, town: string): Brand {
  const known = BRANDS.reduce((sum, brand) => sum + brand.weight, 0)
  if (dice() * (known + OTHER_BRANDS) < known)
    return pickWeighted(
      BRANDS.map((brand) => [brand, brand.weight] as const),
      dice(),
    )
  const name = pickWeighted(
    [
      [`E.S. ${plainCapitals(town)}`, 6],
      [`ESTACIÓN DE SERVICIO ${pick(NAMES, dice())}`, 3],
      [`PETRO${pick(NAMES, dice()).replaceAll(' ', '')}`, 2],
      [`Nº ${between(3, 96, dice())}.${between(100, 999, dice())}`, 2],
      [`GASÓLEOS ${plainCapitals(town)}, S.L.`, 2],
      [`${pick(NAMES, dice())} "OIL"`, 1],
    ],
    dice(),
  )
  return { name, weight: 0, delta: -0.09 + 0.13 * dice(), isLowCost: dice() < 0.25 }
}

function lifetime(dice: Dice): readonly [number, number] {
  if (dice() >= CHANGING_SHARE) return ALWAYS
  const at = CHANGES_SINCE + Math.floor(dice() * CHANGES_FOR_DAYS) * DAY + 9 * 3_600_000
  return dice() < 0.5 ? [at, Number.POSITIVE_INFINITY] : [Number.NEGATIVE_INFINITY, at]
}

function pointIn(item: Municipality, dice: Dice): { lon: number; lat: number } {
  const { lon, lat } = item.centre
  for (let tries = 0; tries < 12; tries++) {
    // Moved towards the centre, away from the neighbours.
    const dx = (dice() - 0.5) * 0.5 * (item.east - item.west)
    const dy = (dice() - 0.5) * 0.5 * (item.north - item.south)
    const point = { lon: round6(lon + dx), lat: round6(lat + dy) }
    if (contains(item, point)) return point
  }
  return { lon: round6(lon), lat: round6(lat) }
}

function roadAddress(spot: RoadSpot, dice: Dice): string {
  const km = String(spot.km).replace('.', ',')
  return pickWeighted(
    [
      [`CARRETERA ${spot.road} KM. ${km}`, 4],
      [`CR ${spot.road}, ${km}`, 3],
      [`AUTOVIA ${spot.road} (MRG.DCHO.) KM. ${km}`, 3],
      [`CARRETERA ${spot.road} KM. `, 1],
    ],
    dice(),
  )
}

function streetAddress(dice: Dice): string {
  const number = pick(
    [
      String(between(1, 240, dice())),
      String(between(1, 60, dice())),
      'S/N',
      'S/N',
      `${between(1, 40, dice())}-${between(41, 80, dice())}`,
      '',
    ],
    dice(),
  )
  return `${pick(STREETS, dice())} ${pick(NAMES, dice())}, ${number}`
}

/** Capitals without accents, as in localities; Ñ and Ç stay. */
function plainCapitals(name: string): string {
  return name.toUpperCase().replace(/[ÁÀ]/g, 'A').replace(/[ÉÈ]/g, 'E').replace(/[ÍÏ]/g, 'I').replace(/[ÓÒ]/g, 'O').replace(/[ÚÜ]/g, 'U')
}

function round6(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
