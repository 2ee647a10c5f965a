import { parentPort, workerData } from 'node:worker_threads'
import { type FuelParameters, fitFuel } from './fit.ts'
import { predictFuel, type Served } from './predict.ts'
import type { WeekPrice } from './weeks.sql.ts'

/** A task of the thread: a fit compared with the champion, or forecasts of the served model. */
export type FuelTask =
  | { readonly task: 'fit'; readonly prices: readonly WeekPrice[]; readonly standing: FuelParameters | null }
  | { readonly task: 'predict'; readonly prices: readonly WeekPrice[]; readonly served: Served }

// Thread of the derivation of `fuel_forecasts`: walks over twenty years take seconds of a core.
const asked = workerData as FuelTask
parentPort?.postMessage(asked.task === 'fit' ? fitFuel(asked.prices, asked.standing) : predictFuel(asked.prices, asked.served))
