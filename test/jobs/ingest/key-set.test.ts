import { expect, test } from 'vitest'
import { makeKeySet } from '../../../jobs/ingest/key-set.ts'

test.each([
  ['exact', 1_000_000],
  ['by marks from the first key on', 0],
  ['exact, then by marks', 5000],
])('a key counts once: %s', (_name, whole) => {
  const set = makeKeySet(whole)
  const keys = Array.from({ length: 700_000 }, (_, at) => `cercanias-2026-08-22\u001f10${at % 90}S${at}C1\u001f${at % 31}`)
  expect(keys.filter((key) => !set.add(key))).toEqual([])
  expect(keys.filter((key) => set.add(key))).toEqual([])
  expect([set.add('another'), set.add('another'), set.add('')]).toEqual([true, false, true])
})
