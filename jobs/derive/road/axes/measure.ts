import type { roadPosts, roadSections } from '../../../../lake/datasets/road/road-network.ts'
import { firstIndex } from '../../../../lake/first-index.ts'
import { metresAway, nearestShare, simplifiedPoints } from '../../../../lake/places/lines.ts'
import type { Line } from '../../../../lake/schema/columns.ts'
import type { Row } from '../../../../lake/schema/dataset.ts'
import { chainsOf, metres } from './chains.ts'

type Corner = Line[0]

/** A kilometre post. */
export interface KmPost {
  readonly km: number
  readonly at: Corner
}

/** A line with the kilometre of each of its points, in the direction of growing kilometres. */
export interface MeasuredLine {
  readonly line: Line
  readonly kilometres: readonly number[]
  /** Error of the kilometres between each point and the next, m. */
  readonly errors_m: readonly number[]
  /** The kilometres of the posts that measure it. */
  readonly posts: readonly number[]
  readonly length_m: number
}

/** Posts stand beside the road, at most this far, m. */
const BESIDE_M = 60
/** Cells of the grid of segments, degrees: some 200 m. */
const CELL_DEG = 0.002
/** Error of a post's own position along the road, m. */
const POST_M = 30
/** Difference between path and kilometres that posts may have, m and as a share: beyond it the kilometres jump. */
const [JUMP_M, JUMP_SHARE] = [500, 0.3]
/** How far kilometres are carried on beyond the last post, m, and how wrong they are by then. */
const [BEYOND_M, BEYOND_SHARE] = [2000, 0.15]
/** Distance of the stored line from the sections, m. */
const SIMPLIFY_M = 5

interface Mark {
  readonly s: number
  readonly km: number
  readonly off: number
}

/**
 * Measures the lines of a carriageway by the posts of its road: each post is put on every line within 60 m. A post that its
 * neighbours contradict is left out; where kilometres jump, the line is cut. Lines with fewer than two posts have no kilometres.
 */
export function measuredLines(chains: readonly Line[], posts: readonly KmPost[]): MeasuredLine[] {
  const grid = gridOf(chains)
  const marks = chains.map((): Mark[] => [])
  const lengths = chains.map(alongOf)
  for (const { km, at } of posts) {
    for (const [chain, { segment, off }] of nearestOn(chains, { grid, at })) {
      const line = chains[chain] as Line
      const [from, to] = [line[segment] as Corner, line[segment + 1] as Corner]
      const [start, end] = [lengths[chain]?.[segment] as number, lengths[chain]?.[segment + 1] as number]
      marks[chain]?.push({ km, off, s: start + nearestShare(at, from, to) * (end - start) })
    }
  }
  return chains.flatMap((line, chain) => piecesOf(line, { along: lengths[chain] as number[], marks: marks[chain] as Mark[] }))
}

function alongOf(line: Line): number[] {
  const along = [0]
  for (let at = 1; at < line.length; at++) along.push((along[at - 1] as number) + metres(line[at - 1] as Corner, line[at] as Corner))
  return along
}

type Grid = ReadonlyMap<string, readonly (readonly [chain: number, segment: number])[]>

function gridOf(chains: readonly Line[]): Grid {
  const grid = new Map<string, [number, number][]>()
  for (const [chain, line] of chains.entries())
    for (let segment = 0; segment + 1 < line.length; segment++) {
      const [from, to] = [line[segment] as Corner, line[segment + 1] as Corner]
      const [west, east] = [Math.min(from[0], to[0]), Math.max(from[0], to[0])].map(cell) as [number, number]
      const [south, north] = [Math.min(from[1], to[1]), Math.max(from[1], to[1])].map(cell) as [number, number]
      for (let x = west; x <= east; x++)
        for (let y = south; y <= north; y++) {
          const held = grid.get(`${x} ${y}`)
          if (held) held.push([chain, segment])
          else grid.set(`${x} ${y}`, [[chain, segment]])
        }
    }
  return grid
}

const cell = (degrees: number): number => Math.floor(degrees / CELL_DEG)

