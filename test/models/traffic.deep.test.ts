import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { trafficCountsHourly } from '../../lake/datasets/road/traffic-counts.ts'
import { type Board, boardOf } from '../../models/traffic/board.ts'
import { calendarDay, DAY_KINDS, dateOf } from '../../models/traffic/calendar.ts'
import { trafficCharts } from '../../models/traffic/charts.ts'
import { COUNT_DAY_COLUMNS, type CountDay, countDays } from '../../models/traffic/counts.sql.ts'
import { evaluate, evaluateUnseen } from '../../models/traffic/evaluate.ts'
import { FEATURES, featuresOf } from '../../models/traffic/features.ts'
import { fitTraffic } from '../../models/traffic/fit.ts'
import { gridOfCounts } from '../../models/traffic/grid.ts'
import { type Forecast, forecastOf, ratioOf, type TrafficParameters, weightsOf } from '../../models/traffic/predict.ts'
import { jointScales, noiseScales } from '../../models/traffic/scales.ts'
import { keptSpreads, makeSpread, type SpreadState } from '../../models/traffic/spread.ts'
import { inCityOf, type Typical, typicalOf } from '../../models/traffic/typical.ts'
import { walk } from '../../models/traffic/walk.ts'
import { exampleTableRow } from '../api/service.ts'
import { expectScored } from '../helpers/checked-scores.ts'
import { figures } from '../helpers/figures.ts'
import { landRows, openTestLake } from '../lake/query/fixtures.ts'

const DAY_MS = 86_400_000
const day = (date: string): number => Date.parse(date) / DAY_MS

/** Counts of two stations: a profile, fewer on days off, and a level that wanders from hour to hour. */
function countsOf(from: string, days: number): CountDay[] {
  const dice = figures(7)
  let level = 0
  return Array.from({ length: days }, (_, at) => {
    const number = day(from) + at
    const base = calendarDay(number).isOff ? 250 : 500
    const levels = Array.from({ length: 24 }, () => {
      level = 0.9 * level + 0.3 * (dice() - 0.5)
      return level
    })
    return ['ES01 1', 'ES01 2', 'ES02 1'].map((name) => ({
      ...{ station_id: name.slice(0, 4), direction: name.slice(5), local_date: dateOf(number) },
      vehicles: levels.map((of, hour) => Math.round(base * (1.2 + Math.sin(hour / 4)) * Math.exp(of + 0.05 * (dice() - 0.5)))),
    }))
  }).flat()
}

const ROWS = countsOf('2023-01-09', 105)

function forecastsOf(board: Board): Forecast[] {
  const all: Forecast[] = []
  walk(board, typicalOf(board), { scales: jointScales(board, typicalOf(board)), hasOwn: true }, (some) => all.push(...some))
  return all
}

test('no forecast changes when everything after its origin is another', () => {
  const first = forecastsOf(boardOf(gridOfCounts(ROWS)))
  const [cutDay, cutHour] = ['2023-04-12', 13]
  const dice = figures(11)
  const shuffled = ROWS.map((row) => {
    const { local_date } = row
    // A day after it copies one before it, too.
    if (local_date === '2023-04-14') return { ...row, vehicles: ROWS.find((one) => one.local_date === '2023-04-05')?.vehicles ?? [] }
    const isAfter = (hour: number): boolean => local_date > cutDay || (local_date === cutDay && hour > cutHour)
    return { ...row, vehicles: row.vehicles.map((count, hour) => (isAfter(hour) ? Math.round(2000 * dice()) : count)) }
  })
  const board = boardOf(gridOfCounts(ROWS))
  const cut = board.slots[(day(cutDay) - board.firstDay) * 24 + cutHour] as number
  const until = (forecasts: readonly Forecast[]): Forecast[] => forecasts.filter(({ target }) => target.slot - target.horizon <= cut)
  const again = forecastsOf(boardOf(gridOfCounts(shuffled)))
  expect(until(first).length).toBeGreaterThan(1000)
  expect(until(again)).toEqual(until(first))
  expect(again).not.toEqual(first)
  // The same for the same.
  expect(forecastsOf(boardOf(gridOfCounts(ROWS)))).toEqual(first)
})

