import { expect, test } from 'vitest'
import { httpDate, twelveHourTime, xmlInstant } from '../../../jobs/formats/dates.ts'

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

test.each([
  ['2026-03-28T24:00:00+01:00', '2026-03-28T23:00:00.000Z'],
  ['2026-12-31T24:00:00Z', '2027-01-01T00:00:00.000Z'],
  ['2028-02-28T24:00:00.000-05:00', '2028-02-29T05:00:00.000Z'],
  ['2026-11-27T23:59:59Z', '2026-11-27T23:59:59.000Z'],
])('the xs:dateTime %s is %s', (text, instant) => expect(new Date(xmlInstant(text) as number).toISOString()).toBe(instant))

test.each([
  '2026-11-27T24:00:01Z',
  '2026-11-27T24:01:00Z',
  '2026-02-30T24:00:00Z',
  '2026-11-27T24:00:00',
  '2026-11-27T25:00:00Z',
  'T24:00:00Z',
])('%s is no xs:dateTime', (text) => expect(xmlInstant(text)).toBeNull())

test.each([
  ['1:15:00 p. m.', '13:15'],
  ['12:05:00 a. m.', '00:05'],
  ['12:05:00 p.\u00a0m.', '12:05'],
  ['11:59 PM', '23:59'],
  ['01:00:00a.m.', '01:00'],
])('%s is %s on a 12-hour clock', (text, time) => expect(twelveHourTime(text)).toBe(time))

test.each(['13:15', '0:15 a. m.', '13:15 p. m.', '1 p. m.', 'p. m.'])('%s is no time on a 12-hour clock', (text) =>
  expect(twelveHourTime(text)).toBeNull(),
)

test('an offset without its colon is read', () => {
  expect(xmlInstant('2026-01-02T13:23:00+0100')).toBe(Date.UTC(2026, 0, 2, 12, 23))
  expect(xmlInstant('2026-01-02T24:00:00-0330')).toBe(Date.UTC(2026, 0, 3, 3, 30))
  expect([xmlInstant('2026-01-02T13:23:000100'), xmlInstant('2026-01-02T13:23:00+100')]).toEqual([null, null])
})
