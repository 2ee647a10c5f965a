import { parentPort, workerData } from 'node:worker_threads'
import type { SectionAccident } from './accidents.ts'
import type { RiskBasis } from './bases.ts'
import { fitRun, type RiskParameters } from './run.ts'

// Thread of the derivation of `risk_estimates`: a fit takes some tens of seconds of a core.
const { accidents, basis, standing } = workerData as {
  readonly accidents: readonly SectionAccident[]
  readonly basis: RiskBasis
  readonly standing: RiskParameters | null
}
parentPort?.postMessage(fitRun(accidents, basis, standing))
