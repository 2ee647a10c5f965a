import { expect, test } from 'vitest'
import { type Board, boardOf } from '../../models/traffic/board.ts'
import { calendarDay } from '../../models/traffic/calendar.ts'
import type { Target } from '../../models/traffic/features.ts'
import { makeGrid } from '../../models/traffic/grid.ts'
import { type Made, placeOf } from '../../models/traffic/predict.ts'
import { jointScales, noiseScales, type Scales } from '../../models/traffic/scales.ts'
import { makeSpread } from '../../models/traffic/spread.ts'
import { typicalOf } from '../../models/traffic/typical.ts'
import { FIRST_DAYS, WARM_DAYS, walk } from '../../models/traffic/walk.ts'
import { figures } from '../helpers/figures.ts'

const dayOf = (date: string): number => Date.parse(date) / 86_400_000
const FIRST = dayOf('2023-03-06')
const USUAL = 6
/** The scale of an unknown series. */
const UNKNOWN = 0.8 * Math.exp(-USUAL / 2) + 0.07

/** Counts of one series that wander, on all days or on working days alone. */
function boardFor(days: number, isKnown: (day: number) => boolean = () => true): Board {
  const next = figures(5)
  const grid = makeGrid(FIRST, FIRST + days - 1)
  for (let day = FIRST; day < FIRST + days; day++) {
    const vehicles = Array.from({ length: 24 }, () => Math.round(400 + 300 * next()))
    if (isKnown(day)) grid.add({ name: 'ES01 1', day, vehicles })
  }
  return boardOf(grid.end())
}

/** A target at noon of a day. */
const noonOf = (board: Board, date: string, horizon = 1): Target => ({
  ...{ series: 0, horizon },
  slot: board.slots[(dayOf(date) - board.firstDay) * 24 + 12] as number,
})

/** Ratios of a board that go up and down by a tenth from hour to hour, except on some days. */
function restless(board: Board, others: (day: number) => number | null) {
  const ratios = Float64Array.from(board.dayAt, (day, slot) => others(day) ?? ((board.clockAt[slot] as number) % 2 === 0 ? 0.1 : -0.1))
  return { ratios, city: new Float64Array(board.hours) }
}

test('the noise of a series is its distance from the city, and its change by the hour, in the 28 days before the origin', () => {
  const board = boardFor(40)
  const target = noonOf(board, '2023-04-12')
  const origin = dayOf('2023-04-12') - board.firstDay
  const of = (others: (day: number) => number | null): number => noiseScales(board, restless(board, others)).of(target, USUAL)
  // A tenth apart, two tenths from hour to hour.
  expect(of(() => null)).toBeCloseTo((0.1 + 0.2) / 2, 12)
  // Neither the day of the origin nor days older than four weeks are read.
  expect(of((day) => (day >= origin || day < origin - 28 ? 9 : null))).toBeCloseTo(0.15, 12)
  expect(of((day) => (day === origin - 28 ? 9 : null))).toBeGreaterThan(0.2)
  // Twelve hours about the clock's have to be known: of four days, and no three.
  expect(of((day) => (day < origin - 4 ? Number.NaN : null))).toBeCloseTo(0.15, 12)
  expect(of((day) => (day < origin - 3 ? Number.NaN : null))).toBeCloseTo(UNKNOWN, 12)
})

test('a series that is fitted has the mean of its noise and of its own errors, which follow the newest slowly', () => {
  const board = boardFor(40)
  const scales = jointScales(
    board,
    restless(board, () => null),
  )
  const target = noonOf(board, '2023-04-12')
  const noise = 0.15
  expect(scales.of(target, USUAL)).toBeCloseTo(Math.sqrt(UNKNOWN * noise), 12)
  scales.see(noonOf(board, '2023-04-11'), USUAL, 3 * UNKNOWN)
  const [slot, recent] = [UNKNOWN + 0.06 * 2 * UNKNOWN, (1 + 0.02 * 2) ** 0.7]
  expect(scales.of(target, USUAL)).toBeCloseTo(Math.sqrt(slot * recent * noise), 12)
  // On another kind of day the series is more restless, the hour is not; another horizon has no data.
  expect(scales.of(noonOf(board, '2023-04-09'), USUAL)).toBeCloseTo(Math.sqrt(UNKNOWN * recent * noise), 12)
  expect(scales.of(noonOf(board, '2023-04-12', 2), USUAL)).toBeCloseTo(Math.sqrt(UNKNOWN * noise), 12)
  // No error counts for more than eight scales, nor a recent one for more than four.
  const wild = jointScales(
    board,
    restless(board, () => null),
  )
  wild.see(noonOf(board, '2023-04-11'), USUAL, 1000)
  expect(wild.of(target, USUAL)).toBeCloseTo(Math.sqrt((UNKNOWN + 0.06 * 7 * UNKNOWN) * (1 + 0.02 * 3) ** 0.7 * noise), 12)
})

/** Scales that are always one, and record their inputs. */
function ones(): Scales & { readonly seen: Target[] } {
  const seen: Target[] = []
  return { seen, of: () => 1, see: (target) => void seen.push(target), state: () => null }
}

