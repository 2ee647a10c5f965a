/** Runs `clean` when this process exits for any reason, for resources that outlive it. Returns a function that cancels it. */
export function atExit(clean: () => void): () => void {
  const once = (): void => {
    try {
      clean()
    } catch {
      // It is gone already.
    }
  }
  // Clean-ups run in the reverse order of their registration.
  process.prependOnceListener('exit', once)
  return () => void process.off('exit', once)
}