test('where levels wander, forecasts are nearer than the usual value, most of an hour ahead, and intervals contain some four of five', () => {
  const board = boardOf(gridOfCounts(ROWS))
  const window = { from: '2023-04-03', to: '2023-04-23' }
  const measured = evaluate(board, typicalOf(board), [window])
  const value = (metric: string, horizon: string): number =>
    measured.find((one) => one.series === 'all' && one.metric === metric && one.horizon === horizon)?.value ?? Number.NaN
  const usual = measured.find((one) => one.metric === 'wape' && one.horizon === '1h')?.baseline as number
  expect(value('wape', '1h')).toBeLessThan(value('wape', '4h'))
  expect(value('wape', '1h')).toBeLessThan(0.7 * usual)
  for (const horizon of ['1h', '2h', '3h', '4h']) {
    // Three series that wander together are one: little is seen of how far.
    expect(value('coverage_80', horizon)).toBeGreaterThan(0.55)
    expect(value('coverage_80', horizon)).toBeLessThan(0.95)
  }
  // Holy Thursday and Good Friday; hours before six.
  const pointsOf = (series: string): number | undefined => measured.find((one) => one.series === series && one.horizon === '1h')?.points
  expect([pointsOf('holidays'), pointsOf('night')]).toEqual([2 * 24 * 3, 21 * 6 * 3])
  const errors = measured.find((one) => one.series === 'all' && one.metric === 'wape_week_before' && one.horizon === '1h')
  expect([errors?.points, measured.every(({ ok, limit }) => limit === null || typeof ok === 'boolean')]).toEqual([21 * 24 * 3, true])
})

test("untrained series are forecast and scored alone, and change nothing of the others' training", () => {
  const window = { from: '2023-04-03', to: '2023-04-23' }
  const panel = new Set(['ES01 1', 'ES01 2'])
  const board = boardOf(gridOfCounts(ROWS))
  const measured = evaluateUnseen(board, typicalOf(board), panel, [window])
  expect(new Set(measured.map(({ series, metric }) => `${series} ${metric}`))).toEqual(
    new Set(['unseen wape', 'unseen coverage_80', 'unseen width_80']),
  )
  const wape = measured.find(({ metric, horizon }) => metric === 'wape' && horizon === '1h')
  expect([wape?.points, (wape?.value ?? 1) < 0.7 * (wape?.baseline ?? 0)]).toEqual([21 * 24, true])

  const typical = typicalOf(board)
  const learnt = (rows: readonly CountDay[]): unknown => {
    const other = boardOf(gridOfCounts(rows))
    // The city's value is the same, whatever the third series is.
    const same = inCityOf(typicalOf(other), typical)
    return walk(other, same, { scales: noiseScales(other, same), hasOwn: false, learns: panel }, () => undefined)?.weights
  }
  const doubled = ROWS.map((row) => ({
    ...row,
    vehicles: row.vehicles.map((count) => (row.station_id === 'ES02' ? 2 * (count ?? 0) : count)),
  }))
  expect(learnt(doubled)).toEqual(learnt(ROWS))
})

test('a spread that was kept gives intervals around the forecast, also where all errors of a kind were on one side', () => {
  const board = boardOf(gridOfCounts(ROWS))
  const learnt = walk(board, typicalOf(board), { scales: jointScales(board, typicalOf(board)), hasOwn: true }, () => undefined)
  const kept: SpreadState = JSON.parse(JSON.stringify(learnt?.spread))
  const slot = board.hours - 4
  const intervalOf = (bounds: readonly number[]) =>
    makeSpread(board, jointScales(board, typicalOf(board), kept.scales), bounds).interval({ series: 0, slot, horizon: 3 }, 6)
  for (const bounds of [kept.bounds, kept.typical as readonly number[]]) {
    const { low, middle, high } = intervalOf(bounds)
    expect(low < middle && middle < high).toBe(true)
  }
  // A version from before kept two bounds each, around the forecast.
  const former = (low: number, high: number): number[] =>
    Array.from({ length: (2 * kept.bounds.length) / 3 }, (_, at) => (at % 2 === 0 ? low : high))
  expect(intervalOf(former(0.5, 2))).toEqual({ low: 0, middle: 0, high: expect.any(Number) })
  expect(intervalOf(former(-2, -0.5))).toEqual({ low: expect.any(Number), middle: 0, high: 0 })
  const short = boardOf(gridOfCounts(ROWS.slice(0, 30)))
  expect(walk(short, typicalOf(short), { scales: jointScales(short, typicalOf(short)), hasOwn: true }, () => undefined)).toBeNull()
})

