import { setImmediate } from 'node:timers/promises'
import { isInRing } from '../../lake/places/rings.ts'
import { displacement, falseDiscovery, poisson, seeded } from './chance.ts'
import { areaOf, contourOf, type Ring, regionOf } from './contour.ts'
import { addStamps, addToRaster, densityOf, type Kernel, type Mark, type Raster, rasterOver, stampOf } from './density.ts'

/** Parameters of a hotspot search. */
export interface Search {
  readonly kernel: Kernel
  readonly bandwidth_m: number
  /** Seed of the random runs. */
  readonly seed: string
  /** Random runs; 999 by default. */
  readonly runs?: number
  readonly signal?: AbortSignal
}

/** A place with more marks than expected by chance. */
export interface Hotspot {
  readonly x: number
  readonly y: number
  /** Weighted marks per m² at the peak. */
  readonly density: number
  readonly p_value: number
  readonly q_value: number
  /** The contour at half the peak, or at the saddle to a higher one. */
  readonly ring: Ring
  readonly area_m2: number
  /** Indices of the marks inside. */
  readonly members: readonly number[]
}

const RUNS = 999
/** Maximum false discovery rate. */
export const MOST_FALSE = 0.05
/** Ratio of the kernel widths of the expected density and the density. */
export const WIDER = 5
/** Raster cells per bandwidth. */
const CELLS_A_BANDWIDTH = 4
const MOST_CELLS = 8_000_000
/** Minimum marks within a bandwidth of a peak, and inside its contour: two accidents are not a black spot. */
export const LEAST_MARKS = 3
/** The climb to a peak ends at a step shorter than this, m, or after this many steps. */
const STILL_M = 0.001
const MOST_STEPS = 500

interface Peak {
  readonly x: number
  readonly y: number
  readonly density: number
  /** Cells within a bandwidth. */
  readonly cells: readonly number[]
}

/**
 * Finds kernel density peaks of marks that are not explained by an inhomogeneous Poisson process, whose intensity has five times
 * the bandwidth. p-value: share of random runs with at least its density within a bandwidth. Peaks with a false discovery rate
 * (Benjamini and Hochberg) up to 0.05 count, densest first. Deterministic.
 */
export async function findHotspots(marks: readonly Mark[], search: Search): Promise<Hotspot[]> {
  const { kernel, bandwidth_m, runs = RUNS } = search
  if (marks.length < LEAST_MARKS) return []
  const raster = rasterOver(marks, { step_m: bandwidth_m / CELLS_A_BANDWIDTH, margin_m: 2 * bandwidth_m, mostCells: MOST_CELLS })
  const values = new Float64Array(raster.columns * raster.rows)
  addToRaster(raster, values, { marks, kernel, bandwidth_m })
  const peaks = peaksOf(marks, { raster, values, kernel, bandwidth_m })
  const atLeast = await exceedances(marks, peaks, { ...search, raster, runs })
  const p = atLeast.map((count) => (count + 1) / (runs + 1))
  const q = falseDiscovery(p)
  const taken = new Set<number>()
  const found: Hotspot[] = []
  for (const [at, peak] of peaks.entries()) {
    if ((q[at] as number) > MOST_FALSE) continue
    const cell = topCell(raster, values, peak)
    // The surrounding cells lead up to another peak: this is a shoulder of it.
    if (taken.has(cell)) continue
    const region = regionOf(raster, values, { cell, density: values[cell] as number }, taken)
    const ring = contourOf(raster, values, region)
    const { x, y, density } = peak
    const members = marks.flatMap((mark, nth) => (isInRing(ring, [mark.x, mark.y]) ? [nth] : []))
    // The remaining region does not contain the peak or has too few marks: also a shoulder of a higher peak.
    if (members.length < LEAST_MARKS || !isInRing(ring, [x, y])) continue
    for (const one of region.cells) taken.add(one)
    found.push({ x, y, density, p_value: p[at] as number, q_value: q[at] as number, ring, area_m2: areaOf(ring), members })
  }
  return found
}

/** The local maximum reached by climbing from the cell of a position. */
function topCell({ x, y, step_m, columns }: Raster, values: Float64Array, at: { readonly x: number; readonly y: number }): number {
  let cell = Math.round((at.y - y) / step_m) * columns + Math.round((at.x - x) / step_m)
  for (;;) {
    const best = AROUND.map(([dx, dy]) => cell + dy * columns + dx).reduce(
      (one, other) => ((values[other] ?? 0) > (values[one] as number) ? other : one),
      cell,
    )
    if (best === cell) return cell
    cell = best
  }
}

/** Peaks of the density, highest first; of two within a bandwidth, the higher one. */
function peaksOf(
  marks: readonly Mark[],
  given: { readonly raster: Raster; readonly values: Float64Array; readonly kernel: Kernel; readonly bandwidth_m: number },
): Peak[] {
  const { raster, values, kernel, bandwidth_m } = given
  const { columns, rows } = raster
  const density = densityOf(marks, kernel, bandwidth_m)
  const near = nearMarks(marks, bandwidth_m)
  const tops: { x: number; y: number; density: number }[] = []
  for (let row = 1; row < rows - 1; row++)
    for (let column = 1; column < columns - 1; column++) {
      const cell = row * columns + column
      const value = values[cell] as number
      if (value === 0 || AROUND.some(([dx, dy]) => (values[cell + dy * columns + dx] as number) > value)) continue
      const [x, y] = climb(near, { x: raster.x + column * raster.step_m, y: raster.y + row * raster.step_m, kernel, bandwidth_m })
      if (near(x, y, bandwidth_m).length >= LEAST_MARKS) tops.push({ x, y, density: density(x, y) })
    }
  tops.sort((one, other) => other.density - one.density || one.x - other.x || one.y - other.y)
  const peaks: Peak[] = []
  for (const top of tops) {
    if (peaks.some((peak) => Math.hypot(peak.x - top.x, peak.y - top.y) <= bandwidth_m)) continue
    peaks.push({ ...top, cells: cellsWithin(raster, top, bandwidth_m) })
  }
  return peaks
}