/** The nearest segment of each line within reach. */
function nearestOn(
  chains: readonly Line[],
  { grid, at }: { readonly grid: Grid; readonly at: Corner },
): ReadonlyMap<number, { readonly segment: number; readonly off: number }> {
  const best = new Map<number, { segment: number; off: number }>()
  const [x, y] = [cell(at[0]), cell(at[1])]
  for (let east = x - 1; east <= x + 1; east++)
    for (let north = y - 1; north <= y + 1; north++)
      for (const [chain, segment] of grid.get(`${east} ${north}`) ?? []) {
        const line = chains[chain] as Line
        const off = metresAway(at, line[segment] as Corner, line[segment + 1] as Corner)
        if (off <= BESIDE_M && off < (best.get(chain)?.off ?? Number.POSITIVE_INFINITY)) best.set(chain, { segment, off })
      }
  return best
}

interface Chain {
  readonly along: readonly number[]
  readonly marks: readonly Mark[]
}

/** Parts with growing and with falling kilometres, as of re-numbered roads; all are drawn in the order of their kilometres. */
function piecesOf(line: Line, { along, marks }: Chain): MeasuredLine[] {
  const runs: Mark[][] = []
  for (const mark of withoutOutliers(nearestOfEach(marks))) {
    const run = runs.at(-1)
    const last = run?.at(-1)
    if (run && last && isConsistent(last, mark) && isStraight(run.at(-2), last, mark)) run.push(mark)
    else runs.push([mark])
  }
  const length = along.at(-1) as number
  const turned = { line: line.toReversed(), along: along.map((s) => length - s).toReversed() }
  return runs.flatMap((run, at) => {
    if (run.length < 2) return []
    const [first, last] = [run[0] as Mark, run.at(-1) as Mark]
    // Up to half of the way to the next part: there the kilometres are others. None is below 0.
    const [before, after] = [runs[at - 1]?.at(-1)?.s, runs[at + 1]?.[0]?.s]
    const reach = ({ km }: Mark, isLow: boolean): number => (isLow ? Math.min(BEYOND_M, 1000 * km) : BEYOND_M)
    const grows = last.km > first.km
    const begin = Math.max(before === undefined ? 0 : (before + first.s) / 2, first.s - reach(first, grows))
    const end = Math.min(after === undefined ? length : (after + last.s) / 2, last.s + reach(last, !grows))
    if (grows) return [measured(line, { along, run, begin, end })]
    const back = run.map((mark) => ({ ...mark, s: length - mark.s })).toReversed()
    return [measured(turned.line, { along: turned.along, run: back, begin: length - end, end: length - begin })]
  })
}

/** In path order; of the posts of both carriageways beside each other with the same kilometre, the nearest. */
function nearestOfEach(marks: readonly Mark[]): Mark[] {
  return [...Map.groupBy(marks, ({ km }) => km).values()]
    .flatMap((same) => {
      const best: Mark[] = []
      for (const mark of same.toSorted((one, other) => one.s - other.s)) {
        const last = best.at(-1)
        // Farther along the path it is another place: the kilometre exists twice.
        if (!last || mark.s - last.s > JUMP_M) best.push(mark)
        else if (mark.off < last.off) best[best.length - 1] = mark
      }
      return best
    })
    .sort((one, other) => one.s - other.s)
}

/** Whether kilometres and path between two posts agree, in either direction. */
function isConsistent(before: Mark, after: Mark): boolean {
  const length_m = 1000 * Math.abs(after.km - before.km)
  return length_m > 0 && Math.abs(after.s - before.s - length_m) <= JUMP_M + JUMP_SHARE * length_m
}

/** Whether the kilometres of three posts go on growing, or falling. */
const isStraight = (before: Mark | undefined, mark: Mark, after: Mark | undefined): boolean =>
  !before || !after || mark.km - before.km > 0 === after.km - mark.km > 0

/** Leaves out posts that contradict both neighbours, or one where the neighbours agree with each other. */
function withoutOutliers(marks: readonly Mark[]): readonly Mark[] {
  const kept: Mark[] = []
  for (const [at, mark] of marks.entries()) {
    const [before, after] = [kept.at(-1), marks[at + 1]]
    const fits = (!before || isConsistent(before, mark)) && (!after || isConsistent(mark, after)) && isStraight(before, mark, after)
    if (!fits && before && after && isConsistent(before, after) && isStraight(kept.at(-2), before, after)) continue
    kept.push(mark)
  }
  return kept
}

interface Piece {
  readonly along: readonly number[]
  readonly run: readonly Mark[]
  readonly begin: number
  readonly end: number
}

