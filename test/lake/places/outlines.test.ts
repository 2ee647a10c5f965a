import { describe, expect, test } from 'vitest'
import { loadAtlas } from '../../../lake/places/atlas.ts'
import { metresAway } from '../../../lake/places/lines.ts'
import { outlinesOf } from '../../../lake/places/outlines.ts'
import { isInRing, ringArea } from '../../../lake/places/rings.ts'
import { isValidArea } from '../../../lake/places/valid-area.ts'
import type { Line, MultiPolygon } from '../../../lake/schema/columns.ts'
import { deepTest } from '../../helpers/tier.ts'
import { ring } from './corners.ts'

/** The same in metres. */
const metres = (corners: string): Line => ring(corners).map(([lon, lat]) => [-3 + (lon + 3) / 85.3, 40 + (lat - 40) / 111.2] as const)
const areaOf = (rings: Line[]): number => rings.reduce((sum, one) => sum + ringArea(one), 0)

describe('rings', () => {
  test('have an area whose sign gives their direction, and contain the points inside', () => {
    const square = ring('0 0, 2 0, 2 2, 0 2')
    expect(ringArea(square)).toBeCloseTo(8e-6, 12)
    expect(ringArea(square.toReversed())).toBeCloseTo(-8e-6, 12)
    expect([isInRing(square, [-2.999, 40.001]), isInRing(square, [-2.997, 40.001])]).toEqual([true, false])
  })
})

