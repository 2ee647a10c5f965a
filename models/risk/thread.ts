import { parentPort, workerData } from 'node:worker_threads'
import type { SectionAccident } from './accidents.ts'
import { fitRun } from './run.ts'

// The thread that the derivation of `risk_estimates` begins: a fit takes some tens of seconds of a core.
parentPort?.postMessage(fitRun(workerData as readonly SectionAccident[]))
