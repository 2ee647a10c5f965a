/** Something that is looked at now and then, so that no request has to. */
export interface Watch<T> {
  /** What it was when it was last looked at; the first to ask waits for a look. */
  value(): Promise<T>
  /** Calls back when it has changed; returns what ends it. */
  onChange(tell: () => void): () => void
  close(): void
}

/**
 * Looks at something every `poll_ms` from when it is first asked for. `look` is given what it gave last, null the first time, and gives the
 * same where nothing has changed.
 */
export function watch<T>(options: {
  readonly look: (before: T | null) => Promise<T>
  readonly poll_ms: number
  /** Told of a look that failed; what was known stays. */
  readonly onError: (error: Error) => void
}): Watch<T> {
  const { look, poll_ms, onError } = options
  const watchers = new Set<() => void>()
  let known: T | null = null
  let first: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let isClosed = false

  const see = async (): Promise<void> => {
    const found = await look(known)
    if (found === known) return
    known = found
    for (const tell of watchers) tell()
  }
  const again = (): void => {
    if (isClosed) return
    timer = setTimeout(() => {
      see()
        .catch((error: Error) => {
          if (!isClosed) onError(error)
        })
        .finally(again)
    }, poll_ms)
    timer.unref()
  }
  const begin = async (): Promise<void> => {
    try {
      await see()
    } catch (error) {
      // Whoever asks next looks again.
      first = null
      throw error
    }
    again()
  }
  return {
    async value() {
      first ??= begin()
      await first
      return known as T
    },
    onChange(tell) {
      watchers.add(tell)
      return () => void watchers.delete(tell)
    },
    close() {
      isClosed = true
      if (timer) clearTimeout(timer)
    },
  }
}
