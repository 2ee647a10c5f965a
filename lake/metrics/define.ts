import { Counter, Gauge, type Registry } from 'prom-client'

/** Something of a process that is measured, as Prometheus is told. */
export interface MetricDeclaration {
  /** `traffic_…` for what is ours, with its unit: `_seconds`, `_bytes`; `_total` for what only grows. */
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels?: readonly string[]
  /** Upper bounds of a histogram's buckets, in s. */
  readonly buckets_s?: readonly number[]
}

/** A value, or one for each combination of labels that there is. */
export type Shown = number | readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[]

/** Freezes declarations, by the name that code knows each by. */
export function defineMetrics<const M extends Readonly<Record<string, MetricDeclaration>>>(metrics: M): M {
  for (const one of Object.values(metrics)) Object.freeze(one)
  return Object.freeze(metrics)
}

/** Makes a counter that is counted up where things happen. */
export function openCounter(registry: Registry, { name, help, labels = [] }: MetricDeclaration): Counter {
  return new Counter({ name, help, labelNames: [...labels], registers: [registry] })
}

/** Makes a gauge that is set where things happen. */
export function openGauge(registry: Registry, { name, help, labels = [] }: MetricDeclaration): Gauge {
  return new Gauge({ name, help, labelNames: [...labels], registers: [registry] })
}

/** Shows what is at hand whenever somebody asks for it; nothing where `read` gives an empty list. It must not fail. */
export function show(registry: Registry, declaration: MetricDeclaration, read: () => Shown | Promise<Shown>): void {
  const { name, help, labels = [], kind } = declaration
  const config = { name, help, labelNames: [...labels], registers: [registry] }
  if (kind === 'gauge')
    new Gauge({
      ...config,
      async collect() {
        const values = await read()
        this.reset()
        if (typeof values === 'number') this.set(values)
        else for (const [of, value] of values) this.set(of, value)
      },
    })
  else
    new Counter({
      ...config,
      async collect() {
        const values = await read()
        this.reset()
        if (typeof values === 'number') this.inc(values)
        else for (const [of, value] of values) this.inc(of, value)
      },
    })
}
