import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchPath, type Way } from '../../../../api/kernel/reads/map-matching.ts'
import { metresAway } from '../../../../lake/places/lines.ts'
import type { Line } from '../../../../lake/schema/columns.ts'
import { lengthM, stopsInOrder } from '../aviation/tracks.ts'

const WITHIN_M = 500
/** Five decimals of a degree. */
const ROUNDING_M = 1

/** Positions from kilometres east and north of a place near Madrid. */
const at = (...km: readonly (readonly [east: number, north: number])[]): Line =>
  km.map(([east, north]) => [-3.7 + east / (111.195 * Math.cos((40.4 * Math.PI) / 180)), 40.4 + north / 111.195] as const)

/** The path's points in kilometres, to a tenth. */
function inKm({ line }: Way): number[][] {
  const back = 111.195 * Math.cos((40.4 * Math.PI) / 180)
  const tenth = (km: number): number => Math.round(km * 10) / 10 + 0
  return (line ?? []).map(([lon, lat]) => [tenth((lon + 3.7) * back), tenth((lat - 40.4) * 111.195)])
}

/** A path's points, and how many of its parts follow the line. */
function pathOf(line: Line, places: Line): unknown[] {
  const way = matchPath(line, places, WITHIN_M)
  return [inKm(way), `${way.following}/${way.parts}`]
}

// East, with a bend to the north at 10 km.
const BENT = at([0, 0], [10, 0], [10, 10])

describe('the way past places', () => {
  test('is the line, cut at the first and the last', () => {
    expect(pathOf(BENT, at([4, 0.1], [8, 0], [10.2, 6]))).toEqual([
      [
        [4, 0],
        [10, 0],
        [10, 6],
      ],
      '2/2',
    ])
  })

  test('is turned where the places are passed the other way', () => {
    expect(pathOf(BENT, at([10.2, 6], [8, 0], [4, 0.1]))).toEqual([
      [
        [10, 6],
        [10, 0],
        [4, 0],
      ],
      '2/2',
    ])
  })

  test('is straight where the line is too far, and leaves it at the last place that it comes by', () => {
    expect(pathOf(BENT, at([4, 0], [8, 0.2], [9, -3], [14, -3]))).toEqual([
      [
        [4, 0],
        [8, 0],
        [9, -3],
        [14, -3],
      ],
      '1/3',
    ])
    // A place between two such is not cut off: the path goes through it.
    expect(pathOf(BENT, at([4, 5], [5, 0.3], [6, 5]))).toEqual([
      [
        [4, 5],
        [5, 0.3],
        [6, 5],
      ],
      '0/2',
    ])
  })

  test('without a line is straight; with fewer than two places there is none', () => {
    expect(pathOf([], at([4, 0], [8, 1]))).toEqual([
      [
        [4, 0],
        [8, 1],
      ],
      '0/1',
    ])
    expect(matchPath(BENT, at([4, 0]), WITHIN_M)).toEqual({ line: null, parts: 0, following: 0 })
    expect(matchPath(BENT, [], WITHIN_M)).toEqual({ line: null, parts: 0, following: 0 })
  })

  test('exists for two places at one point of the line', () => {
    expect(pathOf(BENT, at([-0.2, 0], [-0.3, 0.1]))).toEqual([
      [
        [0, 0],
        [0, 0],
      ],
      '1/1',
    ])
  })

  test('runs into a branch and out again as the line does', () => {
    const branch = at([0, 0], [5, 0], [5, 3], [5, 0], [10, 0])
    expect(pathOf(branch, at([1, 0], [5, 0.1], [5.1, 3.1], [8, 0]))).toEqual([
      [
        [1, 0],
        [5, 0],
        [5, 3],
        [5, 0],
        [8, 0],
      ],
      '3/3',
    ])
    expect(pathOf(branch, at([8, 0], [5.1, 3.1], [5, 0.1], [1, 0]))).toEqual([
      [
        [8, 0],
        [5, 0],
        [5, 3],
        [5, 0],
        [1, 0],
      ],
      '3/3',
    ])
  })

  test('leaves out a branch without a place, where one is at its begin', () => {
    const branch = at([0, 0], [5, 0], [5, 3], [5, 0], [10, 0])
    expect(pathOf(branch, at([1, 0], [5, 0.1], [8, 0]))).toEqual([
      [
        [1, 0],
        [5, 0],
        [5, 0.1],
        [5, 0],
        [8, 0],
      ],
      '2/2',
    ])
  })

  test('goes round a loop either way, past its seam too, and from its first place to it again', () => {
    const loop = at([0, 0], [6, 0], [6, 6], [0, 6], [0, 0])
    expect(pathOf(loop, at([0, 0], [6, 3], [0, 3], [0, 0]))).toEqual([
      [
        [0, 0],
        [6, 0],
        [6, 6],
        [0, 6],
        [0, 0],
      ],
      '3/3',
    ])
    expect(pathOf(loop, at([0, 4], [0, 0], [3, 0]))).toEqual([
      [
        [0, 4],
        [0, 0],
        [3, 0],
      ],
      '2/2',
    ])
    expect(pathOf(loop, at([3, 0], [0, 0], [0, 4]))).toEqual([
      [
        [3, 0],
        [0, 0],
        [0, 4],
      ],
      '2/2',
    ])
  })

  test('may run on two parts of a line in two directions, with a straight way between', () => {
    // As Madrid's C2: the line goes through the city and on, trains come from the far end and enter from the other side.
    const through = at([0, 6], [0, 0], [40, 0])
    expect(pathOf(through, at([40, 0], [20, 0.1], [8, 8], [0, 6], [0, 3], [0, 0.1]))).toEqual([
      [
        [40, 0],
        [20, 0],
        [8, 8],
        [0, 6],
        [0, 0.1],
      ],
      '3/5',
    ])
  })

  test('does not turn back on the line, nor follow it on a detour of more than five times the straight way', () => {
    // Of the two parts the first one stays straight: both cost the same.
    expect(pathOf(BENT, at([2, 0], [8, 0], [4, 0]))[1]).toBe('1/2')
    const detour = at([0, 0], [0, 20], [4, 20], [4, 0])
    expect(pathOf(detour, at([0, 0], [4, 0]))).toEqual([
      [
        [0, 0],
        [4, 0],
      ],
      '0/1',
    ])
    expect(pathOf(detour, at([0, 10], [4, 10]))[1]).toBe('0/1')
    expect(pathOf(detour, at([0, 12], [4, 12]))[1]).toBe('1/1')
  })

  test('takes the nearer of two passings, unless only the other is on the way', () => {
    // Two tracks 0.4 km apart, joined at the far end.
    const pair = at([0, 0], [10, 0], [10, 0.4], [0, 0.4])
    expect(pathOf(pair, at([2, 0.39], [4, 0.39]))[0]).toEqual([
      [2, 0.4],
      [4, 0.4],
    ])
    expect(pathOf(pair, at([2, 0.01], [6, 0.25], [8, 0.01]))[0]).toEqual([
      [2, 0],
      [8, 0],
    ])
  })
})

