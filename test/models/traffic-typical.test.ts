import { expect, test } from 'vitest'
import { type Board, boardOf } from '../../models/traffic/board.ts'
import { makeGrid } from '../../models/traffic/grid.ts'
import { NEXT_HOURS, type Typical, typicalOf } from '../../models/traffic/typical.ts'

const dayOf = (date: string): number => Date.parse(date) / 86_400_000
const FIRST = dayOf('2026-03-02')
const NOON = 12
/** Four vehicles, the count of all hours: so few that days are no copies of each other. */
const FEW = Math.log(4 + 4)

/** The distance of a logarithm from that of four vehicles, except for rounding. */
const beyondFew = (log: number | undefined): number => Number(((log as number) - FEW).toFixed(12)) + 0

/** Two hundred days from a Monday on of one series. All hours have four vehicles, except noon on one day. */
function lively(date: string, vehicles = 796, clock = NOON): { readonly board: Board; readonly typical: Typical } {
  const grid = makeGrid(FIRST, FIRST + 199)
  for (let day = FIRST; day < FIRST + 200; day++)
    grid.add({
      name: 'ES01 1',
      day,
      vehicles: Array.from({ length: 24 }, (_, hour) => (day === dayOf(date) && hour === clock ? vehicles : 4)),
    })
  const board = boardOf(grid.end())
  return { board, typical: typicalOf(board) }
}

/** The weight of the lively day among all days that shape another's typical value: how far it moved the mean. */
function worth(lively: { readonly typical: Typical }, date: string): number {
  const { typical } = lively
  return beyondFew(typical.today[(dayOf(date) - FIRST) * 24 + NOON]) / (Math.log(800) - FEW)
}

test('days with too few vehicles to compare are not taken for copies', () => {
  const { board } = lively('2026-03-03')
  expect([board.isCopied.some((mark) => mark === 1), Number.isNaN(board.logs[NOON + 48] as number)]).toEqual([false, false])
})

test('a day counts for half of one three weeks later, for ten weeks, and not for itself', () => {
  // Thursdays.
  const of = (date: string): number => worth(lively(date), '2026-07-09')
  expect(of('2026-06-18') / of('2026-07-02')).toBeCloseTo(0.5 ** (14 / 21), 9)
  expect(of('2026-06-11') / of('2026-07-02')).toBeCloseTo(0.5, 9)
  expect(of('2026-04-30')).toBeGreaterThan(0)
  expect([of('2026-04-23'), of('2026-07-09'), of('2026-07-16')]).toEqual([0, 0, 0])
})

test('days of other weekdays count less the less they are alike', () => {
  const share = (date: string, like: string, of: string): number => worth(lively(date), of) / worth(lively(like), of)
  const age = (days: number): number => 0.5 ** (days / 21)
  // For a Thursday: a Thursday, a Wednesday, a Monday, a Friday, a Saturday; for a Sunday: a Saturday.
  expect(share('2026-07-01', '2026-07-02', '2026-07-09')).toBeCloseTo(0.3 * age(1), 9)
  expect(share('2026-06-29', '2026-07-02', '2026-07-09')).toBeCloseTo(0.15 * age(3), 9)
  expect(share('2026-06-26', '2026-07-02', '2026-07-09')).toBeCloseTo(0.15 * age(6), 9)
  expect(share('2026-06-27', '2026-07-02', '2026-07-09')).toBe(0)
  expect(share('2026-07-04', '2026-07-05', '2026-07-12')).toBeCloseTo(0.15 * age(1), 9)
  expect(share('2026-07-03', '2026-07-05', '2026-07-12')).toBe(0)
  // For a holiday, the Assumption on a Saturday: Sundays, and a holiday at half, as San Isidro in May counts for one in June.
  expect(share('2026-08-02', '2026-08-09', '2026-08-15')).toBeCloseTo(age(7), 9)
  expect(share('2026-04-02', '2026-04-05', '2026-05-01')).toBeCloseTo(0.5 * age(3), 9)
})

test('the typical value of the first hours of a day is known a day before', () => {
  const ahead = ({ typical }: { readonly typical: Typical }): boolean =>
    (typical.ahead[(dayOf('2026-07-09') - FIRST) * NEXT_HOURS + 2] as number) > FEW + 1e-9
  expect(['2026-07-07', '2026-07-08'].map((date) => ahead(lively(date, 796, 2)))).toEqual([true, false])
})

test('the slow value is of days of the same weekday of half a year, by half in ten weeks, and never of holidays', () => {
  const slow = (date: string, profile: number, of = '2026-09-10'): number =>
    beyondFew(lively(date).typical.slow[profile]?.[(dayOf(of) - FIRST) * 24 + NOON])
  // Thursdays.
  expect(slow('2026-06-25', 3) / slow('2026-09-03', 3)).toBeCloseTo(0.5, 9)
  expect([slow('2026-09-02', 3), slow('2026-03-05', 3)]).toEqual([0, 0])
  expect(slow('2026-03-12', 3)).toBeGreaterThan(0)
  // The first of May, a Friday, has the profile of a Sunday.
  for (const profile of [4, 6]) expect(slow('2026-05-01', profile, '2026-06-01')).toBe(0)
})

test('the city is the mean of its series, weighted by their usual counts, and no ratio is beyond the limit', () => {
  const grid = makeGrid(FIRST, FIRST + 29)
  for (const [name, usual] of [
    ['ES01 1', 196],
    ['ES02 1', 996],
  ] as const)
    for (let day = FIRST; day < FIRST + 30; day++) {
      // On the last day one has half as many again at noon, and a hundred times as many after.
      const last = (hour: number): number =>
        name === 'ES01 1' && day === FIRST + 29 ? (hour === NOON ? 1.5 : hour === NOON + 1 ? 100 : 1) : 1
      grid.add({ name, day, vehicles: Array.from({ length: 24 }, (_, hour) => (hour === 0 ? usual - (day - FIRST) : usual) * last(hour)) })
    }
  const board = boardOf(grid.end())
  const { ratios, city, live } = typicalOf(board)
  const slot = board.slots[29 * 24 + NOON] as number
  const ratio = Math.log((1.5 * 196 + 4) / 200)
  expect(ratios[slot]).toBeCloseTo(ratio, 6)
  expect(ratios[board.hours + slot]).toBeCloseTo(0, 6)
  expect(city[slot]).toBeCloseTo(ratio / 6, 6)
  expect([ratios[slot + 1], live.ratios[slot + 1]]).toEqual([1.2, 1.2])
})
