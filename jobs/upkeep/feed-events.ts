import type { EventLog } from '../../lake/events/log.ts'
import { recordEvent } from '../../lake/events/record.ts'
import { type FeedState, feedHealth, readFeedStates } from '../../lake/live/freshness.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from '../ingest/context.ts'

/** The object with the feeds reported as stale, and since when, ms since the epoch. */
const REPORTED = 'events/stale-feeds.json'
/** Cadences after which `feedHealth` considers a feed stale. */
const STALE_AFTER = 3
type Reported = Record<string, number>

/**
 * Records an event for each feed that became stale or recovered since the last run. A feed that never delivered is not
 * reported.
 */
export async function reportFeeds(context: IngestContext, feeds: readonly Feed[], signal: AbortSignal): Promise<void> {
  const { events, store, redis } = context
  if (!events) return
  const bytes = await store.get(REPORTED)
  const before: Reported = bytes ? (JSON.parse(bytes.toString()) as Reported) : {}
  const states = await readFeedStates(redis)
  const reported: Reported = {}
  const now = context.now()
  for (const feed of feeds) {
    signal.throwIfAborted()
    const since = before[feed.id]
    const state = states.get(feed.id)
    // Redis may have been emptied a moment ago.
    if (!state?.last_success_at) {
      if (since !== undefined) reported[feed.id] = since
      continue
    }
    const health = feedHealth(state, feed.every_s, now)
    const isStale = health === 'STALE' || health === 'DOWN'
    // A run repeated after a crash records the same event: of the feed's times, only the stored one is the same then.
    const fresh_at = state.fresh_at ?? state.last_success_at
    if (isStale) reported[feed.id] = since ?? fresh_at
    if (isStale && since === undefined)
      await report(events, feed, { state, health, at: fresh_at + STALE_AFTER * 1000 * feed.every_s, type: 'feed.stale' })
    if (!isStale && since !== undefined)
      await report(events, feed, { state, health, at: fresh_at, type: 'feed.recovered', occurrence: since })
  }
  if (JSON.stringify(reported) !== JSON.stringify(before)) await store.put(REPORTED, Buffer.from(JSON.stringify(reported)))
}

async function report(
  events: EventLog,
  feed: Feed,
  {
    state,
    health,
    at,
    type,
    occurrence = at,
  }: {
    readonly state: FeedState
    readonly health: string
    readonly at: number
    readonly type: 'feed.stale' | 'feed.recovered'
    /** Identifies this recovery or outage; `at` by default. */
    readonly occurrence?: number
  },
): Promise<void> {
  await recordEvent(events, {
    type,
    about: feed.id,
    at,
    occurrence,
    data: {
      id: feed.id,
      domain: feed.domain,
      source: feed.source.id,
      datasets: feed.into.map((dataset) => dataset.id),
      health,
      cadence_s: feed.every_s,
      last_success_at: instant(state.last_success_at),
      data_time: instant(state.data_time),
      failing_since: instant(state.failing_since),
      changed: ['health'],
    },
  })
}

const instant = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())
