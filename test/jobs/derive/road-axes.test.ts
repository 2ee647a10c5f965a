import { expect, test } from 'vitest'
import { chainsOf } from '../../../jobs/derive/road/axes/chains.ts'
import { axesOf, measuredLines } from '../../../jobs/derive/road/axes/measure.ts'
import { bestPart } from '../../../jobs/derive/road/axes.ts'
import { Axes, type AxisRow } from '../../../lake/places/axes.ts'
import { heldOutFigures, simulatedNetwork } from '../../../scripts/checks/evaluations/roads.ts'

const KM_DEG = 1 / 111.195
/** A corner at kilometres north and metres east of a place. */
const at = (km: number, east_m = 0) => [-3.7 + ((east_m / 1000) * KM_DEG) / Math.cos((40.4 * Math.PI) / 180), 40.4 + km * KM_DEG] as const
const line = (from: number, to: number, east_m = 0) => Array.from({ length: 11 }, (_, nth) => at(from + ((to - from) * nth) / 10, east_m))
const post = (km: number, place = km, east_m = 10) => ({ km, at: at(place, east_m) })
const spans = (lines: readonly { readonly kilometres: readonly number[] }[]) =>
  lines.map(({ kilometres }) => [kilometres[0], kilometres.at(-1)].map((km) => Math.round(10 * (km as number)) / 10))

test('sections in any order and orientation are one line; ends up to 25 m apart are joined, farther ones are not', () => {
  const parts = [line(2, 3), line(1, 0), line(3.02, 4).toReversed(), line(2, 1)]
  expect(chainsOf(parts).map((chain) => chain.length)).toEqual([41 + 1])
  expect(chainsOf([line(0, 1), line(1.03, 2)])).toHaveLength(2)
  expect(chainsOf([])).toEqual([])
})

test('where branches meet the straightest pair goes on; a ring is one line', () => {
  const branch = Array.from({ length: 3 }, (_, nth) => at(1 + nth * 0.1, 300 * nth))
  const chains = chainsOf([branch, line(0, 1), line(1, 2)])
  expect(chains.map((chain) => chain.length).sort()).toEqual([21, 3])
  // A road that meets itself does not turn back by more than 150 degrees.
  for (const [degrees, lines] of [
    [145, 1],
    [155, 2],
  ] as const) {
    const [east_m, km] = [1000 * Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)]
    expect(chainsOf([line(0, 1), [at(1), at(1 + km, east_m)]]), `${degrees}`).toHaveLength(lines)
  }
  const ring = [at(0), at(1, 500), at(0, 1000), at(0)]
  expect(chainsOf([ring.slice(0, 2), ring.slice(1, 3), ring.slice(2, 4)]).map((chain) => chain.length)).toEqual([4])
})

test('kilometres are between the posts in proportion to the path, and carried on beyond the last one', () => {
  const [axis] = measuredLines([line(0, 5).toReversed()], [post(101, 1), post(102, 2), post(104, 4)])
  expect(axis?.posts).toEqual([101, 102, 104])
  expect(axis?.line[0]?.[1]).toBeCloseTo(40.4, 4)
  expect(spans([axis as never])).toEqual([[100, 105]])
  expect(Math.min(...(axis?.errors_m ?? []))).toBe(31)
})

test('a post that both neighbours contradict is left out, and a jump of kilometres cuts the line', () => {
  const wrong = measuredLines([line(0, 5)], [post(1), post(2), post(40, 2.5), post(3), post(4)])
  expect(wrong.map(({ posts }) => posts)).toEqual([[1, 2, 3, 4]])
  const jump = measuredLines([line(0, 6)], [post(1), post(2), post(3), post(53, 4), post(54, 5)])
  expect(jump.map(({ posts }) => posts)).toEqual([
    [1, 2, 3],
    [53, 54],
  ])
  expect(spans(jump)).toEqual([
    [0, 3.5],
    [52.5, 55],
  ])
})

test('posts of both carriageways with one kilometre count once, the nearer one', () => {
  const [axis] = measuredLines(
    [line(0, 5)],
    [1, 2, 3].flatMap((km) => [post(km, km, 10), post(km, km + 0.1, -30)]),
  )
  expect(axis?.posts).toEqual([1, 2, 3])
  expect(Math.max(...(axis?.errors_m.slice(1, -1) ?? []))).toBeLessThan(35)
})

