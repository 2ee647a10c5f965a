import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DeriveResult, derive } from '../../../jobs/derive/derive.ts'
import { riskDerived } from '../../../jobs/derive/safety/risk.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { animalAccidents } from '../../../lake/datasets/safety/animal-accidents.ts'
import { riskEstimates, riskProfiles } from '../../../lake/datasets/safety/risk.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { modelCards, modelScores } from '../../../lake/datasets/service/models.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { instantOf } from '../../../lake/schema/time.ts'
import { dayOf } from '../../../models/risk/accidents.ts'
import { intervalOf } from '../../../models/risk/run.ts'
import { isHeld } from '../../../models/risk/split.ts'
import { readLog } from '../../../models/run/files.ts'
import { exampleTableRow } from '../../api/service.ts'
import { figures } from '../../helpers/figures.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows } from '../../lake/query/fixtures.ts'

const never = new AbortController().signal
let redis: TestRedis
let context: TestContext
beforeEach(async () => {
  redis = await startTestRedis()
  context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [animalAccidents, roadAccidents, riskEstimates, riskProfiles, modelScores, modelCards])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

/**
 * Accidents of a year on four roads of eight sections, most on the third; the first is on a road of its own. With `misleading`,
 * the weeks of the fit have accidents anywhere at any hour, and the weeks of the check do not.
 */
function accidents(year: number, count: number, { misleading = false } = {}): AnyRow[] {
  const next = figures(year)
  return Array.from({ length: count }, (_, at) => {
    const local_date = new Date(Date.UTC(year, 0, 1 + Math.floor(365 * next()))).toISOString().slice(0, 10)
    const isAnywhere = misleading && !isHeld(dayOf(local_date))
    const hour = isAnywhere ? Math.floor(24 * next()) : 17 + Math.floor(6 * next() ** 2)
    const section = next() < 0.4 && !isAnywhere ? 2 : Math.floor(8 * next())
    return exampleTableRow(animalAccidents, {
      ...{ edition: `animals-${year}`, accident_id: `${year}${at}`, local_date, hour_local: hour },
      ...{
        occurred_at: instantOf(local_date, `${String(hour).padStart(2, '0')}:30`),
        province_code: '09',
        animal_code: next() < 0.6 ? '8' : '5',
      },
      ...{ road: at === 0 ? 'BU-1' : `N-${1 + (at % 4)}`, km: section * 5 + Math.floor(50 * next()) / 10 },
    })
  })
}

/** Accidents of the national table of a year with somebody hurt, in the night of Saturdays and at noon of Tuesdays. */
function casualties(edition: string, count: number): AnyRow[] {
  const year = Number(edition.slice(-4))
  const next = figures(year)
  return Array.from({ length: count }, (_, at) => {
    const isWeekend = next() < 0.5
    return exampleTableRow(roadAccidents, {
      ...{ edition, source: edition.startsWith('dgt') ? 'dgt_accidents' : 'madrid', accident_id: `${edition}/${at}`, is_casualty: true },
      ...{ year, month: 1 + Math.floor(12 * next()), weekday_iso: isWeekend ? 6 : 2, hour_local: isWeekend ? 5 : 12 },
      ...{
        province_code: '09',
        road: `A-${1 + (at % 4)}`,
        km: (next() < 0.4 ? 2 : Math.floor(8 * next())) * 5 + Math.floor(50 * next()) / 10,
      },
    })
  })
}

const run = (): Promise<DeriveResult> => derive({ ...context, commit: 'c0ffee' }, riskDerived, { feeds, signal: never })

test('an interval of an expected number contains the middle of its gamma', () => {
  // Shape 4 and mean 1: quantiles 0.1 and 0.9 of the gamma, 0.436 and 1.670.
  const [low, high] = intervalOf(1, 0.25)
  expect(low).toBeCloseTo(0.436, 2)
  expect(high).toBeCloseTo(1.67, 2)
})

test('an edition with enough accidents gives estimates, profiles, errors and a card; a small one nothing', {
  timeout: 60_000,
}, async () => {
  await landRows(context.lake, animalAccidents, accidents(2023, 300))
  await run()
  expect(await tableRows(context, riskEstimates)).toEqual([])
  const rows = accidents(2024, 3000)
  await landRows(context.lake, animalAccidents, rows)
  expect((await run()).made).toEqual(['risk'])
  const served = await tableRows(context, riskEstimates)
  expect(served).toHaveLength(4 * 8 + 1)
  const rated = served.filter((row) => row['expected'] !== null)
  const alone = served.filter((row) => row['expected'] === null)
  expect(alone).toMatchObject([
    {
      ...{ road: 'BU1', accidents: 1, rank: null, risk_class: null, interval_low: null, expected_by_kind: [] },
      reason: expect.stringContaining('not enough data: 1'),
    },
  ])
  expect(rated.reduce((sum, row) => sum + (row['accidents'] as number), 0)).toBe(2999)
  for (const row of rated) {
    const [low, value, high] = [row['interval_low'], row['expected'], row['interval_high']] as [number, number, number]
    expect(low).toBeLessThan(value)
    expect(high).toBeGreaterThan(value)
    expect((row['expected_by_kind'] as number[]).reduce((sum, one) => sum + one, 0)).toBeCloseTo(value, 9)
  }
  const first = rated.filter((row) => (row['rank'] as number) <= 4)
  expect(first.map((row) => row['km'])).toEqual([10, 10, 10, 10])
  expect(rated.filter((row) => row['risk_class'] === 'VERY_HIGH')).toHaveLength(2)
  const [card] = await tableRows(context, modelCards)
  const profiles = await tableRows(context, riskProfiles)
  expect(profiles.map((row) => row['animal_code'])).toEqual(['8', '5', null])
  expect(new Set([...served, ...profiles].map((row) => row['model_version']))).toEqual(new Set([card?.['model_version']]))
  const scores = await tableRows(context, modelScores)
  const deviance = scores.find((row) => row['metric'] === 'DEVIANCE')
  expect(deviance?.['value'] as number).toBeLessThan(deviance?.['baseline'] as number)
  expect(rated[0]).toMatchObject({ recent_error: deviance?.['value'], made_at: Date.parse('2024-12-30T23:00:00.000Z') })
  // The given commit, not that of this checkout.
  const [turn] = await readLog({ store: context.store, now: context.now, commit: null }, 'risk')
  expect(turn).toMatchObject({ state: 'PROMOTED', commit: 'c0ffee' })
  // The same again is the same, and nothing is made of it.
  expect((await run()).made).toEqual([])
})

test('the national table has a model of its own, of its newest three years, by hour of the week', { timeout: 120_000 }, async () => {
  for (const edition of ['dgt-2020', 'dgt-2021', 'dgt-2022', 'dgt-2023', 'madrid-2024'])
    await landRows(context.lake, roadAccidents, casualties(edition, 1200))
  // Nothing is built from another source in the national table.
  expect((await run()).made).toEqual(['risk_casualties'])
  const served = await tableRows(context, riskEstimates)
  expect(served).toHaveLength(4 * 8)
  expect(served.reduce((sum, row) => sum + (row['accidents'] as number), 0)).toBe(3 * 1200)
  expect(new Set(served.map((row) => `${row['model']} ${row['risk_basis']}`))).toEqual(new Set(['risk_casualties CASUALTY']))
  // For each year, not for all three together.
  const week = served.reduce((sum, row) => sum + (row['expected'] as number), 0)
  expect(week).toBeGreaterThan((0.95 * 1200 * 7) / 365)
  expect(week).toBeLessThan((1.05 * 1200 * 7) / 365)
  const [profile] = await tableRows(context, riskProfiles)
  const byHour = profile?.['by_hour'] as number[]
  expect(byHour).toHaveLength(7 * 24)
  const greatest = byHour.map((value, at) => ({ value, at })).sort((one, other) => other.value - one.value)
  expect(greatest.slice(0, 2).map(({ at }) => at)).toEqual(expect.arrayContaining([24 + 12, 5 * 24 + 5]))
  const [card] = await tableRows(context, modelCards)
  expect(card).toMatchObject({ model: 'risk_casualties', fit_state: 'PROMOTED', data_from: '2021-01-01' })
  const [deviance] = (await tableRows(context, modelScores)).filter((row) => row['metric'] === 'DEVIANCE')
  expect(deviance).toMatchObject({ series: 'casualty_accidents', horizon: 'P1Y', window_from: '2023-01-01' })
  expect(card?.['served']).toMatchObject([{ horizon: 'P1Y', error: deviance?.['value'] }])
  expect(served[0]?.['horizon']).toBe('P7D')
  expect(deviance?.['value'] as number).toBeLessThan(deviance?.['baseline'] as number)
  expect(served[0]?.['recent_error']).toBe(deviance?.['value'])
  // A newest edition that is too small leaves the three years before it.
  await landRows(context.lake, roadAccidents, casualties('dgt-2024', 300))
  await run()
  expect(await tableRows(context, riskEstimates)).toEqual(served)
  // Both models stand beside each other, and neither is built again for the other's inputs.
  await landRows(context.lake, animalAccidents, accidents(2024, 3000))
  expect((await run()).made).toEqual(['risk'])
  const both = await tableRows(context, riskEstimates)
  expect(both.filter((row) => row['risk_basis'] === 'CASUALTY')).toEqual(served)
  expect(both.filter((row) => row['risk_basis'] === 'ANIMALS')).toHaveLength(4 * 8 + 1)
})

test('an edition whose fit forecasts worse than the champion is refused, and a better one is not', {
  timeout: 120_000,
}, async () => {
  const cardAfter = async (rows: AnyRow[]): Promise<AnyRow> => {
    await landRows(context.lake, animalAccidents, rows)
    await run()
    return (await tableRows(context, modelCards))[0] as AnyRow
  }
  const first = await cardAfter(accidents(2023, 3000))
  expect(first).toMatchObject({ fit_state: 'PROMOTED', fit_reason: expect.stringContaining('the first version') })
  const refused = await cardAfter(accidents(2024, 3000, { misleading: true }))
  expect(refused).toMatchObject({
    ...{ fit_state: 'REFUSED', model_version: first['model_version'], data_to: '2023-12-31' },
    fit_reason: expect.stringMatching(/error in the last scored window [\d.]+ of the baseline's, that of the current version 0\.\d+/),
  })
  const estimates = await tableRows(context, riskEstimates)
  expect(new Set(estimates.map((row) => row['model_version']))).toEqual(new Set([first['model_version']]))
  // The published error is that over the outcomes of the new edition, among the scores too.
  const score = (await tableRows(context, modelScores)).find((row) => row['metric'] === 'DEVIANCE')
  expect(score).toMatchObject({ model_version: first['model_version'], value: estimates[0]?.['recent_error'], window_to: '2024-12-30' })
  const better = await cardAfter(accidents(2025, 6000))
  expect(better).toMatchObject({ fit_state: 'PROMOTED', data_to: '2025-12-31', versions: [{}, { state: 'REFUSED' }, {}] })
  expect(better['fit_reason']).toContain('that of the current version')
})
