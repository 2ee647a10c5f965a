import { parentPort, workerData } from 'node:worker_threads'
import { type FuelParameters, fitFuel } from './fit.ts'
import { predictFuel, type Served } from './predict.ts'
import type { WeekPrice } from './weeks.sql.ts'

/** What the thread is asked for: a fit beside a standing version, or the forecasts of what is served. */
export type FuelTask =
  | { readonly task: 'fit'; readonly prices: readonly WeekPrice[]; readonly standing: FuelParameters | null }
  | { readonly task: 'predict'; readonly prices: readonly WeekPrice[]; readonly served: Served }

// The thread that the derivation of `fuel_forecasts` begins: walks of twenty years take seconds of a core.
const asked = workerData as FuelTask
parentPort?.postMessage(asked.task === 'fit' ? fitFuel(asked.prices, asked.standing) : predictFuel(asked.prices, asked.served))
