import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Registry } from 'prom-client'
import { counter, defineMetrics, gauge, show } from './define.ts'

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
