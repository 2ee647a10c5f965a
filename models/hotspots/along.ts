import { setImmediate } from 'node:timers/promises'
import { firstIndex } from '../../lake/first-index.ts'
import { distanceM } from '../../lake/places/distance.ts'
import { longestRoadM } from '../../lake/places/lines.ts'
import type { Point } from '../../lake/schema/columns.ts'
import { type Dice, falseDiscovery, poisson, seeded } from './chance.ts'
import { type Kernel, kernelAt } from './density.ts'
import { LEAST_MARKS, MOST_FALSE, type Search, WIDER } from './find.ts'

/** An accident at a kilometre of a road, and where that is. */
export interface RoadMark {
  /** The road, and the part of it in a province. */
  readonly road: string
  readonly km: number
  readonly position: Point
  readonly weight: number
}

/** A stretch of a road with more marks than expected by chance. */
export interface RoadHotspot {
  readonly road: string
  readonly km: number
  /** Place of the greatest density, between the marks around it. */
  readonly peak: Point
  /** Weighted marks per m² at the peak, as if the road were straight. */
  readonly density: number
  readonly p_value: number
  readonly q_value: number
  /** Indices of the marks on the stretch, by kilometre. */
  readonly members: readonly number[]
}

type RoadPeak = Omit<RoadHotspot, 'peak' | 'q_value'>
type Placed = RoadMark & { readonly nth: number; readonly at_m: number }

/** Cells per bandwidth, and radius of the kernels in bandwidths; beyond it the Gaussian is below 1.2 % of its peak. */
const CELLS_A_BANDWIDTH = 10
const REACH: Readonly<Record<Kernel, number>> = { EPANECHNIKOV: 1, GAUSSIAN: 3 }
/** Most random runs of a peak: the country has some ten thousand, and the false discovery rate needs p-values far below 1/999. */
const MOST_RUNS = 99_999
/** Runs that reach a peak until its p-value is known well enough. */
const ENOUGH = 10
/** Roads between two turns of the event loop. */
const ROADS_A_TURN = 20

/**
 * Finds the stretches of roads with more marks than an inhomogeneous Poisson process along the road, with five times the
 * bandwidth, explains: as `findHotspots`, but in one dimension. In two a road's own accidents would all be a cluster, since the
 * expected density would spread beside it. Densest first, deterministic.
 */
export async function findAlong(marks: readonly RoadMark[], search: Search): Promise<RoadHotspot[]> {
  const peaks: RoadPeak[] = []
  for (const [at, road] of roadsOf(marks).entries()) {
    if (at % ROADS_A_TURN === 0) await setImmediate(undefined, { signal: search.signal })
    peaks.push(...peaksOf(road, search))
  }
  const q = falseDiscovery(peaks.map(({ p_value }) => p_value))
  return peaks
    .map((peak, at) => ({ ...peak, q_value: q[at] as number }))
    .filter(({ q_value, members }) => q_value <= MOST_FALSE && members.length >= LEAST_MARKS)
    .map((spot) => ({ ...spot, peak: placeBetween(marks, spot) }))
    .sort((one, other) => other.density - one.density || (one.road < other.road ? -1 : 1) || one.km - other.km)
}

/** The marks of each road by kilometre, cut where positions contradict the kilometres; roads with too few are left out. */
function roadsOf(marks: readonly RoadMark[]): Placed[][] {
  const placed = marks.map((mark, nth) => ({ ...mark, nth, at_m: 1000 * mark.km }))
  const roads: Placed[][] = []
  for (const own of Map.groupBy(placed, ({ road }) => road).values()) {
    let last: Placed | undefined
    for (const mark of own.sort((one, other) => one.km - other.km || one.nth - other.nth)) {
      const isNext = last && distanceM(last.position, mark.position) <= longestRoadM(mark.km - last.km)
      if (isNext) roads.at(-1)?.push(mark)
      else roads.push([mark])
      last = mark
    }
  }
  return roads.filter((road) => road.length >= LEAST_MARKS)
}

