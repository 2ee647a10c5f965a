import { between, chance, type Dice, diceOf, hash, pick, pickWeighted, weights } from '../random.ts'
import { MADRID_STREETS } from './madrid-streets.ts'
import { defineWorldPart, type Scale } from './world.ts'

/** A point of EPSG:25830 (ETRS89 / UTM zone 30N), in metres. */
interface UtmPoint {
  readonly x: number
  readonly y: number
}

/** A traffic sensor of Madrid. */
export interface Sensor {
  readonly index: number
  readonly kind: 'URB' | 'M30'
  /** Its ids before and after its replacement. */
  readonly ids: readonly [number, number]
  /** When its id changes, ms since the epoch. */
  readonly replacedAt: number
  /** Code in the traffic control centre. */
  readonly centreCode: string
  readonly name: string
  readonly access: string
  readonly subarea: string
  readonly district: number | null
  /** Saturation flow, vehicles an hour. */
  readonly saturation: number
  readonly position: UtmPoint
  /** Traffic of the busiest hour as a share of the saturation flow. */
  readonly use: number
  /** Quarter hours by which its rush hour is later than the city's. */
  readonly lag: number
  /** Intensities are multiples of this. */
  readonly quantum: number
  /** Mean speed on an empty road, km/h; M-30 only. */
  readonly free_kmh: number
}

/** Numbers of sensors. */
interface SensorCounts {
  readonly urban: number
  readonly ring: number
}

/** Ids in the API's examples, whose requests must have data from any publisher: never omitted. */
export const KEPT_IDS: readonly number[] = [3409, 3840]
const RING_IDS = { first: 6600, last: 7199 }
const SATURATIONS = weights(
  '1500:825 3000:540 1800:175 3600:160 1200:127 1000:115 4500:100 900:65 1400:63 2400:60 2000:58 5400:40 700:50 600:40 500:40 2800:36',
  Number,
)
/** The centre of the city in EPSG:25830, and the bounding box of its sensors. */
/** Digits of the codes of accesses and subareas; 0 for none, and 1 for a zero. */
const ACCESS_DIGITS = weights('7:180 6:173 0:48 1:38 5:4', Number)
const SUBAREA_DIGITS = weights('4:80 6:16 1:4', Number)
/** Steps of intensities. */
const QUANTA = weights('15:5 20:4 12:2 45:2 30:3 1:1', Number)
const MIDDLE: UtmPoint = { x: 441_000, y: 4_475_000 }
const BOX = { west: 429_100, east: 450_700, south: 4_465_000, north: 4_485_200 }

const COUNTS: Readonly<Record<Scale, SensorCounts>> = { full: { urban: 5817, ring: 300 }, small: { urban: 1040, ring: 40 } }

/** Madrid's sensors: urban ones first, then those of the M-30, in the feed's order. */
export const madridSensors = defineWorldPart(({ seed, scale }) => makeSensors(seed, COUNTS[scale]))

function makeSensors(seed: number, counts: SensorCounts): Sensor[] {
  const sensors: Sensor[] = []
  let id = 3394
  for (let index = 0; index < counts.urban; index++) {
    // Gaps are the ids of removed sensors.
    id += chance(seed, 'gap', index) < 0.82 ? 1 : 2
    if (id >= RING_IDS.first && id <= RING_IDS.last) id = RING_IDS.last + 1
    const isLeftOut = KEPT_IDS.includes(id - 1) && sensors.at(-1)?.ids[0] !== id - 1
    sensors.push(urbanSensor({ seed, index, id: isLeftOut ? id - 1 : id }))
  }
  // The feed's order is by the centre's zones, not by id.
  sensors.sort((a, b) => hash(seed, 'order', a.index >> 3) - hash(seed, 'order', b.index >> 3) || a.index - b.index)
  for (let index = 0; index < counts.ring; index++)
    sensors.push(ringSensor({ seed, index: counts.urban + index, nth: index, of: counts.ring }))
  return sensors
}

/** The id of a sensor at an instant (ms). */
export function idAt(sensor: Sensor, instant: number): number {
  return sensor.ids[instant < sensor.replacedAt ? 0 : 1]
}

