import { between, chance } from '../random.ts'
import { defineWorldPart, type World } from './world.ts'

/** A stop of a line, in the order of running outwards. */
export interface LineStop {
  readonly stopId: string
  readonly lat: number
  readonly lon: number
}

/** A line of either network, with how its trains run. */
export interface RailLine {
  readonly network: 'CERCANIAS' | 'AVLDMD'
  /** Null on long distance, whose ids have neither núcleo nor line. */
  readonly nucleo: string | null
  readonly name: string
  readonly routeIds: readonly string[]
  readonly stops: readonly LineStop[]
  /** Number of its first train; its others follow. */
  readonly firstNumber: number
  /** First and last departure of either end, and the time between two, in minutes of the service day. */
  readonly firstMinute: number
  readonly lastMinute: number
  readonly headway: number
  /** Minutes from a stop to the next. */
  readonly section: number
  /** Minutes that its trains lose on works, every day; 0 on most. */
  readonly worksDelay: number
  /** True for the metre gauge, whose platforms are numbered apart. */
  readonly isMetreGauge: boolean
}

/** A núcleo: code, centre, lines with the minutes between their trains. */
type Nucleo = readonly [code: string, lat: number, lon: number, lines: string, headway: number]

// Codes and names of lines are those of the timetable; stops, routes and running are made up.
const NUCLEOS: readonly Nucleo[] = [
  ['10', 40.41, -3.69, 'C1 C2 C3 C4a C4b C5 C7 C8 C10', 10],
  ['51', 41.4, 2.0, 'R1 R2 R2N R2S R3 R4 R7 R8', 20],
  ['20', 43.36, -5.85, 'C1 C2 C3 C4 C5', 25],
  ['30', 37.38, -5.98, 'C1 C2 C4 C5', 40],
  ['31', 36.6, -6.2, 'C1', 35],
  ['32', 36.75, -4.5, 'C1 C2', 30],
  ['40', 39.46, -0.45, 'C1 C2 C3 C6', 30],
  ['41', 38.1, -0.9, 'C1 C3', 30],
  ['45', 37.62, -0.95, 'C4', 40],
  ['46', 43.5, -8.1, 'C5', 60],
  ['47', 42.7, -5.4, 'C1', 60],
  ['60', 43.24, -2.93, 'C1 C2 C3 C4', 30],
  ['61', 43.26, -2.0, 'C1', 25],
  ['62', 43.4, -3.9, 'C1 C2 C3', 40],
  ['70', 41.65, -0.88, 'C1', 40],
]
const METRE_GAUGE = new Set(['45', '46', '47'])
/** Runs all night, on works that cost it more than five minutes: so there is always a train, and one that is late. */
const NIGHT_LINE = '51 R1'
const WORKS_DELAY = 8

/** Long distance: name, ends, hours of the run, first and last departure (h), minutes between two. */
type Corridor = readonly [
  name: string,
  from: readonly [number, number],
  to: readonly [number, number],
  hours: number,
  first: number,
  last: number,
  headway: number,
]

const MADRID = [40.405, -3.689] as const
const CORRIDORS: readonly Corridor[] = [
  ['Madrid PA - Barcelona', MADRID, [41.379, 2.14], 2.6, 6, 21, 60],
  ['Madrid - Sevilla', MADRID, [37.391, -5.976], 2.6, 6.5, 21.5, 60],
  ['Madrid - València', MADRID, [39.459, -0.382], 1.9, 6.7, 21, 75],
  ['Madrid - Málaga', MADRID, [36.711, -4.432], 2.8, 7, 20, 90],
  ['Madrid - Alacant', MADRID, [38.345, -0.495], 2.5, 7.2, 20.5, 120],
  ['Madrid - A Coruña', MADRID, [43.352, -8.409], 3.8, 7, 19, 150],
  ['Madrid - Oviedo', MADRID, [43.366, -5.855], 3.3, 7.5, 19, 180],
  ['Madrid - Vitoria - Irún', MADRID, [43.34, -1.8], 5.2, 8, 18, 180],
  ['Barcelona - València', [41.379, 2.14], [39.459, -0.382], 3, 7, 20, 90],
  ['Sevilla - Córdoba - Jaén', [37.391, -5.976], [37.775, -3.79], 2.9, 6, 20, 180],
  ['Zaragoza - Teruel', [41.659, -0.911], [40.34, -1.107], 2.5, 7, 19, 240],
  ['Barcelona - A Coruña', [41.379, 2.14], [43.352, -8.409], 13, 8, 22, 240],
]
/** Runs all night with a train that is late. */
const NIGHT_CORRIDOR = 'Barcelona - A Coruña'

