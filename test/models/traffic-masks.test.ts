import { expect, test } from 'vitest'
import { boardOf } from '../../models/traffic/board.ts'
import { dateOf } from '../../models/traffic/calendar.ts'
import { makeGrid } from '../../models/traffic/grid.ts'
import { jointScales } from '../../models/traffic/scales.ts'
import { makeSpread } from '../../models/traffic/spread.ts'
import { typicalOf } from '../../models/traffic/typical.ts'

const dayOf = (date: string): number => Date.parse(date) / 86_400_000

/** A board of one series of some days from a date on: vehicles by the number of the day and the hour of the clock. */
function boardFrom(date: string, days: number, vehicles: (day: number, hour: number) => number) {
  const first = dayOf(date)
  const grid = makeGrid(first, first + days - 1)
  for (let day = 0; day < days; day++)
    grid.add({ name: 'ES01 1', day: first + day, vehicles: Array.from({ length: 24 }, (_, hour) => vehicles(day, hour)) })
  return boardOf(grid.end())
}

/** No two days alike. */
const differing = (day: number, hour: number): number => 500 + 10 * hour + day

test('the count of a repeated hour is that of its first passing, and the skipped hour has none', () => {
  const october = boardFrom('2026-10-24', 3, differing)
  // The day after the last one is on the board, too.
  expect(october.hours).toBe(24 + 25 + 24 + 24)
  const [two, again, three] = [26, 27, 28].map((slot) => october.vehicles[slot])
  expect([two, three]).toEqual([differing(1, 2), differing(1, 3)])
  expect(again).toBeNaN()
  const march = boardFrom('2026-03-28', 3, differing)
  expect(march.hours).toBe(24 + 23 + 24 + 24)
  expect([25, 26].map((slot) => march.vehicles[slot])).toEqual([differing(1, 1), differing(1, 3)])
})

test('a day that equals one of the two months before is no count, one that equals an older one is', () => {
  const copyAfter = (days: number) => boardFrom('2026-01-05', 80, (day, hour) => differing(day === 5 + days ? 5 : day, hour))
  const logOf = (board: ReturnType<typeof boardFrom>, day: number): number => board.logs[board.slots[day * 24 + 12] as number] as number
  const [near, far] = [copyAfter(62), copyAfter(63)]
  expect([logOf(near, 67), near.isCopied[5], near.isCopied[67]]).toEqual([Number.NaN, 1, 1])
  // The one that is repeated was a count when it came: it is left out of scores alone.
  expect(logOf(near, 5)).not.toBeNaN()
  expect([far.isCopied[5], far.isCopied[68]]).toEqual([0, 0])
  expect(logOf(far, 68)).not.toBeNaN()
})

test('the typical value of a working day, or of a Sunday, takes nothing from a holiday', () => {
  // The first of May of 2026 is a Friday; counts are the same on all other days except for a mark of each.
  const holiday = dayOf('2026-05-01') - dayOf('2026-03-02')
  const typicalAfter = (days: number, onHoliday: number): number => {
    const board = boardFrom('2026-03-02', 70, (day, hour) => (day === holiday ? onHoliday + hour : differing(day, hour)))
    expect(dateOf(board.firstDay + holiday)).toBe('2026-05-01')
    return typicalOf(board).today[(holiday + days) * 24 + 12] as number
  }
  // The Sunday two days later, and the Friday a week later.
  for (const days of [2, 7]) expect(typicalAfter(days, 40)).toBe(typicalAfter(days, 400))
})

test('no vehicle where there are many is no count; where there are few it is one', () => {
  const ratioAt = (vehicles: (day: number, hour: number) => number): number => {
    const board = boardFrom('2026-03-02', 40, (day, hour) => (day === 39 && hour === 12 ? 0 : vehicles(day, hour)))
    return typicalOf(board).ratios[board.slots[39 * 24 + 12] as number] as number
  }
  expect(ratioAt(differing)).toBeNaN()
  expect(ratioAt((_, hour) => 3 + (hour % 3))).toBeLessThan(0)
})

test('intervals of a series grow with the errors that were seen of it', () => {
  const board = boardFrom('2026-03-02', 60, differing)
  const scales = jointScales(board, typicalOf(board))
  const spread = makeSpread(board, scales)
  const target = { series: 0, slot: board.slots[59 * 24 + 12] as number, horizon: 1 }
  const widthAfter = (error: number): number => {
    for (let day = 40; day < 58; day++) {
      const seen = { ...target, slot: board.slots[day * 24 + 12] as number }
      spread.see(seen, 6, day % 2 === 0 ? error : -error)
      scales.see(seen, 6, error)
    }
    const { low, high } = spread.interval(target, 6)
    return high - low
  }
  const calm = widthAfter(0.01)
  expect(widthAfter(0.5)).toBeGreaterThan(2 * calm)
})
