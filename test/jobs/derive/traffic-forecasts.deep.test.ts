import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Derived } from '../../../jobs/derive/define.ts'
import { type DeriveResult, derive } from '../../../jobs/derive/derive.ts'
import { trafficForecastsDerived, trafficModelsDerived } from '../../../jobs/derive/road/forecasts.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { trafficCountsHourly } from '../../../lake/datasets/road/traffic-counts.ts'
import { trafficForecasts, trafficModels } from '../../../lake/datasets/road/traffic-forecasts.ts'
import { modelCards, modelScores } from '../../../lake/datasets/service/models.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { calendarDay, dateOf } from '../../../models/traffic/calendar.ts'
import { exampleTableRow } from '../../api/service.ts'
import { figures } from '../../helpers/figures.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows } from '../../lake/query/fixtures.ts'

const never = new AbortController().signal
const FIRST = Date.parse('2023-01-09') / 86_400_000
const DAYS = 106
const SERIES = ['ES01 1', 'ES01 2', 'ES02 1', 'ES03 1']

let redis: TestRedis
let context: TestContext
beforeEach(async () => {
  redis = await startTestRedis()
  context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [trafficCountsHourly, trafficForecasts, trafficModels, modelScores, modelCards])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

/**
 * Counts of some days: a profile, fewer on days off, and a level that wanders. Station 3 ends two days early, station 4 is new.
 */
const ALL: readonly AnyRow[] = (() => {
  const dice = figures(7)
  let level = 0
  return Array.from({ length: DAYS }, (_, at) => {
    const base = calendarDay(FIRST + at).isOff ? 250 : 500
    const date = dateOf(FIRST + at)
    return Array.from({ length: 24 }, (_, hour) => {
      level = 0.9 * level + 0.3 * (dice() - 0.5)
      return SERIES.flatMap((name, nth): AnyRow[] => {
        if ((nth === 2 && at > DAYS - 3) || (nth === 3 && at < DAYS - 10)) return []
        const vehicles = Math.round(base * (1.2 + Math.sin(hour / 4)) * Math.exp(level + 0.05 * (dice() - 0.5)))
        const row = exampleTableRow(trafficCountsHourly, {
          ...{ month: date.slice(0, 7), station_id: name.slice(0, 4), direction: name.slice(5), local_date: date, hour, vehicles },
          ...{ quality: 'OK', is_clock_change: false, day_starts_at: dayBounds(date).start },
        })
        return [row]
      })
    }).flat()
  }).flat()
})()
const until = (date: string): AnyRow[] => ALL.filter((row) => (row['local_date'] as string) <= date)
const last = dateOf(FIRST + DAYS - 1)

const run = (derived: Derived): Promise<DeriveResult> => derive(context, derived, { feeds, signal: never })
const land = (rows: readonly AnyRow[]): Promise<unknown> => landRows(context.lake, trafficCountsHourly, rows)
const FIRST_LAST = '2023-04-16'

test('landed counts get forecasts of the champion, and a later fit gives others', {
  timeout: 120_000,
}, async () => {
  const little = until('2023-03-10')
  await land(little)
  for (const derived of [trafficModelsDerived, trafficForecastsDerived]) await run(derived)
  expect(await tableRows(context, trafficForecasts)).toEqual([])
  const enough = until(FIRST_LAST)
  await land(enough.slice(little.length))
  for (const derived of [trafficModelsDerived, trafficForecastsDerived]) expect((await run(derived)).made).toEqual(['traffic_counts'])
  const before = await tableRows(context, trafficForecasts)
  const [model] = await tableRows(context, trafficModels)
  expect(model).toMatchObject({ model: 'traffic_counts', made_at: dayBounds(FIRST_LAST).end, forecast_kind: 'MODEL' })
  expect(new Set(before.map(({ made_at }) => made_at))).toEqual(new Set([dayBounds(FIRST_LAST).end]))

  await land(ALL.slice(enough.length))
  expect((await run(trafficForecastsDerived)).made).toEqual(['traffic_counts'])
  const rows = await tableRows(context, trafficForecasts)
  const of = (id: string, horizon: string, direction = '1'): AnyRow =>
    rows.find((row) => row['series_id'] === id && row['direction'] === direction && row['horizon'] === horizon) as AnyRow
  expect(rows).toHaveLength(4 * SERIES.length)
  expect(of('ES01', 'PT4H', '2')).toMatchObject({
    ...{ model: 'traffic_counts', model_version: model?.['model_version'], made_at: dayBounds(last).end, series_kind: 'COUNT_STATION' },
    ...{ starts_at: dayBounds(last).end + 3 * 3_600_000, hour_local: 3, interval_level: 0.8, forecast_kind: 'MODEL', reason: null },
  })
  for (const horizon of ['PT1H', 'PT2H', 'PT3H', 'PT4H']) {
    const row = of('ES01', horizon)
    const bounds = [row['interval_low'], row['intensity_veh_h'], row['interval_high']] as number[]
    expect(bounds).toEqual(bounds.toSorted((one, other) => one - other))
    const [score] = (await tableRows(context, modelScores)).filter(
      (one) => one['horizon'] === horizon && one['metric'] === 'WAPE' && one['subset'] === 'ALL',
    )
    expect(score?.['value'] as number).toBeLessThan(score?.['baseline'] as number)
    expect(row['recent_error']).toBeGreaterThan(0)
    // The error beside a forecast is among the scores.
    const [recent] = (await tableRows(context, modelScores)).filter(
      (one) => one['horizon'] === horizon && one['metric'] === 'WAPE' && one['subset'] === 'RECENT',
    )
    expect(recent).toMatchObject({ value: row['recent_error'], window_to: FIRST_LAST, baseline_kind: 'TYPICAL_VALUE' })
  }
  const none = { intensity_veh_h: null, interval_low: null, baseline: null, forecast_kind: null, recent_error: null }
  expect(of('ES02', 'PT1H')).toMatchObject({ ...none, reason: 'SILENT' })
  expect(of('ES03', 'PT1H')).toMatchObject({ ...none, reason: 'FEW_DAYS' })
  expect((await run(trafficForecastsDerived)).made).toEqual([])

  for (const derived of [trafficModelsDerived, trafficForecastsDerived]) expect((await run(derived)).made).toEqual(['traffic_counts'])
  const [card] = await tableRows(context, modelCards)
  expect(card).toMatchObject({ model: 'traffic_counts', data_to: last, fit_state: 'PROMOTED' })
  expect((card?.['charts'] as { name: string }[]).map(({ name }) => name)).toEqual(['observed', 'hours', 'coverage'])
  expect((card?.['versions'] as { reason: string }[])[0]?.reason).toContain('that of the current version')
  // Forecasts are of the present champion, without another count.
  const again = await tableRows(context, trafficForecasts)
  expect(new Set(again.map(({ model_version }) => model_version))).toEqual(new Set([card?.['model_version']]))
  expect(card?.['model_version']).not.toBe(model?.['model_version'])
})

test('where a fit fails the champion goes on, with the date of its own data', { timeout: 120_000 }, async () => {
  await land(until(FIRST_LAST))
  await run(trafficModelsDerived)
  const before = await tableRows(context, trafficModels)
  // Three years in which the source repeats one day: none of them is a count.
  const repeated = Array.from({ length: 1096 }, (_, at) => {
    const date = dateOf(Date.parse('2024-01-01') / 86_400_000 + at)
    return ALL.slice(0, SERIES.length * 24)
      .filter(({ station_id, direction }) => `${station_id} ${direction}` === SERIES[0])
      .map((row) => ({ ...row, month: date.slice(0, 7), local_date: date, day_starts_at: dayBounds(date).start }))
  }).flat()
  await land(repeated)
  expect((await run(trafficModelsDerived)).made).toEqual(['traffic_counts'])
  expect(await tableRows(context, modelCards)).toMatchObject([{ fit_state: 'FAILED', data_to: FIRST_LAST }])
  expect(await tableRows(context, trafficModels)).toEqual(before)
})
