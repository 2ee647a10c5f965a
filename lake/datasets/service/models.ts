import { col, orNull } from '../../schema/columns.ts'
import { COUNT } from '../../schema/quantities.ts'
import { serviceDataset } from '../domains.ts'
import { miteco, oilBulletin } from '../fuel/sources.ts'
import { dgt, madrid } from '../road/sources.ts'
import { dgtAccidentFiles } from '../safety/sources.ts'
import { FIT_STATES, METRIC_UNITS, MODEL_BASELINES } from './codes.ts'

/** The sources of all training data; model results are derived from them. */
export const MODEL_SOURCES = Object.freeze([oilBulletin, miteco, dgtAccidentFiles, madrid, dgt])

/**
 * Out-of-sample errors over a window of outcomes: of forecasts from data known before these or, with horizon HELD_OUT_WEEKS, of
 * weeks predicted from those around them. Each model is a version, which each of its runs replaces.
 */
export const modelScores = serviceDataset({
  id: 'model_scores',
  title: 'Errors of the models',
  about:
    'Out-of-sample errors of each model by forecast series, horizon and kind of outcome, with those of a plain baseline over the same outcomes.',
  sources: MODEL_SOURCES,
  columns: {
    model: col.string(1, 'Model.', { example: 'fuel' }),
    model_version: col.string(2, 'Version of the model that is served.', { example: 'r1-20240701-4be1c0d2' }),
    made_at: col.instant(3, 'End of the newest data used.', { example: '2024-07-01T22:00:00.000Z' }),
    series: col.string(4, 'Forecast series: a product, a sensor, a kind of accident.', { example: 'EURO_SUPER_95' }),
    horizon: col.string(
      5,
      'How far ahead, as an ISO 8601 duration. HELD_OUT_WEEKS is no time ahead: every fourth week was predicted from the weeks before and after it.',
      { example: 'P7D' },
    ),
    metric: col.string(6, 'Measure: MAE, WAPE, DEVIANCE, COVERAGE_80 and others.', { example: 'MAE' }),
    subset: col.string(
      7,
      'Which outcomes: ALL, those of a season, hour or kind of day, or RECENT: those of the last scored window, if that is shorter than ALL.',
      { example: 'ALL' },
    ),
    window_from: col.local_date(8, 'First day of the outcomes.', { example: '2022-07-11' }),
    window_to: col.local_date(9, 'Last day of the outcomes.', { example: '2024-07-01' }),
    metric_unit: col.code(10, 'Unit of the value.', METRIC_UNITS, { example: 'EUR/L' }),
    value: col.float(11, 'The measure.', { unitIn: 'metric_unit', example: 0.0112 }),
    baseline: col.float(12, 'The same measure of the baseline; null if there is none.', {
      unitIn: 'metric_unit',
      nullable: true,
      example: 0.0184,
    }),
    baseline_kind: col.code(13, 'Kind of baseline.', MODEL_BASELINES, orNull('LAST_VALUE')),
    points: col.integer(14, 'Number of outcomes.', { ...COUNT, example: 104 }),
  },
  entity: ['model', 'series', 'horizon', 'metric', 'subset', 'window_from', 'window_to'],
  time: 'made_at',
  version: 'model',
  order: ['series', 'horizon', 'metric', 'subset'],
})

/** Results of the newest run of each model: the served version and where it is used, its log and charts. One row per model. */
export const modelCards = serviceDataset({
  id: 'model_cards',
  title: 'State of the models',
  about: 'For each model, the served version, the result of the newest fit, the log of its versions, and charts of its errors.',
  sources: MODEL_SOURCES,
  columns: {
    model: col.string(1, 'Model.', { example: 'fuel' }),
    model_version: col.string(2, 'Version that is served.', { example: 'r1-20240701-4be1c0d2' }),
    made_at: col.instant(3, 'End of the newest data used.', { example: '2024-07-01T22:00:00.000Z' }),
    data_from: col.local_date(4, 'First day of the training data.', { example: '2005-01-03' }),
    data_to: col.local_date(5, 'Last day of the training data.', { example: '2024-07-01' }),
    fit_state: col.code(6, 'Result of the newest fit.', FIT_STATES, { example: 'PROMOTED' }),
    fit_reason: col.string(7, 'Why.', { example: 'the first version; better than the baseline at 20 of 21 series and horizons' }),
    served: col.json(8, "For each series and horizon, what is served, and its error and the baseline's in the last scored window.", {
      example: [{ series: 'EURO_SUPER_95', horizon: 'P7D', points: 104, serves: 'MODEL', error: 0.0112, baseline: 0.0184 }],
    }),
    versions: col.json(9, 'Log of its versions, newest first.', {
      example: [
        {
          ...{ model_version: 'r1-20240701-4be1c0d2', state: 'PROMOTED', reason: 'the first version', data_from: '2005-01-03' },
          ...{ data_to: '2024-07-01', revision: 1, commit: null, error_to_baseline: 0.72, logged_at: '2024-07-04T11:20:00.000Z' },
        },
      ],
    }),
    charts: col.json(10, 'Charts, each with a name, a title and the SVG.', {
      example: [{ name: 'observed', title: 'Observed and forecast', svg: '<svg xmlns="http://www.w3.org/2000/svg"/>' }],
    }),
  },
  entity: ['model'],
  time: 'made_at',
  version: 'model',
})
