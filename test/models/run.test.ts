import { expect, test } from 'vitest'
import { modelCards, modelScores } from '../../lake/datasets/service/models.ts'
import { fileStore } from '../../lake/store/file.ts'
import { drawChart } from '../../models/run/chart.ts'
import { addToLog, type LogEntry, type ModelFiles, readLog, readVersion } from '../../models/run/files.ts'
import { type Check, type Fit, judge, runModel } from '../../models/run/run.ts'
import { tempFolder } from '../helpers/temp.ts'

const never = new AbortController().signal
const check = (error: number, standing: number | null, more: Partial<Check> = {}): Check => ({
  ...{ series: 'A', horizon: 'PT1H', error, baseline: 1, standing, points: 10 },
  ...more,
})

function fitted(day: string, level: number, checks: readonly Check[]): Fit<{ level: number }> {
  const score = { series: 'A', horizon: 'PT1H', metric: 'MAE', subset: 'ALL', window_from: '2026-01-01', window_to: day }
  return {
    ...{ data_from: '2026-01-01', data_to: day, made_at: Date.parse(day), parameters: { level }, checks, charts: [] },
    scores: [{ ...score, metric_unit: '1', value: checks[0]?.error ?? 0, baseline: 1, baseline_kind: 'LAST_VALUE', points: 10 }],
  }
}

async function openFiles(): Promise<ModelFiles> {
  return { store: await fileStore(tempFolder()), now: () => Date.UTC(2026, 5, 1), commit: 'c0ffee' }
}
const run = (files: ModelFiles, fit: (standing: { level: number } | null) => Fit<{ level: number }>) =>
  runModel<{ level: number }>(files, { model: 'little', revision: 3, signal: never }, async (standing) => fit(standing))

test('the first fit stands, a better one takes its place, and a worse one does not: the standing version goes on with its errors of now', async () => {
  const files = await openFiles()
  const first = await run(files, (standing) => {
    expect(standing).toBeNull()
    return fitted('2026-02-01', 1, [check(0.5, null), check(1.2, null, { series: 'B' })])
  })
  expect([first.parameters, first.isBaseline('A', 'PT1H'), first.isBaseline('B', 'PT1H')]).toEqual([{ level: 1 }, false, true])
  // A series never checked against its baseline gets the baseline; where the baseline is served its error is given.
  expect([first.isBaseline('C', 'PT1H'), first.recentError('C', 'PT1H'), first.recentError('B', 'PT1H')]).toEqual([true, null, 1])
  const better = await run(files, (standing) => {
    expect(standing).toEqual({ level: 1 })
    return fitted('2026-03-01', 2, [check(0.4, 0.5)])
  })
  expect([better.parameters, better.recentError('A', 'PT1H')]).toEqual([{ level: 2 }, 0.4])
  const worse = await run(files, () => fitted('2026-04-01', 3, [check(0.7, 0.6)]))
  expect([worse.parameters, worse.model_version, worse.recentError('A', 'PT1H')]).toEqual([{ level: 2 }, better.model_version, 0.6])
  // The champion, too, is no better than the baseline in this window: the baseline is served.
  const neither = await run(files, () => fitted('2026-05-01', 4, [check(1.3, 1.1)]))
  expect([neither.model_version, neither.isBaseline('A', 'PT1H'), neither.recentError('A', 'PT1H')]).toEqual([
    better.model_version,
    true,
    1,
  ])
  const log = await readLog(files, 'little')
  expect(log.map(({ state, data_to }) => [state, data_to])).toEqual([
    ['PROMOTED', '2026-02-01'],
    ['PROMOTED', '2026-03-01'],
    ['REFUSED', '2026-04-01'],
    ['REFUSED', '2026-05-01'],
  ])
  expect(log[2]).toMatchObject({ commit: 'c0ffee', revision: 3, error_to_baseline: 0.7, reason: expect.stringContaining('0.7000') })
  expect(await readVersion(files, 'little', better.model_version)).toMatchObject({
    fit: { parameters: { level: 2 }, data_to: '2026-03-01' },
  })
  expect(neither.beside.get(modelCards)).toMatchObject([
    {
      model: 'little',
      model_version: better.model_version,
      data_to: '2026-03-01',
      fit_state: 'REFUSED',
      versions: [{ state: 'REFUSED' }, {}, {}, {}],
    },
  ])
  // Its scores are of the outcomes that it was held against last.
  expect(neither.beside.get(modelScores)).toMatchObject([
    { model_version: better.model_version, value: 1.1, baseline: 1, window_to: '2026-05-01' },
  ])
  const failed = await run(files, () => {
    throw new Error('no memory')
  })
  expect(failed.beside.get(modelScores)).toMatchObject([{ value: 0.4, window_to: '2026-03-01' }])
  expect(failed.recentError('A', 'PT1H')).toBe(0.4)
})

