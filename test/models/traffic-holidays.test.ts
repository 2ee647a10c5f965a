import { expect, test } from 'vitest'
import { holidaysBefore } from '../../models/traffic/calendar.ts'

const dayOf = (date: string) => Date.parse(date) / 86_400_000

test('a holiday is looked back to for 150 days, and for none more', () => {
  const epiphany = dayOf('2026-01-06')
  expect(holidaysBefore(epiphany)).not.toContain(epiphany)
  expect(holidaysBefore(epiphany + 1)[0]).toBe(epiphany)
  expect(holidaysBefore(epiphany + 150).at(-1)).toBe(epiphany)
  expect(holidaysBefore(epiphany + 151)).not.toContain(epiphany)
})