test('intervals hold 79 of a hundred of the errors before, and forget old ones by a tenth a week', () => {
  const board = boardFor(60)
  const spread = makeSpread(board, ones())
  const target = noonOf(board, '2023-04-12')
  const width = (): number => {
    const { low, high } = spread.interval(target, USUAL)
    return high - low
  }
  const see = (half: number): void => {
    for (let at = 0; at < 20_000; at++) spread.see(target, USUAL, half * ((2 * at + 1) / 20_000 - 1))
  }
  see(1)
  const before = width()
  spread.close()
  // Not before the week is over.
  expect(before).toBeGreaterThan(2)
  expect(Math.abs(width() - 0.79 * 2)).toBeLessThan(0.06)
  // An eighth of the former errors is left.
  for (let week = 0; week < 20; week++) spread.close()
  see(0.2)
  spread.close()
  expect(width()).toBeLessThan(0.45)
})

test('where all errors of a kind were on one side, the forecast moves into their middle half, and nowhere else', () => {
  const board = boardFor(60)
  const target = noonOf(board, '2023-04-12')
  for (const side of [1, -1]) {
    const spread = makeSpread(board, ones())
    for (let at = 0; at < 50_000; at++) spread.see(target, USUAL, side * (1 + (at % 100) / 100))
    spread.close()
    const { low, middle, high } = spread.interval(target, USUAL)
    expect([low < middle - 0.05, middle + 0.05 < high, Math.sign(low) === side && Math.sign(high) === side]).toEqual([true, true, true])
    expect(Math.abs(middle - side * 1.25)).toBeLessThan(0.05)
  }
  const spread = makeSpread(board, ones())
  for (let at = 0; at < 50_000; at++) spread.see(target, USUAL, (at % 100) / 50 - 0.6)
  spread.close()
  expect(spread.interval(target, USUAL).middle).toBe(0)
})

test('holidays and bridges have errors of their own kind, days off and others of theirs', () => {
  const board = boardFor(230)
  // San Isidro, the Friday after the 12th of October, a Sunday, a Tuesday.
  const dates = ['2023-05-15', '2023-10-13', '2023-05-07', '2023-05-09'] as const
  const widthsAfter = (seenOn: string): number[] => {
    const spread = makeSpread(board, ones())
    const before = dates.map((date) => spread.interval(noonOf(board, date), USUAL))
    for (let at = 0; at < 5000; at++) spread.see(noonOf(board, seenOn), USUAL, 6 * (at / 2500 - 1))
    spread.close()
    return dates.map((date, at) => {
      const { low, high } = spread.interval(noonOf(board, date), USUAL)
      return high - low > (before[at]?.high ?? 0) - (before[at]?.low ?? 0) + 1 ? 1 : 0
    })
  }
  expect(widthsAfter('2023-04-07')).toEqual([1, 1, 0, 0])
  expect(widthsAfter('2023-03-26')).toEqual([0, 0, 1, 0])
  expect(widthsAfter('2023-03-28')).toEqual([0, 0, 0, 1])
})

test('every due forecast is scored once, those across midnight too, and the errors count from the next week on', () => {
  const days = WARM_DAYS + FIRST_DAYS + 22
  const board = boardFor(days)
  const scales = ones()
  const made: Made[] = []
  walk(board, typicalOf(board), { scales, hasOwn: false }, (some) => made.push(...some))
  const due = made.filter(({ target }) => (board.dayAt[target.slot] as number) < days)
  const names = (targets: readonly Target[]): string[] => targets.map(({ slot, horizon }) => `${slot} ${horizon}`).sort()
  expect(new Set(names(scales.seen)).size).toBe(scales.seen.length)
  expect(names(scales.seen)).toEqual(names(due.map(({ target }) => target)))
  // Bounds of noon on working days of no kind by week of the walk: the same within a week, others in the next.
  const bounds = new Map<number, Set<string>>()
  for (const { target, usual, ratio, low, high } of due) {
    const day = board.dayAt[target.slot] as number
    const { kinds, isOff } = calendarDay(board.firstDay + day)
    if (target.horizon !== 1 || board.clockAt[target.slot] !== 12 || isOff || kinds.has('bridge')) continue
    const week = Math.floor((day - WARM_DAYS - FIRST_DAYS) / 7)
    const [below, above] = [low, high].map((end) => (Math.log(end + 4) - usual - ratio).toFixed(6))
    bounds.set(week, (bounds.get(week) ?? new Set()).add(`${below} ${above}`))
  }
  expect([...bounds.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1].slice(0, bounds.size))
  expect(bounds.size).toBeGreaterThan(2)
  expect(new Set([...bounds.values()].flatMap((set) => [...set])).size).toBe(bounds.size)
})

test('days of one kind learn a little from those of the other', () => {
  const board = boardFor(WARM_DAYS + FIRST_DAYS + 40, (day) => !calendarDay(day).isOff)
  const learnt = walk(board, typicalOf(board), { scales: ones(), hasOwn: false }, () => undefined)
  const weightsOf = (date: string): number[] => [...((learnt?.weights.shared[placeOf(board, noonOf(board, date))] ?? []) as Float64Array)]
  const size = (weights: readonly number[]): number => weights.reduce((sum, one) => sum + Math.abs(one), 0)
  const [working, off] = [size(weightsOf('2023-05-09')), size(weightsOf('2023-05-07'))]
  expect(off).toBeGreaterThan(0)
  expect(off).toBeLessThan(working)
})
