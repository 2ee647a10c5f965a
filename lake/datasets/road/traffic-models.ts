import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { FORECAST_KINDS } from '../service/codes.ts'
import { dgt, madrid } from './sources.ts'

const error = (id: number, about: string, example: number) => col.float(id, about, { unit: '1', example })

/**
 * The current version of each traffic model, and what is served at each horizon: one row per horizon. Each model is a version.
 */
export const trafficModels = defineDataset({
  id: 'traffic_models',
  domain: 'road',
  title: 'Current traffic models',
  about: 'The current version of each traffic model, and for each horizon whether it or its baseline is served, with their errors.',
  sources: [madrid, dgt],
  columns: {
    model: col.string(1, 'Model.', { example: 'traffic_counts' }),
    model_version: col.string(2, 'Version that stands.', { example: 'r1-20230831-4be1c0d2' }),
    made_at: col.instant(3, 'End of the data of its newest evaluation.', { example: '2023-08-31T22:00:00.000Z' }),
    horizon: col.string(4, 'How far ahead, as an ISO 8601 duration.', { example: 'PT1H' }),
    forecast_kind: col.code(5, 'What is served.', FORECAST_KINDS, { example: 'MODEL' }),
    recent_error: error(6, 'Sum of absolute errors of served forecasts divided by the sum of vehicles, in the last scored window.', 0.068),
  },
  entity: ['model', 'horizon'],
  time: 'made_at',
  version: 'model',
  order: ['horizon'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
