import { parentPort, workerData } from 'node:worker_threads'
import type { StationMeans } from './days.sql.ts'
import { type DailyParameters, fitDaily } from './fit.ts'
import { predictDaily, type ServedDaily } from './predict.ts'

/** What the thread is asked for: a fit beside a standing version, or the forecasts of what is served. */
export type DailyTask =
  | { readonly task: 'fit'; readonly means: readonly StationMeans[]; readonly standing: DailyParameters | null }
  | { readonly task: 'predict'; readonly means: readonly StationMeans[]; readonly served: ServedDaily }

// The thread that the derivation of the forecasts of station means begins.
const asked = workerData as DailyTask
parentPort?.postMessage(asked.task === 'fit' ? fitDaily(asked.means, asked.standing) : predictDaily(asked.means, asked.served))
