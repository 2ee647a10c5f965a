import { parentPort, workerData } from 'node:worker_threads'
import type { StationMeans } from './days.sql.ts'
import { type DailyParameters, fitDaily } from './fit.ts'
import { predictDaily, type ServedDaily } from './predict.ts'

/** A task of the thread: a fit compared with the champion, or forecasts of the served model. */
export type DailyTask =
  | { readonly task: 'fit'; readonly means: readonly StationMeans[]; readonly standing: DailyParameters | null }
  | { readonly task: 'predict'; readonly means: readonly StationMeans[]; readonly served: ServedDaily }

// Thread of the derivation of station mean forecasts.
const asked = workerData as DailyTask
parentPort?.postMessage(asked.task === 'fit' ? fitDaily(asked.means, asked.standing) : predictDaily(asked.means, asked.served))
