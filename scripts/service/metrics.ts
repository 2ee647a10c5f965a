import type { Config } from '../../lake/config.ts'
import { openMetrics, type ProcessMetrics } from '../../lake/metrics/metrics.ts'
import { type MetricsServer, serveMetrics } from '../../lake/metrics/server.ts'

/** What a process of the service measures itself with, and where that is served. */
export interface ServiceMetrics extends ProcessMetrics {
  /** The address to scrape; null where METRICS_PORT is not set. */
  readonly url: string | null
  close(): Promise<void>
}

/** Where the processes of the service serve their metrics: the port of the worker, and those of the API's processes, the first first. */
export interface MetricsPorts {
  readonly worker: number
  readonly api: readonly number[]
}

type Settings = Pick<Config, 'metricsHost' | 'metricsPort' | 'port'>

/** The ports of a configuration; null without METRICS_PORT. Throws where one of them is the API's own, or none at all. */
export function metricsPorts(config: Settings & Pick<Config, 'apiWorkers'>): MetricsPorts | null {
  const { metricsPort: first, port, apiWorkers } = config
  if (first === null) return null
  const api = Array.from({ length: apiWorkers }, (_, at) => (first === 0 ? 0 : first + 1 + at))
  if (Math.max(...api) > 65_535)
    throw new Error(`METRICS_PORT=${first}: with API_WORKERS=${apiWorkers} the last port would be ${first + apiWorkers}`)
  for (const one of [first, ...api]) refusePublic(one, { first, port })
  return { worker: first, api }
}

/** Opens what a process measures itself with and, where METRICS_PORT is set, serves it there. Throws where that port cannot be had. */
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

/** Metrics are not for the public: never on its port, whatever the addresses. */
function refusePublic(one: number, { first, port }: { readonly first: number; readonly port: number }): void {
  if (one !== 0 && one === port) throw new Error(`METRICS_PORT=${first}: port ${one} is that of the API (PORT), where metrics must not be`)
}
