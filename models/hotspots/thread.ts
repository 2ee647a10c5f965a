import { parentPort, workerData } from 'node:worker_threads'
import { type HotspotSet, type HotspotsGiven, hotspotsOf } from './sets.ts'

// The thread that `hotspotsInThread` begins for one set: the runs of chance take minutes of a core.
const { set, given } = workerData as { readonly set: HotspotSet; readonly given: HotspotsGiven }
parentPort?.postMessage(await hotspotsOf(set, given))
