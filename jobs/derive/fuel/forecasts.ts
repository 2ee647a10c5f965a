import { fuelBulletin } from '../../../lake/datasets/fuel/bulletin.ts'
import { fuelForecasts } from '../../../lake/datasets/fuel/forecasts.ts'
import { modelCards } from '../../../lake/datasets/service/model-cards.ts'
import { modelScores } from '../../../lake/datasets/service/model-scores.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import type { FuelParameters } from '../../../models/fuel/fit.ts'
import { type ForecastRow, servedOf } from '../../../models/fuel/predict.ts'
import type { FuelTask } from '../../../models/fuel/thread.ts'
import { WEEK_COLUMNS, type WeekPrice, weeklyPrices } from '../../../models/fuel/weeks.sql.ts'
import { inThread } from '../../../models/in-thread.ts'
import { type Fit, runModel } from '../../../models/run/run.ts'
import { defineDerived } from '../define.ts'

const THREAD = new URL('../../../models/fuel/thread.ts', import.meta.url)
const REVISION = 1

/** Forecasts of the bulletin's prices, made anew with every bulletin that lands, which is also the outcome of former forecasts. */
export const fuelForecastsDerived = defineDerived({
  by: 'model',
  into: fuelForecasts,
  beside: [modelScores, modelCards],
  from: [fuelBulletin],
  revision: REVISION,
  parts: (editions) => (editions.length === 0 ? [] : [{ version: 'fuel', from: editions }]),
  reads: () => weeklyPrices(),
  gives: WEEK_COLUMNS,
  rows: async ({ version: model }, { given, files, signal }) => {
    const prices = given as unknown as readonly WeekPrice[]
    if (prices.length === 0) return []
    const run = <T>(task: FuelTask): Promise<T> => inThread<T>(THREAD, task, signal)
    const stood = await runModel<FuelParameters>(files, { model, revision: REVISION, signal }, (standing) =>
      run<Fit<FuelParameters>>({ task: 'fit', prices, standing }),
    )
    const newest = prices.reduce((last, { date }) => (date > last ? date : last), '')
    const rows = await run<ForecastRow[]>({ task: 'predict', prices, served: servedOf(stood, dayBounds(newest).end) })
    return { rows, beside: stood.beside }
  },
})
