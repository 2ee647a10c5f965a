import { setTimeout as sleep } from 'node:timers/promises'
import type { Lake } from '../../lake/open.ts'
import { isFull } from '../../lake/store/errors.ts'
import { datasetsOf, type Endpoint } from '../define/endpoint.ts'
import type { ServiceState } from './state.ts'

/** Whether requests for data can be answered, and what is missing. */
export interface Readiness {
  readonly status: 'ready' | 'degraded' | 'not ready'
  readonly redis: boolean
  readonly lake: boolean
  /** Enabled feeds that have not delivered yet; null while no feed is known. */
  readonly waiting_for: readonly string[] | null
}

/** Timeout in ms after which a store counts as unavailable. */
const PATIENCE_MS = 5000

/** Makes the function that reports whether the service is ready. */
export function readinessOf(parts: {
  readonly endpoints: readonly Endpoint[]
  readonly state: ServiceState
  readonly lake: Lake
}): () => Promise<Readiness> {
  const { endpoints, state, lake } = parts
  const shown = [
    ...new Set(
      endpoints.filter(({ read }) => read.kind === 'memory' && read.records).flatMap((one) => datasetsOf(one).map(({ id }) => id)),
    ),
  ]
  return async () => {
    const checks = { redis: state.live.connected, lake: await answers(() => lake.store.now()) }
    const { feeds, states } = state.system()
    const waiting = feeds.filter(({ id, enabled }) => enabled && (states.get(id)?.last_success_at ?? null) === null)
    // Without Redis, the last good state is served if there is one.
    const canServe = checks.lake && (checks.redis || shown.some((id) => state.live.get(id) !== null))
    return {
      status: !canServe ? 'not ready' : checks.redis ? 'ready' : 'degraded',
      ...checks,
      waiting_for: feeds.length === 0 ? null : waiting.map(({ id }) => id),
    }
  }
}

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  const patience = new AbortController()
  try {
    return await Promise.race([ask().then(() => true), sleep(PATIENCE_MS, false, { signal: patience.signal, ref: false })])
  } catch (error) {
    // A full store can still be read.
    return isFull(error)
  } finally {
    patience.abort()
  }
}
