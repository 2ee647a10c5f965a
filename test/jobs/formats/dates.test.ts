import { expect, test } from 'vitest'
import { httpDate } from '../../../jobs/formats/dates.ts'

test.each([
  ['Tue, 03 Feb 2026 19:35:57 GMT', '2026-02-03T19:35:57.000Z'],
  [' 8 Feb 2024 11:31 +0000 ', '2024-02-08T11:31:00.000Z'],
  ['Sun, 29 Mar 2026 02:30:00 UT', '2026-03-29T02:30:00.000Z'],
])('%s is %s', (text, instant) => {
  expect(new Date(httpDate(text)).toISOString()).toBe(instant)
})

test.each([
  '',
  'ahir',
  'Tue, 03 Feb 26 19:35:57 GMT',
  'Tue, 30 Feb 2026 19:35:57 GMT',
  'Tue, 03 Feb 2026 24:35:57 GMT',
  'Tue, 03 Feb 2026 19:35:57 CET',
  'Tue, 03 Feb 2026 19:35:57',
])('%j is no such date', (text) => {
  expect(httpDate(text)).toBeNaN()
})
