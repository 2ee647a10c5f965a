import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { COUNT } from '../../schema/quantities.ts'
import { METRIC_UNITS, MODEL_BASELINES } from './codes.ts'
import { MODEL_SOURCES } from './model-sources.ts'

/**
 * Out-of-sample errors over a window of outcomes: of forecasts from data known before these or, with horizon HELD_OUT_WEEKS, of
 * weeks predicted from those around them. Each model is a version, which each of its runs replaces.
 */
export const modelScores = defineDataset({
  id: 'model_scores',
  domain: 'service',
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
  plan: { live: 'FREE', history: 'FREE', bulk: 'FREE' },
})
