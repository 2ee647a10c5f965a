import { between, chance, hash } from '../random.ts'
import { localTime } from './rhythm.ts'

/** A train of FGC at an instant. */
export interface FgcTrain {
  readonly circulation: string
  readonly line: string
  readonly direction: 'A' | 'D'
  /** Stops of the whole run, in running order. */
  readonly stops: readonly string[]
  /** Index of the stop where it stands, or that it left. */
  readonly at: number
  readonly isStanding: boolean
  readonly isOnTime: boolean
  readonly unitType: string
  readonly unit: string
  readonly lat: number
  readonly lon: number
  /** Share of the seats in use by coach, %; null for a unit without sensors. */
  readonly occupancy: readonly number[] | null
}

/** A line: stops, minutes between trains of a direction by day, series, and both ends as [lon, lat]. */
interface FgcLine {
  readonly name: string
  readonly stops: readonly string[]
  readonly headway_min: number
  readonly unitType: string
  readonly ends: readonly [readonly [number, number], readonly [number, number]]
}

const MINUTE = 60_000
/** From a stop to the next, including half a minute of standing. */
const SECTION = 2.5 * MINUTE
const STANDS = 0.5 * MINUTE
/** A train stands at its last stop for this long. */
const TURNS = 2 * MINUTE

const [BARCELONA, ESPANYA] = [
  [2.1684, 41.3856],
  [2.1485, 41.3748],
] as const
/** Stops that all lines from one end in Barcelona share. */
const TRUNK = 5

const LINES: readonly FgcLine[] = (
  [
    ['S1', 19, 10, '113', [BARCELONA, [2.0086, 41.5716]]],
    ['S2', 18, 10, '115', [BARCELONA, [2.0967, 41.5684]]],
    ['L6', 9, 6, '114', [BARCELONA, [2.1205, 41.4]]],
    ['L7', 7, 8, '114', [BARCELONA, [2.1336, 41.4103]]],
    [
      'L12',
      2,
      10,
      '114',
      [
        [2.1217, 41.3988],
        [2.1138, 41.3952],
      ],
    ],
    ['L8', 11, 10, '213', [ESPANYA, [2.0483, 41.3464]]],
    ['S3', 12, 30, '213', [ESPANYA, [2.0283, 41.3653]]],
    ['S4', 20, 30, '213', [ESPANYA, [1.9111, 41.4758]]],
    ['S8', 16, 30, '213', [ESPANYA, [1.9256, 41.4766]]],
    ['R5', 28, 60, '213', [ESPANYA, [1.8266, 41.7282]]],
    ['R6', 30, 60, '213', [ESPANYA, [1.6191, 41.5806]]],
    [
      'RL1',
      8,
      60,
      '331',
      [
        [0.6333, 41.6206],
        [0.8104, 41.7911],
      ],
    ],
    [
      'RL2',
      17,
      120,
      '331',
      [
        [0.6333, 41.6206],
        [0.8945, 42.1664],
      ],
    ],
  ] as const
).map(([name, count, headway_min, unitType, ends], index) => ({
  ...{ name, headway_min, unitType, ends },
  stops: Array.from({ length: count }, (_, at) =>
    stopCode(at < TRUNK && ends[0] === BARCELONA ? 'B' : at < TRUNK && ends[0] === ESPANYA ? 'E' : 'FGHIJKLMNOPQR'.charAt(index), at),
  ),
}))

/** An invented code: a letter for the line or trunk, and one for the place. */
function stopCode(letter: string, at: number): string {
  return letter + at.toString(36).toUpperCase()
}

/** The running trains at an instant (ms), with a quarter of them between one and five o'clock. */
export function fgcTrainsAt(seed: number, instant: number): FgcTrain[] {
  return LINES.flatMap((one) => (['A', 'D'] as const).flatMap((direction) => trainsOf(seed, { line: one, direction }, instant)))
}

function trainsOf(seed: number, run: { readonly line: FgcLine; readonly direction: 'A' | 'D' }, instant: number): FgcTrain[] {
  const { line: of, direction } = run
  const lasts = (of.stops.length - 1) * SECTION + TURNS
  const step = of.headway_min * MINUTE
  const shift = hash(seed, 'fgc shift', of.name, direction) % step
  const trains: FgcTrain[] = []
  for (let number = Math.ceil((instant - lasts - shift) / step); number * step + shift <= instant; number++) {
    const leaves = number * step + shift
    const { hour } = localTime(leaves)
    if (hour >= 1 && hour < 5 && number % 4 !== 0) continue
    trains.push(trainAt(seed, { ...run, leaves }, instant))
  }
  return trains
}

function trainAt(
  seed: number,
  { line: of, direction, leaves }: { readonly line: FgcLine; readonly direction: 'A' | 'D'; readonly leaves: number },
  instant: number,
): FgcTrain {
  const key = [seed, of.name, direction, leaves] as const
  const last = of.stops.length - 1
  const at = Math.min(last, Math.floor((instant - leaves) / SECTION))
  const since = instant - leaves - at * SECTION
  const isStanding = at === last || since < STANDS
  const moved = at + (isStanding ? 0 : (since - STANDS) / (SECTION - STANDS))
  const share = direction === 'A' ? moved / last : 1 - moved / last
  const [[lon, lat], [endLon, endLat]] = of.ends
  return {
    circulation: hexOf('circulation', ...key),
    ...{ line: of.name, direction, stops: direction === 'A' ? of.stops : of.stops.toReversed(), at, isStanding },
    isOnTime: chance('fgc late', ...key) > 0.08,
    unitType: of.unitType,
    unit: hexOf('unit', seed, of.name, hash(...key) % 20),
    lat: lat + (endLat - lat) * share,
    lon: lon + (endLon - lon) * share,
    occupancy:
      of.unitType === '113' || of.unitType === '115'
        ? [0, 1, 2, 3].map((coach) => Math.round(between(2, 70, chance('fgc coach', ...key, coach, at))))
        : null,
  }
}

/** Ten hexadecimal digits. */
function hexOf(...words: readonly (string | number)[]): string {
  return [hash(...words), hash('second', ...words)].map((half) => half.toString(16).padStart(8, '0').slice(-5)).join('')
}
