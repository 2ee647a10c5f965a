import { expect, test } from 'vitest'
import { isValidArea } from '../../../lake/places/valid-area.ts'
import { ring } from './corners.ts'

const SQUARE = '0 0, 9 0, 9 9, 0 9'

test.each<[string, boolean, string[][]]>([
  ['a square', true, [['0 0, 2 0, 2 2, 0 2']]],
  ['sides that cross', false, [['0 0, 2 2, 2 0, 0 2']]],
  ['a corner on another side', false, [['0 0, 4 0, 4 4, 2 0, 0 4']]],
  ['a corner that is there twice', false, [['0 0, 2 2, 4 0, 4 4, 2 2, 0 4']]],
  ['a side that goes back', false, [['0 0, 4 0, 2 0, 2 2']]],
  ['a corner that is there twice in a row', true, [['0 0, 2 0, 2 0, 2 2, 0 2']]],
  ['a hole', true, [[SQUARE, '2 2, 2 4, 4 4, 4 2']]],
  ['a hole that touches in a point', true, [[SQUARE, '0 0, 2 4, 4 4, 4 2']]],
  ['a hole that touches a side with its corner', true, [[SQUARE, '0 4, 2 5, 2 3']]],
  ['a hole that crosses', false, [[SQUARE, '2 2, 2 4, 12 4, 12 2']]],
  ['a hole with a side in common', false, [[SQUARE, '2 0, 2 4, 4 4, 4 0']]],
  ['a hole wholly outside', false, [[SQUARE, '12 2, 12 4, 14 4, 14 2']]],
  ['a hole outside that touches', false, [[SQUARE, '9 4, 12 5, 12 3']]],
  ['a hole outside that touches in a corner', false, [[SQUARE, '0 0, -4 -2, -2 -4']]],
  ['a hole that is all of it but its corners', false, [['0 0, 9 0, 9 9, 0 9', '-1 -1, -1 10, 10 10, 10 -1']]],
  ['a hole in a hole', false, [[SQUARE, '1 1, 1 8, 8 8, 8 1', '2 2, 2 4, 4 4, 4 2']]],
  ['two holes that touch in a point', true, [[SQUARE, '1 1, 1 4, 4 4, 4 1', '4 4, 4 6, 6 6, 6 4']]],
  ['a hole through two points of the border', false, [[SQUARE, '0 0, 4 5, 9 9, 5 4']]],
  ['holes in a ring around a piece', false, [[SQUARE, '2 2, 4 5, 4 3', '4 3, 4 5, 6 2', '2 2, 4 1, 6 2, 4 1.5']]],
  ['two parts', true, [['0 0, 2 0, 2 2, 0 2'], ['3 0, 5 0, 5 2, 3 2']]],
  ['two parts that touch in a corner', true, [['0 0, 2 0, 2 2, 0 2'], ['2 2, 4 2, 4 4, 2 4']]],
  ['two parts that touch in two corners', true, [['0 0, 4 0, 2 1, 4 2, 0 2'], ['4 0, 6 0, 6 2, 4 2, 5 1']]],
  ['parts around a place, each between two others', true, [['4 4, 0 3, 0 5'], ['4 4, 8 5, 8 3'], ['4 4, 3 8, 5 8'], ['4 4, 5 0, 3 0']]],
  ['two parts that have a side in common', false, [['0 0, 2 0, 2 2, 0 2'], ['2 0, 4 0, 4 2, 2 2']]],
  ['two parts that overlap through corners of both', false, [['0 0, 4 0, 4 4, 0 4'], ['2 2, 4 0, 8 2, 4 4']]],
  ['two parts that overlap through corners on a side', false, [['0 0, 4 0, 4 4, 0 4'], ['2 2, 4 1, 8 2, 4 3']]],
  ['a part that is there twice', false, [[SQUARE], [SQUARE]]],
  ['a part in another one', false, [[SQUARE], ['2 2, 4 2, 4 4, 2 4']]],
  ['a part in another one that touches it from within', false, [[SQUARE], ['0 0, 4 2, 4 4']]],
  ['a part in a hole of another one', true, [[SQUARE, '1 1, 1 8, 8 8, 8 1'], ['2 2, 4 2, 4 4, 2 4']]],
  ['a part in a hole that it touches all around', true, [[SQUARE, '1 1, 1 7, 7 7, 7 1'], ['1 4, 4 1, 7 4, 4 7']]],
  ['a part in a part in a hole', false, [[SQUARE, '1 1, 1 8, 8 8, 8 1'], ['2 2, 7 2, 7 7, 2 7'], ['3 3, 5 3, 5 5, 3 5']]],
  ['a hole in another part than its own', false, [[SQUARE], ['20 0, 29 0, 29 9, 20 9', '2 2, 2 4, 4 4, 4 2']]],
  ['a ring that is a point', true, [[SQUARE], ['20 0, 20 0, 20 0']]],
])('%s: valid %s', (_what, isValid, parts) => {
  const polygons = parts.map((rings) => rings.map(ring))
  expect(isValidArea(polygons)).toBe(isValid)
  expect(isValidArea(polygons.toReversed().map((rings) => rings.map((one) => one.toReversed())))).toBe(isValid)
  // From any first corner, and mirrored.
  const turned = polygons.map((rings) => rings.map((one) => [...one.slice(2), ...one.slice(1, 3)]))
  expect(isValidArea(turned)).toBe(isValid)
  expect(isValidArea(polygons.map((rings) => rings.map((one) => one.map(([x, y]) => [y - 43, -x + 37] as const))))).toBe(isValid)
})
