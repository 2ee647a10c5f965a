import { Registry } from 'prom-client'
import type { Engine, QueryReport } from '../query/engine.ts'
import { counter, defineMetrics, gauge, openCounter, show } from './define.ts'
import { showProcess } from './process.ts'
import { Timings } from './timings.ts'

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
  return {
    registry,
    countQuery: ({ outcome, waited_ms, held_ms }) => {
      if (held_ms === null) return refused.inc({ reason: outcome })
      wait.observe(waited_ms / 1000)
      held.series(outcome).observe(held_ms / 1000)
    },
    follow: ({ engine, redisConnected }) => {
      show(registry, LAKE_METRICS.slots, () => engine.slots)
      show(registry, LAKE_METRICS.used, () => engine.load.taken)
      show(registry, LAKE_METRICS.waiting, () => engine.load.waiting)
      show(registry, LAKE_METRICS.redis, () => Number(redisConnected()))
    },
  }
}
