import { expect, test } from 'vitest'
import { rowChecker } from '../../../lake/schema/check-rows.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineDataset } from '../../../lake/schema/dataset.ts'

const shapes = defineDataset({
  id: 'shapes',
  domain: 'road',
  title: 'Shapes',
  about: 'One of each kind.',
  sources: [],
  columns: {
    id: col.string(1, 'Id.', { example: 'a' }),
    observed_at: col.instant(2, 'When.', { example: '2026-03-01T00:00:00Z' }),
    path: col.line(3, 'A line.', { nullable: true }),
    field: col.polygon(4, 'A polygon.', { nullable: true }),
    islands: col.multipolygon(5, 'Polygons.', { nullable: true }),
  },
  entity: ['id'],
  time: 'observed_at',
  writeMode: 'changes',
  partition: [],
  order: ['id'],
  plan: { live: 'FREE', history: 'FREE', bulk: 'FREE' },
})

const ring = [
  [-3, 40],
  [-2, 40],
  [-2, 41],
  [-3, 40],
]
const [begin] = ring

test.each([
  ['path', ring, null],
  ['path', [begin], 'path is no line'],
  ['path', [begin, [-3, 91]], 'path is no line'],
  ['field', [ring], null],
  ['field', [ring, ring.toReversed()], null],
  ['field', [], 'field is no polygon'],
  ['field', [ring.slice(0, 3)], 'field is no polygon'],
  ['field', [[...ring.slice(0, 3), [-3, 40.1]]], 'field is no polygon'],
  ['field', ring, 'field is no polygon'],
  ['islands', [[ring], [ring]], null],
  ['islands', [], 'islands is no list of polygons'],
  ['islands', [[]], 'islands is no list of polygons'],
  ['islands', [ring], 'islands is no list of polygons'],
])('%s of %j: %s', (name, value, reason) => {
  const row = { id: 'a', observed_at: 0, path: null, field: null, islands: null, [name]: value }
  expect(rowChecker(shapes)(row)).toBe(reason)
})
