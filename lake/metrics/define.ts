import { Counter, Gauge, type Registry } from 'prom-client'

/** A metric of a process, as declared to Prometheus. */
export interface MetricDeclaration {
  /** `traffic_…` for our own, with the unit: `_seconds`, `_bytes`; `_total` for counters. */
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels?: readonly string[]
  /** Upper bounds of a histogram's buckets, in s. */
  readonly buckets_s?: readonly number[]
}

/** A value, or one for each existing combination of labels. */
export type Shown = number | readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[]

/** Freezes declarations by their names in code. */
export function defineMetrics<const M extends Readonly<Record<string, MetricDeclaration>>>(metrics: M): M {
  for (const one of Object.values(metrics)) Object.freeze(one)
  return Object.freeze(metrics)
}

const declared =
  (kind: 'counter' | 'gauge') =>
  (name: string, help: string, labels: readonly string[] = []): MetricDeclaration => ({ name, kind, help, labels })

/** Declares a counter. */
export const counter = declared('counter')
/** Declares a gauge. */
export const gauge = declared('gauge')

/** Creates a counter that code increments. */
export function openCounter(registry: Registry, { name, help, labels = [] }: MetricDeclaration): Counter {
  return new Counter({ name, help, labelNames: [...labels], registers: [registry] })
}

/** Creates a gauge that code sets. */
export function openGauge(registry: Registry, { name, help, labels = [] }: MetricDeclaration): Gauge {
  return new Gauge({ name, help, labelNames: [...labels], registers: [registry] })
}

/** Exposes a value that `read` returns at each scrape; nothing if it returns an empty list. It must not throw. */
export function show(registry: Registry, declaration: MetricDeclaration, read: () => Shown | Promise<Shown>): void {
  const { name, help, labels = [], kind } = declaration
  const config = { name, help, labelNames: [...labels], registers: [registry] }
  const Kind = kind === 'gauge' ? Gauge : Counter
  new Kind({
    ...config,
    async collect(this: Gauge | Counter) {
      const values = await read()
      this.reset()
      // From zero: a gauge is then at the value, as if it was set.
      for (const [of, value] of typeof values === 'number' ? [[{}, values] as const] : values) this.inc(of, value)
    },
  })
}
