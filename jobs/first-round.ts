import type { Feed } from './feeds/define.ts'

/** The first minutes of a worker: live feeds go before archives and derived tables. */
export interface FirstRound {
  /** Resolves once each feed that is neither archive nor stream has landed its first fetch, or the wait is over. */
  readonly landed: Promise<void>
  /** Runs a feed's fetch: at once, or for an archive after the others have landed. */
  fetch<T>(feed: Feed, run: () => Promise<T>): Promise<T>
  /** Runs a feed's landing, and resolves once all others have landed. */
  land<T>(feed: Feed, run: () => Promise<T>): Promise<T>
  /** Ends the wait. */
  end(): void
}

/** Starts a worker's first round. The wait has a limit, ms, because another worker may fetch a feed, or it may not answer. */
export function makeFirstRound(feeds: readonly Feed[], limit_ms: number): FirstRound {
  const missing = new Set(feeds.filter(({ archive, stream }) => !archive && !stream).map(({ id }) => id))
  const fetched = new Set<string>()
  const { promise: landed, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, limit_ms)
  const end = (): void => {
    clearTimeout(timer)
    resolve()
  }
  if (missing.size === 0) end()
  return {
    landed,
    end,
    async fetch(feed, run) {
      if (feed.archive) await landed
      return await run().finally(() => fetched.add(feed.id))
    },
    async land(feed, run) {
      // A landing before the first fetch has nothing to land.
      const hasFetched = fetched.has(feed.id)
      const result = await run().finally(() => hasFetched && missing.delete(feed.id) && missing.size === 0 && end())
      await landed
      return result
    },
  }
}