test('the same data change nothing: no version, no turn of the log', async () => {
  const files = await openFiles()
  const fits = [fitted('2026-02-01', 1, [check(0.5, null)]), fitted('2026-03-01', 2, [check(0.9, 0.5)])] as const
  await run(files, () => fits[0])
  const once = await run(files, () => fits[1])
  const twice = await run(files, () => fits[1])
  expect(twice.beside).toEqual(once.beside)
  expect(await readLog(files, 'little')).toHaveLength(2)
  // Another process that has seen none of it says the same of the first.
  const others = await openFiles()
  expect((await run(others, () => fits[0])).model_version).toBe((await readLog(files, 'little'))[0]?.model_version)
})

test('a fit that fails leaves the standing version, says why, and fails where nothing stands; one that gives no numbers has failed', async () => {
  const files = await openFiles()
  const failing = (): never => {
    throw new Error('singular')
  }
  await expect(run(files, failing)).rejects.toThrow('singular')
  const first = await run(files, () => fitted('2026-02-01', 1, [check(0.5, null)]))
  const failed = await run(files, failing)
  expect([failed.parameters, failed.model_version]).toEqual([{ level: 1 }, first.model_version])
  expect(failed.beside.get(modelCards)).toMatchObject([{ fit_state: 'FAILED', fit_reason: 'singular', data_to: '2026-02-01' }])
  const nan = await run(files, () => fitted('2026-03-01', Number.NaN, [check(0.1, 0.5)]))
  expect([nan.model_version, nan.beside.get(modelCards)]).toMatchObject([first.model_version, [{ fit_state: 'FAILED' }]])
  const ended = new AbortController()
  ended.abort(new Error('stop'))
  await expect(runModel(files, { model: 'little', revision: 3, signal: ended.signal }, failing)).rejects.toThrow('stop')
  expect((await readLog(files, 'little')).map(({ state }) => state)).toEqual(['FAILED', 'PROMOTED', 'FAILED', 'FAILED'])
})

test('a card gives the outcome of the newest fit, also of one rejected earlier', async () => {
  const files = await openFiles()
  const failing = (): never => {
    throw new Error('singular')
  }
  const stateAfter = async (fit: () => Fit<{ level: number }>): Promise<unknown> => {
    const [card] = (await run(files, fit)).beside.get(modelCards) ?? []
    return [card?.['fit_state'], card?.['fit_reason']]
  }
  const [first, worse] = [() => fitted('2026-02-01', 1, [check(0.5, null)]), () => fitted('2026-03-01', 2, [check(0.9, 0.5)])]
  const [stands, refused] = [await stateAfter(first), await stateAfter(worse)]
  expect([await stateAfter(failing), await stateAfter(worse), await stateAfter(failing), await stateAfter(first)]).toEqual([
    ...[['FAILED', 'singular'], refused, ['FAILED', 'singular'], stands],
  ])
  // The same failure again and again is reported once.
  const { length } = await readLog(files, 'little')
  await stateAfter(failing)
  await stateAfter(failing)
  expect(await readLog(files, 'little')).toHaveLength(length + 1)
})