test('a stored version forecasts like the walk of its fit, each series with its own weights', () => {
  const grid = gridOfCounts(ROWS)
  const board = boardOf(grid)
  const typical = typicalOf(board)
  const learnt = walk(board, typical, { scales: jointScales(board, typical), hasOwn: true }, () => undefined)
  const { parameters } = fitTraffic(grid, null)
  const kept: TrafficParameters = JSON.parse(JSON.stringify(parameters))
  const weights = weightsOf(kept, board)
  const apart = weightsOf({ ...kept, own: null }, board)
  const slot = board.hours - 5
  const ratios = [0, 1, 2].flatMap((series) => [1, 4].map((horizon) => ({ series, slot, horizon })))
  for (const target of ratios) {
    const ratio = ratioOf({ board, typical, weights }, target)
    expect(ratio).toBeCloseTo(learnt ? ratioOf({ board, typical, weights: learnt.weights }, target) : Number.NaN, 5)
    expect(Math.abs(ratio - ratioOf({ board, typical, weights: apart }, target))).toBeGreaterThan(1e-6)
  }
  // On holidays a series has no weights of its own.
  const friday = { series: 0, slot: board.slots[(day('2023-04-07') - board.firstDay) * 24 + 12] as number, horizon: 2 }
  expect(ratioOf({ board, typical, weights }, friday)).toBe(ratioOf({ board, typical, weights: apart }, friday))
  expect(fitTraffic(grid, null, 'panel').parameters).toMatchObject({ own: null, panel: board.series, spread: { scales: null } })
})

test('a champion with fewer days is scored by its forecasts of that time', () => {
  const rows = countsOf('2023-01-09', 150)
  const standing = fitTraffic(gridOfCounts(rows.filter(({ local_date }) => local_date >= '2023-02-13')), null)
  const fresh = fitTraffic(gridOfCounts(rows), standing.parameters)
  expectScored(fresh)
  expect(fresh.checks.map(({ horizon, standing: theirs }) => [horizon, theirs])).toEqual(
    standing.checks.map(({ horizon, error }) => [horizon, expect.closeTo(error, 9)]),
  )
  expect(fresh.checks.map(({ error }) => error)).not.toEqual(standing.checks.map(({ error }) => error))
  // With the same days it forecast the same; for its own first ones it had none.
  for (const { error, standing: theirs } of fitTraffic(gridOfCounts(rows), fresh.parameters).checks) expect(theirs).toBe(error)
  const late = { ...fresh.parameters, data_from: '2023-04-10' }
  expect(fitTraffic(gridOfCounts(rows), late).checks.map(({ standing: theirs }) => theirs)).toEqual([null, null, null, null])
})

test('forecasts need the typical values of the last days alone', () => {
  const board = boardOf(gridOfCounts(ROWS))
  const origin = board.hours - 25
  const learnt = walk(board, typicalOf(board), { scales: jointScales(board, typicalOf(board)), hasOwn: true }, () => undefined)
  const spreads = learnt && keptSpreads(board, jointScales(board, typicalOf(board), learnt.spread.scales), learnt.spread)
  const made = (typical: Typical): unknown[] =>
    [1, 2, 3, 4].flatMap((horizon) =>
      [0, 1, 2].map((series) => {
        if (!learnt || !spreads) return null
        return forecastOf({ board, typical, weights: learnt.weights, ...spreads }, { series, slot: origin + horizon, horizon })
      }),
    )
  const lately = typicalOf(board, { since: board.days - 30, slowSince: board.dayAt[origin] as number })
  expect(made(lately)).toEqual(made(typicalOf(board)))
  expect(made(lately).every((one) => one !== null)).toBe(true)
})

