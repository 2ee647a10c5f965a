import { corridorSensorMonths } from '../../../lake/datasets/mobility/corridors.ts'
import { dgt, madrid } from '../../../lake/datasets/road/sources.ts'
import { trafficCountsHourly } from '../../../lake/datasets/road/traffic-counts.ts'
import { trafficForecasts, trafficModels } from '../../../lake/datasets/road/traffic-forecasts.ts'
import { trafficReadings, trafficReadings15m } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { modelCards, modelScores } from '../../../lake/datasets/service/models.ts'
import { scan } from '../../../lake/query/scan.ts'
import { type Sql, sql } from '../../../lake/query/sql.ts'
import type { AnyRow, Dataset, Row } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { inThread } from '../../../models/in-thread.ts'
import { readVersion } from '../../../models/run/files.ts'
import { type Fit, runModel, servedOf } from '../../../models/run/run.ts'
import { COUNT_DAY_COLUMNS, type CountDay, countDays } from '../../../models/traffic/counts.sql.ts'
import { type FittedTo, type fitTraffic, LEAST_DAYS, LEAST_TYPICAL_DAYS } from '../../../models/traffic/fit.ts'
import { daysOf, type Grid, gridOfCounts } from '../../../models/traffic/grid.ts'
import { liveGrid, panelGrid, panelOf, type SensorHours } from '../../../models/traffic/live.ts'
import { LIVE_MODELS, liveModel } from '../../../models/traffic/live-models.ts'
import { ALL_SERIES, type TrafficParameters } from '../../../models/traffic/predict.ts'
import type { predictTraffic } from '../../../models/traffic/rows.ts'
import { SENSOR_COLUMNS, sensorsOf } from '../../../models/traffic/sensors.sql.ts'
import { type DerivedPart, defineDerived } from '../define.ts'

/** A fit to years of counts takes minutes of a core. */
const FIT = { file: new URL('../../../models/traffic/fit.ts', import.meta.url), name: 'fitTraffic' }
const PREDICT = { file: new URL('../../../models/traffic/rows.ts', import.meta.url), name: 'predictTraffic' }
const REVISION = 4
/** The model of the permanent count stations; the others are of live series. */
const COUNTS = 'traffic_counts'
const MONTH = /^\d{4}-\d{2}$/
/** Months of counts for a fit, and for forecasts: half a year, and two more to search for copies. */
const FIT_MONTHS = 36
const RECENT_MONTHS = 8
/** The same for live sensors: the months of the days that forecasts read. */
const LIVE_FIT_MONTHS = 13
const LIVE_RECENT_MONTHS = 9

const monthsOf = (versions: readonly string[]): string[] => versions.filter((version) => MONTH.test(version)).sort()

const countsGrid = (given: readonly AnyRow[]): Grid | null =>
  given.length === 0 ? null : gridOfCounts(given as unknown as readonly CountDay[])
const rollupWatermark = (sensors: readonly AnyRow[]): number => sensors.reduce((last, { until }) => Math.max(last, until as number), 0)

/** A model's part from the newest months of a dataset, and others of the same months; none without months. */
function partOf(model: string, [of, ...beside]: readonly [Dataset, ...Dataset[]], months: readonly string[]): DerivedPart[] {
  return months.length === 0 ? [] : [{ version: model, from: months, of: [of, ...beside] }]
}

/** What a fit to so many days is; null if there are too few. Without an archive, typical values serve until there are enough. */
function fittedTo(model: string, days: number): FittedTo | null {
  const live = liveModel(model)
  if (days >= LEAST_DAYS) return live ? 'panel' : 'series'
  return live?.archive === null && days >= LEAST_TYPICAL_DAYS ? 'typical' : null
}

/** The counts of a model, or the sensors of the last two months. */
function inputsOf(model: string, from: readonly string[]): Sql {
  const live = liveModel(model)
  return live === null ? countDays(from[0] as string) : sensorsOf(live, monthsOf(from).slice(-2))
}

/**
 * The traffic models, fitted each night on which their counts changed: the champion models with their errors. Nothing if there
 * are too few days.
 */
