import type { Line } from '../../../lake/schema/columns.ts'
import type { Box } from './geo.ts'

/** True if a part of the line is in the box. */
export function isLineInBox(line: Line, box: Box): boolean {
  return line.some((point, at) => isSegmentInBox(point, line[at + 1] ?? point, box))
}

/** By Liang and Barsky: clips the segment at each side of the box; true if a part remains. */
function isSegmentInBox([lon, lat]: Line[0], [toLon, toLat]: Line[0], box: Box): boolean {
  const [x, y] = [toLon - lon, toLat - lat]
  const sides: readonly (readonly [number, number])[] = [
    [-x, lon - box.west],
    [x, box.east - lon],
    [-y, lat - box.south],
    [y, box.north - lat],
  ]
  let [begin, end] = [0, 1]
  for (const [step, room] of sides) {
    if (step === 0 && room < 0) return false
    if (step < 0) begin = Math.max(begin, room / step)
    if (step > 0) end = Math.min(end, room / step)
  }
  return begin <= end
}
