import type { WorkerPhase } from '../lake/live/workers.ts'
import type { Feed } from './feeds/define.ts'

/** The first minutes of a worker: live feeds go before archives and derived tables. */
export interface FirstRound {
  /** Waits for these feeds only: other workers fetch the others. */
  keep(owned: ReadonlySet<string>): void
  /** Resolves once each feed that is neither archive nor stream has landed its first fetch, or the wait is over. */
  readonly landed: Promise<void>
  /** Runs a feed's fetch: at once, or for an archive after the others have landed. */
  fetch<T>(feed: Feed, run: () => Promise<T>): Promise<T>
  /** Runs a feed's landing and, once all others have landed, its derivations. */
  land<T>(feed: Feed, run: () => Promise<T>, derive: () => Promise<unknown>): Promise<T>
  /** Runs the restoring of archives, once all feeds have landed; true means that nothing is missing. */
  restore(run: () => Promise<boolean>): Promise<void>
  readonly phase: WorkerPhase
  /** Ends the wait. */
  end(): void
}

/** Starts a worker's first round. The wait has a limit, ms, because a publisher may not answer. */
export function makeFirstRound(feeds: readonly Feed[], limit_ms: number): FirstRound {
  const missing = new Set(feeds.filter(({ archive, stream }) => !archive && !stream).map(({ id }) => id))
  const fetched = new Set<string>()
  const { promise: landed, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => end(), limit_ms)
  let isOver = false
  let deriving = 0
  let isRestored = false
  const end = (): void => {
    isOver = true
    clearTimeout(timer)
    resolve()
  }
  if (missing.size === 0) end()
  return {
    landed,
    end,
    keep(owned) {
      for (const id of missing) if (!owned.has(id)) missing.delete(id)
      if (missing.size === 0) end()
    },
    async fetch(feed, run) {
      if (feed.archive) await landed
      return await run().finally(() => fetched.add(feed.id))
    },
    get phase() {
      return !isOver || deriving > 0 ? 'LOADING' : isRestored ? 'STEADY' : 'BACKFILLING'
    },
    async land(feed, run, derive) {
      // A landing before the first fetch has nothing to land.
      const isFirst = fetched.has(feed.id) && missing.has(feed.id)
      if (isFirst) deriving++
      try {
        const result = await run().finally(() => isFirst && missing.delete(feed.id) && missing.size === 0 && end())
        await landed
        await derive()
        return result
      } finally {
        if (isFirst) deriving--
      }
    },
    async restore(run) {
      await landed
      isRestored = await run()
    },
  }
}
