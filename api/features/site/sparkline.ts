import type { Reading } from './figures.ts'

const WIDTH = 120
const HEIGHT = 32
/** Fewer readings show no course. */
const MIN_READINGS = 3

/** Draws readings (ms, count), oldest first, as a line with its last point; empty with fewer than three. */
export function sparkline(readings: readonly Reading[], name: string): string {
  const [first, last] = [readings[0], readings.at(-1)]
  if (!first || !last || readings.length < MIN_READINGS) return ''
  const counts = readings.map(({ count }) => count)
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  const places = readings.map(({ at, count }) => {
    const x = ((at - first.at) / Math.max(1, last.at - first.at)) * (WIDTH - 6) + 3
    const y = most === least ? HEIGHT / 2 : HEIGHT - 3 - ((count - least) / (most - least)) * (HEIGHT - 6)
    return `${x.toFixed(1)} ${y.toFixed(1)}`
  })
  return `<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${name}"><path class="base" d="M0 ${HEIGHT - 0.5}H${WIDTH}"/><path class="line" d="M${places.join('L')}"/><path class="last" d="M${places.at(-1)}h0"/></svg>`
}