const AROUND = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
  [1, 1],
  [1, -1],
  [-1, 1],
  [-1, -1],
] as const

type NearMarks = (x: number, y: number, within_m: number) => readonly Mark[]

/** Creates the function that finds the marks within a distance. */
function nearMarks(marks: readonly Mark[], cell_m: number): NearMarks {
  const cells = Map.groupBy(marks, ({ x, y }) => `${Math.floor(x / cell_m)},${Math.floor(y / cell_m)}`)
  return (x, y, within_m) => {
    const found: Mark[] = []
    for (let column = Math.floor((x - within_m) / cell_m); column <= Math.floor((x + within_m) / cell_m); column++)
      for (let row = Math.floor((y - within_m) / cell_m); row <= Math.floor((y + within_m) / cell_m); row++)
        for (const mark of cells.get(`${column},${row}`) ?? []) if (Math.hypot(mark.x - x, mark.y - y) < within_m) found.push(mark)
    return found
  }
}

/**
 * The peak above a position, by mean shift (Comaniciu and Meer 2002): repeated means of the marks, weighted by the kernel's
 * shadow.
 */
function climb(
  near: NearMarks,
  from: { readonly x: number; readonly y: number; readonly kernel: Kernel; readonly bandwidth_m: number },
): readonly [number, number] {
  const { kernel, bandwidth_m } = from
  const reach = kernel === 'GAUSSIAN' ? 4 * bandwidth_m : bandwidth_m
  let { x, y } = from
  for (let step = 0; step < MOST_STEPS; step++) {
    let [sum, sumX, sumY] = [0, 0, 0]
    for (const mark of near(x, y, reach)) {
      const squared = (mark.x - x) ** 2 + (mark.y - y) ** 2
      const share = mark.weight * (kernel === 'GAUSSIAN' ? Math.exp(-squared / (2 * bandwidth_m ** 2)) : 1)
      sum += share
      sumX += share * mark.x
      sumY += share * mark.y
    }
    if (sum === 0) break
    const moved = Math.hypot(sumX / sum - x, sumY / sum - y)
    x = sumX / sum
    y = sumY / sum
    if (moved < STILL_M) break
  }
  return [x, y]
}

function cellsWithin(raster: Raster, { x, y }: { readonly x: number; readonly y: number }, within_m: number): number[] {
  const { step_m, columns, rows } = raster
  const found: number[] = []
  for (
    let row = Math.max(0, Math.ceil((y - within_m - raster.y) / step_m));
    row <= Math.min(rows - 1, (y + within_m - raster.y) / step_m);
    row++
  )
    for (
      let column = Math.max(0, Math.ceil((x - within_m - raster.x) / step_m));
      column <= Math.min(columns - 1, (x + within_m - raster.x) / step_m);
      column++
    )
      if (Math.hypot(raster.x + column * step_m - x, raster.y + row * step_m - y) <= within_m) found.push(row * columns + column)
  return found
}

/** The number of random runs that reach each peak. Yields to the event loop between runs. */
async function exceedances(
  marks: readonly Mark[],
  peaks: readonly Peak[],
  { kernel, bandwidth_m, seed, runs, signal, raster }: Search & { readonly runs: number; readonly raster: Raster },
): Promise<number[]> {
  const dice = seeded(seed)
  const values = new Float64Array(raster.columns * raster.rows)
  const stamp = stampOf(kernel, bandwidth_m, raster.step_m)
  addStamps(raster, values, { marks, stamp })
  const greatest = peaks.map(({ cells }) => Math.max(...cells.map((cell) => values[cell] as number)))
  const counts = new Array<number>(peaks.length).fill(0)
  for (let run = 0; run < runs && peaks.length > 0; run++) {
    await setImmediate(undefined, { signal })
    values.fill(0)
    addStamps(raster, values, { marks: chanceMarks(marks, { kernel, wide_m: WIDER * bandwidth_m, dice }), stamp })
    for (const [at, { cells }] of peaks.entries())
      if (cells.some((cell) => (values[cell] as number) >= (greatest[at] as number))) counts[at] = (counts[at] as number) + 1
  }
  return counts
}

/**
 * Marks of a random run: existing marks, chosen at random and displaced by the wide kernel, which samples a process with its
 * density.
 */
function* chanceMarks(
  marks: readonly Mark[],
  { kernel, wide_m, dice }: { readonly kernel: Kernel; readonly wide_m: number; readonly dice: () => number },
): Generator<Mark> {
  for (let left = poisson(marks.length, dice); left > 0; left--) {
    const { x, y, weight } = marks[Math.floor(dice() * marks.length)] as Mark
    const [dx, dy] = displacement(kernel, dice)
    yield { x: x + dx * wide_m, y: y + dy * wide_m, weight }
  }
}
