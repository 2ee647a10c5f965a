import { type ResourceLimits, Worker } from 'node:worker_threads'

/**
 * Runs a file in its own thread, so that the process stays responsive, and returns the one message that it posts, computed from
 * its `workerData`. Rejects with the signal's reason, which ends the thread, or with the thread's error: code
 * `ERR_WORKER_OUT_OF_MEMORY` if it exceeds `limits`.
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
      worker.once('exit', (code) => reject(new Error(`the thread of ${file.pathname} ended with ${code} and without a result`)))
    })
  } finally {
    if (stop) signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}
