import { type ResourceLimits, Worker } from 'node:worker_threads'

/** A call in a thread: the function that a file exports under a name, and what it is given. */
export interface Call {
  readonly file: string
  readonly name: string
  readonly given: readonly unknown[]
}

/**
 * Calls a function in a thread of its own, so that the process stays responsive: what `file` exports as `name`. Arguments and
 * result are copied. Rejects like `messageOf`.
 */
export function inThread<F extends (...given: never[]) => unknown>(
  { file, name, signal }: { readonly file: URL; readonly name: string; readonly signal: AbortSignal },
  ...given: Parameters<F>
): Promise<Awaited<ReturnType<F>>> {
  const call: Call = { file: file.href, name, given }
  return messageOf(new URL('./thread.ts', import.meta.url), call, signal)
}

/**
 * Runs a file as a thread and returns the one message that it posts, computed from its `workerData`. Rejects with the signal's
 * reason, which ends the thread, or with the thread's error: code `ERR_WORKER_OUT_OF_MEMORY` if it exceeds `limits`.
 */
export async function messageOf<T>(file: URL, given: unknown, signal: AbortSignal, limits: ResourceLimits = {}): Promise<T> {
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