/** The peaks of a road, highest first; of two within a bandwidth the higher one. Their p-values are from random runs. */
function peaksOf(road: readonly Placed[], search: Search): RoadPeak[] {
  const { kernel, bandwidth_m, runs = MOST_RUNS } = search
  const dice = seeded(`${search.seed} ${(road[0] as Placed).road} ${(road[0] as Placed).km}`)
  const line = lineOver(road, search)
  const values = new Float64Array(line.cells)
  for (const { at_m, weight } of road) stamp(line, values, at_m, weight)
  const within = (cell: number): Placed[] => road.filter(({ at_m }) => Math.abs(at_m - line.mOf(cell)) <= bandwidth_m)
  const tops = [...values.keys()].filter((cell) => {
    const value = values[cell] as number
    return value > (values[cell - 1] ?? 0) && value >= (values[cell + 1] ?? 0) && within(cell).length >= LEAST_MARKS
  })
  const peaks: number[] = []
  for (const top of tops.sort((one, other) => (values[other] as number) - (values[one] as number) || one - other))
    if (peaks.every((peak) => Math.abs(peak - top) > CELLS_A_BANDWIDTH)) peaks.push(top)
  const expected = expectedAlong(road, line, kernel)
  const taken = new Set<number>()
  return peaks.map((peak) => {
    // A shoulder of a higher peak has no stretch of its own.
    const isShoulder = taken.has(peak)
    const [from, to] = [stretchEnd(values, { peak, step: -1, taken }), stretchEnd(values, { peak, step: 1, taken })]
    for (let cell = from; cell <= to; cell++) taken.add(cell)
    const [from_m, to_m] = [line.mOf(from - 0.5), line.mOf(to + 0.5)]
    return {
      road: (road[0] as Placed).road,
      km: line.mOf(peak) / 1000,
      density: values[peak] as number,
      p_value: chanceOf(peak, { line, values, expected, weights: road.map(({ weight }) => weight), runs, dice }),
      members: isShoulder ? [] : road.filter(({ at_m }) => at_m >= from_m && at_m <= to_m).map((mark) => mark.nth),
    }
  })
}

/** Cells along a road, with the kernel by cells from its middle. */
interface RoadLine {
  readonly cells: number
  readonly kernel: readonly number[]
  readonly cellOf: (at_m: number) => number
  readonly mOf: (cell: number) => number
}

function lineOver(road: readonly Placed[], { kernel, bandwidth_m }: Search): RoadLine {
  const [step_m, margin] = [bandwidth_m / CELLS_A_BANDWIDTH, 2 * CELLS_A_BANDWIDTH]
  const first = Math.round((road[0] as Placed).at_m / step_m) - margin
  const last = Math.round((road.at(-1) as Placed).at_m / step_m) + margin
  return {
    cells: last - first + 1,
    kernel: Array.from({ length: REACH[kernel] * CELLS_A_BANDWIDTH + 1 }, (_, apart) =>
      kernelAt(kernel, (apart * step_m) ** 2, bandwidth_m),
    ),
    cellOf: (at_m) => Math.round(at_m / step_m) - first,
    mOf: (cell) => (cell + first) * step_m,
  }
}

function stamp({ cells, kernel, cellOf }: RoadLine, values: Float64Array, at_m: number, weight: number): void {
  const middle = cellOf(at_m)
  const reach = kernel.length - 1
  for (let cell = Math.max(0, middle - reach); cell <= Math.min(cells - 1, middle + reach); cell++)
    values[cell] = (values[cell] as number) + weight * (kernel[Math.abs(cell - middle)] as number)
}

/**
 * The marks of each cell that the wide kernel expects, reflected where the marks of the road end. Their sum is that of the marks.
 */
