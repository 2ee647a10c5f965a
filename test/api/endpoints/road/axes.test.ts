import { describe, expect, test } from 'vitest'
import { withPlace } from '../../../../api/endpoints/road/incident-place.ts'
import { Posts } from '../../../../api/endpoints/road/posts.ts'
import { placeOn } from '../../../../jobs/derive/safety/positions.ts'
import { Axes, type Axis, type AxisRow } from '../../../../lake/places/axes.ts'
import { lengthM } from '../../../../lake/places/lines.ts'
import type { PlaceOnRoad, Post } from '../../../../lake/places/place-on-road.ts'

/** Degrees of latitude of a kilometre. */
const KM = 180 / (Math.PI * 6371.0088)
/** An axis northwards; `stretch` is the length of the path of a kilometre, km. */
function axis(from: number, to: number, { stretch = 1, ...more }: Partial<AxisRow> & { readonly stretch?: number } = {}): AxisRow {
  const kilometres = Array.from({ length: to - from + 1 }, (_, at) => from + at)
  return {
    ...{ province: '28', road: 'A-77', direction: 'BOTH', chain: 1, km_from: from, km_to: to, kilometres, posts: kilometres },
    geometry: kilometres.map((km) => [-4, 40 + km * stretch * KM] as const),
    errors_m: kilometres.slice(1).map((km) => 10 + km),
    ...more,
  }
}
const post = (km: number, more: Partial<Post> = {}): Post => ({
  ...{ road: 'A-77', province_code: '28', km, position: { lat: 40 + km * KM, lon: -4.001 }, source: 'dgt', records: 1, error_m: 100 },
  ...more,
})

describe('the line between two kilometres', () => {
  test('runs in the order of the ends, has the error of its stretches, and needs both ends', () => {
    const axes = new Axes([axis(10, 20)])
    const there = axes.line('A77', { km_from: 12.5, km_to: 14, province_code: null })
    expect(there?.line.map(([, lat]) => Math.round(100 * ((lat - 40) / KM)) / 100)).toEqual([12.5, 13, 14])
    expect(there?.error_m).toBe(24)
    expect(axes.line('A77', { km_from: 14, km_to: 12.5, province_code: null })?.line).toEqual(there?.line.toReversed())
    expect(axes.line('A77', { km_from: 18, km_to: 21, province_code: null })).toBeNull()
    expect(axes.line('A77', { km_from: 12, km_to: 12, province_code: null })).toBeNull()
    expect(axes.line('A1', { km_from: 12, km_to: 13, province_code: null })).toBeNull()
  })

  test('goes on across the border of a province, but not across a gap', () => {
    const across = new Axes([axis(10, 20), axis(20, 30, { province: '45' })])
    const { line } = across.line('A77', { km_from: 19, km_to: 22, province_code: '28' }) ?? { line: [] }
    expect(Math.round(lengthM(line))).toBe(3000)
    const gap = new Axes([axis(10, 20), axis(21, 30, { chain: 2 })])
    expect(gap.line('A77', { km_from: 19, km_to: 22, province_code: null })).toBeNull()
    const elsewhere = axis(20, 30, { province: '45', geometry: axis(20, 30).geometry.map(([lon, lat]) => [lon + 1, lat] as const) })
    expect(new Axes([axis(10, 20), elsewhere]).line('A77', { km_from: 19, km_to: 22, province_code: null })).toBeNull()
  })

  test('is not drawn if it is longer than 1.6 times the kilometres and 1.5 km', () => {
    const lineOf = (stretch: number, km: number) =>
      new Axes([axis(10, 20, { stretch })]).line('A77', { km_from: 10, km_to: 10 + km, province_code: null })
    expect(lineOf(1.7, 10)).not.toBeNull()
    expect(lineOf(1.8, 10)).toBeNull()
    expect(lineOf(3, 1)).not.toBeNull()
    expect(lineOf(3.2, 1)).toBeNull()
  })

  test('follows the carriageway of the travel, or of the stated direction', () => {
    const shifted = axis(10, 20).geometry.map(([lon, lat]) => [lon - 0.001, lat] as const)
    const axes = new Axes([axis(10, 20, { direction: 'POSITIVE' }), axis(10, 20, { direction: 'NEGATIVE', geometry: shifted })])
    const lonOf = (ends: { km_from: number; km_to: number; direction?: string }) =>
      axes.line('A77', { province_code: null, ...ends })?.line[0]?.[0]
    expect([lonOf({ km_from: 12, km_to: 14 }), lonOf({ km_from: 14, km_to: 12 })]).toEqual([-4, -4.001])
    expect(lonOf({ km_from: 12, km_to: 14, direction: 'NEGATIVE' })).toBe(-4.001)
    expect(lonOf({ km_from: 12, km_to: 14, direction: 'BOTH' })).toBe(-4)
  })
})

