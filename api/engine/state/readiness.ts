import { setTimeout as sleep } from 'node:timers/promises'
import { datasets } from '../../../lake/catalog.ts'
import type { FeedListing } from '../../../lake/live/freshness.ts'
import type { WorkerPhase } from '../../../lake/live/workers.ts'
import type { Lake } from '../../../lake/open.ts'
import { isFull } from '../../../lake/store/errors.ts'
import type { Limiter } from '../../auth/limits/limiter.ts'
import type { Endpoint } from '../../kernel/endpoint.ts'
import type { ServiceState } from './state.ts'

/** Whether requests for data can be answered, and what is missing. */
export interface Readiness {
  readonly status: 'ready' | 'degraded' | 'not ready'
  readonly redis: boolean
  readonly lake: boolean
  /** True if the object store has no room: what it has can be read, nothing new is stored. */
  readonly store_full: boolean
  /** True if Redis answers and refuses writes: it is a replica, has no memory, or cannot save. */
  readonly redis_read_only: boolean
  /** Enabled feeds that have not delivered yet; null while no feed is known. */
  readonly waiting_for: readonly string[] | null
  /** While workers load data: feeds that have delivered and are not in their tables yet. */
  readonly landing: readonly string[]
  /** How much of the data has arrived since the workers started. */
  readonly phase: WorkerPhase
}

/** Timeout in ms after which a store counts as unavailable. */
const PATIENCE_MS = 5000

/** Time for which an answer of the store counts, ms: each request costs money at rest. */
const SURE_MS = 60_000

/** What readiness is found from. */
export interface ReadinessParts {
  readonly endpoints: readonly Endpoint[]
  readonly state: ServiceState
  readonly lake: Lake
  readonly limiter: Pick<Limiter, 'refusal'>
  readonly clock: () => number
  /** Called at each check: whether the store is full. */
  readonly onStore?: (isFull: boolean) => void
}

/** Makes the function that reports whether the service is ready. */
export function readinessOf(parts: ReadinessParts): () => Promise<Readiness> {
  const { endpoints, state, lake, limiter, clock } = parts
  const shown = [
    ...new Set(
      endpoints
        .filter(({ read }) => read.kind === 'memory' && needsNoTable(read))
        .flatMap(({ read }) => ('from' in read ? read.from : []).map(({ id }) => id)),
    ),
  ]
  let answered_at = Number.NEGATIVE_INFINITY
  const landingOf = landingFinder(lake)
  return async () => {
    const isSure = clock() - answered_at < SURE_MS
    const store = isSure ? 'answers' : await answers(() => lake.store.now())
    if (store === 'answers' && !isSure) answered_at = clock()
    const workers = state.live.workers()
    const checks = {
      redis: state.live.connected,
      lake: store !== 'silent',
      // A full bucket answers reads: a worker's write finds out.
      store_full: store === 'full' || workers?.store_full === true,
      redis_read_only: limiter.refusal !== null,
    }
    parts.onStore?.(checks.store_full)
    const { feeds, states } = state.system()
    const enabled = feeds.filter((feed) => feed.enabled)
    const waiting = enabled.filter(({ id }) => (states.get(id)?.last_success_at ?? null) === null)
    const phase = workers?.phase ?? 'STEADY'
    // Each look at a table may ask the store: not at rest, and no longer than a load balancer waits.
    const isLooking = checks.lake && phase !== 'STEADY'
    const landing = isLooking ? await soon(() => landingOf(enabled.filter((feed) => !waiting.includes(feed))), []) : []
    // Without Redis, the last good state is served if there is one; without the store, the current state is.
    const canServe = checks.lake || shown.some((id) => state.live.get(id) !== null)
    const isWhole = checks.redis && checks.lake && !checks.store_full && !checks.redis_read_only
    return {
      status: !canServe ? 'not ready' : isWhole ? 'ready' : 'degraded',
      ...checks,
      waiting_for: feeds.length === 0 ? null : waiting.map(({ id }) => id),
      landing,
      phase,
    }
  }
}

/**
 * Makes the function that finds the feeds without a landing in any of their tables. One that has landed is not looked up again.
 */
function landingFinder(lake: Lake): (feeds: readonly FeedListing[]) => Promise<string[]> {
  const landed = new Set<string>()
  const hasLanded = async (feed: FeedListing): Promise<boolean> => {
    const tables = datasets.filter(({ id }) => feed.datasets.includes(id))
    // A table that cannot be used says so elsewhere.
    const found = await Promise.all(tables.map((dataset) => lake.snapshot(dataset).catch(() => true as const)))
    return found.some((table) => table === true || table?.covered_until[feed.id] !== undefined)
  }
  return async (feeds) => {
    const unknown = feeds.filter(({ id, on_demand }) => !on_demand && !landed.has(id))
    const found = await Promise.all(unknown.map(hasLanded))
    for (const [at, { id }] of unknown.entries()) if (found[at]) landed.add(id)
    return unknown.filter(({ id }) => !landed.has(id)).map(({ id }) => id)
  }
}

/** True for a read that is answered from the current state although the store is away: it has no tables, or they are optional. */
function needsNoTable({ lake, needs }: { readonly lake?: readonly unknown[]; readonly needs?: readonly unknown[] }): boolean {
  return lake === undefined || needs?.length === 0
}

async function answers(ask: () => Promise<unknown>): Promise<'answers' | 'full' | 'silent'> {
  try {
    return await soon<'answers' | 'silent'>(() => ask().then(() => 'answers'), 'silent')
  } catch (error) {
    // A full store can still be read.
    return isFull(error) ? 'full' : 'silent'
  }
}

/** The result of some work; another one if it takes longer than `PATIENCE_MS`. */
async function soon<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  const patience = new AbortController()
  try {
    return await Promise.race([work(), sleep(PATIENCE_MS, otherwise, { signal: patience.signal, ref: false })])
  } finally {
    patience.abort()
  }
}
