import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { displacement, seeded } from '../../models/hotspots/chance.ts'
import { densityOf, KERNELS, type Mark } from '../../models/hotspots/density.ts'
import { CITIES, type City, recordedAccidents, recordedSet } from './recorded.ts'

const BANDWIDTHS_M = [100, 250, 500]
/** Largest allowed relative difference. */
const MOST_APART = 1e-6
const POINTS = 4000
const PLACES = 500

/** Points of an artificial city: a third of them at a few crossings, each with a weight of 1, 3 or 5. */
function madeUp(): Mark[] {
  const dice = seeded('check-hotspots')
  const spots = Array.from({ length: 8 }, () => [12_000 * dice(), 12_000 * dice()] as const)
  return Array.from({ length: POINTS }, () => {
    const [x, y] = dice() < 0.33 ? (spots[Math.floor(8 * dice())] as readonly [number, number]) : [12_000 * dice(), 12_000 * dice()]
    const [dx, dy] = displacement('GAUSSIAN', dice)
    return { x: 441_000 + x + 40 * dx, y: 4_475_000 + y + 40 * dy, weight: [1, 1, 1, 3, 5][Math.floor(5 * dice())] as number }
  })
}

/** Compares our densities with scikit-learn's at places with points; returns the largest relative difference. */
function apart(
  python: string,
  asked: { readonly kernel: (typeof KERNELS)[number]; readonly bandwidth_m: number; readonly marks: readonly Mark[] },
): number {
  const { kernel, bandwidth_m, marks } = asked
  const at = marks.slice(0, PLACES).map(({ x, y }) => [x, y] as const)
  const input = JSON.stringify({
    kernel: kernel.toLowerCase(),
    bandwidth: bandwidth_m,
    points: marks.map(({ x, y, weight }) => [x, y, weight]),
    at,
  })
  const done = spawnSync(python, [join(import.meta.dirname, 'kernel_density.py')], { input, encoding: 'utf8', maxBuffer: 64_000_000 })
  if (done.status !== 0) throw new Error(`scikit-learn failed: ${done.stderr}`)
  const theirs = JSON.parse(done.stdout) as number[]
  const ours = densityOf(marks, kernel, bandwidth_m)
  return Math.max(...at.map(([x, y], nth) => Math.abs(ours(x, y) / (theirs[nth] as number) - 1)))
}

/** Located accidents of the recordings, weighted by severity, by city; without their folder none, with a message. */
async function recorded(shared: string): Promise<Map<string, readonly Mark[]>> {
  const found = new Map<string, readonly Mark[]>()
  if (!existsSync(shared)) process.stdout.write(`skipped: no folder ${shared}, so recorded accidents are not compared\n`)
  else
    for (const city of Object.keys(CITIES) as City[])
      found.set(city, recordedSet(await recordedAccidents(shared, city), `${city}.epanechnikov.250.severity`).marks)
  return found
}

const [python = 'python3', shared = '../shared'] = process.argv.slice(2)
let worst = 0
for (const [name, marks] of new Map([['made up', madeUp()], ...(await recorded(shared))]))
  for (const kernel of KERNELS)
    for (const bandwidth_m of BANDWIDTHS_M) {
      const difference = apart(python, { kernel, bandwidth_m, marks })
      worst = Math.max(worst, difference)
      process.stdout.write(
        `${name}, ${kernel} ${bandwidth_m} m: ${marks.length} points, ${PLACES} places, differing by at most ${difference.toExponential(1)}\n`,
      )
    }
process.stdout.write(worst <= MOST_APART ? 'equal\n' : `not equal: more than ${MOST_APART}\n`)
process.exitCode = worst <= MOST_APART ? 0 : 1
