import { readFeedStates, writeFeedState } from '../../lake/live/freshness.ts'
import { livePart } from '../../lake/live/write.ts'
import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import type { Feed } from '../feeds/define.ts'
import { compactDataset } from '../upkeep/compact.ts'
import type { IngestContext } from './context.ts'
import { feedStateAfter, feedStateOf } from './freshness.ts'
import { land } from './land.ts'
import { type FeedMemory, openMemory, syncMemory } from './memory.ts'
import { acceptRejected, type FetchOutcome, runFeed, showLive } from './pipeline.ts'

/** Runs feeds in one process, each with its memory; one thing at a time per feed. */
export interface Runner {
  /** Fetches a feed once. */
  fetch(feed: Feed, signal: AbortSignal): Promise<FetchOutcome>
  /** Lands what is accepted and compacts what the landing left small. */
  land(feed: Feed, signal: AbortSignal): Promise<Record<string, number>>
  /** Accepts a rejected fetch and shows it live. */
  accept(feed: Feed, fetchId: string): Promise<AcceptedFetch>
  /** Gives Redis what it lacks of every feed's live state and freshness: at start, and after it was emptied. */
  heal(feeds: readonly Feed[]): Promise<void>
}

/** Makes the runner of a process. */
export function makeRunner(context: IngestContext): Runner {
  const memories = new Map<string, FeedMemory>()
  const turns = new Map<string, Promise<unknown>>()

  /** One after the other per feed; what fails half-way leaves no memory behind. */
  const inTurn = <T>(feed: Feed, work: (memory: FeedMemory) => Promise<T>): Promise<T> => {
    const before = turns.get(feed.id) ?? Promise.resolve()
    const turn = before.then(async () => {
      const known = memories.get(feed.id)
      memories.delete(feed.id)
      const memory = known ? await syncMemory(context, known) : await openMemory(context, feed)
      memories.set(feed.id, memory)
      try {
        return await work(memory)
      } catch (error) {
        memories.delete(feed.id)
        throw error
      }
    })
    turns.set(
      feed.id,
      turn.catch(() => undefined),
    )
    return turn
  }

  return {
    fetch: (feed, signal) =>
      inTurn(feed, async (known) => {
        const attempted_at = context.now()
        const { memory, outcome } = await runFeed(context, known, signal)
        memories.set(feed.id, memory)
        const states = await readFeedStates(context.redis)
        const before = states.get(feed.id) ?? feedStateOf(feed, known.last, context.mode)
        await writeFeedState(context.redis, feedStateAfter(feed, { before, outcome, attempted_at, last: memory.last, mode: context.mode }))
        return outcome
      }).catch(async (error: unknown) => {
        if (!signal.aborted) await tellFailure(context, feed, error)
        throw error
      }),

    land: (feed, signal) =>
      inTurn(feed, async (memory) => {
        const began = performance.now()
        const { rows, fits } = await land(context, memory)
        if (!fits) memories.delete(feed.id)
        signal.throwIfAborted()
        for (const dataset of feed.into) await compactDataset(context, dataset)
        if (Object.keys(rows).length > 0)
          context.log.info({ feed: feed.id, rows, fits, ms: Math.round(performance.now() - began) }, 'feed landed')
        return rows
      }),

    accept: (feed, fetchId) =>
      inTurn(feed, async (memory) => {
        const accepted = await acceptRejected(context, memory, fetchId)
        memories.delete(feed.id)
        const fresh = await openMemory(context, feed)
        memories.set(feed.id, fresh)
        await showLive(context, fresh, { rebuild: true })
        return accepted
      }),

    async heal(feeds) {
      const states = await readFeedStates(context.redis)
      for (const feed of feeds) {
        const lacking = await Promise.all(
          feed.into.filter(({ live }) => live).map((dataset) => livePart(context.redis, dataset.id, feed.id)),
        )
        if (memories.has(feed.id) && states.has(feed.id) && lacking.every((part) => part !== null)) continue
        // One feed that cannot be restored must not keep the others from Redis.
        await inTurn(feed, async (memory) => {
          await showLive(context, memory)
          const state = feedStateOf(feed, memory.last, context.mode)
          if (state && !states.has(feed.id)) await writeFeedState(context.redis, state)
        }).catch((error: Error) => context.log.warn({ feed: feed.id, reason: error.message }, 'live state not restored'))
      }
    },
  }
}

/** Says in a feed's freshness that a run broke off; what the feed had stays. */
async function tellFailure(context: IngestContext, feed: Feed, error: unknown): Promise<void> {
  const before = (await readFeedStates(context.redis)).get(feed.id) ?? null
  const attempted_at = context.now()
  const reason = error instanceof Error ? error.message : String(error)
  const outcome = {
    outcome: 'failed',
    reason,
    fetch_id: null,
    data_time: null,
    fetched_at: attempted_at,
    rows: {},
    quarantined: 0,
    unknown_codes: 0,
    missing_blocks: [],
  } as const
  const state = feedStateAfter(feed, { before, outcome, attempted_at, last: null, mode: context.mode })
  await writeFeedState(
    context.redis,
    before ? { ...before, last_attempt_at: attempted_at, last_error: reason, failing_since: state.failing_since } : state,
  )
}
