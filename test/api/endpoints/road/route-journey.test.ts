import { describe, expect, test } from 'vitest'
import { type StretchLine, stretchLine } from '../../../../api/endpoints/road/along/stretch-line.ts'
import { Posts } from '../../../../api/endpoints/road/posts.ts'
import type { Post } from '../../../../lake/places/place-on-road.ts'

describe('a journey on a road', () => {
  // A road to the east along the 40th parallel, located from km 0 to 20 and 24 to 40, and from km 55 on.
  const KM_DEG = 1 / (111.195 * Math.cos((40 * Math.PI) / 180))
  const post = (km: number): Post => {
    const position = { lat: 40, lon: -4 + km * KM_DEG }
    return { road: 'CM-9', province_code: '13', km, position, source: 'dgt', records: 1, error_m: 100 }
  }
  const located = Array.from({ length: 71 }, (_, km) => km).filter((km) => km <= 20 || (km >= 26 && km <= 40) || km >= 55)
  const posts = new Posts(located.map(post))
  const on = (km_from: number, km_to: number): StretchLine | null =>
    stretchLine(posts, { road: 'CM9', km_from, km_to, province_code: null })

  test('goes on over a gap of at most 10 km, which it states, in both directions', () => {
    for (const [from, to] of [
      [0.25, 39],
      [39, 0.25],
    ] as const) {
      const { line, gaps } = on(from, to) as StretchLine
      expect(
        line
          .map(([lon]) => Math.round((lon + 4) / KM_DEG))
          .filter((km, at, all) => at > 0 && Math.sign(km - (all[at - 1] as number)) === Math.sign(from - to)),
      ).toEqual([])
      expect([line[0]?.[0], line.at(-1)?.[0]]).toEqual([from, to].map((km) => expect.closeTo(-4 + km * KM_DEG, 5)))
      const [gap] = gaps as [readonly [number, number]]
      expect(gaps.length).toBe(1)
      expect(Math.min(...gap)).toBeGreaterThanOrEqual(19.5)
      expect(Math.max(...gap)).toBeLessThanOrEqual(26.5)
    }
    expect(on(0, 20)?.gaps).toEqual([])
  })

  test('is none over a longer gap, or from a kilometre that is not located', () => {
    expect([on(30, 60), on(30, 50), on(80, 90)]).toEqual([null, null, null])
  })
})
