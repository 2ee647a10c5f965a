import { trafficCountsHourly } from '../../../lake/datasets/road/traffic-counts-hourly.ts'
import { trafficForecasts } from '../../../lake/datasets/road/traffic-forecasts.ts'
import { trafficModels } from '../../../lake/datasets/road/traffic-models.ts'
import { modelCards } from '../../../lake/datasets/service/model-cards.ts'
import { modelScores } from '../../../lake/datasets/service/model-scores.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { AnyRow, Row } from '../../../lake/schema/dataset.ts'
import { inThread } from '../../../models/in-thread.ts'
import { readVersion } from '../../../models/run/files.ts'
import { type Fit, runModel, servedOf } from '../../../models/run/run.ts'
import { COUNT_DAY_COLUMNS, type CountDay, countDays } from '../../../models/traffic/counts.sql.ts'
import { LEAST_DAYS } from '../../../models/traffic/fit.ts'
import { ALL_SERIES, type TrafficParameters } from '../../../models/traffic/predict.ts'
import type { ForecastRow } from '../../../models/traffic/rows.ts'
import type { TrafficTask } from '../../../models/traffic/thread.ts'
import { defineDerived } from '../define.ts'

const THREAD = new URL('../../../models/traffic/thread.ts', import.meta.url)
const REVISION = 1
const COUNTS = 'traffic_counts'
const MONTH = /^\d{4}-\d{2}$/
/** Months of counts that a fit learns from, and those that forecasts look at: half a year, and two more in which copies are looked for. */
const FIT_MONTHS = 36
const RECENT_MONTHS = 8

const monthsOf = (versions: readonly string[]): string[] => versions.filter((version) => MONTH.test(version)).sort()
const run = <T>(task: TrafficTask, signal: AbortSignal): Promise<T> => inThread<T>(THREAD, task, signal)

/**
 * The models of traffic, fitted anew each night on which their counts are others: what stands, with its errors. Nothing where there are too few days.
 */
export const trafficModelsDerived = defineDerived({
  by: 'model',
  into: trafficModels,
  beside: [modelScores, modelCards],
  from: [trafficCountsHourly],
  revision: REVISION,
  isNightly: true,
  parts: (versions) => {
    const months = monthsOf(versions).slice(-FIT_MONTHS)
    return months.length === 0 ? [] : [{ version: COUNTS, from: months }]
  },
  reads: ({ from }) => countDays(from[0] as string),
  gives: COUNT_DAY_COLUMNS,
  rows: async ({ version: model }, { given, files, signal }) => {
    const days = given as unknown as readonly CountDay[]
    if (new Set(days.map(({ local_date }) => local_date)).size < LEAST_DAYS) return []
    let made_at = 0
    const stood = await runModel<TrafficParameters>(files, { model, revision: REVISION, signal }, async (standing) => {
      const fit = await run<Fit<TrafficParameters>>({ task: 'fit', days, standing }, signal)
      made_at = fit.made_at
      return fit
    })
    const { model_version } = stood
    const rows = Object.entries(servedOf(stood)).map(([name, { isBaseline, error }]) => {
      const horizon = name.split(' ')[1] as string
      return { model, model_version, made_at, horizon, forecast_kind: isBaseline ? 'BASELINE' : 'MODEL', recent_error: error }
    })
    return { rows, beside: stood.beside }
  },
})

/**
 * Forecasts of traffic with the models that stand, made anew as soon as other counts have landed, or another version stands: what is fitted is not
 * waited for.
 */
export const trafficForecastsDerived = defineDerived({
  by: 'model',
  into: trafficForecasts,
  from: [trafficCountsHourly, trafficModels],
  revision: REVISION,
  parts: (versions) => {
    const months = monthsOf(versions).slice(-RECENT_MONTHS)
    return months.length === 0 || !versions.includes(COUNTS) ? [] : [{ version: COUNTS, from: [...months, COUNTS] }]
  },
  reads: ({ from }) => countDays(from[0] as string),
  gives: COUNT_DAY_COLUMNS,
  rows: async ({ version: model }, { given, read, files, signal }) => {
    const standing = sql`SELECT * FROM ${scan(trafficModels, { model: { eq: model } })}`
    const horizons = (await read(standing, trafficModels.columns)) as unknown as readonly Row<typeof trafficModels>[]
    const [first] = horizons
    if (!first || given.length === 0) return []
    const { model_version } = first
    const kept = await readVersion<Fit<TrafficParameters>>(files, model, model_version)
    const of = Object.fromEntries(
      horizons.map(({ horizon, forecast_kind, recent_error }) => [
        `${ALL_SERIES} ${horizon}`,
        { isBaseline: forecast_kind === 'BASELINE', error: recent_error },
      ]),
    )
    const served = { model, model_version, parameters: kept.fit.parameters, of }
    const days = given as unknown as readonly CountDay[]
    return (await run<ForecastRow[]>({ task: 'predict', days, served }, signal)) as unknown as AnyRow[]
  },
})
