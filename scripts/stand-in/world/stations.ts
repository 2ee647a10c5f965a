import { contains } from '../../../lake/places/areas.ts'
import { between, chance, type Dice, diceOf, pick, pickWeighted, weights } from '../random.ts'
import { type Gazetteer, type Municipality, readGazetteer } from './municipalities.ts'
import { communityOf, ministryName, PROVINCES, provinceOf } from './provinces.ts'
import { type RoadNetwork, type RoadPoint, roadNetwork, type Stretch } from './road-network.ts'
import { defineWorldPart, type Scale, type World } from './world.ts'

/**
 * A brand: stations per thousand, price relative to the country's (€/L), and whether it is low-cost and open around the clock.
 */
interface Brand {
  readonly name: string
  readonly weight: number
  readonly delta: number
  readonly isLowCost: boolean
}

// Names are facts of public record; `*` marks low-cost brands.
const ROWS = `
REPSOL 226 0.03, CEPSA 58 0.03, MOEVE 41 0.035, GALP 38 0, SHELL 28 -0.01, BALLENOIL* 29 -0.13, PLENERGY* 27 -0.12, PETROPRIX* 14 -0.135, PETRONOR 13 0.03, BP 13 0.02,
CARREFOUR 12 -0.03, AVIA 9 -0.02, Q8 7 -0.03, BONAREA* 5 -0.2, ESCLATOIL* 5 -0.15, CAMPSA 5 0, AGLA 4 -0.05, VALCARCE 4 0, ALCAMPO* 4 -0.15, EROSKI 3 -0.1, HAM 3 -0.06,
MEROIL 3 -0.04, ENI 3 0.01, GASEXPRESS* 3 -0.13, BEROIL 3 -0.07, TAMOIL* 2 -0.13, DISA 2 0, COOPERATIVA 6 -0.09, MOLGAS 2 0, IDS 2 -0.03, NIEVES 2 -0.05, NATURGY 2 0.01,
IBERDOEX 2 -0.03, PETROCAT 3 -0.02, AUTONETOIL* 2 -0.12, PCAN 2 -0.03, LECLERC* 2 -0.14, NINGUNO 2 -0.06, SIN ROTULO 2 -0.05, (SIN RÓTULO) 1 -0.05, NO TIENE 1 -0.05, LIBRE 1 -0.04
`

/** The known brands. */
const BRANDS: readonly Brand[] = ROWS.replaceAll('\n', ' ')
  .split(',')
  .map((row) => {
    const words = row.trim().split(' ')
    const name = words.slice(0, -2).join(' ')
    return { name: name.replace('*', ''), weight: Number(words.at(-2)), delta: Number(words.at(-1)), isLowCost: name.endsWith('*') }
  })

/** Stations without a known brand, per thousand. */
const OTHER_BRANDS = 380

/** Opening hours in the register's format, with their frequencies. */
const OPENING_HOURS: readonly (readonly [string, number])[] = `
L-D: 24H=548|L-D: 06:00-22:00=157|L-D: 07:00-23:00=75|L-D: 07:00-22:00=31|L-D: 06:00-23:00=23|L-D: 06:30-22:30=17|L-D: 06:00-00:00=17|L: 24H=11|L-D: 07:00-21:00=9|
L: 06:00-22:00=8|L-D: 00:00-23:59=8|L: 07:00-23:00=7|L-D: 06:00-23:59=6|L-D: 05:00-23:00=6|L-D: 08:00-22:00=6|L-V: 06:00-22:00; S-D: 07:00-22:00=6|L: 07:00-22:00=5|
L-S: 06:00-22:00; D: 07:00-22:00=5|L-D: 7:00-21:00=5|L-D: 08:00-20:00=5|L-S: 07:00-22:00; D: 08:00-22:00=4|L-S: 06:00-22:00=4|L-V: 06:00-22:00=3|
L-V: 07:00-22:00; S: 08:00-22:00; D: 10:00-22:00=3|L-V: 09:00-13:00 y 15:00-18:00; S: 09:00-13:00=3|L-J: 06:00-01:00; V-S: 24H; D: 06:00-01:00=1|
L-V: 07:00-21:30; S: 08:00-14:00 y 17:00-21:30; D: 09:00-14:00=1|L-D: 06:00-13:59 y 14:00-23:00=1|L-V: 08:30-18:30=2|L-J: 05:00-23:00; V: 05:00-23:59; S: 00:00-23:59; D: 00:00-23:00=1|
L-S: 8:30-20:30=2|L-V: 07:30-13:30 y 16:30-19:00=1|L-X: 06:00-22:00; J-D: 24H=1|L-V: 06:00-21:00; S: 08:00-13:00=3
`
  .replaceAll('\n', '')
  .split('|')
  .map((item) => {
    const equals = item.lastIndexOf('=')
    return [item.slice(0, equals), Number(item.slice(equals + 1))]
  })

/** Towns with many stations: INE name and approximate number. */
const BIG_TOWNS = `
Madrid 246, Murcia 111, Barcelona 83, Sevilla 78, Zaragoza 77, València 67, Córdoba 61, Málaga 60, Cartagena 59, Palma 58, Valladolid 58, Las Palmas de Gran Canaria 55,
Jerez de la Frontera 52, Alacant/Alicante 50, Albacete 45, Elx/Elche 44, Vitoria-Gasteiz 42, Badajoz 41, Vigo 39, El Ejido 38, Gijón 38, Terrassa 37, Castelló de la Plana 36,
Lorca 36, Almería 34, A Coruña 32, Alcorcón 32, Santa Cruz de Tenerife 32, Lleida 31, Leganés 31, Tarragona 31, Orihuela 30, Santander 30, Alcalá de Henares 30, Telde 30,
Santiago de Compostela 29, Granada 29, Marbella 29, Burgos 28, Getafe 28, Torrejón de Ardoz 28, San Cristóbal de La Laguna 28, Lugo 27, Dos Hermanas 27, Torrevieja 25,
Fuenlabrada 25, Molina de Segura 25, Sagunt/Sagunto 25, Mérida 24, Guadalajara 24, Irun 23, Jaén 23, León 23, Alcobendas 23, Antequera 23, Talavera de la Reina 23, Paterna 23,
Oviedo 22, Ciudad Real 22, Valdepeñas 22, Logroño 22, Siero 21, Sabadell 21, La Jonquera 21, Móstoles 21, Pamplona/Iruña 20, Bilbao 20, Donostia/San Sebastián 18, Huelva 20,
Cádiz 14, Cáceres 16, Salamanca 16, Toledo 16, Cuenca 12, Segovia 10, Soria 8, Teruel 9, Huesca 12, Ourense 14, Pontevedra 14, Palencia 12, Zamora 12, Ávila 10, Girona 14, Maó 6
`
  .replaceAll('\n', ' ')
  .split(',')
  .map((item): readonly [string, number] => {
    const blank = item.trim().lastIndexOf(' ')
    return [item.trim().slice(0, blank), Number(item.trim().slice(blank + 1))]
  })

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
