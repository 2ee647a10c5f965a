import { describe, expect, test } from 'vitest'
import { BOUNDS_MS, countReply, newGroupCounts, quantile_ms } from '../../../lake/requests/durations.ts'
import { DAYS_KEPT, monthBounds, uptimeReader } from '../../../lake/requests/months.ts'
import { dayObject } from '../../../lake/requests/uptime.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { DAY, figures, HOUR, MINUTE, onFiles } from './stage.ts'

describe('a month', () => {
  test('is one of UTC, begins with the first minute ever, and the next with its own first', async () => {
    const set = await onFiles()
    // Already December in Madrid.
    set.now = Date.UTC(2026, 10, 30, 23, 30)
    const process = set.open()
    await set.pass(60, process)
    const november = await set.read('2026-11')
    expect(figures(november)).toEqual([Date.UTC(2026, 10, 30, 23, 30), 30, 0])
    expect(november.measured_until).toBe(Date.UTC(2026, 11, 1))
    expect(figures(await set.read())).toEqual([Date.UTC(2026, 11, 1), 28, 0])
    // At its very beginning no minute of it is due yet.
    set.now = Date.UTC(2026, 11, 1, 0, 1, 30)
    expect(figures(await set.read())).toEqual([null, 0, 0])
    expect(figures(await set.read('2026-10'))).toEqual([null, 0, 0])
  })

  test('without data after the first minute is down as a whole', async () => {
    const set = await onFiles()
    set.now = Date.UTC(2026, 8, 30, 12)
    const process = set.open()
    await set.pass(1, process)
    await process.close()
    set.now = Date.UTC(2026, 11, 5)
    await set.gather()
    const minutes = 31 * 1440
    expect(figures(await set.read('2026-10'))).toEqual([Date.UTC(2026, 9, 1), minutes, minutes])
    expect(figures(await set.read('2026-09'))).toEqual([Date.UTC(2026, 8, 30, 12), 720, 718])
  })

  test('costs as many reads as it has days, each day once', async () => {
    const set = await onFiles()
    set.now = Date.UTC(2026, 9, 1)
    for (let day = 0; day < 31; day++) {
      const process = set.open()
      process.repliesOf('road')(200, 3)
      await set.pass(1, process)
      await process.close()
      set.now += DAY - MINUTE
    }
    set.now += 5 * HOUR
    await set.gather()
    let gets = 0
    const counting: ObjectStore = {
      ...set.store,
      get: (name) => {
        gets++
        return set.store.get(name)
      },
    }
    const read = uptimeReader(counting, { since: 0 })
    const month = await read('2026-10', set.now)
    expect([gets, month.minutes, month.groups.get('road')?.requests]).toEqual([31, 31 * 1440, 31])
    expect(month.silent).toBe(31 * 1440 - 62)
    expect(await read('2026-10', set.now)).toEqual(month)
    expect(gets).toBe(31)
    const sizes = await Promise.all((await set.names()).map(async (name) => (await set.store.get(name))?.length ?? 0))
    expect(Math.max(...sizes)).toBeLessThan(300)
  })

  test('stays for thirteen months at least, and goes then', async () => {
    const set = await onFiles()
    set.now = Date.UTC(2026, 0, 1)
    const process = set.open()
    await set.pass(5, process)
    await process.close()
    const { end } = monthBounds('2027-01')
    set.now = end
    await set.gather()
    expect(figures(await set.read('2026-01'))).toEqual([Date.UTC(2026, 0, 1), 31 * 1440, 31 * 1440 - 6])
    expect(await set.names()).toEqual([dayObject('2026-01-01')])
    set.now = Date.UTC(2026, 0, 1) + (DAYS_KEPT + 1) * DAY
    await set.gather()
    expect(await set.names()).toEqual([])
  })
})

test('times are reported as the bound of their class, never less than they were', () => {
  for (const took of [0, 0.4, 1, 1.01, 6, 119_999, 120_000]) {
    const counts = newGroupCounts()
    countReply(counts, 200, took)
    const quantile = quantile_ms(counts, 0.5) as number
    expect(BOUNDS_MS).toContain(quantile)
    expect(quantile).toBeGreaterThanOrEqual(took)
    expect(quantile).toBeLessThanOrEqual(Math.max(1, took * 2))
  }
  const counts = newGroupCounts()
  expect(quantile_ms(counts, 0.5)).toBe(null)
  for (let n = 1; n <= 100; n++) countReply(counts, 200, n)
  countReply(counts, 429, 1_000_000)
  expect([0.5, 0.95, 0.99, 1].map((share) => quantile_ms(counts, share))).toEqual([50, 100, 100, 100])
  countReply(counts, 500, 1_000_000)
  expect(quantile_ms(counts, 1)).toBe(120_000)
})
