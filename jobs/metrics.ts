import type { Counter, Gauge, Registry } from 'prom-client'
import { counter, defineMetrics, gauge, openCounter, openGauge, show } from '../lake/metrics/define.ts'
import { Timings } from '../lake/metrics/timings.ts'
import type { Feed } from './feeds/define.ts'
import type { FetchOutcome } from './ingest/pipeline.ts'
import type { JobCounts } from './ticker.ts'

/** Outcomes of a fetch: those of the pipeline, or an error of ours. */
const FETCH_OUTCOMES = ['accepted', 'unchanged', 'rejected', 'failed', 'error'] as const
const OUTCOMES = ['done', 'error'] as const

/** The worker's own metrics, beside those of every process (`LAKE_METRICS`). */
export const WORKER_METRICS = defineMetrics({
  fetches: counter(
    'traffic_worker_fetches_total',
    'Fetches of a feed by outcome: accepted, unchanged, rejected by the guard, failed at the publisher, or internal error.',
    ['feed', 'outcome'],
  ),
  fetchTime: {
    name: 'traffic_worker_fetch_duration_seconds',
    kind: 'histogram',
    help: 'Duration of fetches, from the request until live state has the data.',
    labels: ['feed'],
    buckets_s: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
  },
  fetched: gauge(
    'traffic_worker_last_fetch_timestamp_seconds',
    "Time of this process's last successful fetch of a feed, accepted or unchanged; no value before the first.",
    ['feed'],
  ),
  parses: counter(
    'traffic_worker_parses_total',
    'How often this process parsed a publication of a feed: once for each fetch, unless it reads the raw log.',
    ['feed'],
  ),
  quarantined: counter('traffic_worker_rows_quarantined_total', 'Rows of accepted fetches that failed a check.', ['feed']),
  landings: counter(
    'traffic_worker_landings_total',
    'Landings of a feed, including its derivations, by outcome: done (also with nothing to land) or error.',
    ['feed', 'outcome'],
  ),
  landTime: {
    name: 'traffic_worker_landing_duration_seconds',
    kind: 'histogram',
    help: 'Duration of landings, including derivations.',
    labels: ['feed'],
    buckets_s: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900],
  },
  landed: gauge(
    'traffic_worker_last_landing_timestamp_seconds',
    "Time of this process's last successful landing of a feed; no value before the first.",
    ['feed'],
  ),
  rows: counter('traffic_worker_rows_landed_total', 'Rows landed in a table; derived rows are not counted.', ['dataset']),
  upkeep: counter('traffic_worker_upkeep_total', 'Runs of an upkeep task by outcome: done or error.', ['task', 'outcome']),
  upkeepTime: {
    name: 'traffic_worker_upkeep_duration_seconds',
    kind: 'histogram',
    help: 'Duration of upkeep task runs.',
    labels: ['task'],
    buckets_s: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600],
  },
  refused: gauge(
    'traffic_worker_table_refused',
    "1 for each dataset whose table cannot be used: its feeds wait. The service's status states why.",
    ['dataset'],
  ),
  foreign: gauge(
    'traffic_worker_table_foreign_snapshots',
    'Kept snapshots of a table that another writer made; the status names the engine.',
    ['dataset'],
  ),
  jobs: gauge(
    'traffic_worker_jobs',
    'Jobs of the feeds and tasks that this worker owns by state: running, waiting for a lock, or scheduled for later.',
    ['state'],
  ),
})

/** What the worker processes, by name; metrics of these are exposed from the start. */
interface Known {
  readonly feeds: readonly { readonly id: string; readonly into: readonly { readonly id: string }[] }[]
  readonly tasks: readonly { readonly task: string }[]
}

/** Measures the worker's jobs. Stopped jobs are not counted. */
export class WorkerMetrics {
  readonly #registry: Registry
  readonly #now: () => number
  readonly #fetches: Counter
  readonly #fetchTime: Timings
  readonly #fetched: Gauge
  readonly #parses: Counter
  readonly #quarantined: Counter
  readonly #landings: Counter
  readonly #landTime: Timings
  readonly #landed: Gauge
  readonly #rows: Counter
  readonly #upkeep: Counter
  readonly #upkeepTime: Timings

