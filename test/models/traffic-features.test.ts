import { expect, test } from 'vitest'
import { type Board, boardOf } from '../../models/traffic/board.ts'
import { calendarDay, DAY_KINDS } from '../../models/traffic/calendar.ts'
import { COUNT_FEATURES, FEATURES, featuresOf, usualOf } from '../../models/traffic/features.ts'
import { makeGrid } from '../../models/traffic/grid.ts'
import { NEXT_HOURS, type Typical } from '../../models/traffic/typical.ts'

const dayOf = (date: string): number => Date.parse(date) / 86_400_000
const SERIES = ['ES01 1', 'ES01 2', 'ES02 1']
const USUAL = Math.log(100)

/** A board of three series of twenty days until one; two of them are the directions of a station. */
function boardUntil(date: string): Board {
  const last = dayOf(date)
  const grid = makeGrid(last - 20, last)
  for (const name of SERIES) grid.add({ name, day: last, vehicles: Array.from({ length: 24 }, (_, hour) => 500 + hour) })
  return boardOf(grid.end())
}

/** The usual value is always the same, and all counts are usual: every ratio is zero. */
function nothing(board: Board): Typical {
  const { series, days, hours } = board
  const ratios = (): Float64Array => new Float64Array(series.length * hours)
  return {
    today: new Float64Array(series.length * days * 24).fill(USUAL),
    ahead: new Float64Array(series.length * days * NEXT_HOURS).fill(USUAL),
    slow: Array.from({ length: 7 }, () => new Float64Array(series.length * days * 24).fill(USUAL)),
    ...{ ratios: ratios(), city: new Float64Array(hours) },
    live: { ratios: ratios(), city: new Float64Array(hours) },
  }
}

/** The features other than zero, by their place; the constant one is left out. */
function featureMap(board: Board, typical: Typical, target: { series: number; slot: number; horizon: number }): Record<string, number> {
  const features = new Float64Array(FEATURES)
  featuresOf(board, typical, target, features)
  expect(features[0]).toBe(1)
  return Object.fromEntries([...features].flatMap((value, at) => (at > 0 && value !== 0 ? [[at, Math.round(value * 1e6) / 1e6]] : [])))
}

// A Wednesday among days of no kind; at noon the forecast is for two o'clock.
const BOARD = boardUntil('2023-06-14')
const DAY = BOARD.days - 2
const slotOf = (day: number, clock: number): number => BOARD.slots[day * 24 + clock] as number
const TARGET = { series: 0, slot: slotOf(DAY, 14), horizon: 2 }
const ORIGIN = slotOf(DAY, 12)

test('the hours of the series itself go to the features of their distance', () => {
  const eighth = 1 / 8
  const [week, third] = [0.142857, 0.333333]
  const cases: [day: number, clock: number, Record<string, number>][] = [
    [DAY, 12, { 1: 1, 5: 1, 25: eighth }],
    [DAY, 11, { 2: 1, 25: eighth }],
    [DAY, 10, { 3: 1, 25: eighth }],
    [DAY, 9, { 4: third, 25: eighth }],
    [DAY, 7, { 4: third, 25: eighth }],
    [DAY, 6, { 25: eighth }],
    [DAY, 5, { 25: eighth }],
    [DAY, 4, {}],
    // Later hours than the origin are unknown.
    [DAY, 13, {}],
    [DAY, 14, {}],
    // The same hour of former days, those around it and around the origin's.
    [DAY - 1, 14, { 11: 1, 24: week }],
    [DAY - 1, 15, { 16: 1 }],
    [DAY - 1, 13, { 17: 1 }],
    [DAY - 1, 12, { 18: 1 }],
    [DAY - 2, 14, { 12: 1, 24: week }],
    [DAY - 3, 14, { 13: 1, 24: week }],
    [DAY - 4, 14, { 24: week }],
    [DAY - 7, 14, { 14: 1, 24: week }],
    [DAY - 7, 12, { 19: 1 }],
    [DAY - 8, 14, {}],
    [DAY - 14, 14, { 15: 1 }],
  ]
  for (const [day, clock, expected] of cases) {
    const typical = nothing(BOARD)
    // The day of the origin counts as it was known on that day, former days as known since.
    ;(day === DAY ? typical.live : typical).ratios[slotOf(day, clock)] = 1
    expect([day - DAY, clock, featureMap(BOARD, typical, TARGET)]).toEqual([day - DAY, clock, expected])
  }
})

test('the other direction gives its newest hour, another station none', () => {
  const ofOther = (series: number): Record<string, number> => {
    const typical = nothing(BOARD)
    typical.live.ratios[series * BOARD.hours + ORIGIN] = 1
    return featureMap(BOARD, typical, TARGET)
  }
  expect([ofOther(1), ofOther(2)]).toEqual([{ 6: 1 }, {}])
  expect(BOARD.opposite).toEqual([1, 0, 2])
})

test('the city gives its last hours, and the same hours of the day and the week before', () => {
  const cases: [day: number, clock: number, Record<string, number>][] = [
    [DAY, 12, { 5: -1, 7: 1, 26: 0.125 }],
    [DAY, 11, { 8: 1, 26: 0.125 }],
    [DAY, 10, { 9: 1, 26: 0.125 }],
    [DAY, 9, { 10: 1, 26: 0.125 }],
    [DAY, 5, { 26: 0.125 }],
    [DAY, 4, {}],
    [DAY, 14, {}],
    [DAY - 1, 14, { 20: 1, 27: 1 }],
    [DAY - 1, 12, { 22: 1, 27: -1 }],
    [DAY - 7, 14, { 21: 1 }],
    [DAY - 7, 12, { 23: 1 }],
  ]
  for (const [day, clock, expected] of cases) {
    const typical = nothing(BOARD)
    ;(day === DAY ? typical.live : typical).city[slotOf(day, clock)] = 1
    expect([day - DAY, clock, featureMap(BOARD, typical, TARGET)]).toEqual([day - DAY, clock, expected])
  }
})

