import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordsNear } from '../../../api/engine/state/spatial-index.ts'
import { type Area, isInside } from '../../../api/kernel/reads/geo.ts'

const lat = fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 89.999, 90, 40, 40.0001))
const lon = fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 180, 179.999, -179.999, -3, -3.0001))
const position = fc.option(fc.record({ lat, lon }), { nil: null })
const box = fc.tuple(lat, lat, lon, lon).map(
  ([one, other, left, right]): Area => ({
    ...{ kind: 'box', south: Math.min(one, other), north: Math.max(one, other) },
    ...{ west: Math.min(left, right), east: Math.max(left, right) },
  }),
)
const circle = fc.record({ kind: fc.constant('circle' as const), lat, lon, radius_m: fc.constantFrom(1, 20, 5000, 100_000) })

test('an indexed list finds the same as a scan, in the order of the list', () => {
  fc.assert(
    fc.property(
      fc.array(position, { minLength: 200, maxLength: 300 }),
      fc.array(fc.oneof(box, circle), { minLength: 2 }),
      (positions, areas) => {
        const records = positions.map((at, id) => ({ id, position: at }))
        for (const area of areas) {
          const found = recordsNear(records, area).filter((one) => isInside(area, one['position'] as never))
          expect(found).toEqual(records.filter((one) => isInside(area, one.position)))
        }
      },
    ),
    { numRuns: 20 },
  )
})

test('points at the edge of a circle are found: far north, beside a pole and across the 180th meridian', () => {
  for (const centre of [
    { lat: 70, lon: 20 },
    { lat: 89.95, lon: 0 },
    { lat: -16.5, lon: 179.99 },
  ]) {
    const area = { kind: 'circle' as const, ...centre, radius_m: 20_000 }
    const around = Array.from({ length: 720 }, (_, at) => {
      const [north, east] = [Math.cos((at * Math.PI) / 360), Math.sin((at * Math.PI) / 360)]
      const degrees = (0.99999 * area.radius_m) / 111_195.08
      const at_lat = Math.min(90, centre.lat + north * degrees)
      const at_lon = centre.lon + (east * degrees) / Math.cos((centre.lat * Math.PI) / 180)
      return { id: at, position: { lat: at_lat, lon: ((at_lon + 540) % 360) - 180 } }
    })
    const inside = around.filter((one) => isInside(area, one.position))
    expect(inside.length).toBeGreaterThan(100)
    for (let times = 0; times < 2; times++)
      expect(recordsNear(around, area).filter((one) => isInside(area, one['position'] as never))).toEqual(inside)
  }
})

test('a list is indexed at its second search, and then only the nearest records are tested', () => {
  const records = Array.from({ length: 1000 }, (_, id) => ({ id, position: { lat: 36 + id / 200, lon: -3 } }))
  const area = { kind: 'circle' as const, lat: 40, lon: -3, radius_m: 1000 }
  expect(recordsNear(records, area)).toBe(records)
  expect(recordsNear(records, area).length).toBeLessThan(10)
})
