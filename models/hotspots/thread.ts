import { parentPort, workerData } from 'node:worker_threads'
import { type HotspotSet, type HotspotsGiven, hotspotsOf } from './sets.ts'

// Thread of `hotspotsInThread` for one set: the random runs take minutes of a core.
const { set, given } = workerData as { readonly set: HotspotSet; readonly given: HotspotsGiven }
parentPort?.postMessage(await hotspotsOf(set, given))
