import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { FIT_STATES } from './codes.ts'
import { MODEL_SOURCES } from './model-sources.ts'

/** Results of the newest run of each model: the served version and where it is used, its log and charts. One row per model. */
export const modelCards = defineDataset({
  id: 'model_cards',
  domain: 'service',
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
  plan: { live: 'FREE', history: 'FREE', bulk: 'FREE' },
})