function urbanSensor({ seed, index, id }: { seed: number; index: number; id: number }): Sensor {
  const dice = diceOf(seed, 'sensor', index)
  const zone = 1 + Math.floor(index / 80)
  const saturation = pickWeighted(SATURATIONS, dice())
  const accessDigits = pickWeighted(ACCESS_DIGITS, dice())
  const subareaDigits = pickWeighted(SUBAREA_DIGITS, dice())
  return {
    index,
    kind: 'URB',
    ids: [id, 12_000 + index],
    replacedAt:
      index % 97 === 0 && !KEPT_IDS.includes(id) ? Date.UTC(2025, 0, 1) + Math.floor(dice() * 1200) * 86_400_000 : Number.POSITIVE_INFINITY,
    centreCode: `${String(zone).padStart(2, '0')}${String(1 + (index % 80)).padStart(3, '0')}`,
    name: nameOf(dice),
    access: accessDigits === 0 ? '' : accessDigits === 1 ? '0' : `${zone}${digits(dice, accessDigits - String(zone).length)}`,
    subarea: subareaDigits === 1 ? '0' : `${zone}${digits(dice, subareaDigits - String(zone).length)}`,
    district: index % 900 === 450 ? null : between(1, 21, dice()),
    saturation,
    position: around(MIDDLE, { angle: dice() * 2 * Math.PI, radius: 9500 * dice() ** 0.65 }),
    use: 0.12 + 0.6 * dice() ** 1.6,
    lag: between(-3, 3, dice()),
    quantum: pickWeighted(QUANTA, dice()),
    free_kmh: 0,
  }
}

function ringSensor({ seed, index, nth, of }: { seed: number; index: number; nth: number; of: number }): Sensor {
  const dice = diceOf(seed, 'ring', nth)
  const angle = (2 * Math.PI * nth) / of
  const code = `PM${1 + Math.floor((nth * 4) / of)}${String(Math.floor((nth * 320) / of) % 100).padStart(2, '0')}${between(1, 9, dice())}${between(1, 4, dice())}`
  return {
    index,
    kind: 'M30',
    ids: [RING_IDS.first + 40 + nth, 12_000 + index],
    replacedAt: Number.POSITIVE_INFINITY,
    centreCode: code,
    name: nth % 40 === 0 ? '' : code,
    access: '',
    subarea: '',
    district: between(1, 21, dice()),
    saturation: pick([3000, 4500, 6000, 1500], dice()),
    position: around(MIDDLE, { angle, radius: 4300 + 1400 * Math.abs(Math.sin(angle)) + 30 * dice() }),
    use: 0.35 + 0.6 * dice(),
    lag: between(-2, 2, dice()),
    quantum: 60,
    free_kmh: between(60, 100, dice()),
  }
}

/** Names in the styles of the traffic centre: street, direction, then the crossings. */
function nameOf(dice: Dice): string {
  const street = pick(MADRID_STREETS, dice())
  const direction = pick(['N-S', 'S-N', 'E-O', 'O-E'], dice())
  const [from, to] = [pick(MADRID_STREETS, dice()), pick(MADRID_STREETS, dice())]
  const number = between(1, 280, dice())
  return pickWeighted(
    [
      [`${street} ${direction} - ${from}-${to}`, 60],
      [`(AFOROS) ${street} ${direction} - ${from}-${to}`, 6],
      [`${street.toUpperCase()} Ø${number} ${direction} (${from.toUpperCase()}-${to.toUpperCase()})`, 20],
      [`${street} ${number} ${direction} - ${from} - Pl. ${to}`, 10],
      [`(TÁCTICO) ${street} ${direction} Ø${number % 10}`, 4],
    ],
    dice(),
  )
}

function around(middle: UtmPoint, { angle, radius }: { angle: number; radius: number }): UtmPoint {
  const x = middle.x + Math.cos(angle) * radius
  const y = middle.y + Math.sin(angle) * radius
  return { x: Math.min(BOX.east, Math.max(BOX.west, x)), y: Math.min(BOX.north, Math.max(BOX.south, y)) }
}

function digits(dice: Dice, count: number): string {
  return Array.from({ length: count }, () => String(Math.floor(dice() * 10))).join('')
}