test('on a holiday those before count, however long ago they were, and on no other day', () => {
  const made = (until: string, typicalFrom: (board: Board) => Typical, turned = 1): (number | undefined)[] => {
    const rows = countsOf('2023-01-09', day(until) - day('2023-01-09') + 1)
    // San José was lively in the evening.
    const counts = rows.map((row) => ({
      ...row,
      vehicles: row.vehicles.map((count, hour) => (row.local_date === '2023-03-20' && hour > 18 ? turned * (count ?? 0) : count)),
    }))
    const board = boardOf(gridOfCounts(counts))
    const slot = (board.slots[(day(until) - board.firstDay) * 24 + 18] as number) + 2
    const features = new Float64Array(FEATURES)
    featuresOf(board, typicalFrom(board), { series: 0, slot, horizon: 2 }, features)
    return [...features]
  }
  const lately = (board: Board): Typical => typicalOf(board, { since: board.days - 30, slowSince: board.days - 2 })
  expect(made('2023-05-01', lately)).toEqual(made('2023-05-01', typicalOf))
  const turns = (features: readonly (number | undefined)[]): (number | undefined)[] =>
    features.slice(-DAY_KINDS.length - 2, -DAY_KINDS.length)
  const [usual, lively] = [turns(made('2023-05-01', lately)), turns(made('2023-05-01', lately, 3))]
  for (const at of [0, 1]) expect(lively[at] as number).toBeGreaterThan((usual[at] as number) + 0.1)
  expect(turns(made('2023-05-03', lately, 3))).toEqual([0, 0])
})

test('an hour ahead is one that passes, on days on which the clock changes too', () => {
  const spring = boardOf(gridOfCounts(countsOf('2023-03-25', 3)))
  const begins = spring.slots[24] as number
  expect([...spring.clockAt.slice(begins, begins + 4)]).toEqual([0, 1, 3, 4])
  expect([spring.slots[24 + 2], spring.hours]).toEqual([-1, 4 * 24 - 1])
  const repeated = countsOf('2022-10-29', 3).map((row) => ({
    ...row,
    vehicles: row.vehicles.map((count, hour) => (row.local_date === '2022-10-30' && hour === 2 ? null : count)),
  }))
  const autumn = boardOf(gridOfCounts(repeated))
  const at = autumn.slots[24] as number
  expect([...autumn.clockAt.slice(at, at + 5)]).toEqual([0, 1, 2, 2, 3])
  expect([...autumn.vehicles.slice(at + 2, at + 4)]).toEqual([Number.NaN, Number.NaN])
  expect(Number.isNaN(autumn.vehicles[at + 4])).toBe(false)
  // The forecast an hour after one o'clock in spring is for three o'clock.
  const board = boardOf(gridOfCounts(countsOf('2022-12-27', 92)))
  const change = day('2023-03-26') - board.firstDay
  const three = board.slots[change * 24 + 3] as number
  const made = forecastsOf(board).filter(({ target }) => target.series === 0 && board.dayAt[target.slot] === change)
  const ahead = made.find(({ target }) => target.slot === three && target.horizon === 1)
  expect([ahead !== undefined && board.clockAt[three - 1], made.length]).toEqual([1, 23 * 4])
})

test('a day that repeats one of the same series is no count from its end on, and neither of both is scored', () => {
  const rows = countsOf('2023-02-01', 20)
  const of = (date: string): readonly (number | null)[] =>
    rows.find((row) => row.local_date === date && row.station_id === 'ES02')?.vehicles ?? []
  const copied = rows.map((row) =>
    row.local_date === '2023-02-15' && row.station_id === 'ES02' ? { ...row, vehicles: of('2023-02-10') } : row,
  )
  const board = boardOf(gridOfCounts(copied))
  const series = board.series.indexOf('ES02 1')
  const marks = Array.from({ length: board.days }, (_, at) => board.isCopied[series * board.days + at])
  expect(marks.flatMap((mark, at) => (mark ? [dateOf(board.firstDay + at)] : []))).toEqual(['2023-02-10', '2023-02-15'])
  const log = (date: string): number =>
    board.logs[series * board.hours + (board.slots[(day(date) - board.firstDay) * 24 + 9] as number)] as number
  expect([Number.isNaN(log('2023-02-15')), Number.isNaN(log('2023-02-10'))]).toEqual([true, false])
  // Another series has its own days.
  expect(board.isCopied.reduce((sum, mark) => sum + mark, 0)).toBe(2)
})

