import { distanceM } from '../../../../lake/places/distance.ts'
import type { Line } from '../../../../lake/schema/columns.ts'

type Corner = Line[0]

/** Ends this far apart belong together: networks of different authorities do not meet exactly, m. */
const BRIDGE_M = 25
/** Cells of the grid of loose ends, degrees: wider than a bridge everywhere in Spain. */
const CELL_DEG = 0.0005
/** A road does not turn back at a node: sharper turns are other branches. Degrees away from straight on. */
const MAX_TURN = 150

interface End {
  readonly section: number
  readonly isLast: boolean
  readonly at: Corner
  /** Direction away from the node, degrees. */
  readonly bearing: number
}

/**
 * The continuous lines of a carriageway, from its sections in any order and orientation. Ends up to 25 m apart are joined; where
 * three or more meet, the straightest pairs go on. Each section is in one line.
 */
export function chainsOf(sections: readonly Line[]): Line[] {
  const ends = sections.flatMap((line, section) => [endOf(line, section, false), endOf(line, section, true)])
  const next = new Map<string, End>()
  for (const node of nodesOf(ends))
    for (const [one, other] of pairsOf(node)) {
      next.set(keyOf(one), other)
      next.set(keyOf(other), one)
    }
  const used = new Set<number>()
  const chains: Line[] = []
  const walk = (start: End): void => {
    const corners: Corner[] = []
    for (let end: End | undefined = start; end && !used.has(end.section); ) {
      used.add(end.section)
      const line = sections[end.section] as Line
      for (const corner of end.isLast ? line.toReversed() : line) if (!isSame(corner, corners.at(-1))) corners.push(corner)
      end = next.get(keyOf({ ...end, isLast: !end.isLast }))
    }
    if (corners.length >= 2) chains.push(corners)
  }
  // Loose ends first; what is left are rings.
  for (const end of ends) if (!next.has(keyOf(end)) && !used.has(end.section)) walk(end)
  for (const end of ends) if (!used.has(end.section)) walk(end)
  return chains
}

const keyOf = ({ section, isLast }: Pick<End, 'section' | 'isLast'>): string => `${section} ${isLast}`
const isSame = (one: Corner, other: Corner | undefined): boolean => other !== undefined && one[0] === other[0] && one[1] === other[1]

function endOf(line: Line, section: number, isLast: boolean): End {
  const [at, toward] = (isLast ? [line.at(-1), line.at(-2)] : [line[0], line[1]]) as [Corner, Corner]
  const east = (toward[0] - at[0]) * Math.cos((at[1] * Math.PI) / 180)
  return { section, isLast, at, bearing: (Math.atan2(east, toward[1] - at[1]) * 180) / Math.PI }
}

/** Ends at the same place, to a metre; then loose ends with the nearest other loose end. */
function nodesOf(ends: readonly End[]): End[][] {
  const exact = [...Map.groupBy(ends, ({ at: [lon, lat] }) => `${Math.round(lon * 1e5)} ${Math.round(lat * 1e5)}`).values()]
  const loose = exact.flatMap((node) => (node.length === 1 ? node : []))
  const cellOf = ([lon, lat]: Corner, east = 0, north = 0): string =>
    `${Math.floor(lon / CELL_DEG) + east} ${Math.floor(lat / CELL_DEG) + north}`
  const cells = Map.groupBy(loose, ({ at }) => cellOf(at))
  const near: { readonly one: End; readonly other: End; readonly apart_m: number }[] = []
  for (const one of loose)
    for (const east of [-1, 0, 1])
      for (const north of [-1, 0, 1])
        for (const other of cells.get(cellOf(one.at, east, north)) ?? []) {
          if (other.section <= one.section) continue
          const apart_m = metres(one.at, other.at)
          if (apart_m <= BRIDGE_M) near.push({ one, other, apart_m })
        }
  const joined = new Set<End>()
  const bridges: End[][] = []
  for (const { one, other } of near.sort((a, b) => a.apart_m - b.apart_m)) {
    if (joined.has(one) || joined.has(other)) continue
    joined.add(one).add(other)
    bridges.push([one, other])
  }
  return [...exact.filter((node) => node.length > 1), ...bridges]
}

/** The pairs of ends at a node that go on into each other, the straightest first. */
function pairsOf(node: readonly End[]): [End, End][] {
  const candidates = node.flatMap((one, at) =>
    node.slice(at + 1).map((other) => ({ one, other, turn: Math.abs(180 - Math.abs(((one.bearing - other.bearing + 540) % 360) - 180)) })),
  )
  const taken = new Set<End>()
  const pairs: [End, End][] = []
  for (const { one, other, turn } of candidates.sort((a, b) => a.turn - b.turn)) {
    if (turn > MAX_TURN || taken.has(one) || taken.has(other)) continue
    taken.add(one).add(other)
    pairs.push([one, other])
  }
  return pairs
}

/** Metres between two corners. */
export const metres = (one: Corner, other: Corner): number => distanceM({ lon: one[0], lat: one[1] }, { lon: other[0], lat: other[1] })
