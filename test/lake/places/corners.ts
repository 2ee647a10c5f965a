import type { Line } from '../../../lake/schema/columns.ts'

/** A closed ring of the corners of a text, `x y, x y, …`, in thousandths of a degree from 3° W, 40° N. */
export function ring(corners: string): Line {
  const points = corners.split(', ').map((corner) => corner.split(' ').map(Number) as [number, number])
  return [...points, points[0] as [number, number]].map(([x, y]) => [-3 + x / 1000, 40 + y / 1000] as const)
}
