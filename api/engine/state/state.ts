import { datasets } from '../../../lake/catalog.ts'
import { type FeedListing, type FeedState, feedHealth } from '../../../lake/live/freshness.ts'
import type { LiveReader, LiveSnapshot } from '../../../lake/live/read.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { Source } from '../../../lake/schema/sources.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { type LakeRecord, readFeedListings, readLakeRecord, type SourceMode } from '../../../lake/system.ts'
import type { SystemState } from '../../kernel/endpoint.ts'
import { poll } from '../../kernel/http/poll.ts'

/** The facts about the data's origin that replies state. They change only with `version`. */
export interface ServiceState {
  readonly live: LiveReader
  readonly mode: SourceMode
  /** When the lake was created, ms since the epoch. */
  readonly begun_at: number
  /** When the lake's record or the list of feeds last changed, ms since the epoch. */
  readonly described_at: number
  readonly system: () => SystemState
  readonly snapshot: (dataset: Dataset) => LiveSnapshot | null
  /** True if a feed of the dataset (or of this source in it) is STALE or DOWN. */
  readonly isStale: (dataset: Dataset, source?: Source) => boolean
  /** Expected seconds between two publications of the dataset, from its fastest feed. Null if no feed is known. */
  readonly cadence_s: (dataset: Dataset) => number | null
  /** A text that changes with what replies over these datasets may state besides their rows. */
  readonly contextVersion: (datasets: readonly Dataset[]) => string
  /** When `contextVersion` or the description last changed (ms); 0 if neither has since the start. */
  readonly contextChangedAt: (datasets: readonly Dataset[]) => number
  /** Calls back when the answers of these datasets (null: all) may have changed. Returns the function that ends it. */
  readonly onChange: (of: readonly Dataset[] | null, notify: () => void) => () => void
  readonly close: () => void
}

/** What `openState` needs. */
export interface StateOptions {
  readonly store: ObjectStore
  readonly live: LiveReader
  readonly clock: () => number
  /** Gets the error of a store that could not be read; the last good description stays. */
  readonly onError: (error: Error) => void
  /** Polling interval for the clock and the worker's announcements, in ms. */
  readonly poll_ms?: number
  /** Longest time in ms after which the record and the listing are read from the store; a new worker is noticed at once. */
  readonly describe_ms?: number
}

/**
 * Follows what replies depend on besides rows, in a lake marked by `claimLake`: the mode of the sources, the feeds, and their
 * staleness. It polls the clock, so that staleness is a new version and does not depend on the moment of a request.
 */
export async function openState({
  store,
  live,
  clock,
  onError,
  poll_ms = 2000,
  describe_ms = 60_000,
}: StateOptions): Promise<ServiceState> {
  let record = await markOf(store)
  let feeds: readonly FeedListing[] = []
  let described_at = 0
  let stale: ReadonlyMap<string, FeedListing> = new Map()
  let redescribed_at = 0
  const turned_at = new Map<string, number>()
  const watchers = new Set<{ of: ReadonlySet<string> | null; notify: () => void }>()

  let known: string | undefined
  /** Reads the description of the lake if it was written since; true if it says something else. */
  const describe = async (): Promise<boolean> => {
    const info = await store.head('system/feeds.json')
    if (info && known === JSON.stringify(info)) return false
    const [nextRecord, nextFeeds] = await Promise.all([markOf(store), readFeedListings(store)])
    known = JSON.stringify(info)
    const changed = JSON.stringify([record, feeds]) !== JSON.stringify([nextRecord, nextFeeds])
    record = nextRecord
    feeds = nextFeeds
    described_at = Math.floor(info?.modified_at ?? Date.parse(record.created_at))
    return changed
  }
  const look = (): boolean => {
    const states = live.feedStates()
    const now = clock()
    const bad = feeds.filter((feed) => feed.enabled && isBad(states.get(feed.id) ?? null, feed, now))
    const before = stale
    stale = new Map(bad.map((feed) => [feed.id, feed]))
    const turned = [...before.values(), ...bad].filter(({ id }) => stale.has(id) !== before.has(id))
    for (const dataset of turned.flatMap((feed) => feed.datasets)) turned_at.set(dataset, now)
    return turned.length > 0
  }
  const notifyAll = (): void => {
    for (const watcher of watchers) watcher.notify()
  }
  const ends = datasets.map((dataset) =>
    live.onChange(dataset.id, () => {
      for (const watcher of watchers) if (!watcher.of || watcher.of.has(dataset.id)) watcher.notify()
    }),
  )
  await describe()
  look()
  // A client may have a copy from before its feed became stale. A feed that never delivered has no replies.
  turned_at.clear()
  const delivered = [...stale.values()].filter(({ id }) => live.feedStates().get(id)?.last_success_at)
  for (const dataset of delivered.flatMap((feed) => feed.datasets)) turned_at.set(dataset, clock())
  let seen = { workers: live.workers()?.ids, at: performance.now() }
  /** Reads the store only if it may have changed: each request costs money at rest. */
  const isDue = (): boolean => feeds.length === 0 || live.workers()?.ids !== seen.workers || performance.now() - seen.at >= describe_ms
  const refresh = async (): Promise<void> => {
    const isRead = isDue()
    if (isRead) seen = { workers: live.workers()?.ids, at: performance.now() }
    const described =
      isRead &&
      (await describe().catch((error: Error) => {
        onError(error)
        return false
      }))
    if (described) redescribed_at = clock()
    if (look() || described) notifyAll()
  }
  const endPoll = poll(refresh, { every_ms: poll_ms, onError })

  const feedsOf = (dataset: Dataset): FeedListing[] => feeds.filter((feed) => feed.enabled && feed.datasets.includes(dataset.id))
  return {
    live,
    get mode() {
      return record.mode
    },
    begun_at: Date.parse(record.created_at),
    get described_at() {
      return described_at
    },
    system: () => ({
      mode: record.mode,
      feeds,
      states: live.feedStates(),
      notices: live.tableNotices(),
      datasets: datasets.filter((one) => one.visibility === 'public'),
    }),
    snapshot: (dataset) => live.get(dataset.id),
    isStale: (dataset, source) =>
      stale.values().some((feed) => feed.datasets.includes(dataset.id) && (!source || feed.source === source.id)),
    cadence_s: (dataset) => {
      const all = feedsOf(dataset).map((feed) => feed.every_s)
      return all.length === 0 ? null : Math.min(...all)
    },
    contextVersion: (of) =>
      JSON.stringify([record.mode, of.map((dataset) => feedsOf(dataset).map((feed) => [feed.every_s, stale.has(feed.id)]))]),
    contextChangedAt: (of) => Math.max(redescribed_at, ...of.map((dataset) => turned_at.get(dataset.id) ?? 0)),
    onChange: (of, notify) => {
      const watcher = { of: of && new Set(of.map((dataset) => dataset.id)), notify }
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
    close: () => {
      endPoll()
      for (const end of ends) end()
    },
  }
}

/** Replies state the data's origin: without the mark nobody knows whether it is real. */
async function markOf(store: ObjectStore): Promise<LakeRecord> {
  const record = await readLakeRecord(store)
  if (!record) throw new Error(`the lake at ${store.url} does not say where its data comes from: start the service first (scripts/start)`)
  return record
}

function isBad(state: FeedState | null, feed: FeedListing, now: number): boolean {
  const health = feedHealth(state, feed.every_s, now)
  return health === 'STALE' || health === 'DOWN'
}
