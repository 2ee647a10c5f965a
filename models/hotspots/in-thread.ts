import { Worker } from 'node:worker_threads'
import type { HotspotRow, HotspotSet, HotspotsGiven } from './sets.ts'

/**
 * `hotspotsOf` in a thread of its own, so that the process goes on with everything else meanwhile; the same rows. Rejects with the signal's reason
 * where that fires, which ends the thread, and with what the thread threw.
 */
export async function hotspotsInThread(
  set: HotspotSet,
  { signal, ...given }: HotspotsGiven & { readonly signal: AbortSignal },
): Promise<HotspotRow[]> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: { set, given } })
  let stop: (() => void) | undefined
  try {
    return await new Promise((resolve, reject) => {
      stop = () => reject(signal.reason)
      signal.addEventListener('abort', stop)
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`the thread of ${set.name} ended with ${code} and without an answer`)))
    })
  } finally {
    if (stop) signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}
