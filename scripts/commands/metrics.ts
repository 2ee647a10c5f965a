import type { Config } from '../../lake/config.ts'
import { openMetrics, type ProcessMetrics } from '../../lake/metrics/metrics.ts'
import { type MetricsServer, serveMetrics } from '../../lake/metrics/server.ts'

/** The metrics of a process of the service, and where they are served. */
export interface ServiceMetrics extends ProcessMetrics {
  /** The address to scrape; null if METRICS_PORT is not set. */
  readonly url: string | null
  close(): Promise<void>
}

/** The ports that serve metrics: the worker's, and those of the API's processes in order. */
export interface MetricsPorts {
  readonly worker: number
  readonly api: readonly number[]
}

type Settings = Pick<Config, 'metricsHost' | 'metricsPort' | 'port'>

/** Returns the ports of a configuration; null without METRICS_PORT. Throws if one is invalid or the API's own. */
export function metricsPorts(config: Settings & Pick<Config, 'apiWorkers'>): MetricsPorts | null {
  const { metricsPort: first, port, apiWorkers } = config
  if (first === null) return null
  const api = Array.from({ length: apiWorkers }, (_, at) => (first === 0 ? 0 : first + 1 + at))
  if (Math.max(...api) > 65_535)
    throw new Error(`METRICS_PORT=${first}: with API_WORKERS=${apiWorkers} the last port would be ${first + apiWorkers}`)
  for (const one of [first, ...api]) refusePublic(one, { first, port })
  return { worker: first, api }
}

/** Opens the metrics of a process and, if METRICS_PORT is set, serves them there. Throws if the port is not available. */
export async function openServiceMetrics(config: Settings): Promise<ServiceMetrics> {
  const { metricsHost: host, metricsPort: port } = config
  const metrics = openMetrics({ isServed: port !== null })
  const server = port === null ? null : await serve(metrics, { ...config, metricsHost: host, metricsPort: port })
  return { ...metrics, url: server?.url ?? null, close: async () => await server?.close() }
}

async function serve(
  { registry }: ProcessMetrics,
  { metricsHost: host, metricsPort: port, port: ofApi }: Settings & { readonly metricsPort: number },
): Promise<MetricsServer> {
  refusePublic(port, { first: port, port: ofApi })
  try {
    return await serveMetrics({ registry, host, port })
  } catch (cause) {
    throw new Error(`METRICS_PORT or METRICS_HOST: metrics cannot be served on ${host} port ${port}: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** Metrics are private: they never share the API's port, on any address. */
function refusePublic(one: number, { first, port }: { readonly first: number; readonly port: number }): void {
  if (one !== 0 && one === port) throw new Error(`METRICS_PORT=${first}: port ${one} is that of the API (PORT), where metrics must not be`)
}
