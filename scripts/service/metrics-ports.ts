import type { Config } from '../../lake/config.ts'

/** The ports that serve metrics: the worker's, and those of the API's processes in order. */
export interface MetricsPorts {
  readonly worker: number
  readonly api: readonly number[]
}

/** Returns the ports of a configuration; null without METRICS_PORT. Throws if one is invalid or the API's own. */
export function metricsPorts(config: Pick<Config, 'metricsPort' | 'port' | 'apiWorkers'>): MetricsPorts | null {
  const { metricsPort: first, port, apiWorkers } = config
  if (first === null) return null
  const api = Array.from({ length: apiWorkers }, (_, at) => (first === 0 ? 0 : first + 1 + at))
  if (Math.max(...api) > 65_535)
    throw new Error(`METRICS_PORT=${first}: with API_WORKERS=${apiWorkers} the last port would be ${first + apiWorkers}`)
  for (const one of [first, ...api]) refusePublic(one, { first, port })
  return { worker: first, api }
}

/** Metrics are private: they never share the API's port, on any address. */
export function refusePublic(one: number, { first, port }: { readonly first: number; readonly port: number }): void {
  if (one !== 0 && one === port) throw new Error(`METRICS_PORT=${first}: port ${one} is that of the API (PORT), where metrics must not be`)
}