test('a re-numbered road keeps both places of a kilometre, and parts with falling kilometres', () => {
  const again = measuredLines([line(0, 8)], [post(1), post(2), post(3), post(1, 5), post(2, 6), post(3, 7)])
  expect(again.map(({ posts }) => posts)).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ])
  const [rising, falling] = measuredLines([line(0, 8)], [post(11, 1), post(12, 2), post(13, 3), post(12, 5), post(11, 6), post(10, 7)])
  expect([rising?.posts, falling?.posts]).toEqual([
    [11, 12, 13],
    [10, 11, 12],
  ])
  expect(spans([rising as never, falling as never])).toEqual([
    [10, 14],
    [9, 13],
  ])
  // Its line is in the order of its kilometres: here southwards.
  expect((falling?.line[0]?.[1] as number) - (falling?.line.at(-1)?.[1] as number)).toBeCloseTo(4 * KM_DEG, 4)
  const swapped = [post(1), post(1.1, 1.1), post(1.3, 1.2), post(1.2, 1.3), post(1.4, 1.4), post(1.5, 1.5)]
  expect(measuredLines([line(0, 3)], swapped).map(({ posts }) => posts)).toEqual([[1, 1.1, 1.2, 1.4, 1.5]])
})

test('a line without two posts within 60 m has no kilometres', () => {
  expect(measuredLines([line(0, 5)], [post(1), post(2, 2, 80)])).toEqual([])
  expect(measuredLines([line(0, 5)], [])).toEqual([])
})

test('carriageways stay apart; a stretch with traffic both ways belongs to both', () => {
  const section = (direction: string, geometry: ReturnType<typeof line>) => ({ direction, geometry })
  const axes = axesOf(
    [section('POSITIVE', line(0, 3, 10)), section('NEGATIVE', line(3, 0, -10)), section('BOTH', line(3, 5))],
    [1, 2, 4].flatMap((km) => [15, -15].map((east) => ({ km, position: { lon: at(km, east)[0], lat: at(km, east)[1] } }))),
  )
  expect(axes.map(({ direction, chain }) => [direction, chain])).toEqual([
    ['POSITIVE', 1],
    ['NEGATIVE', 1],
  ])
  expect(spans(axes)).toEqual([
    [0, 5],
    [0, 5],
  ])
  expect(axes.map((axis) => Math.sign((axis.line[0]?.[0] as number) - at(0)[0]))).toEqual([1, -1])
  expect(axesOf([section('BOTH', line(0, 3))], [{ km: 1, position: { lon: at(1)[0], lat: at(1)[1] } }])).toEqual([])
})

test('posts that were held back are within 60 m of the axes, nine of ten, on a network with gaps, bends and noise', () => {
  const figures = heldOutFigures('simulated', [simulatedNetwork('35')])
  expect(figures.map(({ metric, ok }) => [metric, ok])).toEqual([
    ['p50_m', true],
    ['p90_m', true],
    ['located_share', true],
  ])
  const [p50, p90, share] = figures as [(typeof figures)[0], (typeof figures)[0], (typeof figures)[0]]
  expect(p50.value).toBeLessThan((p50.baseline as number) / 2)
  expect(p90.points).toBeGreaterThan(100)
  // Ends of roads, and kilometres in gaps of the network, have no place.
  expect(share.value).toBeGreaterThan(0.85)
})

test('an edition with less than half of the sections of the other is a fragment, else the newest is used', () => {
  const parts = (older: number, newer: number) =>
    bestPart(
      new Map(
        [
          ['28 2025 province', older],
          ['28 2026 national', newer],
        ].map(([part, count]) => [part as string, { length: count as number }]),
      ),
    )
  expect([parts(10, 4), parts(10, 5), parts(4, 10), parts(0, 0)]).toEqual(['28 2025 province', ...Array(3).fill('28 2026 national')])
  expect(bestPart(new Map())).toBeNull()
})

test('a line goes on into the next part only where that begins near: another road of the same name does not', () => {
  const part = (province: string, from: number, east_m: number): AxisRow => {
    const kilometres = [from, from + 1, from + 2]
    const geometry = kilometres.map((km) => at(km, east_m))
    return {
      province,
      road: 'X-1',
      direction: 'BOTH',
      chain: 1,
      km_from: from,
      km_to: from + 2,
      geometry,
      kilometres,
      errors_m: [40, 40],
      posts: kilometres,
    }
  }
  const lineOver = (east_m: number) =>
    new Axes([part('28', 0, 0), part('45', 2, east_m)]).line('X1', { km_from: 0.5, km_to: 3.5, province_code: null })
  expect(lineOver(1400)).not.toBeNull()
  expect(lineOver(1600)).toBeNull()
})
