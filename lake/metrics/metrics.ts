import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { Registry } from 'prom-client'
import type { Engine, QueryReport } from '../query/engine.ts'
import { STORE_OPERATIONS, type StoreOperation } from '../store/counting.ts'
import { counter, defineMetrics, gauge, openCounter, show } from './define.ts'
import { Timings } from './timings.ts'

/** Metrics of every process, with the usual names of Node dashboards. */
export const PROCESS_METRICS = defineMetrics({
  cpu: counter('process_cpu_seconds_total', 'Processor time used by the process.'),
  memory: gauge('process_resident_memory_bytes', 'Resident memory of the process.'),
  start: gauge('process_start_time_seconds', 'Start of the process, since the epoch.'),
  files: gauge('process_open_fds', 'Open files and connections; none if the system does not report them.'),
  heap: gauge('nodejs_heap_size_total_bytes', 'Size of the JavaScript heap.'),
  heapUsed: gauge('nodejs_heap_size_used_bytes', 'Used part of the JavaScript heap.'),
  external: gauge('nodejs_external_memory_bytes', 'Memory outside the heap used by JavaScript objects, including buffers.'),
  busy: counter('nodejs_eventloop_active_seconds_total', 'Busy time of the event loop; its rate is the utilization.'),
  lagMean: gauge('nodejs_eventloop_lag_mean_seconds', 'Mean event loop delay with a 10 ms timer since the last scrape.'),
  lag99: gauge('nodejs_eventloop_lag_p99_seconds', '99th percentile of the event loop delay since the last scrape.'),
  lagMax: gauge('nodejs_eventloop_lag_max_seconds', 'Maximum event loop delay since the last scrape.'),
  version: gauge('nodejs_version_info', 'Version of Node, always 1.', ['version']),
})

const LAG_MS = 10

/** Exposes the process metrics. */
export function showProcess(registry: Registry): void {
  const lag = monitorEventLoopDelay({ resolution: LAG_MS })
  lag.enable()
  const started_s = Date.now() / 1000 - process.uptime()
  const memory = (of: 'heapTotal' | 'heapUsed' | 'external' | 'rss') => () => process.memoryUsage()[of]
  show(registry, PROCESS_METRICS.cpu, () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  show(registry, PROCESS_METRICS.memory, memory('rss'))
  show(registry, PROCESS_METRICS.start, () => started_s)
  show(registry, PROCESS_METRICS.files, () => openFiles())
  show(registry, PROCESS_METRICS.heap, memory('heapTotal'))
  show(registry, PROCESS_METRICS.heapUsed, memory('heapUsed'))
  show(registry, PROCESS_METRICS.external, memory('external'))
  show(registry, PROCESS_METRICS.busy, () => performance.eventLoopUtilization().active / 1000)
  // There is no mean before the first turn.
  show(registry, PROCESS_METRICS.lagMean, () => (lag.count === 0 ? [] : lag.mean / 1e9))
  show(registry, PROCESS_METRICS.lag99, () => (lag.count === 0 ? [] : lag.percentile(99) / 1e9))
  show(registry, PROCESS_METRICS.lagMax, () => {
    const longest = lag.count === 0 ? [] : lag.max / 1e9
    // All three are read in one scrape, this one last.
    lag.reset()
    return longest
  })
  show(registry, PROCESS_METRICS.version, () => [[{ version: process.version }, 1]])
}

function openFiles(): number | [] {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return []
  }
}

/** Metrics of every process that opens the lake, in addition to `PROCESS_METRICS`. */
export const LAKE_METRICS = defineMetrics({
  slots: gauge('traffic_lake_query_slots', 'Lake queries that may run at once in this process.'),
  used: gauge('traffic_lake_query_slots_used', 'Lake queries that are running.'),
  waiting: gauge('traffic_lake_queries_waiting', 'Lake queries that are waiting for a slot.'),
  held: {
    name: 'traffic_lake_query_duration_seconds',
    kind: 'histogram',
    help: 'Duration of lake queries, by outcome: done (even if statements failed), timeout, aborted or closed.',
    labels: ['outcome'],
    buckets_s: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  wait: {
    name: 'traffic_lake_query_wait_seconds',
    kind: 'histogram',
    help: 'Waiting time of lake queries that got a slot.',
    buckets_s: [0.001, 0.01, 0.1, 0.5, 1, 5, 10, 30],
  },
  refused: counter(
    'traffic_lake_queries_refused_total',
    'Lake queries that got no slot, by reason: busy (too many were waiting), timeout, aborted, closed or failed.',
    ['reason'],
  ),
  requests: counter(
    'traffic_store_requests_total',
    'Requests to the object store by operation; a listing is one per 1,000 keys. Reads by DuckDB itself are not counted.',
    ['operation'],
  ),
  redis: gauge('traffic_redis_connected', '1 while Redis replies to this process, else 0.'),
})

/** Reasons why a query gets no slot, exposed from the start. */
const REFUSALS = ['busy', 'timeout', 'aborted', 'closed', 'failed'] as const

/** The metrics of a process. */
export interface ProcessMetrics {
  /** Of this process; modules share no other registry. */
  readonly registry: Registry
  /** Counts a lake query that has ended or got no slot. */
  countQuery(result: QueryReport): void
  /** Counts a request to the object store. */
  countRequest(operation: StoreOperation): void
  /** Exposes the state of the lake's engine and of Redis. */
  follow(parts: { readonly engine: Pick<Engine, 'slots' | 'load'>; readonly redisConnected: () => boolean }): void
}

/** Opens the metrics of a process. If `isServed` is false, nobody can scrape them and nothing is measured. */
export function openMetrics({ isServed }: { readonly isServed: boolean }): ProcessMetrics {
  const registry = new Registry()
  if (isServed) showProcess(registry)
  const held = new Timings(registry, LAKE_METRICS.held)
  const wait = new Timings(registry, LAKE_METRICS.wait).series()
  const refused = openCounter(registry, LAKE_METRICS.refused)
  for (const reason of REFUSALS) refused.inc({ reason }, 0)
  held.series('done')
  const requests = openCounter(registry, LAKE_METRICS.requests)
  for (const operation of STORE_OPERATIONS) requests.inc({ operation }, 0)
  return {
    registry,
    countQuery: ({ outcome, waited_ms, held_ms }) => {
      if (held_ms === null) return refused.inc({ reason: outcome })
      wait.observe(waited_ms / 1000)
      held.series(outcome).observe(held_ms / 1000)
    },
    countRequest: (operation) => requests.inc({ operation }),
    follow: ({ engine, redisConnected }) => {
      show(registry, LAKE_METRICS.slots, () => engine.slots)
      show(registry, LAKE_METRICS.used, () => engine.load.taken)
      show(registry, LAKE_METRICS.waiting, () => engine.load.waiting)
      show(registry, LAKE_METRICS.redis, () => Number(redisConnected()))
    },
  }
}
