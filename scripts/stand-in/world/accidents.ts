import { between, type Dice, diceOf, pick, pickWeighted, weights } from '../random.ts'
import { type Municipality, readGazetteer } from './municipalities.ts'
import { type RoadPoint, roadNetwork } from './road-network.ts'
import type { World } from './world.ts'

/** The facts of an accident that all publishers would know. */
export interface Accident {
  readonly index: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly killed: number
  readonly serious: number
  readonly slight: number
  readonly vehicles: number
  readonly dice: Dice
}

/** An accident somewhere in Spain. */
export interface SpanishAccident extends Accident {
  readonly municipality: Municipality
  /** Null on streets. Publishers round the kilometre; `at` is the exact place on the middle of the road. */
  readonly road: { readonly name: string; readonly km: number; readonly at: Pick<RoadPoint, 'lon' | 'lat'> } | null
}

/** An accident in Madrid, in metres of its grid. */
export interface CityAccident extends Accident {
  readonly x: number
  readonly y: number
}

/** Accidents per year at full and small scale, which are far below the real numbers, and in full archives. */
const COUNTS = {
  spain: { full: 4000, small: 220, archive: 101_996 },
  // Enough accidents on roads that differences between them exceed chance, at small scale too. The archive's number includes
  // accidents in provinces that the file omits.
  animals: { full: 6000, small: 3600, archive: 52_400 },
  madrid: { full: 600, small: 220, archive: 21_000 },
} as const

/** The number of accidents of a kind in a year. */
export function accidentsOf({ scale, archives }: World, kind: keyof typeof COUNTS): number {
  return COUNTS[kind][archives === 'full' ? 'archive' : scale]
}

/** Shares of accidents by province, roughly by population, which no list of the stand-in contains. */
const PROVINCES = weights('08:18 28:14 46:6 29:5 41:5 30:4 03:4 07:3 11:3 18:3 48:3 50:2 15:2 35:2 38:2 33:2 02:1 01:1 25:1 43:2 17:2')
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

function accidentAt(seed: number, what: string, year: number, index: number): Accident {
  const dice = diceOf(seed, what, year, index)
  const month = between(1, 12, dice())
  const hour = pickWeighted(
    [
      [between(0, 5, dice()), 1],
      [between(6, 12, dice()), 4],
      [between(13, 20, dice()), 6],
      [between(21, 23, dice()), 2],
    ] as const,
    dice(),
  )
  const worst = dice()
  return {
    index,
    month,
    day: between(1, DAYS[month - 1] as number, dice()),
    hour,
    minute: between(0, 59, dice()),
    killed: worst < 0.02 ? 1 : 0,
    serious: worst > 0.93 ? 1 : 0,
    slight: worst < 0.02 ? 0 : between(1, 2, dice()),
    vehicles: between(1, 3, dice()),
    dice,
  }
}

/** Accidents of a year in all of Spain, on roads and streets. */
export function spanishAccidents(world: World, what: string, year: number, count: number): SpanishAccident[] {
  const network = world.part(roadNetwork)
  const gazetteer = readGazetteer()
  return Array.from({ length: count }, (_, index) => {
    const accident = accidentAt(world.seed, what, year, index)
    const province = pickWeighted(PROVINCES, accident.dice())
    const stretch = accident.dice() < 0.45 ? network.stretchIn(province, accident.dice) : null
    const km = stretch ? stretch.from_km + accident.dice() * (stretch.to_km - stretch.from_km) : 0
    const at = stretch && network.pointAt(stretch.road, km)
    const municipality = at?.municipality ?? pick(gazetteer.ofProvince.get(province) ?? [], accident.dice())
    return { ...accident, municipality, road: stretch && at ? { name: stretch.road.name, km: Math.round(km * 10) / 10, at } : null }
  })
}

/** In each edition one accident in this many is corrected. */
const CORRECTED = 50

/**
 * The accidents in an edition of their file: a different share of them is a minute later and has one more slightly injured
 * person.
 */
export function corrected<A extends Accident>(accidents: readonly A[], edition: number): readonly A[] {
  return accidents.map((accident) => {
    const { index, slight, minute } = accident
    return index % CORRECTED === edition % CORRECTED ? { ...accident, slight: slight + 1, minute: (minute + 1) % 60 } : accident
  })
}

/** Madrid's centre and extent in metres of its grid. */
const MADRID = { x: 441_000, y: 4_475_000, reach_m: 6000 } as const
/** Crossings with many accidents. */
const BLACK_SPOTS = 8

/** Accidents of a year in Madrid: a third of them at a few crossings, which are the same every year. */
export function cityAccidents(world: World, year: number): CityAccident[] {
  return Array.from({ length: accidentsOf(world, 'madrid') }, (_, index) => {
    const accident = accidentAt(world.seed, 'madrid', year, index)
    const { dice } = accident
    const isSpot = dice() < 0.33
    const spot = isSpot ? diceOf(world.seed, 'madrid spot', Math.floor(dice() * BLACK_SPOTS)) : dice
    const [x, y] = [MADRID.x + spread(spot, MADRID.reach_m), MADRID.y + spread(spot, MADRID.reach_m)]
    return { ...accident, ...(isSpot ? { x: x + spread(dice, 60), y: y + spread(dice, 60) } : { x, y }) }
  })
}

/** More often near the centre: the mean of two random values. */
function spread(dice: Dice, reach_m: number): number {
  return (dice() + dice() - 1) * reach_m
}
