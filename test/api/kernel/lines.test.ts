import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLineInBox } from '../../../api/endpoints/rail/routes.ts'
import { simplifiedLine } from '../../../lake/places/lines.ts'
import type { Line } from '../../../lake/schema/columns.ts'

const box = { kind: 'box', west: 0, south: 40, east: 1, north: 41 } as const
/** Metres in a degree of latitude. */
const DEGREE_M = 111_195

/** Lines in Spain of up to 60 points. */
const lines = fc.array(fc.tuple(fc.double({ min: -4, max: -3, noNaN: true }), fc.double({ min: 40, max: 41, noNaN: true })), {
  minLength: 2,
  maxLength: 60,
})

/** Distance of a point from a line in metres: the least from 200 points of each of its parts. */
function away([lon, lat]: Line[0], line: Line): number {
  let least = Number.POSITIVE_INFINITY
  for (const [at, [fromLon, fromLat]] of line.entries()) {
    const [toLon, toLat] = line[at + 1] ?? (line[at] as Line[0])
    for (let step = 0; step <= 200; step++) {
      const [x, y] = [fromLon + ((toLon - fromLon) * step) / 200, fromLat + ((toLat - fromLat) * step) / 200]
      least = Math.min(least, Math.hypot((x - lon) * Math.cos((lat * Math.PI) / 180), y - lat) * DEGREE_M)
    }
  }
  return least
}

test('no omitted point is farther from the line than the tolerance; both ends stay', () => {
  fc.assert(
    fc.property(lines, fc.integer({ min: 10, max: 30_000 }), (line, tolerance_m) => {
      const simple = simplifiedLine(line, tolerance_m)
      const [first, last] = [line[0] as Line[0], line.at(-1) as Line[0]]
      for (const [one, other] of [
        [simple[0], first],
        [simple.at(-1), last],
      ] as const)
        expect(Math.hypot((one as Line[0])[0] - other[0], (one as Line[0])[1] - other[1])).toBeLessThan(1e-5)
      // Steps of the measure and rounding add some hundred metres at most.
      for (const point of line) expect(away(point, simple)).toBeLessThan(tolerance_m * 1.01 + 400)
    }),
    { numRuns: 60 },
  )
})

test('points on a straight line are left out, bends stay, all with five decimals', () => {
  const line: Line = [
    [-3.123456789, 40],
    [-3.1, 40.0001],
    [-3.05, 40],
    [-3, 40.5],
  ]
  expect(simplifiedLine(line, 20)).toEqual([
    [-3.12346, 40],
    [-3.05, 40],
    [-3, 40.5],
  ])
  expect(simplifiedLine(line, 5)).toHaveLength(4)
  // Two ends that are the same once they are rounded stay two. A point between them that equals the one before is dropped.
  const [at, near] = [
    [-3, 40],
    [-3.000001, 40.000001],
  ] as const
  expect(simplifiedLine([at, near, [-3, 41], [-3, 41.000001], near, at], 0.01)).toEqual([at, [-3, 41], at, at])
})

test('a line is in a box that a part of it goes through', () => {
  const through: Line = [
    [-1, 40.5],
    [2, 40.5],
  ]
  const past: Line = [
    [-1, 40.5],
    [0.4, 42],
    [2, 40.5],
  ]
  expect(isLineInBox(through, box)).toBe(true)
  expect(isLineInBox(past, box)).toBe(false)
  expect(
    isLineInBox(
      [
        [0.5, 40.5],
        [0.6, 40.6],
      ],
      box,
    ),
  ).toBe(true)
  expect(
    isLineInBox(
      [
        [0.5, 39],
        [0.5, 39.9],
      ],
      box,
    ),
  ).toBe(false)
  expect(
    isLineInBox(
      [
        [1, 41],
        [2, 42],
      ],
      box,
    ),
  ).toBe(true)
})
