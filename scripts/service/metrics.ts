import type { Config } from '../../lake/config.ts'
import { openMetrics, type ProcessMetrics } from '../../lake/metrics/metrics.ts'
import { type MetricsServer, serveMetrics } from '../../lake/metrics/server.ts'
import { refusePublic } from './metrics-ports.ts'

/** The metrics of a process of the service, and where they are served. */
export interface ServiceMetrics extends ProcessMetrics {
  /** The address to scrape; null if METRICS_PORT is not set. */
  readonly url: string | null
  close(): Promise<void>
}

type Settings = Pick<Config, 'metricsHost' | 'metricsPort' | 'port'>

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
