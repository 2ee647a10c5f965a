import { between, chance, hash } from '../random.ts'
import { FGC_LINES, type FgcLine, type FgcStation } from './fgc-lines.ts'
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

const MINUTE = 60_000
/** From a stop to the next, including half a minute of standing. */
const SECTION = 2.5 * MINUTE
const STANDS = 0.5 * MINUTE
/** A train stands at its last stop for this long. */
const TURNS = 2 * MINUTE

/** The running trains at an instant (ms), with a quarter of them between one and five o'clock. */
export function fgcTrainsAt(seed: number, instant: number): FgcTrain[] {
  return FGC_LINES.flatMap((one) => (['A', 'D'] as const).flatMap((direction) => trainsOf(seed, { line: one, direction }, instant)))
}

function trainsOf(seed: number, run: { readonly line: FgcLine; readonly direction: 'A' | 'D' }, instant: number): FgcTrain[] {
  const { line: of, direction } = run
  const lasts = (of.stations.length - 1) * SECTION + TURNS
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
  const last = of.stations.length - 1
  const at = Math.min(last, Math.floor((instant - leaves) / SECTION))
  const since = instant - leaves - at * SECTION
  const isStanding = at === last || since < STANDS
  const moved = at + (isStanding ? 0 : (since - STANDS) / (SECTION - STANDS))
  const stations = direction === 'A' ? of.stations : of.stations.toReversed()
  const [left, ahead] = [stations[at], stations[Math.min(last, at + 1)]] as [FgcStation, FgcStation]
  const share = moved - at
  return {
    circulation: hexOf('circulation', ...key),
    ...{ line: of.name, direction, stops: stations.map(({ code }) => code), at, isStanding },
    isOnTime: chance('fgc late', ...key) > 0.08,
    unitType: of.unitType,
    unit: hexOf('unit', seed, of.name, hash(...key) % 20),
    lat: left.lat + (ahead.lat - left.lat) * share,
    lon: left.lon + (ahead.lon - left.lon) * share,
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