test('a standing version is held against the same outcomes: as it walked until its newest day, and by its coefficients since', () => {
  const grid = gridOfCounts(ROWS)
  const early = fitTraffic(gridOfCounts(ROWS.filter(({ local_date }) => local_date <= '2023-04-16')), null)
  const now = fitTraffic(grid, early.parameters)
  for (const { standing, error } of now.checks) {
    expect(standing).not.toBe(error)
    expect(Math.abs((standing as number) / error - 1)).toBeLessThan(0.2)
  }
  expect(fitTraffic(grid, now.parameters).checks.every(({ standing, error }) => standing === error)).toBe(true)
  // One of other features can say nothing.
  const other = { ...early.parameters, weights: early.parameters.weights.map((of) => of.slice(1)) }
  expect(fitTraffic(grid, other).checks.every(({ standing }) => standing === null)).toBe(true)
})

test('neither a copied day nor the one that it copies is an outcome that a model is held against', () => {
  const copied = ROWS.map((row) =>
    row.local_date === '2023-04-19' && row.station_id === 'ES02'
      ? { ...row, vehicles: ROWS.find((one) => one.local_date === '2023-04-12' && one.station_id === 'ES02')?.vehicles ?? [] }
      : row,
  )
  const pointsOf = (rows: readonly CountDay[]): unknown[] => {
    const board = boardOf(gridOfCounts(rows))
    const [figure] = evaluate(board, typicalOf(board), [{ from: '2023-04-10', to: '2023-04-23' }])
    return [figure?.points, fitTraffic(gridOfCounts(rows), null).checks[0]?.points]
  }
  const [all, but] = [14 * 24 * 3, 2 * 24]
  // All of the last 28 days have a forecast, except those before the first sixty of training.
  const [, checked] = pointsOf(ROWS) as [number, number]
  expect(pointsOf(copied)).toEqual([all - but, checked - but])
})

test('counts of a day come by hour, null where nothing was counted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-'))
  const lake = await openTestLake(folder)
  try {
    const hour = (direction: string, at: number, values: Record<string, unknown> = {}) =>
      exampleTableRow(trafficCountsHourly, {
        ...{ month: '2023-03', station_id: 'ES01', direction, local_date: '2023-03-26', hour: at, vehicles: 10 * at, quality: 'OK' },
        ...{ is_clock_change: at === 2, ...values },
      })
    const hours = Array.from({ length: 24 }, (_, at) => at)
    // A ceiling value is no count, whatever its file says; neither are errors and outages. A copied day is not judged here.
    const QUALITIES: Readonly<Record<number, Record<string, unknown>>> = {
      ...{
        7: { quality: 'CEILING' },
        8: { vehicles: 9999 },
        9: { quality: 'ERROR' },
        10: { quality: 'OUTAGE' },
        11: { quality: 'COPIED_DAY' },
      },
    }
    await landRows(lake, trafficCountsHourly, [
      ...hours.map((at) => hour('1', at, QUALITIES[at] ?? {})),
      ...hours.map((at) => hour('2', at, { quality: 'DEAD_DIRECTION', vehicles: 0 })),
    ])
    const days = await lake.query(countDays(), { columns: COUNT_DAY_COLUMNS })
    expect(days).toEqual([
      {
        ...{ station_id: 'ES01', direction: '1', local_date: '2023-03-26' },
        vehicles: hours.map((at) => (at === 2 || (at >= 7 && at <= 10) ? null : 10 * at)),
      },
    ])
    expect(await lake.query(countDays('2023-04'), { columns: COUNT_DAY_COLUMNS })).toEqual([])
  } finally {
    await lake.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('observations are charted in Madrid time, as errors by hour are', () => {
  const sums = { ALL: { inside: 1, points: 1 } }
  const tally = { scored: [sums], byHour: [1, 2, 3, 4].map(() => []) } as unknown as Parameters<typeof trafficCharts>[0]
  const forecast = { value: 1, low: 0, high: 2 } as Forecast
  const points = [0, 1].map((hour) => ({ at: Date.UTC(2023, 6, 1, 22 + hour), count: 1, forecast }))
  const [chart] = trafficCharts(tally, { name: 'ES01 1', points, add: () => undefined })
  expect(chart?.title).toContain('Madrid time')
  expect(chart?.svg).toContain('2023-07-02T00')
  expect(chart?.svg).not.toContain('2023-07-01')
})
