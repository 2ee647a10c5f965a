import { expect, test } from 'vitest'
import { rowChecker } from '../../../lake/schema/check-rows.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import { col } from '../../../lake/schema/columns.ts'
import { type AnyRow, type Dataset, defineDataset } from '../../../lake/schema/dataset.ts'

const CODES = defineCodes('letters', 'Letters.', { A: ['A', 'A'] })

/** A dataset with one column of each kind, all nullable or all required. */
const kinds = (nullable: boolean): Dataset =>
  defineDataset({
    id: 'kinds',
    domain: 'road',
    title: 'Kinds',
    about: 'One of each kind.',
    sources: [],
    columns: {
      id: col.string(1, 'Id.', { example: 'a' }),
      observed_at: col.instant(2, 'When.', { example: '2026-03-01T00:00:00Z' }),
      path: col.line(3, 'A line.', { nullable }),
      field: col.polygon(4, 'A polygon.', { nullable }),
      islands: col.multipolygon(5, 'Polygons.', { nullable }),
      humidity: col.integer(6, 'A whole number.', { unit: '%', example: 1, min: 0, max: 100, nullable }),
      rain: col.decimal(7, 'A decimal.', { scale: 1, unit: 'mm', example: 1, min: 0, nullable }),
      load: col.float(8, 'A float.', { unit: '1', example: 1, max: 2, nullable }),
      name: col.string(9, 'A text.', { example: 'a', nullable }),
      letter: col.code(10, 'A code.', CODES, { example: 'A', nullable }),
      day: col.local_date(11, 'A day.', { example: '2026-03-01', nullable }),
      seen_at: col.instant(12, 'A time.', { example: '2026-03-01T00:00:00Z', nullable }),
      position: col.point([13, 14], 'A place.', { example: { lat: 40, lon: -3 }, nullable }),
      is_open: col.boolean(15, 'A truth value.', { example: true, nullable }),
      letters: col.list([16, 17], 'A list.', col.string(0, 'An element.', { example: 'a' }), { example: ['a'], nullable }),
    },
    entity: ['id'],
    time: 'observed_at',
    writeMode: 'append',
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
const GOOD = {
  ...{ id: 'a', observed_at: 0, path: ring, field: [ring], islands: [[ring]], humidity: 1, rain: 1, load: 1, name: 'a', letter: 'A' },
  ...{ day: '2026-03-01', seen_at: 0, position: { lat: 40, lon: -3 }, is_open: true, letters: ['a'] },
}
const NULLS: AnyRow = { ...Object.fromEntries(Object.keys(GOOD).map((name) => [name, null])), id: 'a', observed_at: 0 }

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
  ['humidity', -1, 'humidity is below 0'],
  ['humidity', 101, 'humidity is above 100'],
  ['humidity', 50.5, 'humidity is no whole number'],
  ['humidity', '50', 'humidity is no whole number'],
  ['humidity', Number.NaN, 'humidity is no whole number'],
  ['rain', -9999, 'rain is below 0'],
  ['rain', 1e12, 'rain is too large'],
  ['rain', '12,3', 'rain is no number'],
  ['rain', 12.3, null],
  ['load', Number.POSITIVE_INFINITY, 'load is no number'],
  ['load', 2.5, 'load is above 2'],
  ['name', '', 'name is empty'],
  ['letter', 7, 'letter is no text'],
  ['day', '2026-13-01', 'day is no date'],
  ['seen_at', Date.UTC(2300, 0), 'seen_at is no instant between 1900 and 2200'],
  ['position', { lat: 91, lon: 0 }, 'position is no position'],
  ['is_open', 'yes', 'is_open is neither true nor false'],
  ['letters', ['a', null], 'letters contains a null'],
])('%s of %j: %s; the field becomes null, or the row falls if it needs it', (name, value, reason) => {
  const cleared: unknown[] = []
  const row: AnyRow = { ...NULLS, [name]: value }
  expect(rowChecker(kinds(true), { cleared: (...heard) => cleared.push(heard) })(row)).toBe(null)
  expect(row).toEqual({ ...NULLS, [name]: reason === null ? value : null })
  expect(cleared).toEqual(reason === null ? [] : [[name, reason]])
  expect(rowChecker(kinds(false))({ ...GOOD, [name]: value })).toBe(reason)
})

test('a row without its key or time falls, as does one with a missing or unknown column', () => {
  const check = rowChecker(kinds(true))
  for (const [changed, reason] of [
    [{ id: '' }, 'id is empty'],
    [{ id: null }, 'id is null'],
    [{ observed_at: Number.NaN }, 'observed_at is no instant between 1900 and 2200'],
    [{ rain: undefined }, 'rain is missing'],
    [{ snow: 1 }, 'snow is no column'],
  ] as const)
    expect(check({ ...NULLS, ...changed })).toBe(reason)
})
