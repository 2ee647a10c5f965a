import { parentPort, workerData } from 'node:worker_threads'
import type { Call } from './in-thread.ts'

// The thread of `inThread`. It loads only the code of the called function: forecasts are urgent and need no code of charts.
const { file, name, given } = workerData as Call
const { [name]: called } = (await import(file)) as Record<string, ((...given: readonly unknown[]) => unknown) | undefined>
if (!called) throw new Error(`${file} exports no function ${name}`)
parentPort?.postMessage(await called(...given))
