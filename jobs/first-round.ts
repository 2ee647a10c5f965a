import type { Feed } from './feeds/define.ts'

/** The first minutes of a worker: live feeds go before archives and derived tables. */
export interface FirstRound {
  /** Resolves once each feed that is neither archive nor stream was fetched, or the wait is over. */
  readonly asked: Promise<void>
  /** Resolves once each of them has landed its first fetch, or the wait is over. */
  readonly landed: Promise<void>
  /** Runs a feed's fetch: at once, or for an archive after the others were fetched. */
  fetch<T>(feed: Feed, run: () => Promise<T>): Promise<T>
  /** Runs a feed's landing, and resolves once all others have landed. */
  land<T>(feed: Feed, run: () => Promise<T>): Promise<T>
  /** Ends both waits. */
  end(): void
}

/** Starts a worker's first round. Each wait has a limit, ms, because another worker may fetch a feed, or it may not answer. */
export function makeFirstRound(feeds: readonly Feed[], limits: { readonly asked: number; readonly landed: number }): FirstRound {
  const live = feeds.filter(({ archive, stream }) => !archive && !stream).map(({ id }) => id)
  const [asked, landed] = [makeWait(live, limits.asked), makeWait(live, limits.landed)]
  return {
    asked: asked.over,
    landed: landed.over,
    async fetch(feed, run) {
      if (feed.archive) await asked.over
      return await run().finally(() => asked.done(feed.id))
    },
    async land(feed, run) {
      // A landing before the first fetch has nothing to land.
      const hasFetched = asked.isDone(feed.id)
      const result = await run().finally(() => hasFetched && landed.done(feed.id))
      await landed.over
      return result
    },
    end() {
      asked.end()
      landed.end()
    },
  }
}

function makeWait(ids: readonly string[], atMost_ms: number) {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const missing = new Set(ids)
  const timer = setTimeout(resolve, atMost_ms)
  const end = (): void => {
    clearTimeout(timer)
    resolve()
  }
  if (missing.size === 0) end()
  return {
    over,
    end,
    isDone: (id: string): boolean => !missing.has(id),
    done(id: string): void {
      missing.delete(id)
      if (missing.size === 0) end()
    },
  }
}
