import { describe, expect, test } from 'vitest'
import { dayBounds, instantOf, isoInstant, MADRID, offsetAt, parseInstant } from '../../../lake/schema/time.ts'
import { bestOf } from '../../helpers/best.ts'

const utc = (text: string): number => Date.parse(text)

describe('a local clock', () => {
  test('is an hour ahead of UTC in winter and two in summer', () => {
    expect(instantOf('2024-02-25', '12:00:10')).toBe(utc('2024-02-25T11:00:10Z'))
    expect(instantOf('2025-09-27', '18:05:47')).toBe(utc('2025-09-27T16:05:47Z'))
  })

  test('may lack the zero of its hour, its seconds, or have a fraction', () => {
    expect(instantOf('2026-06-20', '1:02:54')).toBe(utc('2026-06-19T23:02:54Z'))
    expect(instantOf('2026-01-20', '13:45')).toBe(utc('2026-01-20T12:45:00Z'))
    expect(instantOf('2026-01-20', '13:45:01.25')).toBe(utc('2026-01-20T12:45:01.250Z'))
  })

  test('is resolved in the repeated hour of October by the fetch time', () => {
    const first = utc('2023-10-29T00:30:05Z')
    const second = utc('2023-10-29T01:30:05Z')
    expect(instantOf('2023-10-29', '02:30:05', { near: first + 20_000 })).toBe(first)
    // A late first pass is not taken for a time after the fetch.
    expect(instantOf('2023-10-29', '02:30:05', { near: first + 57 * 60_000 })).toBe(first)
    expect(instantOf('2023-10-29', '02:30:05', { near: second - 1 })).toBe(first)
    expect(instantOf('2023-10-29', '02:30:05', { near: second })).toBe(second)
    expect(instantOf('2023-10-29', '02:30:05', { near: second + 20_000 })).toBe(second)
    expect(instantOf('2023-10-29', '02:30:05')).toBe(first)
  })

  test('gives growing instants to the publications of the whole repeated hour', () => {
    let last = 0
    for (let at = utc('2023-10-28T23:30:05Z'); at < utc('2023-10-29T03:00:00Z'); at += 300_000) {
      const shown = new Date(at + offsetAt(at)).toISOString()
      const read = instantOf(shown.slice(0, 10), shown.slice(11, 19), { near: at + 30_000 })
      expect(read).toBe(at)
      expect(read).toBeGreaterThan(last)
      last = read
    }
  })

  test('runs on in the hour that March leaves out', () => {
    expect(instantOf('2024-03-31', '02:30')).toBe(utc('2024-03-31T01:30:00Z'))
    expect(instantOf('2024-03-31', '01:59:59')).toBe(utc('2024-03-31T00:59:59Z'))
    expect(instantOf('2024-03-31', '03:00')).toBe(utc('2024-03-31T01:00:00Z'))
  })

  test('may be that of another zone', () => {
    expect(instantOf('2025-07-01', '12:00', { zone: 'Atlantic/Canary' })).toBe(utc('2025-07-01T11:00:00Z'))
    expect(instantOf('2025-07-01', '12:00', { zone: 'UTC' })).toBe(utc('2025-07-01T12:00:00Z'))
    expect(instantOf('2025-11-02', '01:30', { zone: 'America/New_York', near: utc('2025-11-02T06:31:00Z') })).toBe(
      utc('2025-11-02T06:30:00Z'),
    )
  })

  test.each([
    ['2023-02-29', '10:00'],
    ['2023-13-01', '10:00'],
    ['2023-00-10', '10:00'],
    ['23-01-01', '10:00'],
    ['2023/01/01', '10:00'],
    ['2023-01-01', '24:00'],
    ['2023-01-01', '10:60'],
    ['2023-01-01', '10:00:60'],
    ['2023-01-01', '10:00:00.'],
    ['2023-01-01', '10:00:00x'],
    ['2023-01-01', '10'],
    ['2023-01-01', ''],
    ['', ''],
  ])('refuses %s %s', (date, time) => {
    expect(instantOf(date, time)).toBeNaN()
  })

  test('agrees with Intl over every half hour of three years', () => {
    const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: MADRID, dateStyle: 'short', timeStyle: 'medium' })
    for (let at = utc('2023-01-01T00:00:00Z'); at < utc('2026-01-01T00:00:00Z'); at += 1_800_000) {
      const text = shown.format(at)
      expect(instantOf(text.slice(0, 10), text.slice(11), { near: at + 20_000 })).toBe(at)
    }
  })

  test('is read a million times in about a second', async () => {
    let sum = 0
    const best = await bestOf(5, () => {
      for (let at = 0; at < 40_000; at++) sum += instantOf('2023-10-22', '17:20:07', { near: at })
    })
    expect(sum).toBeGreaterThan(0)
    expect(best).toBeLessThan(300)
  })
})

describe('a local date', () => {
  test('has 23, 24 or 25 hours', () => {
    const hours = (date: string): number => (dayBounds(date).end - dayBounds(date).start) / 3_600_000
    expect(hours('2024-03-31')).toBe(23)
    expect(hours('2024-04-01')).toBe(24)
    expect(hours('2024-10-27')).toBe(25)
    expect(dayBounds('2024-10-27').start).toBe(utc('2024-10-26T22:00:00Z'))
    expect(dayBounds('2024-12-31')).toEqual({ start: utc('2024-12-30T23:00:00Z'), end: utc('2024-12-31T23:00:00Z') })
    expect(() => dayBounds('2024-02-30')).toThrow('2024-02-30')
  })
})

describe('the text of an instant', () => {
  test('has microseconds only where there are some', () => {
    expect(isoInstant(utc('2025-09-27T16:05:47Z'))).toBe('2025-09-27T16:05:47.000Z')
    expect(isoInstant(1758989147000.25)).toBe('2025-09-27T16:05:47.000250Z')
    expect(isoInstant(1758989147000.9999)).toBe('2025-09-27T16:05:47.001Z')
    expect(isoInstant(-0.5)).toBe('1969-12-31T23:59:59.999500Z')
  })

  test.each([
    ['2026-01-02T13:23:00.000+01:00', '2026-01-02T12:23:00.000Z'],
    ['2026-01-02T13:23:00Z', '2026-01-02T13:23:00.000Z'],
    ['2026-01-02t13:23:00z', '2026-01-02T13:23:00.000Z'],
    ['2026-01-02 13:23:00-00:30', '2026-01-02T13:53:00.000Z'],
    ['2026-01-02T13:23:00.1234567Z', '2026-01-02T13:23:00.123456Z'],
    ['2024-02-29T23:59:59.5+02:00', '2024-02-29T21:59:59.500Z'],
  ])('of RFC 3339 is read: %s', (text, iso) => {
    expect(isoInstant(parseInstant(text) as number)).toBe(iso)
  })

  test.each([
    '2026-01-02T13:23:00',
    '2026-01-02',
    '2026-02-30T00:00:00Z',
    '2026-01-02T24:00:00Z',
    '2026-01-02T13:23:60Z',
    '2026-01-02T13:23:00+24:00',
    '2026-01-02T13:23Z',
    '2026-01-02T13:23:00+0100',
    ' 2026-01-02T13:23:00Z',
    'now',
    '',
  ])('that is not RFC 3339 is refused: %s', (text) => {
    expect(parseInstant(text)).toBeNull()
  })
})
