import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { knownPoints, knownPosition, lineOf, ringOf } from '../../../jobs/formats/positions.ts'
import type { Line, Point } from '../../../lake/schema/columns.ts'

const UNKNOWN: readonly (readonly [number | null | undefined, number | null | undefined])[] = [
  [null, -3.7],
  [40.4, undefined],
  [Number.NaN, -3.7],
  [40.4, Number.POSITIVE_INFINITY],
  [90.1, -3.7],
  [40.4, -180.1],
  [0, 0],
  [0.000001, 0.000001],
  [-0.001, 0.001],
]

describe('a position', () => {
  test.each(UNKNOWN)('is none at %s, %s', (lat, lon) => expect(knownPosition(lat, lon)).toBeNull())

  test.each([
    [39.9, 0],
    [0, -3.7],
    [0.0011, 0],
    [90, -180],
  ])('is true at %s, %s', (lat, lon) => expect(knownPosition(lat, lon)).toEqual({ lat, lon }))
})

const place = fc.record({ lat: fc.double({ min: 36, max: 43, noNaN: true }), lon: fc.double({ min: -9, max: -1, noNaN: true }) })
const unreadable = fc.constantFrom(...UNKNOWN).map(([lat, lon]) => knownPosition(lat, lon))

test('whatever points of a line are unreadable, the others stay in order and each is counted', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(place, unreadable), { maxLength: 12 }), (points) => {
      const warnings: string[] = []
      const known = points.filter((point): point is Point => point !== null).map(({ lat, lon }) => [lon, lat])
      const line = lineOf(knownPoints(points, warnings.push.bind(warnings)), warnings.push.bind(warnings))
      expect(line).toEqual(known.length < 2 ? null : known)
      expect(warnings.length).toBe(points.length - known.length + (known.length < 2 ? 1 : 0))
    }),
  )
})

test('a ring is closed and runs counter-clockwise, whichever corner was left out; three corners are the least', () => {
  const corners: Line = [...[0, 1, 2, 3, 4, 5].map((at) => [-3 + Math.cos(at), 40 - Math.sin(at)] as const)]
  const whole: Line = [...corners, corners[0] as Line[0]]
  const ring = ringOf(whole, (text) => expect.unreachable(text))
  expect(ring).toEqual(whole.toReversed())
  for (const at of whole.keys()) {
    const found = ringOf(whole.toSpliced(at, 1), (text) => expect.unreachable(text)) as Line
    expect([found.length, found.at(-1)]).toEqual([at === 0 || at === 6 ? 7 : 6, found[0]])
  }
  const warnings: string[] = []
  for (const some of [[], corners.slice(0, 1), corners.slice(0, 2), [...corners.slice(0, 2), corners[0] as Line[0]]])
    expect(ringOf(some, (text) => warnings.push(text))).toBeNull()
  expect(warnings).toHaveLength(4)
})