describe('outlines', () => {
  test('share the borders that areas share; too small parts and holes are left out, a small area stays', () => {
    // A border of 20 km with bends of 40 m, and one of a kilometre.
    const border = Array.from({ length: 41 }, (_, at) => `${at === 20 ? 112 : at % 2 === 0 ? 100 : 100.4} ${5 * at}`)
    const west = ring(['0 0', ...border, '0 200'].join(', '))
    const east = ring(['200 200', ...border.toReversed(), '200 0'].join(', '))
    const speck = ring('300 0, 300.2 0, 300.2 0.2, 300 0.2')
    const enclave = ring('20 20, 40 20, 40 40, 20 40')
    const pinhole = ring('60 60, 60 60.2, 60.2 60.2, 60.2 60')
    const outlines = outlinesOf([[[west, enclave.toReversed(), pinhole]], [[east], [speck]], [[enclave]], [[speck]]], 50)
    const [first, second, third, fourth] = outlines as [MultiPolygon, MultiPolygon, MultiPolygon, MultiPolygon]
    expect(first).toHaveLength(1)
    expect(first[0]).toHaveLength(2)
    for (const polygon of [first[0]?.[0], second[0]?.[0]]) {
      expect(polygon?.length).toBeLessThan(13)
      const corners = new Set(polygon?.map(String))
      expect(corners).toContain('-2.888,40.1')
    }
    // Each gains the loss of the other: together they are as before.
    expect(areaOf(first.flat()) + areaOf(second.flat()) + areaOf(third.flat())).toBeCloseTo(ringArea(ring('0 0, 200 0, 200 200, 0 200')), 9)
    expect(second).toHaveLength(1)
    expect(new Set(third[0]?.[0]?.map(String))).toEqual(new Set(first[0]?.[1]?.map(String)))
    expect([fourth.length, ringArea(fourth[0]?.[0] as Line) > 0]).toEqual([1, true])
  })

  test('do not cross themselves where a border comes near another: it is drawn finer', () => {
    // A spit of 40 m beside a bay whose shore would be drawn through it.
    const shore = ring('0 0, 100 0, 100 100, 60 100, 50.2 1, 50.1 80, 49.9 80, 49.8 1, 40 100, 0 100')
    expect(isValidArea([[shore]])).toBe(true)
    const [outline] = outlinesOf([[[shore]]], 5000) as [MultiPolygon]
    expect(isValidArea(outline)).toBe(true)
    expect(ringArea(outline[0]?.[0] as Line)).toBeGreaterThan(0)
  })

  test('of an area smaller than the decimals show keep them all', () => {
    const speck = ring('300 0, 300.002 0, 300.002 0.002, 300 0.002')
    expect(outlinesOf([[[speck]]], 50)).toEqual([[[speck]]])
  })

  test('are no farther off than allowed, rounding included', () => {
    for (let nth = 0; nth < 300; nth++) {
      // A square of a kilometre with a bend of 49.3 to 50 m in its west side, at places that rounding moves each another way.
      const bend = -49.3 - (0.7 * (nth % 7)) / 7
      const square = metres(`0 0, 1000 0, 1000 1000, 0 1000, ${bend} 500`)
      const outer = square.map(([lon, lat]) => [lon + nth * 1.37e-6, lat + nth * 2.11e-6] as const)
      const drawn = outlinesOf([[[outer]]], 50)[0]?.[0]?.[0] as Line
      for (const point of outer)
        expect(Math.min(...drawn.slice(1).map((to, at) => metresAway(point, drawn[at] as Line[0], to)))).toBeLessThanOrEqual(50)
    }
  })

  test('keep a hole within its area: a headland that is thinner than the tolerance stays where there is a lake in it', () => {
    // Metres on the ground, roughly: a square of 10 km, a headland of 3 km and 45 m at its north, a lake of 2.6 km and 30 m.
    const shell = metres('0 0, 10000 0, 10000 10000, 6000 10000, 6000 10045, 3000 10045, 3000 10000, 0 10000')
    const lake = metres('4500 10008, 3200 10008, 3200 10038, 5800 10038, 5800 10008')
    expect(isValidArea([[shell, lake]])).toBe(true)
    const [outline] = outlinesOf([[[shell, lake]]], 50) as [MultiPolygon]
    expect(isValidArea(outline)).toBe(true)
    expect(Math.max(...(outline[0]?.[0] ?? []).map(([, lat]) => lat))).toBeCloseTo(Math.max(...shell.map(([, lat]) => lat)), 4)
    // Without the lake it is left out.
    expect(outlinesOf([[[shell]]], 50)[0]?.[0]?.[0]).toHaveLength(5)
  })

  test('of areas that are published invalid end with all of their points', () => {
    const [one, other] = [ring('0 0, 40 0, 40 20, 40.1 30, 40 40, 0 40'), ring('20 20, 40 20, 80 30, 40 40')]
    const [outline] = outlinesOf([[[one], [other]]], 50) as [MultiPolygon]
    expect(isValidArea(outline)).toBe(false)
    expect(outline.map(([outer]) => outer?.length)).toEqual([7, 5])
  })

  deepTest('do not cross themselves either where borders of a neighbour are drawn finer', () => {
    let seed = 7
    const chance = (): number => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
      return seed / 2 ** 32
    }
    for (let turn = 0; turn < 3000; turn++) {
      // Three areas side by side, with borders that come near each other.
      const rows = 4 + Math.floor(chance() * 8)
      const borders = [0, 40, 80, 120].map((x) => {
        const bends = Array.from({ length: rows }, (_, at) => `${x + (chance() - 0.5) * 75} ${40 * (at + 1)}`)
        return [`${x} 0`, ...bends, `${x} ${40 * (rows + 1)}`]
      })
      const areas = [0, 1, 2].map((at): MultiPolygon => {
        const [west, east] = [borders[at], borders[at + 1]] as [string[], string[]]
        return [[ring([...east, ...west.toReversed()].join(', ')).map(([lon, lat]) => [-3 + (lon + 3) / 10, 40 + (lat - 40) / 10])]]
      })
      const exact = outlinesOf(areas, 0)
      for (const [at, outline] of outlinesOf(areas, 150 + chance() * 600).entries())
        expect(!isValidArea(outline) && isValidArea(exact[at] as MultiPolygon), `turn ${turn}`).toBe(false)
    }
  })

  test('of the municipalities of Spain cover the same area, none of their borders farther off than allowed, without a gap', () => {
    const tolerance_m = 2000
    const areas = loadAtlas().municipalities.flatMap(({ rings }): MultiPolygon[] => {
      const lines = rings.map(
        (one) => Array.from({ length: one.length / 2 }, (_, at) => [one[2 * at], one[2 * at + 1]] as never).reverse() as Line,
      )
      const outer = lines.filter((line) => ringArea(line) > 0)
      // Holes go with the first part that has room for them: which it is does not matter here.
      return outer.length === 0
        ? []
        : [outer.map((line, nth) => (nth === 0 ? [line, ...lines.filter((one) => ringArea(one) < 0)] : [line]))]
    })
    const outlines = outlinesOf(areas, tolerance_m)
    const points = (of: readonly MultiPolygon[]): number => of.flat(2).reduce((sum, line) => sum + line.length, 0)
    expect(points(outlines) / points(areas)).toBeLessThan(0.7)
    const total = (of: readonly MultiPolygon[]): number => areaOf(of.flat(2) as Line[])
    expect(total(outlines) / total(areas)).toBeCloseTo(1, 3)
    expect(outlines.filter((outline, nth) => !isValidArea(outline) && isValidArea(areas[nth] as MultiPolygon))).toEqual([])
    for (let nth = 0; nth < areas.length; nth += 40) {
      const [[outer]] = areas[nth] as unknown as [[Line]]
      const sides = (outlines[nth] as MultiPolygon).flat()
      for (const point of outer) {
        const away = Math.min(...sides.flatMap((side) => side.slice(1).map((to, at) => metresAway(point, side[at] as Line[0], to))))
        expect(away).toBeLessThan(tolerance_m + 2)
      }
    }
  })
})
