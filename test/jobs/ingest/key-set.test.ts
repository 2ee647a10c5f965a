import { expect, test } from 'vitest'
import { makeKeySet } from '../../../jobs/ingest/key-set.ts'

const COLUMNS = ['version', 'trip_id', 'stop_sequence']

test.each([
  ['exact', 1_000_000],
  ['by marks from the first key on', 0],
  ['exact, then by marks', 5000],
])('a key counts once: %s', (_name, whole) => {
  const set = makeKeySet(COLUMNS, whole)
  const rows = Array.from({ length: 500_000 }, (_, at) => ({
    version: `cercanias-2026-08-${22 + Math.floor(at / 300_000)}`,
    trip_id: `10${at % 90}S${at % 300_000}C1`,
    stop_sequence: at % 31,
    stop_id: 'no part of the key',
  }))
  expect(rows.filter((row) => !set.add(row))).toEqual([])
  for (const row of rows) row.stop_id = 'another'
  expect(rows.filter((row) => set.add(row))).toEqual([])
  const more = { version: 'avldmd-2026-08-22', trip_id: '', stop_sequence: 1 }
  expect([set.add(more), set.add(more), set.add({ ...more, stop_sequence: 11 })]).toEqual([true, false, true])
})

test.each([
  ['exact', 10],
  ['by marks', 0],
])('values are not mixed up with those beside them: %s', (_name, whole) => {
  const set = makeKeySet(['a', 'b'], whole)
  const keys = [
    ['1', '23'],
    ['12', '3'],
    ['123', ''],
    ['', '123'],
    ['1', '2'],
  ]
  expect(keys.map(([a, b]) => set.add({ a, b }))).toEqual(keys.map(() => true))
  expect(keys.map(([a, b]) => set.add({ a, b }))).toEqual(keys.map(() => false))
})