/** A line from one place of a chain to another, simplified between its posts. */
function measured(line: Line, { along, run, begin, end }: Piece): MeasuredLine {
  const [first, last] = [run[0] as Mark, run.at(-1) as Mark]
  const stops = [
    ...(first.s - begin > 1 ? [{ s: begin, km: first.km - (first.s - begin) / 1000 }] : []),
    ...run,
    ...(end - last.s > 1 ? [{ s: end, km: last.km + (end - last.s) / 1000 }] : []),
  ]
  const corners: Corner[] = []
  const kilometres: number[] = []
  const errors_m: number[] = []
  for (const [at, to] of stops.entries()) {
    const from = stops[at - 1]
    if (!from) continue
    const path = pathBetween(line, { along, from: from.s, to: to.s })
    const isBeyond = (at === 1 && from !== first) || to.s > last.s
    const span = to.s - from.s
    const error = Math.ceil(POST_M + (isBeyond ? BEYOND_SHARE * span : Math.abs(span - 1000 * (to.km - from.km))))
    const kept = simplifiedPoints(
      path.map(({ corner }) => corner),
      SIMPLIFY_M,
    )
    for (const point of corners.length === 0 ? kept : kept.slice(1)) {
      const { corner, s } = path[point] as PathPoint
      if (corners.length > 0) errors_m.push(error)
      corners.push(corner)
      kilometres.push(Math.round(1000 * (from.km + ((s - from.s) / span) * (to.km - from.km))) / 1000)
    }
  }
  return { line: corners, kilometres, errors_m, posts: run.map(({ km }) => km), length_m: end - begin }
}

interface PathPoint {
  readonly corner: Corner
  readonly s: number
}

function pathBetween(
  line: Line,
  { along, from, to }: { readonly along: readonly number[]; readonly from: number; readonly to: number },
): PathPoint[] {
  const inside = line.flatMap((corner, at) => {
    const s = along[at] as number
    return s > from && s < to ? [{ corner, s }] : []
  })
  return [{ corner: placeAt(line, along, from), s: from }, ...inside, { corner: placeAt(line, along, to), s: to }]
}

/** The place at a distance along a line, to a tenth of a metre. */
function placeAt(line: Line, along: readonly number[], s: number): Corner {
  const at = firstIndex(1, along.length - 1, (one) => (along[one] as number) >= s)
  const [from, to] = [line[at - 1] as Corner, line[at] as Corner]
  const [start, end] = [along[at - 1] as number, along[at] as number]
  const share = end === start ? 0 : Math.min(1, Math.max(0, (s - start) / (end - start)))
  return [fine(from[0] + share * (to[0] - from[0])), fine(from[1] + share * (to[1] - from[1]))]
}

const fine = (degrees: number): number => Math.round(degrees * 1e6) / 1e6

type Section = Pick<Row<typeof roadSections>, 'direction' | 'geometry'>
type Post = Pick<Row<typeof roadPosts>, 'km' | 'position'>

/** A measured line of a carriageway. */
interface Axis extends MeasuredLine {
  readonly direction: 'POSITIVE' | 'NEGATIVE' | 'BOTH'
  /** Its number among those of the direction, by kilometre; from 1. */
  readonly chain: number
}

/**
 * The measured lines of one road in one province. Where it has carriageways, each is a direction of its own, which sections with
 * traffic both ways belong to as well.
 */
export function axesOf(sections: readonly Section[], posts: readonly Post[]): Axis[] {
  const marks = posts.map(({ km, position }): KmPost => ({ km, at: [position.lon, position.lat] }))
  const linesOf = (...directions: readonly string[]): Line[] =>
    sections.flatMap(({ direction, geometry }) => (directions.includes(direction) ? [geometry] : []))
  const isDual = sections.some(({ direction }) => direction !== 'BOTH')
  const carriageways = isDual ? (['POSITIVE', 'NEGATIVE'] as const) : (['BOTH'] as const)
  return carriageways.flatMap((direction) =>
    measuredLines(chainsOf(linesOf(direction, 'BOTH')), marks)
      .sort((one, other) => (one.kilometres[0] as number) - (other.kilometres[0] as number))
      .map((line, at): Axis => ({ ...line, direction, chain: at + 1 })),
  )
}