function expectedAlong(road: readonly Placed[], { cells, cellOf }: RoadLine, kernel: Kernel): Float64Array {
  const reach = REACH[kernel] * WIDER * CELLS_A_BANDWIDTH
  const wide = Array.from({ length: 2 * reach + 1 }, (_, at) => kernelAt(kernel, (at - reach) ** 2, WIDER * CELLS_A_BANDWIDTH))
  const whole = wide.reduce((sum, value) => sum + value, 0)
  const [first, last] = [cellOf((road[0] as Placed).at_m), cellOf((road.at(-1) as Placed).at_m)]
  const expected = new Float64Array(cells)
  for (const { at_m } of road) {
    const middle = cellOf(at_m)
    for (const [at, value] of wide.entries()) {
      const cell = reflected(middle + at - reach, first, last)
      expected[cell] = (expected[cell] as number) + value / whole
    }
  }
  return expected
}

function reflected(cell: number, first: number, last: number): number {
  const round = 2 * (last - first)
  if (round === 0) return first
  const beyond = (((cell - first) % round) + round) % round
  return first + Math.min(beyond, round - beyond)
}

/**
 * The p-value of a peak: the share of random runs with at least its density within a bandwidth. Runs end at the tenth such run,
 * so that few are needed where it is large (Besag and Clifford 1991).
 */
function chanceOf(peak: number, of: Chance): number {
  const { line, values, expected, weights, runs, dice } = of
  const reach = line.kernel.length - 1
  const from = Math.max(0, peak - CELLS_A_BANDWIDTH - reach)
  const sums: number[] = []
  for (let cell = from; cell <= Math.min(line.cells - 1, peak + CELLS_A_BANDWIDTH + reach); cell++)
    sums.push((sums.at(-1) ?? 0) + (expected[cell] as number))
  const mean = sums.at(-1) as number
  // Equal sums of stamps differ by rounding.
  const least = (values[peak] as number) * (1 - 1e-9)
  const density = new Float64Array(2 * CELLS_A_BANDWIDTH + 1)
  let reached = 0
  for (let run = 1; run <= runs; run++) {
    density.fill(0)
    for (let left = poisson(mean, dice); left > 0; left--) {
      const drawn = mean * dice()
      const cell = from + firstIndex(0, sums.length - 1, (at) => (sums[at] as number) > drawn) - peak + CELLS_A_BANDWIDTH
      const weight = weights[Math.floor(dice() * weights.length)] as number
      for (let at = Math.max(0, cell - reach); at <= Math.min(density.length - 1, cell + reach); at++)
        density[at] = (density[at] as number) + weight * (line.kernel[Math.abs(at - cell)] as number)
    }
    if (density.some((value) => value >= least) && ++reached === ENOUGH) return ENOUGH / run
  }
  return (reached + 1) / (runs + 1)
}

interface Chance {
  readonly line: RoadLine
  readonly values: Float64Array
  readonly expected: Float64Array
  readonly weights: readonly number[]
  readonly runs: number
  readonly dice: Dice
}

/**
 * The last cell of a peak's stretch on one side: with at least half of its density, or at the saddle to a higher or taken one.
 */
function stretchEnd(
  values: Float64Array,
  { peak, step, taken }: { readonly peak: number; readonly step: -1 | 1; readonly taken: ReadonlySet<number> },
): number {
  const top = values[peak] as number
  let [end, saddle] = [peak, peak]
  for (let cell = peak + step; cell >= 0 && cell < values.length; cell += step) {
    const value = values[cell] as number
    if (value < top / 2) return end
    if (value > top || taken.has(cell)) return saddle
    if (value <= (values[saddle] as number)) saddle = cell
    end = cell
  }
  return end
}

/** The position of a peak between its members, which are in the order of their kilometres. */
function placeBetween(marks: readonly RoadMark[], { km, members }: RoadPeak): Point {
  const own = members.map((nth) => marks[nth] as RoadMark)
  const after = own.find((mark) => mark.km >= km) ?? (own.at(-1) as RoadMark)
  const before = own.findLast((mark) => mark.km <= km) ?? after
  const share = after.km === before.km ? 0 : (km - before.km) / (after.km - before.km)
  const between = (name: 'lat' | 'lon'): number =>
    Number((before.position[name] + share * (after.position[name] - before.position[name])).toFixed(6))
  return { lat: between('lat'), lon: between('lon') }
}