/** Every line: of the small country one of three núcleos and the night train. */
export const railLines = defineWorldPart((world) => [...commuterLines(world), ...longDistanceLines(world)])

function commuterLines({ seed, scale }: World): RailLine[] {
  const lines: RailLine[] = []
  for (const [code, lat, lon, names, headway] of NUCLEOS) {
    const all = names.split(' ')
    for (const [at, name] of all.entries()) {
      const serial = lines.length
      const isNight = `${code} ${name}` === NIGHT_LINE
      lines.push({
        network: 'CERCANIAS',
        nucleo: code,
        name,
        routeIds: Array.from(
          { length: between(4, 10, chance(seed, 'routes', serial)) },
          (_, nth) => `${code}T${four(at * 12 + nth + 1)}${name}`,
        ),
        stops: lineStops({ prefix: code, at, of: all.length, lat, lon, count: between(9, 20, chance(seed, 'stops', serial)) }),
        firstNumber: 14_000 + serial * 400,
        firstMinute: isNight ? 0 : 300 + between(0, 25, chance(seed, 'first', serial)),
        lastMinute: isNight ? 1439 : 1410,
        headway,
        section: 3,
        worksDelay: isNight ? WORKS_DELAY : 0,
        isMetreGauge: METRE_GAUGE.has(code),
      })
    }
  }
  return scale === 'full' ? lines : lines.filter(({ nucleo, name }) => ['10 C1', '20 C1', NIGHT_LINE].includes(`${nucleo} ${name}`))
}

function longDistanceLines({ seed, scale }: World): RailLine[] {
  const lines = CORRIDORS.map(([name, from, to, hours, first, last, headway], at): RailLine => {
    const count = between(4, 9, chance(seed, 'halts', at))
    return {
      network: 'AVLDMD',
      nucleo: null,
      name,
      routeIds: [],
      stops: Array.from({ length: count }, (_, nth) => {
        const share = nth / (count - 1)
        return { stopId: `9${four(at * 20 + nth)}`, lat: from[0] + (to[0] - from[0]) * share, lon: from[1] + (to[1] - from[1]) * share }
      }),
      firstNumber: 101 + at * 300,
      firstMinute: first * 60,
      lastMinute: last * 60,
      headway,
      section: (hours * 60) / (count - 1),
      worksDelay: name === NIGHT_CORRIDOR ? WORKS_DELAY : 0,
      isMetreGauge: false,
    }
  })
  return scale === 'full' ? lines : lines.filter(({ name }) => name === NIGHT_CORRIDOR)
}

/** Stops three kilometres apart on a straight line through the centre. */
function lineStops(line: { prefix: string; at: number; of: number; lat: number; lon: number; count: number }): LineStop[] {
  const angle = (Math.PI * line.at) / line.of
  return Array.from({ length: line.count }, (_, nth) => {
    const out = 0.027 * (nth - line.count / 2)
    return {
      stopId: `${line.prefix}${String(line.at * 25 + nth + 1).padStart(3, '0')}`,
      lat: round(line.lat + out * Math.sin(angle)),
      lon: round(line.lon + out * 1.3 * Math.cos(angle)),
    }
  })
}

const round = (degrees: number): number => Math.round(degrees * 1e6) / 1e6
const four = (value: number): string => String(value).padStart(4, '0')
