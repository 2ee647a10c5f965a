import { fuelBulletin } from '../../../lake/datasets/fuel/bulletin.ts'
import { fuelForecasts } from '../../../lake/datasets/fuel/forecasts.ts'
import { fuelDays } from '../../../lake/datasets/fuel/prices.ts'
import { modelCards, modelScores } from '../../../lake/datasets/service/models.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import type { FuelParameters, fitFuel } from '../../../models/fuel/fit.ts'
import type { predictFuel } from '../../../models/fuel/predict.ts'
import { WEEK_COLUMNS, type WeekPrice, weeklyPrices } from '../../../models/fuel/weeks.sql.ts'
import { MEANS_COLUMNS, type StationMeans, stationMeans } from '../../../models/fuel-daily/days.sql.ts'
import type { DailyParameters, fitDaily } from '../../../models/fuel-daily/fit.ts'
import type { predictDaily } from '../../../models/fuel-daily/predict.ts'
import { LEAST_DAYS } from '../../../models/fuel-daily/walk.ts'
import { inThread } from '../../../models/in-thread.ts'
import { runModel, servedOf } from '../../../models/run/run.ts'
import { defineDerived, type ModelGiven, type ModelRows } from '../define.ts'

// Walks over twenty years take seconds of a core: they run in threads.
const FIT = { file: new URL('../../../models/fuel/fit.ts', import.meta.url), name: 'fitFuel' }
const PREDICT = { file: new URL('../../../models/fuel/predict.ts', import.meta.url), name: 'predictFuel' }
const FIT_DAILY = { file: new URL('../../../models/fuel-daily/fit.ts', import.meta.url), name: 'fitDaily' }
const PREDICT_DAILY = { file: new URL('../../../models/fuel-daily/predict.ts', import.meta.url), name: 'predictDaily' }
const REVISION = 4
/** The months that two years and some days cover. */
const MONTHS = 26
const MONTH = /^\d{4}-\d{2}$/

/**
 * Forecasts of fuel prices. Those of the bulletin are rebuilt with every bulletin, which is also the outcome of earlier
 * forecasts; those of station means are rebuilt once a day is over.
 */
export const fuelForecastsDerived = defineDerived({
  by: 'model',
  into: fuelForecasts,
  sideOutputs: [modelScores, modelCards],
  from: [fuelBulletin, fuelDays],
  revision: REVISION,
  parts: (versions) => {
    const months = versions.filter((version) => MONTH.test(version)).sort()
    const editions = versions.filter((version) => !MONTH.test(version))
    return [
      ...(editions.length === 0 ? [] : [{ version: 'fuel', from: editions }]),
      ...(months.length === 0 ? [] : [{ version: 'fuel_daily', from: months.slice(-MONTHS) }]),
    ]
  },
  reads: ({ version, from }) => (version === 'fuel' ? weeklyPrices() : stationMeans(from)),
  gives: { ...WEEK_COLUMNS, ...MEANS_COLUMNS },
  rows: async ({ version }, of) => (version === 'fuel' ? weekly(of) : daily(of)),
})

async function weekly({ given, files, signal }: ModelGiven): Promise<ModelRows> {
  const prices = given as unknown as readonly WeekPrice[]
  if (prices.length === 0) return { rows: [], sideOutputs: new Map() }
  const stood = await runModel<FuelParameters>(files, { model: 'fuel', revision: REVISION, signal }, (standing) =>
    inThread<typeof fitFuel>({ ...FIT, signal }, prices, standing),
  )
  const newest = prices.reduce((last, { date }) => (date > last ? date : last), '')
  const { model_version, parameters } = stood
  const served = { model_version, parameters, made_at: dayBounds(newest).end, of: servedOf(stood) }
  return { rows: await inThread<typeof predictFuel>({ ...PREDICT, signal }, prices, served), sideOutputs: stood.beside }
}

/** True if an area that had too few days for a forecast now has enough. */
function isFilledUp(before: readonly AnyRow[], means: readonly StationMeans[]): boolean {
  const nameOf = ({ product, area_kind, area }: AnyRow): string => `${product} ${area_kind} ${area}`
  const enough = new Set(means.filter(({ dates }) => dates.length >= LEAST_DAYS).map((of) => nameOf({ ...of })))
  return before.some((row) => row['absence'] === 'FEW_PRICES' && enough.has(nameOf(row)))
}

async function daily({ given, before, files, signal }: ModelGiven): Promise<ModelRows> {
  const means = given as unknown as readonly StationMeans[]
  if (means.length === 0) return { rows: [], sideOutputs: new Map() }
  const newest = means.map(({ dates }) => dates.at(-1) as string).reduce((last, date) => (date > last ? date : last))
  // The current day changes with every publication; an ended day was already used, unless an archive has since completed it.
  const isLookedAt = before.some(
    ({ made_at, model_version }) => made_at === dayBounds(newest).end && String(model_version).startsWith(`r${REVISION}-`),
  )
  if (isLookedAt && !isFilledUp(before, means))
    return { rows: before.map(({ fetch_id: _fetch, ...row }): AnyRow => row), sideOutputs: new Map() }
  const stood = await runModel<DailyParameters>(files, { model: 'fuel_daily', revision: REVISION, signal }, (standing) =>
    inThread<typeof fitDaily>({ ...FIT_DAILY, signal }, means, standing),
  )
  const { model_version, parameters } = stood
  const served = { model_version, parameters, of: servedOf(stood) }
  return { rows: await inThread<typeof predictDaily>({ ...PREDICT_DAILY, signal }, means, served), sideOutputs: stood.beside }
}
