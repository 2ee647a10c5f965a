import { parentPort, workerData } from 'node:worker_threads'
import type { CountDay } from './counts.sql.ts'
import type { TrafficParameters } from './predict.ts'
import { predictTraffic, type Served } from './rows.ts'

/** What the thread is asked for: a fit beside a standing version, or the forecasts of what is served. */
export type TrafficTask =
  | { readonly task: 'fit'; readonly days: readonly CountDay[]; readonly standing: TrafficParameters | null }
  | { readonly task: 'predict'; readonly days: readonly CountDay[]; readonly served: Served }

// The thread that the derivations of traffic's models and forecasts begin: a fit to years of counts takes minutes of a core.
const asked = workerData as TrafficTask
if (asked.task === 'fit') {
  // Forecasts are waited for: they do without what draws the charts of a fit.
  const { fitTraffic } = await import('./fit.ts')
  parentPort?.postMessage(fitTraffic(asked.days, asked.standing))
} else parentPort?.postMessage(predictTraffic(asked.days, asked.served))