  /** `now` is the time in ms since the epoch. */
  constructor(registry: Registry, { feeds, tasks, now }: Known & { readonly now: () => number }) {
    this.#registry = registry
    this.#now = now
    this.#fetches = openCounter(registry, WORKER_METRICS.fetches)
    this.#fetchTime = new Timings(registry, WORKER_METRICS.fetchTime)
    this.#fetched = openGauge(registry, WORKER_METRICS.fetched)
    this.#parses = openCounter(registry, WORKER_METRICS.parses)
    this.#quarantined = openCounter(registry, WORKER_METRICS.quarantined)
    this.#landings = openCounter(registry, WORKER_METRICS.landings)
    this.#landTime = new Timings(registry, WORKER_METRICS.landTime)
    this.#landed = openGauge(registry, WORKER_METRICS.landed)
    this.#rows = openCounter(registry, WORKER_METRICS.rows)
    this.#upkeep = openCounter(registry, WORKER_METRICS.upkeep)
    this.#upkeepTime = new Timings(registry, WORKER_METRICS.upkeepTime)
    for (const { id: feed, into } of feeds) {
      for (const outcome of FETCH_OUTCOMES) this.#fetches.inc({ feed, outcome }, 0)
      for (const outcome of OUTCOMES) this.#landings.inc({ feed, outcome }, 0)
      this.#parses.inc({ feed }, 0)
      this.#quarantined.inc({ feed }, 0)
      for (const { id: dataset } of into) this.#rows.inc({ dataset }, 0)
    }
    for (const { task } of tasks) for (const outcome of OUTCOMES) this.#upkeep.inc({ task, outcome }, 0)
  }

  /** Returns a feed whose parses are counted. */
  parsing(feed: Feed): Feed {
    return {
      ...feed,
      rows: (...given) => {
        this.#parses.inc({ feed: feed.id })
        return feed.rows(...given)
      },
    }
  }

  /** Measures a fetch of a feed. */
  fetch(feed: string, signal: AbortSignal, work: () => Promise<FetchOutcome>): Promise<void> {
    const fail = (): void => this.#fetches.inc({ feed, outcome: 'error' })
    return measured({ signal, times: this.#fetchTime, of: feed, fail }, async () => {
      const { outcome, quarantined } = await work()
      this.#fetches.inc({ feed, outcome })
      if (outcome === 'accepted') this.#quarantined.inc({ feed }, quarantined)
      if (outcome === 'accepted' || outcome === 'unchanged') this.#fetched.set({ feed }, this.#now() / 1000)
    })
  }

  /** Measures a feed's landing; the work returns rows by dataset. */
  land(feed: string, signal: AbortSignal, work: () => Promise<Readonly<Record<string, number>>>): Promise<void> {
    const fail = (): void => this.#landings.inc({ feed, outcome: 'error' })
    return measured({ signal, times: this.#landTime, of: feed, fail }, async () => {
      const rows = await work()
      this.#landings.inc({ feed, outcome: 'done' })
      for (const [dataset, count] of Object.entries(rows)) this.#rows.inc({ dataset }, count)
      this.#landed.set({ feed }, this.#now() / 1000)
    })
  }

  /** Measures a run of a task of upkeep. */
  upkeep(task: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const fail = (): void => this.#upkeep.inc({ task, outcome: 'error' })
    return measured({ signal, times: this.#upkeepTime, of: task, fail }, async () => {
      await work()
      this.#upkeep.inc({ task, outcome: 'done' })
    })
  }

  /** Exposes the tables that cannot be used and those that other writers changed, by dataset id. */
  followTables(read: {
    readonly refused: () => ReadonlyMap<string, string>
    readonly changed: () => ReadonlyMap<string, { readonly snapshots: number }>
  }): void {
    show(this.#registry, WORKER_METRICS.refused, () => [...read.refused().keys()].map((dataset) => [{ dataset }, 1] as const))
    show(this.#registry, WORKER_METRICS.foreign, () =>
      [...read.changed()].map(([dataset, { snapshots }]) => [{ dataset }, snapshots] as const),
    )
  }

  /** Exposes the owned jobs by state. */
  followJobs(read: () => JobCounts): void {
    show(this.#registry, WORKER_METRICS.jobs, () => Object.entries(read()).map(([state, jobs]) => [{ state }, jobs] as const))
  }
}

/** Measures how long work takes, and whether it fails, unless it was stopped. */
async function measured(
  given: { readonly signal: AbortSignal; readonly times: Timings; readonly of: string; readonly fail: () => void },
  work: () => Promise<void>,
): Promise<void> {
  const { signal, times, of, fail } = given
  const began_at = performance.now()
  try {
    await work()
  } catch (error) {
    if (!signal.aborted) fail()
    throw error
  } finally {
    if (!signal.aborted) times.series(of).observe((performance.now() - began_at) / 1000)
  }
}
