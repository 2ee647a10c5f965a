import { expect, test } from 'vitest'
import { loadAtlas } from '../../../lake/places/atlas.ts'
import { boundaryOf, repairedArea } from '../../../lake/places/boundaries.ts'
import { isValidArea } from '../../../lake/places/valid-area.ts'
import { deepTest } from '../../helpers/tier.ts'
import { ring } from './corners.ts'

test.each([
  ['parts with a common side', [['0 0, 10 0, 10 10, 0 10'], ['10 2, 20 2, 20 8, 10 8']], 1],
  ['parts that overlap', [['0 0, 10 0, 10 10, 0 10'], ['9 2, 20 2, 20 8, 9 8']], 1],
  ['a part inside another one', [['0 0, 10 0, 10 10, 0 10'], ['2 2, 4 2, 4 4, 2 4']], 1],
  ['a hole at the edge', [['0 0, 10 0, 10 10, 0 10', '0 2, 4 2, 4 4, 0 4']], 1],
  ['a corner that rounds onto a side', [['0 0, 10 0, 10 10, 5 0.0004, 0 10']], 2],
])('an area with %s is made valid', (_, polygons, parts) => {
  const area = polygons.map((rings) => rings.map((corners) => ring(corners)))
  expect(isValidArea(area)).toBe(false)
  const repaired = repairedArea(area)
  expect([isValidArea(repaired), repaired.length]).toEqual([true, parts])
})

test('a valid area stays as it is, and so does one without extent', () => {
  for (const area of [[[ring('0 0, 10 0, 10 10, 0 10')]], [[ring('0 0, 10 0, 20 0')]], []]) expect(repairedArea(area)).toEqual(area)
})

deepTest('boundaries of all municipalities and provinces are valid at every zoom; without one is only what has no extent', () => {
  const { municipalities, provinces } = loadAtlas()
  const faults: string[] = []
  for (const area of [...municipalities, ...provinces])
    for (const zoom of [4, 5, 6, 7, 8, 9, 10, 11, 12]) {
      const boundary = boundaryOf(area, zoom)
      const hasExtent = area.rings.some((ring) => new Set(ring.filter((_, at) => at % 2 === 0)).size > 2)
      if (boundary.length === 0 ? hasExtent : !isValidArea(boundary)) faults.push(`${area.code} at ${zoom}`)
    }
  expect(faults).toEqual([])
})
