/**
 * Repeats work every `every_ms`, without a run while the last one is not over. `onError` gets the error of a failed run.
 * Returns the function that ends it; a run under way then fails silently.
 */
export function poll(
  work: () => void | Promise<void>,
  { every_ms, onError }: { readonly every_ms: number; readonly onError: (error: Error) => void },
): () => void {
  let isRunning = false
  let isClosed = false
  const run = async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    try {
      await work()
    } catch (error) {
      if (!isClosed) onError(error as Error)
    } finally {
      isRunning = false
    }
  }
  const timer = setInterval(() => void run(), every_ms)
  timer.unref()
  return () => {
    isClosed = true
    clearInterval(timer)
  }
}
