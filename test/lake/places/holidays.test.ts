import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { corridorHoursDerived } from '../../../jobs/derive/mobility/corridors.ts'
import { corridors } from '../../../lake/places/corridors.ts'
import { cityHolidays, HOLIDAYS_UNTIL, madridHolidays } from '../../../lake/places/holidays.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const shared = sharedFolder()

test('holidays have a date or are of Easter, in years of early and late Easter', () => {
  const easter = (year: number): string[] => madridHolidays(year).filter((day) => /-0[34]-/.test(day))
  expect(easter(2008)).toEqual(['2008-03-20', '2008-03-21'])
  expect(easter(2011)).toEqual(['2011-04-21', '2011-04-22'])
  expect(easter(2026)).toEqual(['2026-04-02', '2026-04-03'])
  expect(madridHolidays(2026)).toHaveLength(16)
  expect(madridHolidays(2026).slice(0, 2)).toEqual(['2026-01-01', '2026-01-06'])
})

test('holidays of single years are those of the decrees', () => {
  expect(madridHolidays(2023)).toEqual([
    ...['2023-01-01', '2023-01-06', '2023-03-20', '2023-04-06', '2023-04-07', '2023-05-01', '2023-05-02', '2023-05-15'],
    ...['2023-08-15', '2023-10-12', '2023-11-01', '2023-11-09', '2023-12-06', '2023-12-08', '2023-12-25'],
  ])
  expect(madridHolidays(2022)).toEqual(expect.arrayContaining(['2022-05-16', '2022-07-25', '2022-12-26', '2022-11-09']))
  // A community has twelve days off and a city two; those that are Sundays come on top.
  for (let year = 2019; year <= HOLIDAYS_UNTIL; year++)
    expect([year, madridHolidays(year).filter((day) => new Date(day).getUTCDay() !== 0).length]).toEqual([year, 14])
})

test('other cities have the days off of Spain, and their own with a date or by Easter', () => {
  const own = (city: string): string[] => cityHolidays(city, 2026).filter((day) => !madridHolidays(2026).includes(day))
  expect(own('barcelona')).toEqual(['2026-04-06', '2026-05-25', '2026-06-24', '2026-09-11', '2026-09-24', '2026-12-26'])
  expect(own('valencia')).toEqual(['2026-01-22', '2026-03-19', '2026-04-06', '2026-04-13', '2026-06-24', '2026-10-09'])
  expect(own('bilbao')).toEqual(['2026-03-19', '2026-04-06', '2026-07-25', '2026-07-31', '2026-08-28'])
  expect(cityHolidays('barcelona', 2026)).not.toContain('2026-11-09')
  expect(cityHolidays('madrid', 2026)).toEqual(madridHolidays(2026))
})

test.each([
  ['valencia', '06-24', { 2024: true, 2025: true, 2026: true, 2027: false, 2028: false }],
  ['valencia', '04-14', { 2022: true, 2026: false }],
  ['bilbao', '03-19', { 2021: true, 2024: false, 2025: false, 2026: true, 2027: true }],
  ['bilbao', '08-22', { 2024: false, 2025: true }],
  ['bilbao', '08-27', { 2021: true, 2026: false, 2027: true }],
  ['bilbao', '08-23', { 2019: true, 2024: true }],
  ['barcelona', '09-26', { 2022: true, 2023: false }],
  ['barcelona', '05-29', { 2023: false }],
  ['barcelona', '05-17', { 2027: true }],
  ['madrid', '03-19', { 2026: false, 2027: true }],
  ['madrid', '05-03', { 2021: true, 2027: true }],
])('%s has %s off by decree or council in some years: %j', (city, day, years) => {
  for (const [year, isOff] of Object.entries(years))
    expect([year, cityHolidays(city, Number(year)).includes(`${year}-${day}`)]).toEqual([year, isOff])
})

test('a city has 14 days off a year, or 15 with a recoverable one', () => {
  for (const city of ['madrid', 'barcelona', 'valencia', 'bilbao'])
    for (let year = 2024; year <= HOLIDAYS_UNTIL; year++) {
      const days = cityHolidays(city, year).filter((day) => new Date(day).getUTCDay() !== 0)
      expect([city, year, new Set(days).size === days.length, days.length]).toEqual([
        city,
        year,
        true,
        city === 'barcelona' || city === 'valencia' ? expect.toBeOneOf([14, 15]) : 14,
      ])
    }
})

test('a year with added days off rebuilds the hours of corridors', () => {
  // Days of that year may have been made without them: raise the revision, then both numbers here.
  expect([HOLIDAYS_UNTIL, corridorHoursDerived.revision]).toEqual([2027, 4])
})

test('corridors have ids of their own, and each a road', () => {
  expect(new Set(corridors.map(({ id }) => id)).size).toBe(corridors.length)
  for (const { id, roads } of corridors) expect([id, roads.length > 0]).toEqual([id, true])
  expect(corridors.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['madrid-a-1', 'madrid-a-6', 'm-30', 'm-40', 'm-45', 'm-50', 'a-66', 'ap-7']),
  )
})

test.skipIf(!shared)("the city's own calendar of 2013 to 2018 has each of them as a holiday or a Sunday, and no others", () => {
  const lines = readFileSync(join(shared as string, 'feeds/madrid-historico/calendario_2013_2018.csv'), 'latin1')
    .split(/\r?\n/)
    .slice(1)
  const kinds = new Map(
    lines.filter(Boolean).map((line) => {
      const [day = '', , kind = ''] = line.split(';')
      const [date = '', month = '', year = ''] = day.split('/')
      return [[year, month, date].map((part) => part.padStart(2, '0')).join('-'), kind] as const
    }),
  )
  const ours = [2013, 2014, 2015, 2016, 2017, 2018].flatMap(madridHolidays).filter((day) => kinds.has(day))
  const isOff = (day: string): boolean => /festivo|domingo/i.test(kinds.get(day) ?? '') || new Date(day).getUTCDay() === 0
  expect([ours.length, ours.filter((day) => !isOff(day))]).toEqual([ours.length, []])
  expect(ours.length).toBeGreaterThan(80)
  const theirs = [...kinds].filter(([, kind]) => /festivo/i.test(kind)).map(([day]) => day)
  expect([theirs.length, theirs.filter((day) => !ours.includes(day))]).toEqual([89, []])
})