/** Lines that lead east, by turns of up to 60 degrees, in parts of 1 to 3 km. */
const lines = fc
  .array(fc.tuple(fc.double({ min: 1, max: 3, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true })), { minLength: 1, maxLength: 30 })
  .map((steps) => {
    let [east, north] = [0, 0]
    const points: [number, number][] = [[0, 0]]
    for (const [km, turn] of steps) {
      east += km * Math.cos((turn * Math.PI) / 3)
      north += km * Math.sin((turn * Math.PI) / 3)
      points.push([east, north])
    }
    return at(...points)
  })
/** Shares of a line where places are, and how far north of it (metres). */
const stops = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: -200, max: 200, noNaN: true })), {
  minLength: 2,
  maxLength: 12,
})

/** Places at shares of a line, in its order, each 800 m of it from the next at least; two of them. */
function placesOn(line: Line, where: readonly (readonly [share: number, north_m: number])[]): Line {
  const whole = lengthM(line)
  let last = Number.NEGATIVE_INFINITY
  return [[0, 0] as const, ...where, [1, 0] as const]
    .toSorted(([one], [other]) => one - other)
    .filter(([share]) => {
      const isApart = (share - last) * whole >= 800
      if (isApart) last = share
      return isApart
    })
    .map(([share, north_m]) => {
      let left = share * whole
      for (const [nth, from] of line.slice(0, -1).entries()) {
        const to = line[nth + 1] as Line[0]
        const metres = metresAway(from, to, to)
        if (left <= metres || nth === line.length - 2) {
          const part = metres === 0 ? 0 : Math.min(1, left / metres)
          return [from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1]) + north_m / 111_195] as const
        }
        left -= metres
      }
      return line[0] as Line[0]
    })
}

test('along a line, either way: all of it is on the line, it begins and ends at its places, and passes them in order', () => {
  fc.assert(
    fc.property(lines, stops, fc.boolean(), fc.boolean(), (given, where, isAgainst, isTurned) => {
      const places = isAgainst ? placesOn(given, where).toReversed() : placesOn(given, where)
      const line = isTurned ? given.toReversed() : given
      const way = matchPath(line, places, WITHIN_M)
      expect([way.parts, way.following]).toEqual([places.length - 1, places.length - 1])
      const drawn = way.line as Line
      for (const point of drawn) expect(lineAway(point, line)).toBeLessThan(ROUNDING_M)
      for (const [end, place] of [
        [drawn[0], places[0]],
        [drawn.at(-1), places.at(-1)],
      ] as const)
        expect(metresAway(place as Line[0], end as Line[0], end as Line[0])).toBeLessThan(WITHIN_M + ROUNDING_M)
      expect(stopsInOrder(drawn, places, WITHIN_M + ROUNDING_M)).toBe(places.length)
      expect(lengthM(drawn)).toBeLessThan(lengthM(line) + ROUNDING_M * drawn.length)
    }),
    { numRuns: 300 },
  )
})

test('for any places and any line: no part is lost, and a place off the line is a place of its own', () => {
  const anywhere = fc.array(fc.tuple(fc.double({ min: -20, max: 20, noNaN: true }), fc.double({ min: -20, max: 20, noNaN: true })), {
    minLength: 2,
    maxLength: 15,
  })
  fc.assert(
    fc.property(anywhere, anywhere, (points, stations) => {
      const [line, places] = [at(...points), at(...stations)]
      const way = matchPath(line, places, WITHIN_M)
      expect(way.parts).toBe(places.length - 1)
      expect(way.following).toBeLessThanOrEqual(way.parts)
      const drawn = way.line as Line
      expect(stopsInOrder(drawn, places, WITHIN_M + ROUNDING_M)).toBe(places.length)
      for (const point of drawn)
        expect(Math.min(lineAway(point, line), ...places.map((place) => metresAway(place, point, point)))).toBeLessThan(ROUNDING_M)
      if (way.following === 0) expect(lengthM(drawn)).toBeCloseTo(lengthM(places), -2)
    }),
    { numRuns: 300 },
  )
})

/** Distance of a point from a line, m. */
function lineAway(point: Line[0], line: Line): number {
  return Math.min(...line.slice(1).map((to, nth) => metresAway(point, line[nth] as Line[0], to)))
}