test('where a model is as good as its baseline, the baseline is served', async () => {
  const stood = await run(await openFiles(), () => fitted('2026-02-01', 1, [check(1, null), check(0.999, null, { series: 'B' })]))
  expect([stood.isBaseline('A', 'PT1H'), stood.isBaseline('B', 'PT1H')]).toEqual([true, false])
})

test('two that add to a log at once leave both entries', async () => {
  const files = await openFiles()
  await run(files, () => fitted('2026-02-01', 1, [check(0.5, null)]))
  const [entry] = (await readLog(files, 'little')) as [LogEntry]
  await Promise.all(['one', 'other'].map((reason) => addToLog(files, { ...entry, reason }, 1)))
  expect((await readLog(files, 'little')).map(({ reason }) => reason).sort()).toEqual([entry.reason, 'one', 'other'].sort())
})

test('entries of a log are read in the order in which they came, however many there are', async () => {
  const files = await openFiles()
  for (let day = 1; day <= 12; day++)
    await run(files, () => fitted(`2026-02-${String(day).padStart(2, '0')}`, day, [check(1 - day / 20, 1 - (day - 1) / 20)]))
  expect((await readLog(files, 'little')).map(({ data_to }) => Number(data_to?.slice(-2)))).toEqual(
    Array.from({ length: 12 }, (_, at) => at + 1),
  )
})

test('a former version is champion again where later data was withdrawn', async () => {
  const files = await openFiles()
  const [early, late] = [fitted('2026-02-01', 1, [check(0.5, null)]), fitted('2026-03-01', 2, [check(0.4, 0.5)])] as const
  const first = await run(files, () => early)
  await run(files, () => late)
  // Versions that no longer stand may have been moved away.
  await files.store.delete(`models/little/versions/${first.model_version}.json`)
  const back = await run(files, () => ({ ...early, checks: [check(0.5, 0.6)] }))
  expect(back.parameters).toEqual({ level: 1 })
  expect(back.beside.get(modelCards)?.[0]).toMatchObject({ fit_state: 'PROMOTED', fit_reason: expect.stringContaining('0.6000') })
  await run(files, (standing) => {
    expect(standing).toEqual({ level: 1 })
    return early
  })
  const log = await readLog(files, 'little')
  expect(log.map(({ state, data_to }) => [state, data_to])).toEqual([
    ['PROMOTED', '2026-02-01'],
    ['PROMOTED', '2026-03-01'],
    ['PROMOTED', '2026-02-01'],
  ])
})

test('fits are compared by their mean share of the baseline’s error, over the forecasts of both', () => {
  const b = { series: 'B', baseline: 100 }
  expect(judge([check(0.5, 0.6), check(65, 60, b)], true).state).toBe('PROMOTED')
  expect(judge([check(0.5, 0.5), check(65, 60, b)], true).state).toBe('REFUSED')
  expect(judge([check(0.5, 0.5), check(65, null, b)], true).state).toBe('PROMOTED')
  expect(judge([check(0.5, null)], true).reason).toContain('cannot forecast these outcomes')
  expect(judge([], false)).toEqual({ state: 'PROMOTED', reason: expect.stringMatching(/^the first version; no outcomes yet/) })
  expect(judge([], true)).toEqual({ state: 'PROMOTED', reason: expect.stringMatching(/^no outcomes yet/) })
})

test('a chart is SVG with its figures, the same for the same', () => {
  const spec = { name: 'errors', title: 'Errors & more', unit: 'EUR/L', kind: 'lines', labels: ['a', 'b', 'c'] } as const
  const figures = [{ name: 'Forecast', values: [1, null, 3] }]
  const band = { name: 'Interval', low: [0.5, null, 2], high: [2, null, 4] }
  const [one, other] = [drawChart({ ...spec, figures, band }), drawChart({ ...spec, figures, band })]
  expect(one).toEqual(other)
  expect(one.svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/)
  for (const text of ['Errors &amp; more', 'Forecast', 'Interval', 'EUR/L']) expect(one.svg).toContain(text)
  expect(drawChart({ ...spec, figures: [{ name: 'Forecast', values: [1, 2, 3] }] }).svg).not.toBe(one.svg)
})
