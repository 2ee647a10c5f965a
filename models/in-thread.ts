import { type ResourceLimits, Worker } from 'node:worker_threads'

/**
 * What a file answers that runs in a thread of its own, so that the process goes on with everything else meanwhile. The file posts one message, made
 * of the `workerData` that it is given. Rejects with the signal's reason where that fires, which ends the thread, and with what the thread threw, that of
 * code `ERR_WORKER_OUT_OF_MEMORY` where it needs more than `limits` leave it.
 */
export async function inThread<T>(file: URL, given: unknown, signal: AbortSignal, limits: ResourceLimits = {}): Promise<T> {
  signal.throwIfAborted()
  const worker = new Worker(file, { workerData: given, resourceLimits: limits })
  let stop: (() => void) | undefined
  try {
    return await new Promise<T>((resolve, reject) => {
      stop = () => reject(signal.reason)
      signal.addEventListener('abort', stop)
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`the thread of ${file.pathname} ended with ${code} and without an answer`)))
    })
  } finally {
    if (stop) signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}