export const trafficModelsDerived = defineDerived({
  by: 'model',
  into: trafficModels,
  sideOutputs: [modelScores, modelCards],
  from: [trafficCountsHourly, trafficHours, corridorSensorMonths],
  sources: [madrid, dgt],
  revision: REVISION,
  isNightly: true,
  parts: (_versions, held) => [
    ...partOf(COUNTS, [trafficCountsHourly], monthsOf(held(trafficCountsHourly)).slice(-FIT_MONTHS)),
    ...partOf(LIVE_MODELS.traffic.id, [trafficHours], monthsOf(held(trafficHours)).slice(-LIVE_FIT_MONTHS)),
    ...partOf(LIVE_MODELS.traffic_detectors.id, [trafficHours, corridorSensorMonths], monthsOf(held(trafficHours)).slice(-LIVE_FIT_MONTHS)),
  ],
  reads: ({ version, from }) => inputsOf(version, from),
  gives: { ...COUNT_DAY_COLUMNS, ...SENSOR_COLUMNS },
  rows: async ({ version: model, from }, { given, read, files, signal }) => {
    const live = liveModel(model)
    const sensors = given as unknown as readonly SensorHours[]
    const grid = live === null ? countsGrid(given) : await panelGrid(live, from, panelOf(sensors), read)
    const to = grid === null ? null : fittedTo(model, daysOf(grid))
    if (grid === null || to === null) return []
    let made_at: number | null = null
    const stood = await runModel<TrafficParameters>(files, { model, revision: REVISION, signal }, async (standing) => {
      const fit = await inThread<typeof fitTraffic>({ ...FIT, signal }, grid, standing, to)
      made_at = fit.made_at
      return fit
    })
    const { model_version, parameters } = stood
    // If the fit failed, the champion was last evaluated with its own data.
    made_at ??= dayBounds(parameters.data_to).end
    const rows = Object.entries(servedOf(stood)).map(([name, { isBaseline, error }]) => {
      const horizon = name.split(' ')[1] as string
      return { model, model_version, made_at, horizon, forecast_kind: isBaseline ? 'BASELINE' : 'MODEL', recent_error: error }
    })
    return { rows, sideOutputs: stood.beside }
  },
})

/**
 * Traffic forecasts with the champion models, rebuilt when new counts land, an hour of the live sensors ends, or another model
 * version becomes champion. They do not wait for a running fit.
 */
export const trafficForecastsDerived = defineDerived({
  by: 'model',
  into: trafficForecasts,
  from: [trafficCountsHourly, trafficHours, corridorSensorMonths, trafficModels, trafficReadings15m],
  recent: [trafficReadings],
  sources: [madrid, dgt],
  revision: REVISION,
  parts: (_versions, held) => {
    const standing = held(trafficModels)
    const parts = (model: string, of: Dataset, months: number, beside: readonly Dataset[]): DerivedPart[] =>
      standing.includes(model)
        ? partOf(model, [of, trafficModels, ...beside], monthsOf(held(of)).slice(-months)).map((part) => ({
            ...part,
            from: [...part.from, model],
          }))
        : []
    return [
      ...parts(COUNTS, trafficCountsHourly, RECENT_MONTHS, []),
      ...parts(LIVE_MODELS.traffic.id, trafficHours, LIVE_RECENT_MONTHS, [trafficReadings, trafficReadings15m]),
      ...parts(LIVE_MODELS.traffic_detectors.id, trafficHours, LIVE_RECENT_MONTHS, [trafficReadings, corridorSensorMonths]),
    ]
  },
  reads: ({ version, from }) => inputsOf(version, from),
  gives: { ...COUNT_DAY_COLUMNS, ...SENSOR_COLUMNS },
  rows: async ({ version: model, from }, { given, read, recent, files, signal }) => {
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
    const live = liveModel(model)
    const grid =
      live === null || recent === null
        ? countsGrid(given)
        : await liveGrid(live, monthsOf(from), { rolled: rollupWatermark(given), recent }, read)
    return grid === null ? [] : ((await inThread<typeof predictTraffic>({ ...PREDICT, signal }, grid, served)) as unknown as AnyRow[])
  },
})
