import { poll } from './poll.ts'

/** A value that is polled, so that no request has to wait for it. */
export interface Watch<T> {
  /** Returns the value of the last poll; the first caller waits for a poll. */
  value(): Promise<T>
  /** Calls back when it has changed. Returns the function that ends it. */
  onChange(notify: () => void): () => void
  close(): void
}

/**
 * Polls a value every `poll_ms` from its first use. `look` gets its previous result, null the first time, and returns the same
 * object if nothing has changed.
 */
export function watch<T>(options: {
  readonly look: (before: T | null) => Promise<T>
  readonly poll_ms: number
  /** Gets the error of a failed poll; the known value stays. */
  readonly onError: (error: Error) => void
}): Watch<T> {
  const { look, poll_ms, onError } = options
  const watchers = new Set<() => void>()
  let known: T | null = null
  let first: Promise<void> | null = null
  let end: (() => void) | null = null
  let isClosed = false

  const see = async (): Promise<void> => {
    const found = await look(known)
    if (found === known) return
    known = found
    for (const notify of watchers) notify()
  }
  const begin = async (): Promise<void> => {
    try {
      await see()
    } catch (error) {
      // The next caller polls again.
      first = null
      throw error
    }
    if (!isClosed) end = poll(see, { every_ms: poll_ms, onError })
  }
  return {
    async value() {
      first ??= begin()
      await first
      return known as T
    },
    onChange(notify) {
      watchers.add(notify)
      return () => void watchers.delete(notify)
    },
    close() {
      isClosed = true
      end?.()
    },
  }
}
