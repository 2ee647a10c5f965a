import { parentPort, workerData } from 'node:worker_threads'
import type { FittedTo } from './fit.ts'
import type { Grid } from './grid.ts'
import type { TrafficParameters } from './predict.ts'
import { predictTraffic, type Served } from './rows.ts'

/** A task of the thread: a fit compared with the champion, or forecasts of the served model. */
export type TrafficTask =
  | { readonly task: 'fit'; readonly grid: Grid; readonly standing: TrafficParameters | null; readonly to: FittedTo }
  | { readonly task: 'predict'; readonly grid: Grid; readonly served: Served }

// Thread of the derivations of traffic models and forecasts: a fit to years of counts takes minutes of a core.
const asked = workerData as TrafficTask
if (asked.task === 'fit') {
  // Forecasts are urgent: they do not load the chart code of a fit.
  const { fitTraffic } = await import('./fit.ts')
  parentPort?.postMessage(fitTraffic(asked.grid, asked.standing, asked.to))
} else parentPort?.postMessage(predictTraffic(asked.grid, asked.served))