describe('a kilometre at several places', () => {
  const north = (km: number, east = 0) => ({ geometry: axis(10, 20).geometry.map(([lon, lat]) => [lon + east, lat + km * KM] as const) })
  const lats = (places: readonly PlaceOnRoad[]) => places.map(({ position }) => Math.round((position.lat - 40) / KM))
  const at12 = { province_code: '28' }

  test('has all of them where a road is re-numbered within a province, or the one nearest to a position', () => {
    const axes = new Axes([axis(10, 20), axis(10, 20, { ...north(30), chain: 2 })])
    expect(lats(axes.at('A77', 12, at12))).toEqual([12, 42])
    const near = { lat: 40 + 45 * KM, lon: -4 }
    expect(lats(axes.at('A77', 12, { ...at12, near }))).toEqual([42, 12])
    const stretch = { km_from: 12, km_to: 14, province_code: '28' }
    expect(axes.line('A77', { ...stretch, near })?.line[0]?.[1]).toBeCloseTo(40 + 42 * KM)
    expect(axes.line('A77', stretch)?.line[0]?.[1]).toBeCloseTo(40 + 12 * KM)
    expect(placeOn(axes, { road: 'A-77', km: 12, province_code: '28', direction: 'BOTH' })).toBe('AMBIGUOUS')
  })

  test('is one place for both carriageways, and for parts that overlap within their errors', () => {
    const dual = ['NEGATIVE', 'POSITIVE'].flatMap((direction) => [0, 30].map((km) => axis(10, 20, { direction, ...north(km, 0.01) })))
    const places = new Axes(dual).at('A77', 12, at12)
    expect([lats(places), places.map(({ direction }) => direction)]).toEqual([
      [12, 42],
      ['POSITIVE', 'POSITIVE'],
    ])
    expect(new Axes(dual).at('A77', 12, { ...at12, direction: 'NEGATIVE' }).map(({ direction }) => direction)).toEqual([
      'NEGATIVE',
      'NEGATIVE',
    ])
    expect(new Axes([axis(10, 20), axis(10, 20, north(0.02))]).at('A77', 12, at12)).toHaveLength(1)
  })

  test('places an incident without a province only if all are within the error, and states why not', () => {
    const one = {
      ...{ road: 'A-77', km: 12, km_to: null, direction: 'UNKNOWN', province_code: null, position: null },
      ...{ location_method: null, location_error_m: null, position_absent: 'NOT_LOCATED', geometry: null, geometry_absent: null },
    }
    const absenceOf = (rows: readonly AxisRow[], posts: readonly Post[] = []) => withPlace(one, new Posts(posts, rows)).position_absent
    expect(absenceOf([axis(10, 20), axis(10, 20, { province: '45', ...north(0.02) })])).toBeNull()
    expect(absenceOf([axis(10, 20), axis(10, 20, { province: '45', ...north(2) })])).toBe('AMBIGUOUS')
    expect(absenceOf([axis(10, 20), axis(10, 20, { ...north(30), chain: 2 })])).toBe('AMBIGUOUS')
    expect(absenceOf([axis(10, 20)], [post(12, { province_code: '45', position: { lat: 40 + 9 * KM, lon: -4 } })])).toBe('AMBIGUOUS')
    expect(absenceOf([axis(10, 20)], [post(12, { province_code: '45' })])).toBeNull()
    expect(absenceOf([axis(30, 40)])).toBe('NOT_LOCATED')
  })
})

test('the error of a kilometre is the same as that of its mark', () => {
  const axes = new Axes([axis(10, 20)])
  const [line] = axes.of('A77')
  for (const mark of axes.marks(line as Axis)) expect(axes.at('A77', mark.km, { province_code: '28' })[0]?.error_m).toBe(mark.error_m)
  expect(axes.at('A77', 12.4, { province_code: '28' })[0]?.error_m).toBe(23)
})

describe('axes and located posts together', () => {
  test('a measured place replaces those of posts, unless another road of that name is far away', () => {
    const far = [1, 3].map((km) => post(km + 11, { province_code: '35', position: { lat: 28 + km * KM, lon: -15.5 } }))
    const posts = new Posts([post(12), post(13), post(23), post(24), ...far], [axis(10, 20)])
    expect(posts.at('A77', 12.4, null).map(({ province_code, direction }) => [province_code, direction])).toEqual([
      ['28', 'BOTH'],
      ['35', 'UNKNOWN'],
    ])
    expect(posts.at('A77', 23.5, null).map(({ direction }) => direction)).toEqual(['UNKNOWN'])
    expect(posts.nearest({ lat: 40 + 12.4 * KM, lon: -4.0009 }, 1000, null).map(({ place }) => [place.km, place.direction])).toEqual([
      [12.4, 'BOTH'],
    ])
    expect([...posts.roads]).toEqual(['A77'])
    expect(posts.marks('A77').filter(({ source }) => source === 'ign')).toHaveLength(11)
    expect(posts.line('A77', { km_from: 23, km_to: 24, province_code: null })?.error_m).toBe(100)
  })
})
