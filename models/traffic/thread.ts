import { parentPort, workerData } from 'node:worker_threads'
import type { FittedTo } from './fit.ts'
import type { Grid } from './grid.ts'
import type { TrafficParameters } from './predict.ts'
import { predictTraffic, type Served } from './rows.ts'

/** What the thread is asked for: a fit beside a standing version, or the forecasts of what is served. */
export type TrafficTask =
  | { readonly task: 'fit'; readonly grid: Grid; readonly standing: TrafficParameters | null; readonly to: FittedTo }
  | { readonly task: 'predict'; readonly grid: Grid; readonly served: Served }

// The thread that the derivations of traffic's models and forecasts begin: a fit to years of counts takes minutes of a core.
const asked = workerData as TrafficTask
if (asked.task === 'fit') {
  // Forecasts are waited for: they do without what draws the charts of a fit.
  const { fitTraffic } = await import('./fit.ts')
  parentPort?.postMessage(fitTraffic(asked.grid, asked.standing, asked.to))
} else parentPort?.postMessage(predictTraffic(asked.grid, asked.served))
