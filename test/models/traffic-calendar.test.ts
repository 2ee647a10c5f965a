import { expect, test } from 'vitest'
import { calendarDay, type DayKind, holidaysBefore } from '../../models/traffic/calendar.ts'

const dayOf = (date: string): number => Date.parse(date) / 86_400_000

test('a holiday is looked back to for 150 days, and for none more', () => {
  const epiphany = dayOf('2026-01-06')
  expect(holidaysBefore(epiphany)).not.toContain(epiphany)
  expect(holidaysBefore(epiphany + 1)[0]).toBe(epiphany)
  expect(holidaysBefore(epiphany + 150).at(-1)).toBe(epiphany)
  expect(holidaysBefore(epiphany + 151)).not.toContain(epiphany)
})

test.each<[date: string, kinds: readonly DayKind[]]>([
  // The Constitution on a Monday, the Immaculate Conception on a Wednesday.
  ['2021-12-03', []],
  ['2021-12-04', ['near_weekend']],
  ['2021-12-05', ['sunday_before_holiday', 'near_weekend']],
  ['2021-12-06', ['holiday', 'holiday_from_weekend']],
  ['2021-12-07', ['eve', 'day_after', 'bridge']],
  ['2021-12-08', ['holiday']],
  ['2021-12-09', ['day_after']],
  // A bridge after a holiday, and one before.
  ['2023-10-11', ['eve']],
  ['2023-10-12', ['holiday']],
  ['2023-10-13', ['day_after', 'bridge']],
  ['2023-10-14', ['near_weekend']],
  ['2023-10-15', []],
  ['2022-10-31', ['eve', 'bridge']],
  // Christmas on a Sunday, whose Monday is off.
  ['2022-12-22', []],
  ['2022-12-23', ['christmas']],
  ['2022-12-24', ['near_weekend']],
  ['2022-12-25', ['holiday_weekend', 'holiday_to_weekend', 'holiday_from_weekend']],
  ['2022-12-26', ['holiday', 'holiday_from_weekend']],
  ['2022-12-27', ['day_after', 'christmas']],
  ['2025-01-07', ['day_after', 'christmas']],
  ['2025-01-08', []],
  // Holy Week.
  ['2023-03-31', []],
  ['2023-04-02', []],
  ['2023-04-03', ['holy_week']],
  ['2023-04-05', ['eve', 'holy_week']],
  ['2023-04-06', ['holiday', 'holiday_to_weekend', 'holy_thursday']],
  ['2023-04-07', ['holiday', 'holiday_to_weekend', 'holiday_from_weekend', 'good_friday']],
  ['2023-04-09', ['near_weekend']],
  ['2023-04-12', ['holy_week']],
  ['2023-04-13', []],
  ['2008-03-21', ['holiday', 'holiday_to_weekend', 'holiday_from_weekend', 'good_friday']],
  ['2011-04-22', ['holiday', 'holiday_to_weekend', 'holiday_from_weekend', 'good_friday']],
  // August, and a holiday in it.
  ['2023-07-31', []],
  ['2023-08-12', []],
  ['2023-08-14', ['eve', 'bridge', 'august']],
  ['2023-08-15', ['holiday']],
  ['2023-08-31', ['august']],
  ['2023-06-14', []],
])('%s is a day of the kinds %j', (date, kinds) => {
  expect([...calendarDay(dayOf(date)).kinds]).toEqual(kinds)
})

test('a holiday has the profile of a Sunday, and is off', () => {
  const of = (date: string): unknown => {
    const { isHoliday, isOff, profile } = calendarDay(dayOf(date))
    return [isHoliday, isOff, profile]
  }
  expect(of('2023-05-15')).toEqual([true, true, 6])
  expect(of('2023-05-16')).toEqual([false, false, 1])
  expect(of('2023-05-20')).toEqual([false, true, 5])
  // A Saturday that is a holiday.
  expect(of('2021-12-25')).toEqual([true, true, 6])
  expect(of('1969-12-29')).toEqual([false, false, 0])
})