test("an unknown hour of a series takes the city's ratio", () => {
  const typical = nothing(BOARD)
  typical.live.city[ORIGIN] = 0.5
  typical.live.ratios[ORIGIN] = Number.NaN
  // The series is no other than the city, the other direction was as usual.
  expect(featureMap(BOARD, typical, TARGET)).toEqual({ 1: 0.5, 7: 0.5, 25: 0.0625, 26: 0.0625 })
})

test('the typical value minus the slow one is given for the hour ahead and for now, by their days', () => {
  const slow = (weekday: number, clock: number): Record<string, number> => {
    const typical = nothing(BOARD)
    ;(typical.slow[weekday] as Float64Array)[DAY * 24 + clock] = USUAL + 0.3
    return featureMap(BOARD, typical, TARGET)
  }
  expect(slow(2, 14)).toEqual({ 28: 0.3, 30: 0.3 })
  expect(slow(2, 12)).toEqual({ 29: 0.3, 30: -0.3 })
  expect([slow(1, 14), slow(6, 14)]).toEqual([{}, {}])
})

test('the usual value after midnight is as it was known the day before', () => {
  const typical = nothing(BOARD)
  typical.today[(DAY + 1) * 24 + 2] = 7
  typical.ahead[(DAY + 1) * NEXT_HOURS + 2] = 8
  typical.today[DAY * 24 + 14] = 9
  const late = slotOf(DAY + 1, 2)
  expect(usualOf(BOARD, typical, { series: 0, slot: late, horizon: 4 })).toBe(8)
  expect(usualOf(BOARD, typical, { series: 0, slot: late, horizon: 2 })).toBe(7)
  expect(usualOf(BOARD, typical, TARGET)).toBe(9)
})

/** The features of the kind of day at two o'clock of the last day of a board. Slow values differ by weekday: a tenth for each. */
function ofKind(date: string, change: (typical: Typical, board: Board) => void = () => undefined): Record<string, number> {
  const board = boardUntil(date)
  const day = board.days - 2
  const typical = nothing(board)
  for (const [weekday, values] of typical.slow.entries()) values[day * 24 + 14] = USUAL + (weekday + 1) / 10
  change(typical, board)
  const all = featureMap(board, typical, { series: 0, slot: board.slots[day * 24 + 14] as number, horizon: 2 })
  return Object.fromEntries(Object.entries(all).filter(([at]) => Number(at) >= COUNT_FEATURES))
}
const kindsOf = (date: string): Record<string, number> => {
  const { kinds } = calendarDay(dayOf(date))
  return Object.fromEntries(DAY_KINDS.flatMap((kind, at) => (kinds.has(kind) ? [[COUNT_FEATURES + 13 + at, 1]] : [])))
}

test('days of a kind resemble days of others: of the week, or a Saturday', () => {
  // A holiday like a Tuesday and a Saturday, a bridge like a Saturday, the eve of a holiday like a Friday, August, and a day
  // after a holiday.
  for (const [date, expected] of [
    ['2023-05-15', { 31: 0.2, 32: 0.6 }],
    ['2022-10-31', { 33: 0.6, 35: 0.5 }],
    ['2023-08-16', { 34: 0.6, 36: 0.1 }],
    ['2023-04-04', { 33: 0.6 }],
    ['2022-12-23', { 33: 0.6 }],
    ['2023-06-14', {}],
  ] as const)
    expect([date, ofKind(date)]).toEqual([date, { ...expected, ...kindsOf(date) }])
})

test('on a holiday, and on the day after one, the newest hour counts apart', () => {
  const lively = (typical: Typical, board: Board): void => {
    const origin = board.slots[(board.days - 2) * 24 + 12] as number
    typical.live.ratios[origin] = 0.4
    typical.live.city[origin] = 0.8
  }
  const apart = (date: string): Record<string, number> => {
    const found = ofKind(date, lively)
    return Object.fromEntries(['37', '38', '39', '40', '41'].flatMap((at) => (at in found ? [[at, found[at] as number]] : [])))
  }
  expect(apart('2023-05-15')).toEqual({ 38: 0.4, 39: 0.8, 40: 0.05, 41: 0.1 })
  expect(apart('2023-05-16')).toEqual({ 37: 0.4 })
  expect(apart('2023-06-14')).toEqual({})
})

test('a holiday has the course of former holidays, and not across midnight', () => {
  // San José of 2023 is off on Monday the 20th of March; Holy Thursday and Good Friday follow within the board.
  const board = boardUntil('2023-04-07')
  const day = board.days - 2
  const typical = nothing(board)
  const former = dayOf('2023-03-20') - board.firstDay
  const of = (clock: number): number => board.slots[former * 24 + clock] as number
  typical.ratios[of(14)] = 0.9
  typical.city[of(14)] = 0.6
  typical.ratios[of(1)] = 0.9
  const turns = (clock: number, horizon: number): (number | undefined)[] => {
    const found = featureMap(board, typical, { series: 0, slot: board.slots[day * 24 + clock] as number, horizon })
    return [found['42'], found['43']]
  }
  // Two holidays, and a little less for being few: a third of the sum.
  expect(turns(14, 2)).toEqual([0.2, 0.3])
  expect(turns(16, 2)).toEqual([-0.2, -0.3])
  expect(turns(1, 2)).toEqual([undefined, undefined])
})
