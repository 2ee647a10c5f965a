/** Cleans up when this process exits, however that comes: what does not take part in its end by itself. Gives what calls it off. */
export function atExit(clean: () => void): () => void {
  const once = (): void => {
    try {
      clean()
    } catch {
      // It is gone already.
    }
  }
  // The last that was begun is the first that is cleaned up.
  process.prependOnceListener('exit', once)
  return () => void process.off('exit', once)
}
